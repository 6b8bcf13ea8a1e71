#pragma once
// When each step of each plan ran on this rank.
//
// A runtime with MpiRuntimeOptions::timeline records events in it. A rank runs a step for all its processors before the
// next step. A collective lasts from its beginning to its end; steps that compute may run in between.
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "schedule/schedule.h"

namespace mtf::run {

class Timeline {
 public:
  struct Event {
    std::shared_ptr<const schedule::Schedule> schedule;
    int step = 0;      ///< index in the schedule
    double begin = 0;  ///< seconds since the timeline was created
    double end = 0;
    double busy = 0;  ///< seconds that the rank's main thread spent in the step, without its work during a collective
    std::shared_ptr<const std::vector<std::int64_t>> processors = nullptr;  ///< null: all processors of the rank
  };

  /// Returns the text that this rank sends to rank 0 at the end of the program (Runtime::finish). Rank 0 stores the
  /// texts of all ranks in `told`.
  std::function<std::string()> tell;
  std::vector<std::string> told;

  /// Uses the steady clock. Reading the processor's time would need a system call, and collectives read the clock
  /// thousands of times a second.
  double now() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }
  /// Drops events after the first kMostEvents.
  void add(Event event) {
    if (events_.size() < kMostEvents) events_.push_back(std::move(event));
    else is_cut_off_ = true;
  }
  const std::vector<Event>& events() const { return events_; }
  bool is_cut_off() const { return is_cut_off_; }
  void clear() { events_.clear(); }

 private:
  static constexpr std::size_t kMostEvents = 1'000'000;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::vector<Event> events_;
  bool is_cut_off_ = false;
};

}  // namespace mtf::run
