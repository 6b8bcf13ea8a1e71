#pragma once
// Other processes: running one program, and dividing work among copies of this process.
#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mtf::tool {

struct ProcessResult {
  int status = 0;                ///< as in a shell: the exit status, or 128 + the signal
  bool timed_out = false;        ///< it was ended after the time limit
  bool too_much_output = false;  ///< it was ended after too much output
  std::string out;
  std::string err;
};

/// Receives a line of a program's standard output. Returns true if the time limit starts again.
using TakeLine = std::function<bool(std::string_view line)>;

/// True once the program is no longer wanted; it is asked several times a second.
using IsUnwanted = std::function<bool()>;

/// Runs a program (found by PATH) with `variables` added to the environment and an empty standard input. After `limit`,
/// or after more than `most_output` bytes of output, ends the program and all processes that it started. However this
/// process ends, the program gets SIGTERM. A program that cannot be started gives status
/// 127. `take_line`, if given, receives each complete line at once; these lines are not in `out`. Once `is_unwanted`,
/// the program ends as after `limit`.
ProcessResult run_process(const std::vector<std::string>& arguments,
                          const std::vector<std::pair<std::string, std::string>>& variables, std::chrono::seconds limit,
                          std::size_t most_output = std::size_t{64} << 20, const TakeLine& take_line = {},
                          const IsUnwanted& is_unwanted = {});

/// The result of one piece of work.
struct WorkResult {
  bool finished = false;
  std::string text;   ///< the result of the work, if it finished
  std::string place;  ///< the last position that it reported
  int signal = 0;     ///< the signal that ended it, if it did not finish; 0: the time limit
};

/// Reports the position of the work, and restarts its time limit.
using SayPlace = std::function<void(const std::string& place)>;

/// Does work(0) … work(count - 1), each in a process of its own, at most `jobs` at a time, so that none can harm the
/// others; calls done(i, result) in the order of i, each as soon as it and those before it are there. Once `done`
/// returns false, all that run are ended and no other begins. A piece that says nothing for `limit` is ended, and so
/// are all when this process is. This process must have no other threads.
void divide_work(std::size_t count, int jobs, std::chrono::seconds limit,
                 const std::function<std::string(std::size_t, const SayPlace&)>& work,
                 const std::function<bool(std::size_t, const WorkResult&)>& done);

/// The file of the running program.
std::string own_program();

}  // namespace mtf::tool
