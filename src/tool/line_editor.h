#pragma once
// Reading lines at a terminal: editing, history, completion.
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace mtf::tool {

/// The word that ends at the cursor and can be completed: `optim.Ad` of `let o = optim.Ad`.
std::string word_before(const std::string& text);

/// What all candidates begin with; empty if there are none.
std::string common_beginning(const std::vector<std::string>& candidates);

class LineEditor {
 public:
  /// `complete` gives the whole words that a beginning could become. History is kept in `history_file`, if not empty.
  LineEditor(std::string history_file, std::function<std::vector<std::string>(const std::string&)> complete);
  ~LineEditor();

  enum class Result { kLine, kEnd, kInterrupted };
  /// Reads a line, without its end. kEnd: Ctrl-D; kInterrupted: Ctrl-C, the line is given up.
  Result read(const std::string& prompt, std::string& line);
  /// Adds what the user entered to the history, and to its file.
  void remember(const std::string& entry);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace mtf::tool
