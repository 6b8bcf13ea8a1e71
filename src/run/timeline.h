#pragma once
// When each step of each plan ran on this rank, and how long.
//
// A runtime with MpiRuntimeOptions::timeline records in it. A rank runs a step for all its processors before the next
// step. A collective lasts from its beginning to its end; steps that compute may run in between. Events are kept for a
// picture of the run over time. Sums are kept for a profile, and need memory for each step of each plan alone.
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "schedule/schedule.h"
#include "support/source.h"

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
    std::int64_t collective = -1;  ///< number of the collective, the same on all ranks; -1: none
  };
  /// One run of a plan.
  struct Run {
    std::shared_ptr<const schedule::Schedule> schedule;
    Span place;  ///< the source position that needed the plan's results
    double begin = 0, end = 0;
    std::int64_t memory = 0;  ///< bytes of the largest processor's values outside of the plan, before the run
  };
  struct Sum {
    double seconds = 0;  ///< of the main thread, without its work during a collective
    std::int64_t runs = 0;
  };
  /// The sums of one schedule: of a plan, or of a loop's iteration.
  struct Sums {
    std::shared_ptr<const schedule::Schedule> schedule;
    std::vector<Sum> steps;
  };
  /// The time of the host before a plan that a line needed: since the plan before, or since the timeline was created.
  struct Gap {
    Span place;
    double seconds = 0;
  };

  /// `keeps_events`: for pictures. `adds_up`: for profiles.
  explicit Timeline(bool keeps_events = true, bool adds_up = false) : keeps_events_(keeps_events), adds_up_(adds_up) {}

  /// Returns the text that this rank sends to rank 0 at the end of the program (Runtime::finish). Rank 0 stores the
  /// texts of all ranks in `told`.
  std::function<std::string()> tell;
  std::vector<std::string> told;

  /// Uses the steady clock. Reading the processor's time would need a system call, and collectives read the clock
  /// thousands of times a second.
  double now() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }
  /// Adds an event to the sums. Keeps it unless kMostEvents are kept.
  void add(Event event) {
    add_up(event.schedule, event.step, event.busy);
    if (!keeps_events_) return;
    if (events_.size() < kMostEvents) events_.push_back(std::move(event));
    else is_cut_off_ = true;
  }
  /// Adds seconds to the sums of a step, without an event.
  void add_up(const std::shared_ptr<const schedule::Schedule>& schedule, int step, double seconds) {
    busy_ += seconds;
    if (!adds_up_) return;
    if (last_ == nullptr || last_->schedule != schedule) {
      last_ = &sums_[schedule.get()];
      last_->schedule = schedule;
      last_->steps.resize(schedule->steps.size());
    }
    last_->steps[static_cast<std::size_t>(step)].seconds += seconds;
    ++last_->steps[static_cast<std::size_t>(step)].runs;
  }
  /// Adds a run of a plan.
  void add(Run run) {
    if (adds_up_) {
      Gap& gap = gaps_[{run.place.file, run.place.begin}];
      gap.place = run.place;
      gap.seconds += run.begin - last_end_;
    }
    last_end_ = run.end;
    if (keeps_events_ && runs_.size() < kMostEvents) runs_.push_back(std::move(run));
  }
  const std::vector<Event>& events() const { return events_; }
  const std::vector<Run>& runs() const { return runs_; }
  bool is_cut_off() const { return is_cut_off_; }
  /// The seconds of all steps so far.
  double busy() const { return busy_; }
  std::vector<const Sums*> sums() const {
    std::vector<const Sums*> all;
    for (const auto& [schedule, sums] : sums_) all.push_back(&sums);
    return all;
  }
  std::vector<Gap> gaps() const {
    std::vector<Gap> all;
    for (const auto& [place, gap] : gaps_) all.push_back(gap);
    return all;
  }
  void clear() { events_.clear(); }

 private:
  static constexpr std::size_t kMostEvents = 1'000'000;
  struct HashOfPlace {
    std::size_t operator()(const std::pair<const SourceFile*, std::size_t>& place) const {
      return std::hash<const SourceFile*>()(place.first) ^ (place.second * 0x9e3779b97f4a7c15U);
    }
  };
  const bool keeps_events_, adds_up_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::vector<Event> events_;
  std::vector<Run> runs_;
  std::unordered_map<const schedule::Schedule*, Sums> sums_;
  Sums* last_ = nullptr;
  std::unordered_map<std::pair<const SourceFile*, std::size_t>, Gap, HashOfPlace> gaps_;
  double busy_ = 0, last_end_ = 0;
  bool is_cut_off_ = false;
};

}  // namespace mtf::run
