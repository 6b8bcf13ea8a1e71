#include "tool/shell/process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "support/diagnostics.h"
#include "support/platform.h"

namespace mtf::tool {
namespace {

using Clock = std::chrono::steady_clock;

struct Pipe {
  int read_end = -1, write_end = -1;
  Pipe() {
    int ends[2];
    if (!open_pipe(ends)) fail(Kind::limit_exceeded, {}, "no pipe can be made: {}", std::strerror(errno));
    read_end = ends[0];
    write_end = ends[1];
  }
};

void close_end(int& end) {
  if (end >= 0) close(end);
  end = -1;
}

// Appends the available data; returns false at the end of the stream.
bool read_some(int from, std::string& to) {
  char buffer[65536];
  const ssize_t size = read(from, buffer, sizeof buffer);
  if (size > 0) to.append(buffer, static_cast<std::size_t>(size));
  return size > 0 || (size < 0 && (errno == EINTR || errno == EAGAIN));
}

// Passes on the complete lines; returns true if one of them restarts the time limit.
bool take_lines(std::string& text, const TakeLine& take_line) {
  bool any = false;
  std::size_t begin = 0;
  for (std::size_t end; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1)
    any |= take_line(std::string_view(text).substr(begin, end - begin));
  text.erase(0, begin);
  return any;
}

int milliseconds_until(Clock::time_point when) {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(when - Clock::now()).count();
  return static_cast<int>(std::max<std::int64_t>(0, std::min<std::int64_t>(left, 1000)));
}

int shell_status(int status) { return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status); }

// Forks, or fails with limit_exceeded. Returns 0 in the child, which gets `signal` when its parent has ended.
pid_t forked(int signal) {
  std::fflush(nullptr);  // otherwise both processes would write the buffer
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child < 0) fail(Kind::limit_exceeded, {}, "no process can be started: {}", std::strerror(errno));
  if (child == 0) {
    end_with_parent(signal);
    if (getppid() != parent) _exit(128 + signal);  // the parent has ended already
  }
  return child;
}

[[noreturn]] void become(const std::vector<std::string>& arguments,
                         const std::vector<std::pair<std::string, std::string>>& variables, int out, int err) {
  setpgid(0, 0);
  const int nothing = open("/dev/null", O_RDONLY);
  dup2(nothing, STDIN_FILENO);
  dup2(out, STDOUT_FILENO);
  dup2(err, STDERR_FILENO);
  for (const auto& [name, value] : variables) setenv(name.c_str(), value.c_str(), 1);
  std::vector<char*> words;
  for (const std::string& word : arguments) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  execvp(words[0], words.data());
  std::fprintf(stderr, "%s: %s\n", words[0], std::strerror(errno));
  _exit(127);
}

}  // namespace

ProcessResult run_process(const std::vector<std::string>& arguments,
                          const std::vector<std::pair<std::string, std::string>>& variables, std::chrono::seconds limit,
                          std::size_t most_output, const TakeLine& take_line, const IsUnwanted& is_unwanted) {
  Pipe out, err;
  const pid_t child = forked(SIGTERM);
  if (child == 0) become(arguments, variables, out.write_end, err.write_end);
  close_end(out.write_end);
  close_end(err.write_end);

  ProcessResult result;
  bool ending = false;
  auto deadline = Clock::now() + limit;
  while (out.read_end >= 0 || err.read_end >= 0) {
    pollfd files[] = {{out.read_end, POLLIN, 0}, {err.read_end, POLLIN, 0}};
    const int wait = milliseconds_until(deadline);
    poll(files, 2, is_unwanted ? std::min(wait, 100) : wait);
    if (files[0].revents != 0 && !read_some(out.read_end, result.out)) close_end(out.read_end);
    if (files[1].revents != 0 && !read_some(err.read_end, result.err)) close_end(err.read_end);
    if (take_line && take_lines(result.out, take_line) && !ending) deadline = Clock::now() + limit;
    const bool too_late = Clock::now() >= deadline || (!ending && is_unwanted && is_unwanted());
    const bool too_much = result.out.size() > most_output || result.err.size() > most_output;
    if (ending && too_late) {
      kill(-child, SIGKILL);
      break;
    }
    if (too_much) {
      result.out.resize(std::min(result.out.size(), most_output));
      result.err.resize(std::min(result.err.size(), most_output));
    }
    if (!ending && (too_late || too_much)) {
      (too_much ? result.too_much_output : result.timed_out) = true;
      kill(-child, SIGTERM);  // then mpirun ends its ranks
      ending = true;
      deadline = Clock::now() + std::chrono::seconds(3);
    }
  }
  close_end(out.read_end);
  close_end(err.read_end);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
  result.status = shell_status(status);
  return result;
}

