#pragma once
// When each step of each plan ran on this rank.
//
// A runtime that is given one (MpiRuntimeOptions::timeline) fills it. A rank runs the steps of all processors that it
// hosts together: at one time all of them are in the same step. A collective lasts from where it begins to where it has
// ended; steps that compute may run in between.
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
    int step = 0;      ///< of the schedule
    double begin = 0;  ///< seconds since the timeline was made
    double end = 0;
    double busy = 0;  ///< seconds that the rank's main thread spent in it: not what it computed during a collective
    std::shared_ptr<const std::vector<std::int64_t>> processors = nullptr;  ///< null: all that the rank hosts
  };

  /// What this rank tells rank 0 when the program ends (Runtime::finish), and there what each rank has told.
  std::function<std::string()> tell;
  std::vector<std::string> told;

  /// Not the processor's time, which takes a call of the system to read: a collective is looked at thousands of times a
  /// second.
  double now() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }
  /// What comes after kMostEvents is not kept.
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
