#pragma once
// The script that a command is given.
#include <string>
#include <vector>

namespace mtf::tool {

struct Script {
  std::string name;  ///< as messages show it, and what imports are relative to
  std::string text;
};

/// Reads a file, or standard input for `-`; once, so that a pipe will do. Throws UserError.
Script read_script(const std::string& path);

/// The files that are named, and those of these endings in the folders that are named, in order. Throws UserError.
std::vector<std::string> find_scripts(const std::vector<std::string>& paths,
                                      const std::vector<std::string>& endings = {".mtf"});

/// All that is left on standard input.
std::string read_standard_input();

}  // namespace mtf::tool
