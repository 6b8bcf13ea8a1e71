#include "session/plan_summary.h"

namespace mtf::session {

void Planned::be_whole(MeshPtr in_force, eval::StoredVariables stored, std::vector<eval::Unread> unread) {
  whole = {.mesh = nullptr, .stored = stored, .unread = std::move(unread)};
  if (!in_force || in_force->size() < counters.processors) return;
  counters.processors = in_force->size();
  whole->mesh = std::move(in_force);
}

PlanSummary summary_of(const Planned& planned, const PlanTree& tree) {
  PlanSummary summary{tree.totals(), planned.whole ? planned.whole->mesh : planned.mesh, {}, tree.doubts(), {}};
  summary.counters.processors = planned.whole ? planned.counters.processors : planned.mesh->size();
  summary.counters.peak_bytes = planned.counters.peak_bytes;
  summary.peak = planned.peak;
  if (!planned.whole) return summary;
  summary.stored = planned.whole->stored;
  // A part of the program that an estimate did not evaluate may read a result.
  if (summary.doubts.empty()) summary.unread = without_costs(planned.whole->unread, tree);
  return summary;
}

}  // namespace mtf::session
