#include "run/run_counts.h"

#include <algorithm>

#include "spmd/collectives.h"

namespace mtf::run {
namespace {

/// The figures of a step, in their order.
constexpr size_t kFigures = 6;

/// Returns this rank's figures: those of all steps, then for each loop its iterations and the figures of its body.
std::vector<int64_t> figures_of(const StepExecutor& executor) {
  std::vector<int64_t> all;
  for (const BoundStep& step : executor.steps()) {
    plan::CollectiveCount count;
    if (step.collective) {
      const Hosting& hosting = executor.frame().hosting(step.first->operands[0]);
      count = step.collective->counted();
      if (hosting.mesh()->size() == hosting.ranks()) count.wire_bytes = step.sent;
    }
    for (int64_t figure : {step.flops, count.count, count.values, count.bytes, count.wire_bytes, step.sent})
      all.push_back(figure);
  }
  for (const BoundStep& step : executor.steps()) {
    if (!step.loop) continue;
    std::vector<int64_t> most;
    for (const BoundLoop::Body& body : step.loop->bodies()) {
      std::vector<int64_t> one = figures_of(*body.steps);
      one.insert(one.begin(), body.times);
      most.resize(one.size());
      for (size_t i = 0; i < one.size(); ++i) most[i] = std::max(most[i], one[i]);
    }
    all.insert(all.end(), most.begin(), most.end());
  }
  return all;
}

/// Reads figures in the order in which figures_of() wrote them. Advances `next`.
RunCounts counts_of(const StepExecutor& executor, const int64_t*& next) {
  RunCounts run;
  for (const BoundStep& step : executor.steps()) {
    const int64_t* const figures = next;
    next += kFigures;
    run.counters.flops += figures[0];
    run.sent += figures[5];
    if (figures[1] == 0) continue;
    const spmd::Instruction& first = *step.first;
    const MeshPtr& mesh = executor.frame().value(first.operands[0]).mesh;
    run.counters.collectives[static_cast<int>(counted_as(first.kind))][mesh->names_of(first.axes)] +=
        plan::CollectiveCount{figures[1], step.step->calls, figures[2], figures[3], figures[4]};
  }
  for (const BoundStep& step : executor.steps()) {
    if (!step.loop) continue;
    const int64_t times = *next++;
    const RunCounts iteration = counts_of(*step.loop->bodies()[0].steps, next);
    add_times(run.counters, iteration.counters, times);
    run.sent += iteration.sent * times;
  }
  return run;
}

}  // namespace

RunCounts count_run(const StepExecutor& steps, Transport& transport) {
  std::vector<int64_t> most = figures_of(steps);
  transport.max_of_all(most);
  const int64_t* next = most.data();
  return counts_of(steps, next);
}

}  // namespace mtf::run
