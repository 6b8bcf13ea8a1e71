#pragma once
// The output of a program, and the progress bar, which must not disturb it.
//
// Both may use one terminal. The bar is drawn on standard error, on the line after the last printed one, and only at a
// terminal. It is erased before a line is printed, and drawn again in the next iteration.
#include <chrono>
#include <ostream>
#include <streambuf>
#include <string>

#include "session/session.h"
#include "tool/present/losses.h"

namespace mtf::tool {

/// Returns `epoch 3/5  step 60/100 [============>       ] 52%  1.2 turns/s  loss 0.31  2 s left`, in at most `width`
/// columns. It has the iterations and the rate of the innermost loop, and the share and the time of all loops. `loss`
/// is the last printed loss, or empty.
std::string progress_text(const eval::Progress& loops, const std::string& loss, std::size_t width);

/// The bar of the active loops. It appears once the outermost loop has run for a second, and is drawn ten times a
/// second.
class ProgressBar {
 public:
  explicit ProgressBar(bool at_terminal) : at_terminal_(at_terminal) {}
  ~ProgressBar() { erase(); }
  void update(const eval::Progress& loops, const std::string& loss);
  /// Shows a line of text.
  void show(const std::string& text);
  void erase();
  /// Erases the present bar, in a signal handler.
  static void erase_in_signal();

 private:
  using Clock = std::chrono::steady_clock;
  bool at_terminal_;
  Clock::time_point drawn_;
};

/// Standard output, line by line. A full disk is an OutputError; a reader that no longer exists ends the process.
class ProgramOutput : private std::streambuf {
 public:
  explicit ProgramOutput(ProgressBar& bar);
  ~ProgramOutput() override;
  std::ostream& stream() { return stream_; }
  /// Writes the rest of an unfinished line.
  void finish() { write_out(); }
  /// The printed losses.
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
