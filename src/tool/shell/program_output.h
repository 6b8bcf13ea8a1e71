#pragma once
// Where a program's output goes, and the progress bar that must get out of its way.
//
// Both may be on one terminal. The bar is drawn on standard error, on the line after the last printed one, and only at
// a terminal; before a line is printed it is erased, and the next turn draws it again.
#include <chrono>
#include <ostream>
#include <streambuf>
#include <string>

#include "session/session.h"
#include "tool/present/losses.h"

namespace mtf::tool {

/// `epoch 3/5  step 60/100 [============>       ] 52%  1.2 turns/s  loss 0.31  2 s left`, at most `width` columns: the
/// turns and the rate of the innermost loop, the share and the time of all. `loss` is what was printed last, or empty.
std::string progress_text(const eval::Progress& loops, const std::string& loss, std::size_t width);

/// The bar of the loops under way: shown once the outermost has run for a second, ten times a second.
class ProgressBar {
 public:
  explicit ProgressBar(bool at_terminal) : at_terminal_(at_terminal) {}
  ~ProgressBar() { erase(); }
  void update(const eval::Progress& loops, const std::string& loss);
  /// Shows a line of text.
  void show(const std::string& text);
  void erase();
  /// Erases whichever bar is drawn: for a handler of signals.
  static void erase_in_signal();

 private:
  using Clock = std::chrono::steady_clock;
  bool at_terminal_;
  Clock::time_point drawn_;
};

/// Standard output, a line at a time. A full disk is an OutputError; a reader that has gone ends the process.
class ProgramOutput : private std::streambuf {
 public:
  explicit ProgramOutput(ProgressBar& bar);
  ~ProgramOutput() override;
  std::ostream& stream() { return stream_; }
  /// Writes what is left of an unfinished line.
  void finish() { write_out(); }
  /// The losses that have been printed.
  Losses& losses() { return losses_; }

 private:
  int overflow(int letter) override;
  std::streamsize xsputn(const char* text, std::streamsize size) override;
  int sync() override;
  void write_out();

  ProgressBar& bar_;
  Losses losses_;
  std::string pending_;
  std::ostream stream_;
};

}  // namespace mtf::tool
