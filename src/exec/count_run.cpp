#include "exec/count_run.h"

namespace mtf {

CountedRun count_run(const LocalProgram& program, std::span<const BoundStep> steps, std::span<const int64_t> flops, Transport& transport) {
  std::vector<int64_t> most(flops.begin(), flops.end());
  for (const BoundStep& step : steps) {
    const CollectiveCount count = step.collective ? step.collective->counted() : CollectiveCount{};
    for (int64_t figure : {count.count, count.values, count.bytes, count.wire_bytes, step.sent}) most.push_back(figure);
  }
  transport.max_of_all(most);
  CountedRun run;
  for (size_t s = 0; s < steps.size(); ++s) {
    run.counters.flops += most[s];
    const int64_t* figures = &most[steps.size() + 5 * s];
    run.sent += figures[4];
    if (figures[0] == 0) continue;
    const Instruction& first = *steps[s].first;
    const MeshPtr& mesh = program.values[first.operands[0]].mesh;
    run.counters.collectives[static_cast<int>(counted_as(first.kind))][mesh->axes_to_string(first.axes)] +=
        CollectiveCount{figures[0], steps[s].step->calls, figures[1], figures[2], figures[3]};
  }
  return run;
}

}  // namespace mtf
