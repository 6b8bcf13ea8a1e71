#include <algorithm>

#include "schedule/passes.h"

namespace mtf {
namespace {

bool is_small_all_reduce(const Schedule& schedule, const Step& step) {
  if (step.kind != StepKind::kCollective || step.instructions.size() != 1) return false;
  const Instruction& instruction = schedule.program.instructions[step.instructions[0]];
  if (instruction.kind != InstructionKind::kAllReduce) return false;
  const LocalValue& value = schedule.program.values[instruction.operands[0]];
  return largest_block(value) * size_of(value.element) <= kSmallAllReduce;
}

bool fit_together(const LocalProgram& program, const Instruction& a, const Instruction& b) {
  const LocalValue& x = program.values[a.operands[0]];
  const LocalValue& y = program.values[b.operands[0]];
  return a.axes == b.axes && a.reduction == b.reduction && x.element == y.element && x.mesh == y.mesh &&
         x.varies() == y.varies();
}

}  // namespace

// From the first all_reduce on, collects later ones until a step reads one of their results: the merged step stands
// where the last of them stood, which all of their operands precede.
void merge_all_reduces(Schedule& schedule) {
  const LocalProgram& program = schedule.program;
  std::vector<Step>& steps = schedule.steps;
  std::vector<bool> gone(steps.size(), false);
  for (size_t i = 0; i < steps.size(); ++i) {
    if (gone[i] || !is_small_all_reduce(schedule, steps[i])) continue;
    std::vector<size_t> merged = {i};
    std::vector<int> results = {schedule.alias_of[steps[i].writes[0]]};
    int64_t bytes = largest_block(program.values[steps[i].writes[0]]) * size_of(program.values[steps[i].writes[0]].element);
    for (size_t j = i + 1; j < steps.size(); ++j) {
      if (gone[j]) continue;
      bool reads_one = std::any_of(steps[j].reads.begin(), steps[j].reads.end(), [&](int v) {
        return std::find(results.begin(), results.end(), schedule.alias_of[v]) != results.end();
      });
      if (reads_one) break;
      if (!is_small_all_reduce(schedule, steps[j])) continue;
      const Instruction& other = program.instructions[steps[j].instructions[0]];
      if (!fit_together(program, program.instructions[steps[i].instructions[0]], other)) continue;
      const LocalValue& value = program.values[steps[j].writes[0]];
      bytes += largest_block(value) * size_of(value.element);
      if (bytes > kLargestAllReduce) break;
      merged.push_back(j);
      results.push_back(steps[j].writes[0]);
    }
    if (merged.size() < 2) continue;
    Step step;
    step.kind = StepKind::kCollective;
    for (size_t j : merged) {
      step.instructions.push_back(steps[j].instructions[0]);
      for (int v : steps[j].reads)
        if (std::find(step.reads.begin(), step.reads.end(), v) == step.reads.end()) step.reads.push_back(v);
      step.writes.push_back(steps[j].writes[0]);
      gone[j] = true;
    }
    gone[merged.back()] = false;
    steps[merged.back()] = std::move(step);
  }
  size_t kept = 0;
  for (size_t i = 0; i < steps.size(); ++i)
    if (!gone[i]) {
      if (kept != i) steps[kept] = std::move(steps[i]);
      ++kept;
    }
  steps.resize(kept);
}

}  // namespace mtf
