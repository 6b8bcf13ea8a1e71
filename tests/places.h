#pragma once
// The paths of the project, for tests and benchmarks. Only one source knows them. So all other sources compile the same
// in every checkout, and a compiler cache serves a second checkout.
#include <string>

namespace mtf {

/// The folder of the checkout.
const std::string& source_folder();
/// The build folder, which has the command `mtf`.
const std::string& build_folder();
/// The standard library of the checkout.
const std::string& stdlib_folder();

}  // namespace mtf
