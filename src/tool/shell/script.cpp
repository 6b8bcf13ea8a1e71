#include "tool/shell/script.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include "support/diagnostics.h"
#include "support/printable.h"
#include "support/source.h"
#include "support/text.h"

namespace mtf::tool {

std::string read_standard_input() {
  std::string text;
  char buffer[65536];
  while (true) {
    const ssize_t size = read(STDIN_FILENO, buffer, sizeof buffer);
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return text;
    text.append(buffer, static_cast<std::size_t>(size));
    if (text.size() > SourceFile::kMaxBytes)
      fail(Kind::file_too_large, {}, "standard input is larger than {}", bytes_text(SourceFile::kMaxBytes));
  }
}

Script read_script(const std::string& path) {
  if (path == "-") return {"<stdin>", read_standard_input()};
  return {path, SourceFile::read(path)->text()};
}

namespace fs = std::filesystem;

std::vector<std::string> find_scripts(const std::vector<std::string>& paths, const std::vector<std::string>& endings) {
  std::vector<std::string> scripts;
  for (const std::string& path : paths) {
    std::error_code error;
    if (path == "-") {
      scripts.push_back(path);
      continue;
    }
    if (!fs::exists(path, error)) fail(Kind::file_not_found, {}, path);
    if (!fs::is_directory(path, error)) {
      scripts.push_back(path);
      continue;
    }
    const std::size_t before = scripts.size();
    auto entry = fs::recursive_directory_iterator(path, fs::directory_options::skip_permission_denied, error);
    for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error))
      if (entry->is_regular_file(error) &&
          std::find(endings.begin(), endings.end(), entry->path().extension()) != endings.end())
        scripts.push_back(entry->path().lexically_normal().string());
    if (error) fail(Kind::bad_file, {}, "{}: {}", path, error.message());
    std::sort(scripts.begin() + static_cast<std::ptrdiff_t>(before), scripts.end());
  }
  return scripts;
}

std::vector<std::string> find_scripts_in_each(const std::vector<std::string>& paths, std::string_view what,
                                              const std::string& help, const std::vector<std::string>& endings) {
  std::vector<std::string> scripts;
  for (const std::string& path : paths) {
    const std::vector<std::string> found = find_scripts({path}, endings);
    if (found.empty())
      fail(Diagnostic(Kind::file_not_found, {}, fmt::format("there is no {} in {}", what, printable(path))).help(help));
    scripts.insert(scripts.end(), found.begin(), found.end());
  }
  return scripts;
}

}  // namespace mtf::tool
