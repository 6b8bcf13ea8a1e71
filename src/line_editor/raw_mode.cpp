// The terminal's mode, and the signals after which it must be restored.
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <string_view>

#include "line_editor/screen.h"
#include "line_editor/terminal.h"
#include "support/platform.h"

namespace mtf::line_editor {
namespace {

constexpr std::string_view kBegin = "\x1b[?2004h";              // bracketed paste
constexpr std::string_view kRestored = "\x1b[?2004l\x1b[?25h";  // no bracketed paste, visible cursor
constexpr std::string_view kUnstyled = "\x1b[0m";

constexpr int kDeadly[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGABRT, SIGSEGV,
                           SIGBUS, SIGFPE, SIGILL,  SIGPIPE, SIGXCPU};

// The state of signal handlers, which take no arguments. `in` is -1 while no terminal is in raw mode.
struct Active {
  std::atomic<int> in = -1, out = -1, resized = -1;
  std::atomic<bool> has_styles = false;
  termios before{};
  struct sigaction old[NSIG] = {};
} active;

void say(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = write(descriptor, bytes.data(), bytes.size());
    if (count < 0 && errno != EINTR) return;
    if (count > 0) bytes.remove_prefix(static_cast<std::size_t>(count));
  }
}

void restore() {
  const int in = active.in.exchange(-1);
  if (in < 0) return;
  say(active.out, kRestored);
  if (active.has_styles) say(active.out, kUnstyled);
  tcsetattr(in, TCSADRAIN, &active.before);
}

extern "C" void on_resize(int) {
  const int error = errno;
  if (active.resized >= 0 && write(active.resized, "w", 1) < 0) errno = error;
  errno = error;
}

extern "C" void on_deadly(int signal) {
  restore();
  sigaction(signal, &active.old[signal], nullptr);
  raise(signal);
}

}  // namespace

RawMode::RawMode(Terminal& terminal) : terminal_(terminal) {
  static const int at_exit = std::atexit(restore);
  static_cast<void>(at_exit);
  tcgetattr(terminal_.in_, &before_);
  active.before = before_;
  int ends[2] = {-1, -1};
  if (open_pipe(ends, false)) {
    terminal_.resized_ = ends[0];
    active.resized = ends[1];
  }
  struct sigaction action = {};
  action.sa_handler = on_resize;
  sigaction(SIGWINCH, &action, &active.old[SIGWINCH]);
  action.sa_handler = on_deadly;
  for (const int signal : kDeadly) {
    sigaction(signal, nullptr, &active.old[signal]);
    const bool is_deadly = active.old[signal].sa_handler == SIG_DFL;  // with another handler the process continues
    if (is_deadly) sigaction(signal, &action, nullptr);
  }
  // A Ctrl-C with another handler ends the wait for a key, whenever it comes.
  sigset_t interrupt;
  sigemptyset(&interrupt);
  sigaddset(&interrupt, SIGINT);
  terminal_.waits_for_signals_ = pthread_sigmask(SIG_BLOCK, &interrupt, &terminal_.while_waiting_) == 0;
  enter();
}

RawMode::~RawMode() {
  restore();
  if (terminal_.waits_for_signals_) pthread_sigmask(SIG_SETMASK, &terminal_.while_waiting_, nullptr);
  terminal_.waits_for_signals_ = false;
  for (const int signal : kDeadly) sigaction(signal, &active.old[signal], nullptr);
  sigaction(SIGWINCH, &active.old[SIGWINCH], nullptr);
  const int end = active.resized.exchange(-1);
  if (end >= 0) close(end);
  if (terminal_.resized_ >= 0) close(terminal_.resized_);
  terminal_.resized_ = -1;
}

void RawMode::enter() {
  termios raw = before_;
  raw.c_iflag &= ~static_cast<tcflag_t>(ICRNL | INLCR | IGNCR | IXON | ISTRIP | BRKINT);
  raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO | IEXTEN | ISIG);
  raw.c_cc[VMIN] = 1;
  raw.c_cc[VTIME] = 0;
  active.out = terminal_.out_;
  active.has_styles = has_styles();
  active.in = terminal_.in_;
  tcsetattr(terminal_.in_, TCSADRAIN, &raw);
  terminal_.write(kBegin);
}

void RawMode::suspend() {
  restore();
  raise(SIGTSTP);
  enter();
}

}  // namespace mtf::line_editor
