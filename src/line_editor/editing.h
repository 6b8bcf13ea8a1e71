#pragma once
// Reads one entry at a terminal with cursor control.
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "line_editor/edit_buffer.h"
#include "line_editor/history.h"
#include "line_editor/line_editor.h"
#include "line_editor/terminal.h"

namespace mtf::line_editor {

class Editing {
 public:
  using Result = LineEditor::Result;

  Editing(const Options& options, const Prompt& prompt, const History& history, Terminal& terminal, RawMode& raw,
          EditBuffer& buffer)
      : options_(options),
        prompt_(prompt),
        history_(history),
        terminal_(terminal),
        raw_(raw),
        buffer_(buffer),
        at_(history.size()) {}

  /// Reads keys until the entry is complete or discarded. The entry is then in the buffer.
  Result run();

 private:
  /// The menu of Tab. The text between `begin` and the cursor is `original`, or the chosen candidate.
  struct Menu {
    Completions offered;
    std::string original;
    std::optional<std::size_t> chosen;
  };
  /// Ctrl-R: the newest entry before `found` that contains `text`. Cancelling restores `original`.
  struct Search {
    std::string text, original;
    std::optional<std::size_t> found;
    bool failed = false;
  };
  /// The bytes of one row. `begins_line` is true if a line begins there.
  struct RowOfText {
    std::size_t begin, end;
    bool begins_line;
  };

  // keys (editing.cpp)
  std::optional<Result> press(const Key& key);
  std::optional<Result> edit(const Key& key);
  std::optional<Result> enter(bool other_way);
  std::optional<Result> end_of_input();
  void new_line();
  void type(std::string_view text);
  void up_or_down(int direction, bool whole_entries);
  void recall(std::size_t index, bool from_above);
  std::string suggestion() const;
  bool take_suggestion(bool one_word);

  // keys of the menu and the search, handled first (menu.cpp)
  void complete();
  bool press_in_menu(const Key& key);
  void open_menu(Completions offered);
  void choose(std::optional<std::size_t> candidate);
  bool press_in_search(const Key& key);
  void search(std::size_t before);

  // the view (view.cpp)
  void draw(bool is_last);
  std::vector<RowOfText> rows_of_text(int room) const;
  std::vector<Row> draw_text(const std::vector<RowOfText>& rows, std::size_t first, std::size_t count, int room) const;
  std::vector<Row> draw_below(std::size_t most, int room) const;
  std::string_view prompt_of(std::size_t begin, int room) const;

  const Options& options_;
  const Prompt& prompt_;
  const History& history_;
  Terminal& terminal_;
  RawMode& raw_;
  EditBuffer& buffer_;
  Screen screen_;
  std::size_t at_;                                       // index in history; its size stands for the new entry
  std::unordered_map<std::size_t, std::string> edited_;  // edited entries of history, and the new one
  std::optional<Menu> menu_;
  std::optional<Search> search_;
  std::string message_;
  bool asked_to_leave_ = false;
  std::size_t top_ = 0;  // the first visible row
};

}  // namespace mtf::line_editor
