#pragma once
// A line editor at a pseudo-terminal, for a language of brackets: an entry is complete once its brackets are closed.
#include <algorithm>
#include <cctype>
#include <functional>
#include <string>
#include <vector>

#include "../file_test.h"
#include "../pseudo_terminal.h"
#include "line_editor/line_editor.h"

namespace mtf::line_editor {

class EditorTest : public FileTest {
 protected:
  static Options options(const std::string& history_file = {}) {
    Options options;
    options.is_complete = [](const std::string& entry) {
      return std::count_if(entry.begin(), entry.end(), [](char c) { return c == '(' || c == '{'; }) <=
             std::count_if(entry.begin(), entry.end(), [](char c) { return c == ')' || c == '}'; });
    };
    options.highlight = [](std::string_view lines) {
      std::vector<Span> spans;
      for (std::size_t i = 0; i < lines.size(); ++i)
        if (std::isdigit(static_cast<unsigned char>(lines[i])) != 0) spans.push_back({i, i + 1, "33"});
      return spans;
    };
    options.complete = [](const std::string& entry, std::size_t cursor) {
      Completions found{cursor, {}};
      while (found.begin > 0 && std::isalpha(static_cast<unsigned char>(entry[found.begin - 1])) != 0) --found.begin;
      for (const char* word : {"sum", "summary", "sumo", "relu"})
        if (std::string_view(word).starts_with(entry.substr(found.begin, cursor - found.begin)))
          found.candidates.push_back({word, std::string(word) + "(x)"});
      return found;
    };
    options.history_file = history_file;
    return options;
  }

  /// Reads entries until the end, and prints each in brackets, with `/` for a line's end.
  static int echo(Options options) {
    LineEditor editor(std::move(options));
    std::string entry;
    while (true) {
      const LineEditor::Result result = editor.read({"> ", "| "}, entry);
      if (result == LineEditor::Result::kEnd) return entry.empty() ? 0 : 1;
      if (result == LineEditor::Result::kInterrupted) continue;
      editor.remember(entry);
      const std::size_t size = entry.size();
      if (size > 1000) entry = std::to_string(size) + " bytes";
      std::replace(entry.begin(), entry.end(), '\n', '/');
      entry = "[" + entry + "]\n";
      if (write(STDOUT_FILENO, entry.data(), entry.size()) < 0) return 2;
    }
  }
  using FileTest::write;
  static ssize_t write(int descriptor, const char* data, std::size_t size) { return ::write(descriptor, data, size); }

  static std::function<int()> program(const std::string& history_file = {}) {
    return [=] { return echo(options(history_file)); };
  }
};

/// An editor that has shown its prompt.
class Session : public PseudoTerminal {
 public:
  Session(std::size_t rows, std::size_t columns, const std::function<int()>& program)
      : PseudoTerminal(rows, columns, program) {
    wait_until([&] { return screen().brackets_paste() || !screen().text().empty(); });
  }
};

inline const std::string kUp = "\x1b[A", kDown = "\x1b[B", kRight = "\x1b[C", kLeft = "\x1b[D", kBackTab = "\x1b[Z",
                         kAltEnter = "\x1b\r";

}  // namespace mtf::line_editor
