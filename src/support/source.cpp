#include "support/source.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "support/diagnostics.h"
#include "support/text.h"

namespace mtf {

SourceFile::SourceFile(std::string name, std::string text)
    : name_(std::move(name)), text_(std::move(text)) {
  line_starts_.push_back(0);
  for (std::size_t i = 0; i < text_.size(); ++i) {
    if (text_[i] == '\n') line_starts_.push_back(i + 1);
  }
}

std::shared_ptr<const SourceFile> SourceFile::create(std::string name, std::string text) {
  return std::shared_ptr<const SourceFile>(new SourceFile(std::move(name), std::move(text)));
}

std::shared_ptr<const SourceFile> SourceFile::read(const std::string& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (error || !std::filesystem::exists(status)) fail(Kind::file_not_found, {}, path);
  if (std::filesystem::is_directory(status)) fail(Kind::bad_file, {}, path + " is a directory");
  std::ifstream stream(path, std::ios::binary);
  if (!stream) fail(Kind::bad_file, {}, path + " cannot be opened");
  // Reads one byte more than allowed, so that a pipe or a device without an end is refused too.
  std::string text(kMaxBytes + 1, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (stream.bad()) fail(Kind::bad_file, {}, path + " cannot be read");
  text.resize(static_cast<std::size_t>(stream.gcount()));
  if (text.size() > kMaxBytes) {
    fail(Kind::file_too_large, {}, "{} is larger than {}", path, bytes_text(kMaxBytes));
  }
  text.shrink_to_fit();
  return create(path, std::move(text));
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
  return fmt::format("{}:{}:{}", span.file->name(), place.line, place.column);
}

}  // namespace mtf
