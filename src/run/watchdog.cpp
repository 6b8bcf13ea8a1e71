#include "run/watchdog.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>

#include "graph/op.h"
#include "support/text.h"

namespace mtf::run {

Watchdog::Watchdog(int rank, const std::atomic<int64_t>& moved, const std::atomic<const spmd::Instruction*>& at,
                   const Transport::Waiting& waiting, int seconds)
    : rank_(rank), moved_(moved), at_(at), waiting_(waiting), seconds_(seconds), thread_([this] { watch(); }) {}

Watchdog::~Watchdog() {
  {
    std::lock_guard lock(mutex_);
    end_ = true;
  }
  ended_.notify_one();
  thread_.join();
}

void Watchdog::watch() {
  int64_t last = -1;
  int still = 0;
  std::unique_lock lock(mutex_);
  while (!ended_.wait_for(lock, std::chrono::seconds(1), [this] { return end_; })) {
    const int64_t now = moved_.load(std::memory_order_relaxed) + waiting_.begun.load(std::memory_order_relaxed);
    const spmd::Instruction* const at = at_.load(std::memory_order_relaxed);
    const int awaited = waiting_.rank.load(std::memory_order_relaxed);
    still = now == last && (at != nullptr || awaited != Transport::Waiting::kNobody) ? still + 1 : 0;
    last = now;
    if (still == seconds_) std::fputs(report(at, awaited).c_str(), stderr);
  }
}

std::string Watchdog::report(const spmd::Instruction* at, int awaited) const {
  const std::string when = fmt::format("step {} of this run", moved_.load(std::memory_order_relaxed));
  const std::string time = seconds_ == kSeconds ? "a minute" : mtf::count_text(seconds_, "second");
  if (at == nullptr)
    return fmt::format(
        "rank {} has waited for {} for {}, after {}: a rank that says no such thing has ended or stands "
        "still\n",
        rank_, awaited >= 0 ? fmt::format("rank {}", awaited) : "other ranks", time, when);
  const std::string_view what = at->kind == spmd::InstructionKind::kCompute ? at->node->op->name
                                : is_collective(at->kind)                   ? name(counted_as(at->kind))
                                                                            : "slice";
  return fmt::format("rank {} has been in {} ({}) for {}, {}\n", rank_, what, at->node ? to_text(at->node->span) : "",
                     time, when);
}

}  // namespace mtf::run
