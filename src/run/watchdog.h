#pragma once
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "spmd/local_program.h"

namespace mtf::run {

/// A thread that reports on stderr, once, when this rank has made no progress for a minute. It prints the rank, the
/// operation and its line. Every rank has a watchdog, so the reports show which rank waits for which.
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
