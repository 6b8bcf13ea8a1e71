#pragma once
// Other processes: running one to its end, and dividing work among copies of this one.
#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mtf::tool {

struct ProcessResult {
  int status = 0;                ///< as the shell says it: the exit status, or 128 + the signal
  bool timed_out = false;        ///< it was ended because it took too long
  bool too_much_output = false;  ///< it was ended because it wrote too much
  std::string out;
  std::string err;
};

/// Is given a line of what a program writes to standard output. Says whether the program may take the whole time limit
/// again from here.
using TakeLine = std::function<bool(std::string_view line)>;

/// Runs a program (looked up in PATH) with `variables` added to the environment and nothing on its standard input.
/// After `limit`, or when it has written more than `most_output` bytes, the program and all that it started are ended;
/// it is told to end (SIGTERM) when this process does, however that happens. A program that cannot be started gives
/// 127. `take_line`, if there is one, gets each whole line as it comes, and `out` does not.
ProcessResult run_process(const std::vector<std::string>& arguments,
                          const std::vector<std::pair<std::string, std::string>>& variables, std::chrono::seconds limit,
                          std::size_t most_output = std::size_t{64} << 20, const TakeLine& take_line = {});

/// What became of one piece of work.
struct WorkResult {
  bool finished = false;
  std::string text;   ///< what the work returned, if it finished
  std::string place;  ///< where it last said it was
  int signal = 0;     ///< that ended it, if it did not finish; 0: it took too long
};

/// Says where the work is, and that it may take the whole time limit again from here.
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
