#pragma once
// What a script computed, kept as data: each program that its cuts captured, once, how often it ran, and how the layouts
// of all its values were decided. From it other layouts can be costed without evaluating the script (cost/layout_costs.h).
//
// An engine that is given one (EngineOptions::record) fills it; a session whose engine has one adds what decides layouts,
// and how often a loop that it does not walk to its end repeats what it does. The session lives longer than the record:
// errors point into its source.
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "graph/relayout.h"

namespace mtf {

class Timeline;  // exec/timeline.h

class ProgramRecord {
 public:
  struct Entry {
    RecordedProgram recorded;
    int64_t times = 0;          ///< that the script runs it; where only the run knows, once for each statement
    bool is_estimate = false;   ///< not every turn of a loop was walked, or only the run knows how many there are
  };

  /// Is told when each step ran on this rank, if it is there when the engine is made.
  std::shared_ptr<Timeline> timeline;

  const std::shared_ptr<LayoutRecord>& layouts() const { return layouts_; }
  const std::vector<Entry>& programs() const { return programs_; }

  /// A program as captured, before anything is done to it. Returns its number.
  int32_t add(const Capture& capture, const std::vector<bool>& only_history);
  /// The program that was added last is run so often; 0: only the run knows.
  void run_last(int64_t turns);
  void begin_statement() { counted_.clear(); }

  /// How often each program has run so far.
  std::vector<int64_t> times() const;
  /// What has been added since `before` by `done` turns of a loop is taken to be done by all `count`.
  void extrapolate(const std::vector<int64_t>& before, int64_t done, int64_t count);

 private:
  std::shared_ptr<LayoutRecord> layouts_ = std::make_shared<LayoutRecord>();
  std::vector<Entry> programs_;
  std::unordered_map<std::string, int32_t> known_;
  std::unordered_set<int32_t> counted_;   ///< in this statement, of what only the run knows how often it runs
  int32_t last_ = -1;
};

}  // namespace mtf