// ---- dividing work --------------------------------------------------------------------------------------------------

namespace {

// A record on a worker's pipe: its kind, the size of its text, and the text.
enum RecordKind : char { kPlace = 'p', kText = 't' };

void send(int to, RecordKind kind, const std::string& text) {
  std::string record(1, kind);
  const auto size = static_cast<std::uint32_t>(text.size());
  record.append(reinterpret_cast<const char*>(&size), sizeof size);
  record += text;
  for (std::size_t sent = 0; sent < record.size();) {
    const ssize_t part = write(to, record.data() + sent, record.size() - sent);
    if (part < 0 && errno != EINTR) _exit(1);
    if (part > 0) sent += static_cast<std::size_t>(part);
  }
}

struct WorkerProcess {
  std::size_t index = 0;
  pid_t process = 0;
  int from = -1;
  std::string received;
  WorkResult result;
  Clock::time_point deadline;
};

// Reads the complete records; returns true if there were any.
bool take_records(WorkerProcess& worker) {
  bool any = false;
  std::uint32_t size = 0;
  constexpr std::size_t kHead = 1 + sizeof size;
  while (worker.received.size() >= kHead) {
    std::memcpy(&size, worker.received.data() + 1, sizeof size);
    if (worker.received.size() < kHead + size) break;
    std::string text = worker.received.substr(kHead, size);
    if (worker.received[0] == kText) {
      worker.result.finished = true;
      worker.result.text = std::move(text);
    } else {
      worker.result.place = std::move(text);
    }
    worker.received.erase(0, kHead + size);
    any = true;
  }
  return any;
}

WorkerProcess start(std::size_t index, std::chrono::seconds limit,
                    const std::function<std::string(std::size_t, const SayPlace&)>& work) {
  Pipe pipe;
  const pid_t child = forked(SIGKILL);
  if (child == 0) {
    send(pipe.write_end, kText, work(index, [&](const std::string& place) { send(pipe.write_end, kPlace, place); }));
    _exit(0);  // no destructors: the objects belong to the parent
  }
  close_end(pipe.write_end);
  WorkerProcess worker;
  worker.index = index;
  worker.process = child;
  worker.from = pipe.read_end;
  worker.deadline = Clock::now() + limit;
  return worker;
}

void finish(WorkerProcess& worker, bool too_long) {
  if (too_long) kill(worker.process, SIGKILL);
  close_end(worker.from);
  int status = 0;
  while (waitpid(worker.process, &status, 0) < 0 && errno == EINTR) {}
  if (!too_long && WIFSIGNALED(status)) worker.result.signal = WTERMSIG(status);
  if (!too_long && !worker.result.finished && worker.result.signal == 0) worker.result.signal = SIGABRT;
}

}  // namespace

void divide_work(std::size_t count, int jobs, std::chrono::seconds limit,
                 const std::function<std::string(std::size_t, const SayPlace&)>& work,
                 const std::function<bool(std::size_t, const WorkResult&)>& done) {
  std::vector<WorkerProcess> workers;
  std::vector<std::optional<WorkResult>> results(count);
  std::size_t next = 0, told = 0;
  while (told < count) {
    while (next < count && workers.size() < static_cast<std::size_t>(std::max(1, jobs)))
      workers.push_back(start(next++, limit, work));
    std::vector<pollfd> files;
    auto first = workers.front().deadline;
    for (const WorkerProcess& worker : workers) {
      files.push_back({worker.from, POLLIN, 0});
      first = std::min(first, worker.deadline);
    }
    poll(files.data(), files.size(), milliseconds_until(first));
    for (std::size_t i = workers.size(); i-- > 0;) {
      WorkerProcess& worker = workers[i];
      const bool open = files[i].revents == 0 || read_some(worker.from, worker.received);
      if (take_records(worker)) worker.deadline = Clock::now() + limit;
      const bool too_long = open && Clock::now() >= worker.deadline;
      if (open && !too_long) continue;
      finish(worker, too_long);
      results[worker.index] = std::move(worker.result);
      workers.erase(workers.begin() + static_cast<std::ptrdiff_t>(i));
    }
    for (; told < count && results[told]; ++told)
      if (!done(told, *results[told])) {
        for (WorkerProcess& worker : workers) finish(worker, true);
        return;
      }
  }
}

std::string own_program() {
  const std::string path = path_of_program();
  return path.empty() ? "mtf" : path;
}

}  // namespace mtf::tool
