#pragma once
// For tests: the command on several ranks. run_on_ranks() runs a job to its end. An MpiJob is a job that is watched or
// disturbed while it runs.
#include <sys/types.h>

#include <chrono>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "tool/shell/process.h"

namespace mtf::tool {

/// True if there is an mpirun here.
bool has_mpirun();

/// Returns the file `name` of a process in /proc; nothing if the process has ended, or ends meanwhile.
std::string text_of_process(const std::string& process, const std::string& name);

/// Runs `mpirun -n RANKS words… < input` to its end; by default the input is empty.
ProcessResult run_on_ranks(int ranks, const std::vector<std::string>& words, const std::string& input = "/dev/null");

/// A running job. The destructor ends all of its processes.
class MpiJob {
 public:
  /// `ranks` 0: the command alone, without mpirun.
  MpiJob(int ranks, const std::vector<std::string>& words);
  ~MpiJob();
  MpiJob(const MpiJob&) = delete;
  MpiJob& operator=(const MpiJob&) = delete;

  /// Waits until the job has printed `text`. Returns false if it ends, or after a minute.
  bool has_printed(const std::string& text);
  /// The same for its errors and messages.
  bool has_reported(const std::string& text);
  /// The started process: mpirun, or the command alone.
  pid_t process() const { return mpirun_; }
  /// Returns the present processes of the ranks.
  std::vector<pid_t> ranks() const;
  /// Waits until `processes` have ended. Returns false after the limit. (mpirun itself may run for another second.)
  bool are_gone_within(std::chrono::seconds limit, const std::vector<pid_t>& processes);
  /// Waits until mpirun has ended, at most ten seconds. Returns its output and status.
  const ProcessResult& end();
  /// The output so far.
  const ProcessResult& result() const { return result_; }

 private:
  bool wait(std::chrono::seconds limit, const std::function<bool()>& until);
  void read_what_is_there(int milliseconds);
  ProcessResult result_;
  pid_t mpirun_ = 0;
  bool ended_ = false;
  int out_ = -1, err_ = -1;
};

}  // namespace mtf::tool
