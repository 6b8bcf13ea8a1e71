#include "tool/program_output.h"

#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>

#include "support/diagnostics.h"
#include "support/text.h"
#include "tool/output.h"

namespace mtf::tool {
namespace {

constexpr std::string_view kEraseLine = "\r\033[K";
std::atomic<bool> bar_is_drawn = false;  // read by the signal handler

void write_all(int to, std::string_view text) {
  while (!text.empty()) {
    const ssize_t size = write(to, text.data(), text.size());
    if (size < 0 && errno == EINTR) continue;
    if (size < 0 && to == STDOUT_FILENO) throw OutputError(errno);
    if (size < 0) return;
    text.remove_prefix(static_cast<std::size_t>(size));
  }
}

std::size_t terminal_width() {
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

std::string duration_text(double seconds) {
  const auto whole = static_cast<std::int64_t>(seconds + 0.5);
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{}:{:02} min", whole / 60, whole % 60);
  return fmt::format("{}:{:02} h", whole / 3600, whole / 60 % 60);
}

extern "C" void on_interrupt(int) {
  if (bar_is_drawn) [[maybe_unused]] const auto size = write(STDERR_FILENO, kEraseLine.data(), kEraseLine.size());
  _exit(130);
}

}  // namespace

std::string progress_text(const LoopProgress& progress, double seconds, std::size_t width) {
  const double rate = seconds > 0 ? static_cast<double>(progress.turn) / seconds : 0;
  std::string head = fmt::format("{} {}", progress.variable, progress.turn);
  std::string tail = rate >= 10 ? fmt::format("  {:.0f} turns/s", rate) : fmt::format("  {:.2g} turns/s", rate);
  if (progress.turns > 0) {
    head += fmt::format("/{} ", progress.turns);
    const double done = std::clamp(static_cast<double>(progress.turn) / static_cast<double>(progress.turns), 0.0, 1.0);
    if (rate > 0) tail += fmt::format("  {} left", duration_text(static_cast<double>(progress.turns - progress.turn) / rate));
    tail = fmt::format(" {:3.0f}%", 100 * done) + tail;
    const std::size_t used = head.size() + tail.size() + 3;
    if (width > used + 5) {
      const std::size_t cells = std::min<std::size_t>(width - used, 40);
      const auto full = static_cast<std::size_t>(done * static_cast<double>(cells));
      head += "[" + std::string(full, '=') + (full < cells ? ">" + std::string(cells - full - 1, ' ') : "") + "]";
    }
  }
  return (head + tail).substr(0, width > 0 ? width - 1 : 0);
}

void ProgressBar::update(const LoopProgress& progress) {
  if (!at_terminal_) return;
  const auto now = Clock::now();
  if (progress.variable != variable_ || progress.turns != turns_ || progress.turn < last_turn_) {
    erase();
    variable_ = progress.variable;
    turns_ = progress.turns;
    started_ = now;
  }
  last_turn_ = progress.turn;
  const double seconds = std::chrono::duration<double>(now - started_).count();
  if (seconds < 1 || now - drawn_ < std::chrono::milliseconds(100)) return;
  drawn_ = now;
  bar_is_drawn = true;
  write_all(STDERR_FILENO, std::string(kEraseLine) + progress_text(progress, seconds, terminal_width()));
}

void ProgressBar::erase() {
  if (bar_is_drawn) write_all(STDERR_FILENO, kEraseLine);
  bar_is_drawn = false;
}

ProgramOutput::ProgramOutput(ProgressBar& bar) : bar_(bar), stream_(this) { stream_.exceptions(std::ios::badbit); }

ProgramOutput::~ProgramOutput() {
  try {
    write_out();
  } catch (const UserError&) {  // whoever wants to know calls finish()
  }
}

int ProgramOutput::overflow(int letter) {
  const char one = static_cast<char>(letter);
  xsputn(&one, 1);
  return letter;
}

std::streamsize ProgramOutput::xsputn(const char* text, std::streamsize size) {
  pending_.append(text, static_cast<std::size_t>(size));
  if (pending_.back() == '\n' || pending_.size() > 65536) write_out();
  return size;
}

int ProgramOutput::sync() {
  write_out();
  return 0;
}

void ProgramOutput::write_out() {
  if (pending_.empty()) return;
  bar_.erase();
  const std::string text = std::move(pending_);
  pending_.clear();
  write_all(STDOUT_FILENO, text);
}

void end_on_interrupt() {
  struct sigaction action{};
  action.sa_handler = on_interrupt;
  sigaction(SIGINT, &action, nullptr);
  // Some parents ignore it, and their children would compute for a reader that has gone.
  signal(SIGPIPE, SIG_DFL);
}

}  // namespace mtf::tool
