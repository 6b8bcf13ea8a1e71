#pragma once
// Every golden script and example, and under what it runs.
#include <cstddef>
#include <string>
#include <vector>

#include "eval/settings.h"

namespace mtf::properties {

/// In order.
std::vector<std::string> scripts();

std::string text_of(const std::string& path);

/// A script under one of the meshes and layouts that its header names.
struct ScriptCase {
  std::string path;
  std::string name;  ///< for a failure: the path, mesh and layout
  eval::Settings settings;
};

/// Each on one rank; those under which the script is refused are left out.
std::vector<ScriptCase> cases_of(const std::string& path);

/// What tests of scripts are divided into, so that several run at once: part `p` has every script number p, p + kParts,
/// …
constexpr size_t kParts = 6;

}  // namespace mtf::properties
