#pragma once
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "run/transport.h"
#include "spmd/local_program.h"

namespace mtf::run {

/// A thread that reports on stderr when this rank has made no progress for some seconds. It prints the rank, the
/// operation and its line. Between operations it prints the rank that this one waits for. Every rank has a watchdog. So
/// a rank that others wait for, and that says nothing, has ended or stands still.
class Watchdog {
 public:
  static constexpr int kSeconds = 60;
  Watchdog(int rank, const std::atomic<int64_t>& moved, const std::atomic<const spmd::Instruction*>& at,
           const Transport::Waiting& waiting, int seconds = kSeconds);
  ~Watchdog();

 private:
  void watch();
  std::string report(const spmd::Instruction* at, int awaited) const;
  int rank_;
  const std::atomic<int64_t>& moved_;
  const std::atomic<const spmd::Instruction*>& at_;
  const Transport::Waiting& waiting_;
  const int seconds_;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool end_ = false;
  std::thread thread_;
};

}  // namespace mtf::run
