#pragma once
// The text of a document that an editor holds, and its positions as the Language Server Protocol counts them.
#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace mtf::tool {

/// A line and a UTF-16 code unit on it, both from 0 (Language Server Protocol 3.17, "Position").
struct EditorPosition {
  std::size_t line = 0, character = 0;
  auto operator<=>(const EditorPosition&) const = default;
};

class TextDocument {
 public:
  TextDocument() = default;
  explicit TextDocument(std::string text);

  const std::string& text() const { return text_; }
  /// The byte at a position. A position beyond a line's end is the line's end; one beyond the last line is the text's.
  std::size_t offset(EditorPosition position) const;
  EditorPosition position(std::size_t offset) const;
  std::size_t line_count() const { return line_starts_.size(); }
  /// Where a line ends, before its line end.
  std::size_t line_end(std::size_t line) const;

  /// Replaces the bytes from `begin` to `end`.
  void replace(std::size_t begin, std::size_t end, const std::string& by);

 private:
  void find_lines();

  std::string text_;
  std::vector<std::size_t> line_starts_ = {0};
};

/// Where a byte of `now` stood in `then`, an earlier state of the same text. Returns npos inside a part that differs.
class EarlierText {
 public:
  EarlierText(const std::string& then, const std::string& now);
  static constexpr std::size_t npos = static_cast<std::size_t>(-1);
  std::size_t then(std::size_t now) const;
  std::size_t now(std::size_t then) const;

 private:
  std::size_t move(std::size_t at, std::size_t from_size, std::size_t to_size) const;
  std::size_t then_size_, now_size_, prefix_ = 0, suffix_ = 0;  ///< bytes that both texts begin and end with
};

}  // namespace mtf::tool
