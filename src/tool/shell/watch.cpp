#include "tool/shell/watch.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <map>
#include <set>
#include <thread>
#include <utility>

#include "support/diagnostics.h"
#include "support/library_files.h"
#include "support/platform.h"
#include "support/printable.h"
#include "support/text.h"
#include "syntax/ast.h"
#include "syntax/parse.h"
#include "tool/shell/interrupts.h"
#include "tool/shell/launch.h"
#include "tool/shell/output.h"

namespace mtf::tool {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kBetweenLooks{150};
constexpr std::chrono::seconds kToEnd{3};

/// What a file was when it was looked at; a file that is not there is one of size -1.
struct State {
  std::filesystem::file_time_type time;
  std::intmax_t size = -1;
  bool operator==(const State&) const = default;
};
using States = std::map<std::string, State>;

State state_of(const std::string& file) {
  std::error_code error;
  State state{std::filesystem::last_write_time(file, error), -1};
  if (error) return {};
  const std::uintmax_t size = std::filesystem::file_size(file, error);
  return error ? State() : State{state.time, static_cast<std::intmax_t>(size)};
}

States states_of(const std::vector<std::string>& files) {
  States states;
  for (const std::string& file : files) states[file] = state_of(file);
  return states;
}

/// The first file that is another than it was; empty if none is.
std::string changed(const States& states) {
  for (const auto& [file, state] : states)
    if (!(state_of(file) == state)) return file;
  return {};
}

/// An editor may write a file in pieces, or put another in its place: waits until nothing changes any more.
void wait_until_calm(States states) {
  do {
    for (auto& [file, state] : states) state = state_of(file);
    std::this_thread::sleep_for(kBetweenLooks);
  } while (!changed(states).empty());
}

/// A process that runs the script, in the foreground with this one: it has the terminal, and gets Ctrl-C.
class RunningScript {
 public:
  /// False in the process that is to run the script.
  bool start() {
    flush_output();
    const pid_t parent = getpid();
    process_ = fork();
    if (process_ < 0) fail(Kind::limit_exceeded, {}, "no process can be started: {}", std::strerror(errno));
    if (process_ > 0) return true;
    end_with_parent(SIGTERM);
    if (getppid() != parent) _exit(128 + SIGTERM);
    end_on_interrupt();
    return false;
  }
  /// True once it has ended; `status` is then as the shell says it.
  bool has_ended(int& status) {
    if (process_ <= 0) return true;
    int how = 0;
    if (waitpid(process_, &how, WNOHANG) != process_) return false;
    process_ = 0;
    status = WIFSIGNALED(how) ? 128 + WTERMSIG(how) : WEXITSTATUS(how);
    return true;
  }
  void end() {
    const auto deadline = Clock::now() + kToEnd;
    int status = 0;
    if (process_ > 0) kill(process_, SIGTERM);
    while (!has_ended(status)) {
      if (Clock::now() > deadline) kill(process_, SIGKILL);
      std::this_thread::sleep_for(kBetweenLooks / 5);
    }
  }

 private:
  pid_t process_ = 0;
};

void say(const std::string& text) { report("watch: " + text + "\n", ExitCode::kSuccess); }

}  // namespace

std::vector<std::string> files_of_script(const std::string& file, const std::string& standard_library) {
  std::vector<std::string> files{file};
  for (size_t i = 0; i < files.size(); ++i) {
    std::shared_ptr<const SourceFile> source;
    try {
      source = SourceFile::read(files[i]);
    } catch (const UserError&) { continue; }
    Diagnostics ignored;
    const ast::Program program = syntax::parse(source, ignored);
    for (const ast::Stmt& stmt : program.body.statements) {
      const auto* const imports = stmt.as<ast::ImportStmt>();
      if (imports == nullptr) continue;
      for (const ast::ImportStmt::Item& item : imports->items) {
        std::string path = item.path;
        if (!item.is_file && standard_library.empty()) continue;
        if (!item.is_file) path = (std::filesystem::path(standard_library) / (path + ".mtf")).string();
        else if (!path.starts_with('/'))
          path = (std::filesystem::path(files[i]).parent_path() / path).lexically_normal().string();
        if (std::find(files.begin(), files.end(), path) == files.end()) files.push_back(path);
      }
    }
  }
  return files;
}

std::optional<int> watch_script(const std::string& file, const std::string& standard_library) {
  signal(SIGINT, SIG_DFL);
  RunningScript script;
  while (true) {
    const std::vector<std::string> files = files_of_script(file, standard_library);
    const States states = states_of(files);
    if (!script.start()) return std::nullopt;
    bool has_ended = false;
    std::string what;
    while ((what = changed(states)).empty()) {
      int status = 0;
      if (!has_ended && script.has_ended(status)) {
        has_ended = true;
        say(fmt::format("ended with status {}; waits for a change of {}, Ctrl-C ends it", status,
                        count_text(static_cast<int64_t>(files.size()), "file")));
      }
      std::this_thread::sleep_for(kBetweenLooks);
    }
    script.end();
    wait_until_calm(states);
    say(printable(what) + " has changed");
  }
}

}  // namespace mtf::tool
