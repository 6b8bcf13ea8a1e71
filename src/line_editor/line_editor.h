#pragma once
// Reads entries at a terminal: editing over several lines, history, completion, colours. It knows nothing of the
// language; its user supplies everything that depends on the language. Packaged line editors edit one line. This one
// edits an entry of several lines, and shows pastes as blocks, menus and suggestions.
//
// Keys are those of Emacs, and the arrows. At an incomplete entry, Enter begins another line. Alt-Enter does the
// opposite of Enter. Only Ctrl-C discards typed text. The terminal is in its usual mode except during a read. Without a
// terminal, or with one without cursor control (TERM=dumb), lines are read directly.
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "line_editor/screen.h"

namespace mtf::line_editor {

/// The style of a part of a text, from byte `begin` to `end`.
struct Span {
  std::size_t begin, end;
  Style style;
};

struct Candidate {
  std::string text;         ///< replaces the beginning that was typed
  std::string description;  ///< beside it in the menu; may be empty
};
struct Completions {
  std::size_t begin = 0;  ///< the start of the typed beginning, which ends at the cursor
  std::vector<Candidate> candidates = {};
};

struct Prompt {
  std::string first, next;  ///< before the first line of an entry, and before its other lines
};

struct Options {
  /// True if an entry can end here. Otherwise Enter begins another line.
  std::function<bool(const std::string& entry)> is_complete = [](const std::string&) { return true; };
  /// The styles of whole lines, in order. Called for visible lines, again with every key.
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

  /// kEntry: `entry` is the entry without its last line end. kInterrupted: Ctrl-C discarded it. kEnd: Ctrl-D, or the
  /// end of the input.
  enum class Result { kEntry, kInterrupted, kEnd };
  Result read(const Prompt& prompt, std::string& entry);
  /// Adds an entry to the history.
  void remember(const std::string& entry);
  /// True if it reads from a terminal, not from a file or a pipe.
  bool is_typed() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace mtf::line_editor
