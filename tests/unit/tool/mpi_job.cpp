#include "mpi_job.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "command.h"

namespace mtf::tool {
namespace {

using Clock = std::chrono::steady_clock;

std::vector<std::pair<std::string, std::string>> variables() {
  return {{"OMPI_ALLOW_RUN_AS_ROOT", "1"},
          {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"},
          {"OMPI_MCA_mpi_yield_when_idle", "1"},
          {"OMPI_MCA_btl_vader_single_copy_mechanism", "none"}};
}

std::vector<std::string> command_line(int ranks, const std::vector<std::string>& words) {
  std::vector<std::string> line = {"mpirun", "-q", "--oversubscribe", "-n", std::to_string(ranks)};
  line.insert(line.end(), words.begin(), words.end());
  return line;
}

/// A process by /proc; state 0: it does not exist.
struct Process {
  char state = 0;
  pid_t parent = 0;
};

Process process_of(const std::string& number) {
  const std::string text = text_of_process(number, "stat");
  Process process;
  const std::size_t name_end = text.rfind(')');
  if (name_end != std::string::npos)
    std::sscanf(text.c_str() + name_end + 1, " %c %d", &process.state, &process.parent);
  return process;
}

/// True also for a process that has ended and whose parent has not read its status.
bool is_gone(pid_t process) {
  const char state = process_of(std::to_string(process)).state;
  return state == 0 || state == 'Z' || state == 'X';
}

}  // namespace

std::string text_of_process(const std::string& process, const std::string& name) {
  std::ostringstream text;
  text << std::ifstream("/proc/" + process + "/" + name).rdbuf();  // fails without an exception
  return text.str();
}

bool has_mpirun() { return std::system("command -v mpirun >/dev/null 2>&1") == 0; }

ProcessResult run_on_ranks(int ranks, const std::vector<std::string>& words, const std::string& input) {
  std::vector<std::string> line = {"sh", "-c", "exec \"$@\" < " + input, "sh"};
  for (std::string& word : command_line(ranks, words)) line.push_back(std::move(word));
  return run_process(line, variables(), kPatience);
}

MpiJob::MpiJob(int ranks, const std::vector<std::string>& words) {
  const std::vector<std::string> line = ranks == 0 ? words : command_line(ranks, words);
  int out[2], err[2];
  if (pipe2(out, O_CLOEXEC) != 0 || pipe2(err, O_CLOEXEC) != 0) throw std::runtime_error("no pipe can be made");
  mpirun_ = fork();
  if (mpirun_ < 0) throw std::runtime_error("no process can be started");
  if (mpirun_ == 0) {
    setpgid(0, 0);
    dup2(open("/dev/null", O_RDONLY), STDIN_FILENO);
    dup2(out[1], STDOUT_FILENO);
    dup2(err[1], STDERR_FILENO);
    for (const auto& [name, value] : variables()) setenv(name.c_str(), value.c_str(), 1);
    std::vector<char*> pointers;
    for (const std::string& word : line) pointers.push_back(const_cast<char*>(word.c_str()));
    pointers.push_back(nullptr);
    execvp(pointers[0], pointers.data());
    _exit(127);
  }
  close(out[1]);
  close(err[1]);
  out_ = out[0];
  err_ = err[0];
}

MpiJob::~MpiJob() {
  if (!ended_) {
    for (const pid_t rank : ranks()) kill(rank, SIGKILL);
    kill(mpirun_, SIGKILL);
    waitpid(mpirun_, nullptr, 0);
  }
  close(out_);
  close(err_);
}

void MpiJob::read_what_is_there(int milliseconds) {
  pollfd files[] = {{out_, POLLIN, 0}, {err_, POLLIN, 0}};
  if (poll(files, 2, milliseconds) <= 0) return;
  bool any = false;
  for (int i = 0; i < 2; ++i) {
    char buffer[4096];
    const ssize_t size = files[i].revents != 0 ? read(files[i].fd, buffer, sizeof buffer) : 0;
    if (size > 0) (i == 0 ? result_.out : result_.err).append(buffer, static_cast<std::size_t>(size));
    any = any || size > 0;
  }
  if (!any) usleep(static_cast<useconds_t>(milliseconds) * 1000);  // both streams have ended
}

bool MpiJob::wait(std::chrono::seconds limit, const std::function<bool()>& until) {
  const auto deadline = Clock::now() + limit;
  while (!until()) {
    if (Clock::now() >= deadline) return false;
    read_what_is_there(10);
  }
  return true;
}

bool MpiJob::has_printed(const std::string& text) {
  const auto printed = [&] { return result_.out.find(text) != std::string::npos; };
  wait(kPatience, [&] { return printed() || is_gone(mpirun_); });
  return printed();
}

bool MpiJob::has_reported(const std::string& text) {
  const auto reported = [&] { return result_.err.find(text) != std::string::npos; };
  wait(kPatience, [&] { return reported() || is_gone(mpirun_); });
  return reported();
}

std::vector<pid_t> MpiJob::ranks() const {
  std::vector<pid_t> found;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string number = entry.path().filename().string();
    if (number.find_first_not_of("0123456789") != std::string::npos) continue;
    if (process_of(number).parent == mpirun_) found.push_back(static_cast<pid_t>(std::stol(number)));
  }
  return found;
}

bool MpiJob::are_gone_within(std::chrono::seconds limit, const std::vector<pid_t>& processes) {
  return wait(limit, [&] { return std::all_of(processes.begin(), processes.end(), is_gone); });
}

const ProcessResult& MpiJob::end() {
  result_.timed_out = !wait(std::chrono::seconds(60), [&] { return is_gone(mpirun_); });
  if (result_.timed_out) kill(mpirun_, SIGKILL);
  for (std::size_t before = ~std::size_t{0}; before != result_.out.size() + result_.err.size();) {
    before = result_.out.size() + result_.err.size();
    read_what_is_there(0);
  }
  int status = 0;
  waitpid(mpirun_, &status, 0);
  ended_ = true;
  result_.status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  return result_;
}

}  // namespace mtf::tool
