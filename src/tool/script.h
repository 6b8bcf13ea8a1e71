#pragma once
// The script that a command is given.
#include <string>

namespace mtf::tool {

struct Script {
  std::string name;  ///< as messages show it, and what imports are relative to
  std::string text;
};

/// Reads a file, or standard input for `-`; once, so that a pipe will do. Throws UserError.
Script read_script(const std::string& path);

/// All that is left on standard input.
std::string read_standard_input();

}  // namespace mtf::tool
