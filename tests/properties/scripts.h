#pragma once
// Every golden script and example, with its conditions.
#include <cstddef>
#include <string>
#include <vector>

#include "eval/settings.h"

namespace mtf::properties {

/// Returns their paths, in order.
std::vector<std::string> scripts();

std::string text_of(const std::string& path);

/// A script under one mesh and layout of its header.
struct ScriptCase {
  std::string path;
  std::string name;  ///< for a failure: the path, mesh and layout
  eval::Settings settings;
};

/// Returns the cases of a script, each on one rank, without the meshes and layouts under which it is refused.
std::vector<ScriptCase> cases_of(const std::string& path);

/// Tests of scripts are divided into parts that run at once: part `p` has the scripts with the numbers p, p + kParts, …
constexpr size_t kParts = 6;

}  // namespace mtf::properties
