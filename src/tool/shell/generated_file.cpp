#include "tool/shell/generated_file.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

#include "io/io_error.h"
#include "io/write_file.h"
#include "support/diagnostics.h"
#include "support/printable.h"
#include "support/text.h"
#include "tool/shell/output.h"

namespace mtf::tool {
namespace {

std::string content_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

void expect_replaceable(const std::string& path, std::string_view kind,
                        const std::function<bool(const std::string&)>& is_one) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return;  // a new file, or a device or pipe
  const std::string text = content_of(path);
  if (text.empty() || is_one(text)) return;
  fail(Diagnostic(Kind::cannot_write, {}, fmt::format("{} is there, and is not {}", printable(path), kind))
           .help("name another file, or remove it"));
}

void expect_apart(const std::vector<std::pair<std::string_view, std::string>>& outputs) {
  namespace fs = std::filesystem;
  std::map<fs::path, std::string_view> seen;
  for (const auto& [option, path] : outputs) {
    std::error_code error;
    if (path.empty() || (fs::exists(path, error) && !fs::is_regular_file(path, error))) continue;  // several may write
    const fs::path whole = fs::weakly_canonical(fs::absolute(path), error);
    const auto [first, is_new] = seen.emplace(error ? fs::path(path) : whole, option);
    if (!is_new)
      fail(Diagnostic(Kind::bad_usage, {},
                      fmt::format("{} and {} would write one file, {}", first->second, option, printable(path)))
               .help("name another file for one of them"));
  }
}

void replace_file(const std::string& path, const std::string& text, const std::function<void()>& before_replacing) {
  try {
    io::write_file_atomically(path, text, before_replacing);
  } catch (const io::IoError& error) { fail(Kind::cannot_write, {}, error.what()); }
}

std::vector<std::string> outdated(const std::string& folder, const std::vector<GeneratedFile>& files) {
  std::vector<std::string> paths;
  for (const GeneratedFile& file : files)
    if (content_of(std::filesystem::path(folder) / file.path) != file.text) paths.push_back(file.path);
  return paths;
}

void write_files(const std::string& folder, const std::vector<GeneratedFile>& files) {
  for (const GeneratedFile& file : files) {
    const std::filesystem::path path = std::filesystem::path(folder) / file.path;
    if (content_of(path) == file.text) continue;
    std::error_code error;
    std::filesystem::create_directories(path.parent_path(), error);
    replace_file(path.string(), file.text);
    write_output("wrote {}\n", printable(path.string()));
  }
}

int deliver(const std::vector<GeneratedFile>& files, bool to_stdout, const std::string& write,
            const std::string& check) {
  if (!to_stdout && write.empty() && check.empty())
    fail(Kind::bad_usage, {}, "say where to: `--stdout`, `--write DIR` or `--check DIR`");
  if (to_stdout)
    for (const GeneratedFile& file : files)
      write_output("{}{}", files.size() > 1 ? "==> " + file.path + "\n" : "", file.text);
  if (!write.empty()) write_files(write, files);
  if (check.empty()) return 0;
  const std::vector<std::string> old = outdated(check, files);
  for (const std::string& path : old)
    write_output("{} is not current\n", printable((std::filesystem::path(check) / path).string()));
  return old.empty() ? 0 : 1;
}

}  // namespace mtf::tool
