#pragma once
// The script of a command.
#include <string>
#include <string_view>
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

/// The same, where each folder must hold one: throws UserError that there is no `what` in a folder, with `help`.
std::vector<std::string> find_scripts_in_each(const std::vector<std::string>& paths, std::string_view what,
                                              const std::string& help = {},
                                              const std::vector<std::string>& endings = {".mtf"});

/// Returns the rest of standard input.
std::string read_standard_input();

}  // namespace mtf::tool
