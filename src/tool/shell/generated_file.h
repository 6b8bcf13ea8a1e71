#pragma once
// Files that mtf writes from its own tables: shown, written, or compared with what is there.
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mtf::tool {

struct GeneratedFile {
  std::string path;  ///< below the folder that they are written to
  std::string text;
};

/// Before a command that will write what a `kind` is ("a report") begins: throws UserError of kind cannot_write if the
/// file is there and is none, so that a script that is named by mistake is not written over. An empty file may be
/// replaced.
void expect_replaceable(const std::string& path, std::string_view kind,
                        const std::function<bool(const std::string&)>& is_one);

/// Before a command begins that will write these files, by option: throws UserError of kind bad_usage if two options
/// name one file. Those without a path are not given.
void expect_apart(const std::vector<std::pair<std::string_view, std::string>>& outputs);

/// Writes a file whole or not at all, as io/write_file.h says. Throws UserError of kind cannot_write.
void replace_file(const std::string& path, const std::string& text, const std::function<void()>& before_replacing = {});

/// Writes those that differ, and names them. Throws UserError of kind cannot_write.
void write_files(const std::string& folder, const std::vector<GeneratedFile>& files);

/// The paths of those that are missing there or differ.
std::vector<std::string> outdated(const std::string& folder, const std::vector<GeneratedFile>& files);

/// What `--stdout`, `--write DIR` and `--check DIR` of a command do; the exit status. One of them must be given.
int deliver(const std::vector<GeneratedFile>& files, bool to_stdout, const std::string& write,
            const std::string& check);

}  // namespace mtf::tool
