#pragma once
// The script of a command.
#include <string>
#include <vector>

namespace mtf::tool {

struct Script {
  std::string name;  ///< the name in messages; imports are relative to it
  std::string text;
};

/// Reads a file, or standard input for `-`. Reads it once, so that a pipe works. Throws UserError.
Script read_script(const std::string& path);

/// Returns the named files, and the files with these endings in the named folders, in order. Throws UserError.
std::vector<std::string> find_scripts(const std::vector<std::string>& paths,
                                      const std::vector<std::string>& endings = {".mtf"});

/// Returns the rest of standard input.
std::string read_standard_input();

}  // namespace mtf::tool
