#pragma once
// The text being edited, its cursor, and what can be done with both.
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace mtf::line_editor {

/// Places are bytes from the beginning. The cursor always stands before a character or at the end. Every change goes
/// through `replace` and can be undone; what was typed without a break is undone word by word.
class EditBuffer {
 public:
  const std::string& text() const { return text_; }
  std::size_t cursor() const { return cursor_; }

  /// Another text, about which nothing can be undone.
  void reset(std::string text, std::size_t cursor);
  void move_to(std::size_t cursor);
  /// The cursor then stands behind `with`.
  void replace(std::size_t begin, std::size_t end, std::string_view with);
  void insert(std::string_view text) { replace(cursor_, cursor_, text); }
  bool undo();
  bool redo();

  enum class Unit { kCharacter, kWord, kLine, kText };
  /// Where a step to the left, or to the right, ends.
  std::size_t left(Unit unit) const;
  std::size_t right(Unit unit) const;
  /// To the line above (-1) or below (1), as near as can be to the column in which moving began; false if there is
  /// none.
  bool move_line(int direction);

  /// Erases, to be put back by `yank`; what consecutive kills took is put back together.
  void kill(std::size_t begin, std::size_t end);
  void yank() { insert(killed_); }
  /// Swaps the characters around the cursor.
  void transpose();

  /// The text of the cursor's line that stands before it.
  std::string_view line_before_cursor() const;

 private:
  struct Edit {
    std::size_t at;
    std::string removed, inserted;
    std::size_t cursor;  // before
  };
  enum class Last { kOther, kTyped, kKilled, kMovedLine };

  std::string text_, killed_;
  std::size_t cursor_ = 0, column_ = 0;
  std::vector<Edit> done_, undone_;
  Last last_ = Last::kOther;
};

}  // namespace mtf::line_editor
