#pragma once
// What a script computed, kept as data: each program that its cuts captured, once, how often it ran, and how the
// layouts of all its values were decided. From it other layouts can be costed without evaluating the script
// (cost/layout_costs.h).
//
// An execution that is given one (ExecutionOptions::record) fills it; a session whose execution has one adds what
// decides layouts, and how often a loop that it does not walk to its end repeats what it does.
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
    int64_t times = 0;   ///< that the script runs it; where only the run knows, once for each statement
    int32_t alike = -1;  ///< the first program that differs from it in what copies its inputs have, if at all
  };

  const std::shared_ptr<graph::LayoutRecord>& layouts() const { return layouts_; }
  const std::vector<Entry>& programs() const { return programs_; }

  /// A program as captured, before anything is done to it. Returns its number.
  int32_t add(const graph::Capture& capture);
  /// The number of the program that was added last.
  int32_t last() const { return last_; }
  /// A program runs so often; 0: only the run knows, and it counts once.
  void run(int32_t program, int64_t turns);
  /// It is taken to run so much more often in turns of a loop that were not walked.
  void extrapolated(int32_t program, int64_t turns);

  /// How often each program has run so far.
  std::vector<int64_t> times() const;

  /// What is recorded is not sure to be what a run does.
  void doubt(const Doubt& doubt) { doubts_.push_back(doubt); }
  /// In the order in which they came up.
  const Doubts& doubts() const { return doubts_; }

  /// What has been recorded before something that is to be costed alone.
  struct Before {
    std::vector<int64_t> times;
    size_t doubts = 0;
  };
  Before so_far() const { return {times(), doubts_.size()}; }

  /// Errors and doubts point into these sources, which live as long as the record.
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
