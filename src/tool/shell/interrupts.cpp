#include "tool/shell/interrupts.h"

#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <string_view>

#include "io/partial_file.h"
#include "support/expected_end.h"
#include "tool/shell/program_output.h"

namespace mtf::tool {
namespace {

constexpr unsigned kSecondsToEnd = 1;

// The session that signals interrupt. It is global, because a signal handler has no other data.
std::atomic<session::Session*> session_under_way = nullptr;
std::atomic<bool> is_asked = false;
std::atomic<pid_t> main_process = 0;  // forked processes end silently

extern "C" void end_at_once(int) {
  io::remove_partial_files();
  expect_end();
  ProgressBar::erase_in_signal();
  constexpr std::string_view kMessage = "error: interrupted [interrupted]\n";
  if (getpid() == main_process) [[maybe_unused]]
    const auto size = write(STDERR_FILENO, kMessage.data(), kMessage.size());
  _exit(static_cast<int>(ExitCode::kInterrupted));
}

extern "C" void on_interrupt(int number) {
  session::Session* const session = session_under_way;
  if (session == nullptr || is_asked.exchange(true)) end_at_once(number);
  session->interrupt();
  alarm(kSecondsToEnd);
}

extern "C" void end_by_signal(int number) {
  io::remove_partial_files();
  expect_end();
  ProgressBar::erase_in_signal();
  signal(number, SIG_DFL);
  raise(number);  // is delivered after this function returns
}

// The process may be killed before the session has ended.
extern "C" void on_end_of_job(int) {
  io::remove_partial_files();
  expect_end();
  if (session::Session* const session = session_under_way) session->interrupt();
}

void handle(int signal_number, void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigaction(signal_number, &action, nullptr);
}

}  // namespace

void end_on_interrupt(bool is_rank) {
  main_process = getpid();
  handle(SIGINT, on_interrupt);
  // If a parent ignores SIGPIPE, the child would compute for a reader that no longer exists.
  signal(SIGPIPE, is_rank ? SIG_IGN : SIG_DFL);
  // Then a write beyond the largest file size (`ulimit -f`) is an ordinary error.
  signal(SIGXFSZ, SIG_IGN);
  for (const int number : {SIGTERM, SIGHUP, SIGQUIT, SIGXCPU}) {
    struct sigaction before = {};
    sigaction(number, nullptr, &before);
    if (before.sa_handler == SIG_DFL) handle(number, end_by_signal);  // under nohup the signal is ignored
  }
}

InterruptsSession::InterruptsSession(session::Session& session, bool is_rank) {
  session_under_way = &session;
  handle(SIGALRM, end_at_once);
  if (is_rank) handle(SIGTERM, on_end_of_job);
}

InterruptsSession::~InterruptsSession() {
  session_under_way = nullptr;
  alarm(0);
}

}  // namespace mtf::tool
