#pragma once
// The totals of a plan, for every form in which it is shown.
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plan/peak_memory.h"
#include "session/plan_tree.h"
#include "session/planned.h"

namespace mtf::session {

struct PlanSummary {
  plan::Counters counters;
  MeshPtr mesh;  ///< of a statement, the mesh in force. Of a program, that at its end, or null if another was larger
  eval::StoredVariables stored;
  plan::Doubts doubts;
  std::vector<eval::Unread> unread;        ///< lines without cost, because nothing reads their results
  std::vector<std::string> warnings = {};  ///< why processors idle
  std::vector<std::pair<std::string, double>> seconds =
      {};                       ///< how long the program takes, with `in all` last; empty without a machine
  std::string machine = {};     ///< the machine of the times
  double flops_per_second = 0;  ///< of products and attention, on one processor; 0 without a machine
  double share_of_peak = 0;     ///< of the machine's peak
  std::optional<std::int64_t> memory = std::nullopt;    ///< what a processor has, if it was given
  bool remat = false;                                   ///< values may be computed again to fit
  plan::Rematerialized again = {};                      ///< what is computed again to fit
  std::optional<plan::PeakMemory> peak = std::nullopt;  ///< the text shows it with `memory`
};

/// Sums up a plan whose statements are those of `tree`; those of `planned` are not looked at. Warnings, seconds and
/// memory are for the caller to add.
PlanSummary summary_of(const Planned& planned, const PlanTree& tree);

}  // namespace mtf::session
