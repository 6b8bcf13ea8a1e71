#pragma once
// Where tests and benchmarks find the project: known to one source alone, so that all others compile the same
// in every checkout, and a compiler cache serves a second one.
#include <string>

namespace mtf {

/// The folder of the checkout.
const std::string& source_folder();
/// The folder in which it was built, which has the command `mtf`.
const std::string& build_folder();
/// The standard library of the checkout.
const std::string& stdlib_folder();

}  // namespace mtf
