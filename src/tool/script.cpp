#include "tool/script.h"

#include <unistd.h>

#include <cerrno>

#include "support/diagnostics.h"
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

}  // namespace mtf::tool
