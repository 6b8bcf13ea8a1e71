#pragma once
// The record of a script's computation: each captured program once, the number of its runs, and the decisions of all
// layouts. Other layouts can be costed from it without evaluating the script again (cost/layout_costs.h).
//
// An execution with ExecutionOptions::record adds the programs. Its session adds the layout decisions. It also adds the
// iterations of loops that the session does not walk to the end.
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "graph/relayout.h"
#include "plan/doubt.h"

namespace mtf::plan {

class ProgramRecord {
 public:
  struct Entry {
    graph::RecordedProgram recorded;
    int64_t times = 0;  ///< runs of the program in the script; once for each statement if only a run knows
    /// The first program that is equal except for the copies of its inputs; itself if there is none.
    int32_t alike = -1;
  };

  const std::shared_ptr<graph::LayoutRecord>& layouts() const { return layouts_; }
  const std::vector<Entry>& programs() const { return programs_; }

  /// Adds a captured program, before any pass. Returns its number.
  int32_t add(const graph::Capture& capture);
  /// The number of the program that was added last.
  int32_t last() const { return last_; }
  /// Adds `iterations` runs of a program. 0 means that only a run knows the number; it counts as one.
  void run(int32_t program, int64_t iterations);
  /// Adds `iterations` runs in loop iterations that were not walked.
  void extrapolated(int32_t program, int64_t iterations);

  /// The number of runs of each program so far.
  std::vector<int64_t> times() const;

  /// Adds a reason why a run may differ from the record.
  void doubt(const Doubt& doubt) { doubts_.push_back(doubt); }
  /// In the order in which they were added.
  const Doubts& doubts() const { return doubts_; }

  /// The state of the record before a part of the script that is to be costed alone.
  struct Before {
    std::vector<int64_t> times;
    size_t doubts = 0;
  };
  Before so_far() const { return {times(), doubts_.size()}; }

  /// Keeps sources alive as long as the record. Errors and doubts point into them.
  void keep(std::shared_ptr<const void> sources) { sources_.push_back(std::move(sources)); }

 private:
  std::shared_ptr<graph::LayoutRecord> layouts_ = std::make_shared<graph::LayoutRecord>();
  std::vector<Entry> programs_;
  std::unordered_map<std::string, int32_t> known_;
  std::unordered_map<std::string, int32_t> known_alike_;
  int32_t last_ = -1;
  Doubts doubts_;
  std::vector<std::shared_ptr<const void>> sources_;
};

}  // namespace mtf::plan
