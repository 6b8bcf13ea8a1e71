#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace mtf {

// A position for people: the first line and the first column are 1. A column is a code point.
struct Position {
  std::size_t line = 1;
  std::size_t column = 1;
  auto operator<=>(const Position&) const = default;
};

// The text of one script, one REPL entry, or one option of the command line, with its name.
//
// Immutable, and always held by shared_ptr: spans point into it, a `Program` owns it, and a `Diagnostic` keeps it
// alive. Offsets are bytes. The text may be invalid UTF-8 (the parser refuses it). Every function here still works
// then.
class SourceFile : public std::enable_shared_from_this<SourceFile> {
 public:
  // `name` is the name in messages, such as "two_layer.mtf".
  static std::shared_ptr<const SourceFile> create(std::string name, std::string text);

  // Reads a regular file. Throws UserError of kind file_not_found, bad_file, or file_too_large (see kMaxBytes).
  static std::shared_ptr<const SourceFile> read(const std::string& path);

  // The maximal size of a script, in bytes.
  static constexpr std::size_t kMaxBytes = 4 * 1024 * 1024;

  const std::string& name() const { return name_; }
  const std::string& text() const { return text_; }

  // The position of a byte offset. An offset past the end is the end.
  Position position(std::size_t offset) const;

  // The line of a byte offset. Unlike position(), its cost does not depend on the line's length.
  std::size_t line_of(std::size_t offset) const;

  // True if only spaces and tabs precede the offset on its line.
  bool is_first_on_line(std::size_t offset) const;

  std::size_t line_count() const { return line_starts_.size(); }

  // The text of a line (from 1) without its line end. Empty if there is no such line.
  std::string_view line(std::size_t number) const;

  // The offset of the first byte of a line (from 1). The text's size if there is no such line.
  std::size_t line_start(std::size_t number) const;

 private:
  SourceFile(std::string name, std::string text);

  std::string name_;
  std::string text_;
  std::vector<std::size_t> line_starts_;
};

// A half-open range of bytes of a file. A span without a file is "nowhere" (for instance, of a built-in). It does not
// own its file.
struct Span {
  const SourceFile* file = nullptr;
  std::uint32_t begin = 0;
  std::uint32_t end = 0;

  bool is_known() const { return file != nullptr; }
  std::string_view text() const;
  // The position of the first byte; 1:1 if nowhere.
  Position position() const;
  bool contains(std::size_t offset) const { return begin <= offset && offset <= end; }
  bool operator==(const Span&) const = default;
};

// The smallest span that covers both, which are in one file. A span that is nowhere is ignored.
Span cover(const Span& first, const Span& second);

// "two_layer.mtf:12:18", or "<built-in>" for nowhere. Escapes characters that are unsafe for terminals.
std::string to_text(const Span& span);

}  // namespace mtf
