#pragma once
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "spmd/local_program.h"

namespace mtf::run {

/// A thread that says on stderr, once, where this rank is when nothing has moved for a minute: the operation, its line,
/// and the rank. Every rank has one, so that together they show who waits for whom.
class Watchdog {
 public:
  Watchdog(int rank, const std::atomic<int64_t>& moved, const std::atomic<const spmd::Instruction*>& at);
  ~Watchdog();

 private:
  void watch();
  int rank_;
  const std::atomic<int64_t>& moved_;
  const std::atomic<const spmd::Instruction*>& at_;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool end_ = false;
  std::thread thread_;
};

}  // namespace mtf::run
