#pragma once
// A program at a terminal: tests type to the program and look at its output.
#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>
#include <utmp.h>

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "terminal_emulator.h"

/// A process with an emulated terminal. The destructor ends it.
class PseudoTerminal {
 public:
  using Seconds = std::chrono::duration<double>;
  static inline const Seconds kLimit{20};

  /// Runs `program` in a copy of this process, which exits with the program's result.
  PseudoTerminal(std::size_t rows, std::size_t columns, const std::function<int()>& program) : screen_(rows, columns) {
    winsize size{};
    size.ws_row = static_cast<unsigned short>(rows);
    size.ws_col = static_cast<unsigned short>(columns);
    int other_end = -1;
    EXPECT_EQ(openpty(&terminal_, &other_end, nullptr, nullptr, &size), 0);
    tcgetattr(other_end, &before_);
    process_ = fork();
    if (process_ == 0) {
      close(terminal_);
      login_tty(other_end);
      setenv("TERM", "xterm-256color", 1);
      unsetenv("NO_COLOR");
      _exit(program());
    }
    close(other_end);
  }
  ~PseudoTerminal() {
    if (process_ > 0) {
      kill(process_, SIGKILL);
      waitpid(process_, nullptr, 0);
    }
    close(terminal_);
  }
  PseudoTerminal(const PseudoTerminal&) = delete;
  PseudoTerminal& operator=(const PseudoTerminal&) = delete;

  const TerminalEmulator& screen() const { return screen_; }
  pid_t process() const { return process_; }
  /// The number of bytes that the program has written.
  std::size_t written() const { return written_; }

  /// Presses keys, as the bytes that a terminal sends, and shows output meanwhile.
  void type(std::string_view bytes) {
    while (!bytes.empty()) {
      pollfd ways{terminal_, POLLIN | POLLOUT, 0};
      if (poll(&ways, 1, 10'000) <= 0) return;
      if ((ways.revents & POLLIN) != 0 && !take()) return;
      if ((ways.revents & POLLOUT) == 0) continue;
      const ssize_t count = write(terminal_, bytes.data(), std::min<std::size_t>(bytes.size(), 1024));
      if (count < 0) return;
      bytes.remove_prefix(static_cast<std::size_t>(count));
    }
  }
  /// Pastes a text, with the bytes that a terminal sends.
  void paste(const std::string& text) { type("\x1b[200~" + text + "\x1b[201~"); }

  void resize(std::size_t rows, std::size_t columns) {
    screen_.resize(rows, columns);
    winsize size{};
    size.ws_row = static_cast<unsigned short>(rows);
    size.ws_col = static_cast<unsigned short>(columns);
    ioctl(terminal_, TIOCSWINSZ, &size);
  }

  /// Waits until `holds` is true; returns false after the time limit.
  bool wait_until(const std::function<bool()>& holds, Seconds limit = kLimit) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration_cast<std::chrono::milliseconds>(limit);
    while (!holds()) {
      const auto left =
          std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now()).count();
      pollfd output{terminal_, POLLIN, 0};
      if (left <= 0 || poll(&output, 1, static_cast<int>(std::min<long>(left, 100))) < 0) return holds();
      if (output.revents != 0 && !take()) return holds() || gone(holds, end);
    }
    return true;
  }
  /// Waits until the screen has these rows, with the cursor at the end of the last.
  ::testing::AssertionResult shows(const std::vector<std::string>& rows) {
    if (wait_until([&] { return screen_.rows() == rows; })) return ::testing::AssertionSuccess();
    return ::testing::AssertionFailure() << "the screen is\n" << screen_.text();
  }
  ::testing::AssertionResult shows(const std::vector<std::string>& rows, std::size_t row, std::size_t column) {
    if (wait_until([&] { return screen_.rows() == rows && screen_.row() == row && screen_.column() == column; }))
      return ::testing::AssertionSuccess();
    return ::testing::AssertionFailure() << "the screen is\n"
                                         << screen_.text() << "with the cursor at " << screen_.row() << ", "
                                         << screen_.column();
  }
  ::testing::AssertionResult mentions(const std::string& text, Seconds limit = kLimit) {
    if (wait_until([&] { return screen_.text().find(text) != std::string::npos; }, limit))
      return ::testing::AssertionSuccess();
    return ::testing::AssertionFailure() << "no \"" << text << "\"; the screen is\n" << screen_.text();
  }

  /// Waits for the program's end. Returns the exit status, or 128 + the signal. Writes the processor time to `used`.
  int wait() {
    bool has_ended = false;
    wait_until([&] {
      siginfo_t about{};
      return has_ended = waitid(P_PID, static_cast<id_t>(process_), &about, WEXITED | WNOHANG | WNOWAIT) == 0 &&
                         about.si_pid != 0;
    });
    EXPECT_TRUE(has_ended) << "it is still running; the screen is\n" << screen_.text();
    if (!has_ended) kill(process_, SIGKILL);
    int status = 0;
    rusage usage{};
    wait4(process_, &status, 0, &usage);
    process_ = -1;
    // The last output may still be on its way.
    pollfd ready{terminal_, POLLIN, 0};
    while (poll(&ready, 1, 100) > 0 && take()) {}
    used_ = Seconds(static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                    1e-6 * static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec));
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  Seconds used() const { return used_; }
  /// True if the terminal's mode is the same as when the program began.
  bool is_restored() const {
    termios now{};
    tcgetattr(terminal_, &now);
    return now.c_lflag == before_.c_lflag && now.c_iflag == before_.c_iflag && now.c_oflag == before_.c_oflag &&
           !screen_.brackets_paste() && screen_.shows_cursor();
  }

 private:
  // The other end is closed: no more output will come, but the process may still run.
  static bool gone(const std::function<bool()>& holds, std::chrono::steady_clock::time_point end) {
    while (!holds() && std::chrono::steady_clock::now() < end) usleep(1000);
    return holds();
  }
  bool take() {
    char bytes[65'536];
    const ssize_t count = read(terminal_, bytes, sizeof bytes);
    if (count <= 0) return false;
    written_ += static_cast<std::size_t>(count);
    screen_.feed({bytes, static_cast<std::size_t>(count)});
    return true;
  }

  int terminal_ = -1;
  pid_t process_ = -1;
  termios before_{};
  TerminalEmulator screen_;
  std::size_t written_ = 0;
  Seconds used_{};
};
