#include "support/source.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>

#include "support/diagnostics.h"
#include "support/printable.h"
#include "support/text.h"

namespace mtf {

SourceFile::SourceFile(std::string name, std::string text) : name_(std::move(name)), text_(std::move(text)) {
  line_starts_.push_back(0);
  for (std::size_t i = 0; i < text_.size(); ++i) {
    if (text_[i] == '\n') line_starts_.push_back(i + 1);
  }
}

std::shared_ptr<const SourceFile> SourceFile::create(std::string name, std::string text) {
  return std::shared_ptr<const SourceFile>(new SourceFile(std::move(name), std::move(text)));
}

namespace {

class OpenFile {
 public:
  // Without O_NONBLOCK, opening a pipe without a writer would wait for ever.
  explicit OpenFile(const std::string& path) : descriptor_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}
  ~OpenFile() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  bool is_open() const { return descriptor_ >= 0; }
  mode_t mode() const {
    struct stat status {};
    return fstat(descriptor_, &status) == 0 ? status.st_mode : 0;
  }
  // At most `most` bytes; nothing if they cannot be read.
  std::optional<std::string> content(std::size_t most) const {
    std::string text;
    char buffer[65536];
    while (text.size() < most) {
      const ssize_t size = ::read(descriptor_, buffer, std::min(sizeof buffer, most - text.size()));
      if (size < 0 && errno == EINTR) continue;
      if (size < 0) return std::nullopt;
      if (size == 0) break;
      text.append(buffer, static_cast<std::size_t>(size));
    }
    return text;
  }

 private:
  int descriptor_;
};

}  // namespace

std::shared_ptr<const SourceFile> SourceFile::read(const std::string& path) {
  if (path.find('\0') != std::string::npos)
    fail(Kind::file_not_found, {}, "{}: no file's name has the character 0", printable(path));
  const OpenFile file(path);
  if (!file.is_open() && (errno == ENOENT || errno == ENOTDIR)) fail(Kind::file_not_found, {}, printable(path));
  if (!file.is_open()) fail(Kind::bad_file, {}, "{} cannot be opened: {}", printable(path), std::strerror(errno));
  if (S_ISDIR(file.mode())) fail(Kind::bad_file, {}, "{} is a directory", printable(path));
  if (!S_ISREG(file.mode())) {
    fail(Diagnostic(Kind::bad_file, {}, fmt::format("expected a regular file, found that {} is none", printable(path)))
             .help("a script that comes from a pipe or a device is read from standard input, `-`"));
  }
  std::optional<std::string> text = file.content(kMaxBytes + 1);
  if (!text) fail(Kind::bad_file, {}, "{} cannot be read: {}", printable(path), std::strerror(errno));
  if (text->size() > kMaxBytes)
    fail(Kind::file_too_large, {}, "{} is larger than {}", printable(path), bytes_text(kMaxBytes));
  return create(path, std::move(*text));
}

Position SourceFile::position(std::size_t offset) const {
  offset = std::min(offset, text_.size());
  const std::size_t line = line_of(offset);
  const std::size_t start = line_starts_[line - 1];
  return {line, 1 + count_code_points(std::string_view(text_).substr(start, offset - start))};
}

std::size_t SourceFile::line_of(std::size_t offset) const {
  const auto after = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset);
  return static_cast<std::size_t>(after - line_starts_.begin());
}

bool SourceFile::is_first_on_line(std::size_t offset) const {
  offset = std::min(offset, text_.size());
  while (offset > 0 && (text_[offset - 1] == ' ' || text_[offset - 1] == '\t')) --offset;
  return offset == 0 || text_[offset - 1] == '\n';
}

std::string_view SourceFile::line(std::size_t number) const {
  if (number == 0 || number > line_starts_.size()) return {};
  const std::size_t begin = line_start(number);
  std::size_t end = number == line_starts_.size() ? text_.size() : line_start(number + 1) - 1;
  if (end > begin && text_[end - 1] == '\r') --end;
  return std::string_view(text_).substr(begin, end - begin);
}

std::size_t SourceFile::line_start(std::size_t number) const {
  if (number == 0 || number > line_starts_.size()) return text_.size();
  return line_starts_[number - 1];
}

std::string_view Span::text() const {
  if (file == nullptr) return {};
  const std::string_view all = file->text();
  const std::size_t from = std::min<std::size_t>(begin, all.size());
  const std::size_t to = std::clamp<std::size_t>(end, from, all.size());
  return all.substr(from, to - from);
}

Position Span::position() const { return file == nullptr ? Position{} : file->position(begin); }

Span cover(const Span& first, const Span& second) {
  if (!first.is_known()) return second;
  if (!second.is_known()) return first;
  return {first.file, std::min(first.begin, second.begin), std::max(first.end, second.end)};
}

std::string to_text(const Span& span) {
  if (!span.is_known()) return "<built-in>";
  const Position place = span.position();
  return fmt::format("{}:{}:{}", printable(span.file->name()), place.line, place.column);
}

}  // namespace mtf
