#pragma once
// Reads entries at a terminal: editing over several lines, history, completion, colours. It knows nothing of the
// language; its user supplies everything that depends on the language. Packaged line editors edit one line. This one
// edits an entry of several lines, and shows pastes as blocks, menus and suggestions.
//
// Keys are those of Emacs and the arrows. An entry that is not complete goes on at Enter; Alt-Enter does the opposite
// of Enter. What was typed is lost only by Ctrl-C. While nothing is read, the terminal is in its usual mode. Where
// there is no terminal, or one that cannot place its cursor (TERM=dumb), lines are read as they come.
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "line_editor/screen.h"

namespace mtf::line_editor {

/// How a part of a text looks, from byte `begin` to `end`.
struct Span {
  std::size_t begin, end;
  Style style;
};

struct Candidate {
  std::string text;         ///< what is put in place of what was begun
  std::string description;  ///< beside it in the menu; may be empty
};
struct Completions {
  std::size_t begin = 0;  ///< where what was begun begins; it ends at the cursor
  std::vector<Candidate> candidates = {};
};

struct Prompt {
  std::string first, next;  ///< before the first line of an entry, and before its other lines
};

struct Options {
  /// Whether an entry can end here, or Enter begins another line.
  std::function<bool(const std::string& entry)> is_complete = [](const std::string&) { return true; };
  /// How whole lines look, in order of place; asked for those that are seen, again with every key.
  std::function<std::vector<Span>(std::string_view lines)> highlight = {};
  std::function<Completions(const std::string& entry, std::size_t cursor)> complete = {};
  std::string history_file = {};  ///< empty: history ends with the editor
  std::string how_to_leave = "Ctrl-D leaves";
  std::string is_unfinished = "This entry is unfinished. Ctrl-D again leaves, any other key goes on.";
  Style prompt_style = "1";
  int in = 0, out = 1;
};

class LineEditor {
 public:
  explicit LineEditor(Options options);
  ~LineEditor();

  /// kEntry: `entry` is what was entered, without its last line end. kInterrupted: Ctrl-C, it was given up. kEnd:
  /// Ctrl-D, or the input has ended.
  enum class Result { kEntry, kInterrupted, kEnd };
  Result read(const Prompt& prompt, std::string& entry);
  /// Adds an entry to the history.
  void remember(const std::string& entry);
  /// Whether it reads from a terminal, and not from a file or a pipe.
  bool is_typed() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace mtf::line_editor
