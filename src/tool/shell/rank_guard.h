#pragma once
#include <sys/types.h>

namespace mtf::tool {

/// A process beside a rank. If the rank is killed, or crashes, it says on stderr which rank has ended, on which
/// machine, and how to go on. The launcher says so in many lines, and does not know the rank's checkpoints. Either may
/// be first.
class RankGuard {
 public:
  /// Before MPI and threads are started.
  explicit RankGuard(int rank);
  /// The rank ends as it should.
  ~RankGuard();
  RankGuard(const RankGuard&) = delete;
  RankGuard& operator=(const RankGuard&) = delete;

 private:
  int told_ = -1;  // our socket
  pid_t process_ = -1;
};

}  // namespace mtf::tool
