#pragma once
// Files that mtf writes from its own tables: shown, written, or compared with what is there.
#include <functional>
#include <string>
#include <vector>

namespace mtf::tool {

struct GeneratedFile {
  std::string path;  ///< below the folder that they are written to
  std::string text;
};

/// Writes a file whole or not at all, as io/write_file.h says. Throws UserError of kind cannot_write.
void replace_file(const std::string& path, const std::string& text, const std::function<void()>& before_replacing = {});

/// Writes those that differ, and names them. Throws UserError of kind cannot_write.
void write_files(const std::string& folder, const std::vector<GeneratedFile>& files);

/// The paths of those that are missing there or differ.
std::vector<std::string> outdated(const std::string& folder, const std::vector<GeneratedFile>& files);

/// What `--stdout`, `--write DIR` and `--check DIR` of a command do; the exit status. One of them must be given.
int deliver(const std::vector<GeneratedFile>& files, bool to_stdout, const std::string& write, const std::string& check);

}  // namespace mtf::tool
