#pragma once
// `mtf run --watch`: a script runs again whenever it, or a module that it imports, changes.
#include <optional>
#include <string>
#include <vector>

namespace mtf::tool {

/// The file of a script and the files of all modules that it imports, directly or not. A file that cannot be read has
/// no imports. Standard modules have files only where `standard_library` is a folder.
std::vector<std::string> files_of_script(const std::string& file, const std::string& standard_library);

/// Forks a process that runs the script, and another whenever one of files_of_script has changed: what runs then ends
/// first. Returns nothing in a process that is to run the script; in this one it returns an exit status when it cannot
/// go on, and SIGINT ends it. It looks at times and sizes of files, some times a second, which works on any file
/// system.
std::optional<int> watch_script(const std::string& file, const std::string& standard_library);

}  // namespace mtf::tool
