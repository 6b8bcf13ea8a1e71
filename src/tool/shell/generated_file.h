#pragma once
// Files that mtf writes from its own tables: printed, written, or compared with the present files.
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mtf::tool {

struct GeneratedFile {
  std::string path;  ///< relative to the folder of the files
  std::string text;
};

/// Checks the output file of a command before the command begins. Throws UserError of kind cannot_write if the file
/// exists and is not a `kind` ("a report"), so that a script named by mistake is not overwritten. An empty file may be
/// replaced.
void expect_replaceable(const std::string& path, std::string_view kind,
                        const std::function<bool(const std::string&)>& is_one);

/// Checks the output files of a command, by option, before the command begins. Throws UserError of kind bad_usage if
/// two options name one file. An empty path means that the option is not given.
void expect_apart(const std::vector<std::pair<std::string_view, std::string>>& outputs);

/// Writes a file completely or not at all (io/write_file.h). Throws UserError of kind cannot_write.
void replace_file(const std::string& path, const std::string& text, const std::function<void()>& before_replacing = {});

/// Writes the files that differ, and prints their names. Throws UserError of kind cannot_write.
void write_files(const std::string& folder, const std::vector<GeneratedFile>& files);

/// Returns the paths of missing and different files.
std::vector<std::string> outdated(const std::string& folder, const std::vector<GeneratedFile>& files);

/// Executes `--stdout`, `--write DIR` and `--check DIR` of a command, and returns the exit status. One of them must be
/// given.
int deliver(const std::vector<GeneratedFile>& files, bool to_stdout, const std::string& write,
            const std::string& check);

}  // namespace mtf::tool
