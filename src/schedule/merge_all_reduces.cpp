#include <algorithm>
#include <unordered_set>

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

int64_t payload(const LocalProgram& program, const Step& step) {
  const LocalValue& value = program.values[step.writes[0]];
  return largest_block(value) * size_of(value.element);
}

}  // namespace

// From the first all_reduce on, later ones join it until none is left that needs none of their results. The merged step
// stands where the last of them stood; what reads their results before that is put off until after it.
void merge_all_reduces(Schedule& schedule) {
  const LocalProgram& program = schedule.program;
  std::vector<Step>& steps = schedule.steps;
  for (size_t i = 0; i < steps.size(); ++i) {
    if (!is_small_all_reduce(schedule, steps[i])) continue;
    const Instruction& first = program.instructions[steps[i].instructions[0]];
    std::vector<size_t> merged = {i};
    std::vector<size_t> put_off;          // of all later steps
    size_t put_off_before_last = 0;       // of those before the last that joined
    std::unordered_set<int> waits = {steps[i].writes[0]};
    int64_t bytes = payload(program, steps[i]);
    for (size_t j = i + 1; j < steps.size(); ++j) {
      bool reads_one = std::any_of(steps[j].reads.begin(), steps[j].reads.end(),
                                   [&](int v) { return waits.count(schedule.alias_of[v]) > 0; });
      if (reads_one) {
        put_off.push_back(j);
        waits.insert(steps[j].writes.begin(), steps[j].writes.end());
        continue;
      }
      if (!is_small_all_reduce(schedule, steps[j])) continue;
      if (!fit_together(program, first, program.instructions[steps[j].instructions[0]])) continue;
      if (bytes + payload(program, steps[j]) > kLargestAllReduce) break;
      bytes += payload(program, steps[j]);
      merged.push_back(j);
      waits.insert(steps[j].writes[0]);
      put_off_before_last = put_off.size();
    }
    if (merged.size() < 2) continue;
    put_off.resize(put_off_before_last);
    Step step;
    step.kind = StepKind::kCollective;
    for (size_t j : merged) {
      step.instructions.push_back(steps[j].instructions[0]);
      for (int v : steps[j].reads)
        if (std::find(step.reads.begin(), step.reads.end(), v) == step.reads.end()) step.reads.push_back(v);
      step.writes.push_back(steps[j].writes[0]);
    }
    std::vector<Step> tail = {std::move(step)};
    for (size_t j : put_off) tail.push_back(std::move(steps[j]));
    std::vector<Step> between;
    for (size_t j = i; j <= merged.back(); ++j) {
      bool moved = std::find(merged.begin(), merged.end(), j) != merged.end() ||
                   std::find(put_off.begin(), put_off.end(), j) != put_off.end();
      if (!moved) between.push_back(std::move(steps[j]));
    }
    for (Step& each : tail) between.push_back(std::move(each));
    size_t removed = merged.back() + 1 - i - between.size();
    std::move(between.begin(), between.end(), steps.begin() + static_cast<long>(i));
    steps.erase(steps.begin() + static_cast<long>(i + between.size()), steps.begin() + static_cast<long>(i + between.size() + removed));
    --i;  // what now stands here may be an all_reduce of its own
  }
}

}  // namespace mtf
