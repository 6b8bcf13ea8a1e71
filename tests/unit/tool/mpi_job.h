#pragma once
// For tests: the command on several ranks. A job that only has to come to its end is run by run_on_ranks(); one that is
// watched or disturbed while it runs is an MpiJob.
#include <sys/types.h>

#include <chrono>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "tool/shell/process.h"

namespace mtf::tool {

/// Whether there is an mpirun here.
bool has_mpirun();

/// What /proc says of a process in the file `name`; nothing if it has ended, also while it is asked.
std::string text_of_process(const std::string& process, const std::string& name);

/// `mpirun -n RANKS words… < input`, to its end; without an input there is nothing to read.
ProcessResult run_on_ranks(int ranks, const std::vector<std::string>& words, const std::string& input = "/dev/null");

/// A job under way. Nothing of it is left when the object is gone.
class MpiJob {
 public:
  /// `ranks` 0: the command alone, without mpirun.
  MpiJob(int ranks, const std::vector<std::string>& words);
  ~MpiJob();
  MpiJob(const MpiJob&) = delete;
  MpiJob& operator=(const MpiJob&) = delete;

  /// Waits until it has printed `text`; false if it ends or a minute passes before.
  bool has_printed(const std::string& text);
  /// What was started: mpirun, or the command alone.
  pid_t process() const { return mpirun_; }
  /// The processes of the ranks that are there now.
  std::vector<pid_t> ranks() const;
  /// Waits until `processes` are gone; false if that takes longer. (mpirun itself may stay for another second.)
  bool are_gone_within(std::chrono::seconds limit, const std::vector<pid_t>& processes);
  /// Waits until mpirun has ended, at most ten seconds: what it printed, and its status.
  const ProcessResult& end();
  /// What it has printed so far.
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
