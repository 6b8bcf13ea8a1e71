#include "run/watchdog.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>

#include "graph/op.h"

namespace mtf::run {

Watchdog::Watchdog(int rank, const std::atomic<int64_t>& moved, const std::atomic<const spmd::Instruction*>& at)
    : rank_(rank), moved_(moved), at_(at), thread_([this] { watch(); }) {}

Watchdog::~Watchdog() {
  {
    std::lock_guard lock(mutex_);
    end_ = true;
  }
  ended_.notify_one();
  thread_.join();
}

void Watchdog::watch() {
  constexpr int kSeconds = 60;
  int64_t last = -1;
  int still = 0;
  std::unique_lock lock(mutex_);
  while (!ended_.wait_for(lock, std::chrono::seconds(1), [this] { return end_; })) {
    int64_t now = moved_.load(std::memory_order_relaxed);
    const spmd::Instruction* at = at_.load(std::memory_order_relaxed);
    still = now == last && at != nullptr ? still + 1 : 0;
    last = now;
    if (still != kSeconds) continue;
    std::string what = at->kind == spmd::InstructionKind::kCompute ? std::string(at->node->op->name)
                       : is_collective(at->kind)                   ? std::string(name(counted_as(at->kind)))
                                                                   : "slice";
    std::string text = fmt::format("rank {} has been in {} ({}) for a minute, step {} of this run\n", rank_, what,
                                   at->node ? to_text(at->node->span) : "", now);
    std::fputs(text.c_str(), stderr);
  }
}

}  // namespace mtf::run
