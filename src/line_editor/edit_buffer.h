#pragma once
// The edited text, its cursor, and the operations on both.
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace mtf::line_editor {

/// Positions are bytes from the beginning. The cursor is always before a character or at the end. Every change goes
/// through `replace` and can be undone. Continuous typing is undone word by word.
class EditBuffer {
 public:
  const std::string& text() const { return text_; }
  std::size_t cursor() const { return cursor_; }

  /// Sets another text, and forgets all changes.
  void reset(std::string text, std::size_t cursor);
  void move_to(std::size_t cursor);
  /// Replaces text, and puts the cursor behind `with`.
  void replace(std::size_t begin, std::size_t end, std::string_view with);
  void insert(std::string_view text) { replace(cursor_, cursor_, text); }
  bool undo();
  bool redo();

  enum class Unit { kCharacter, kWord, kLine, kText };
  /// The end of a step to the left, or to the right.
  std::size_t left(Unit unit) const;
  std::size_t right(Unit unit) const;
  /// Moves to the line above (-1) or below (1), as near as possible to the column in which the movement began. Returns
  /// false if there is none.
  bool move_line(int direction);

  /// Removes text, which `yank` inserts again. Consecutive kills are inserted together.
  void kill(std::size_t begin, std::size_t end);
  void yank() { insert(killed_); }
  /// Swaps the characters around the cursor.
  void transpose();

  /// The part of the cursor's line before the cursor.
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
