#include "plan/predict.h"

#include "schedule/pack.h"
#include "schedule/passes.h"
#include "spmd/instruction_costs.h"
#include "support/interrupt.h"
#include "types/saturating.h"

namespace mtf::plan {
namespace {

int64_t largest_bytes(const spmd::LocalProgram& program, int value) {
  return mtf::saturating_multiply(schedule::largest_block(program.values[value]),
                                  size_of(program.values[value].element));
}

}  // namespace

int64_t buffer_bytes(const schedule::Schedule& schedule, const schedule::Buffer& buffer) {
  return buffer.kind == schedule::BufferKind::kStaging
             ? staging_bytes(schedule, schedule.steps[buffer.first], largest_bytes)
             : schedule::padded(largest_bytes(schedule.program, buffer.value));
}

namespace {

/// Returns a copy of the schedule with loops and buffers, also in the bodies of its loops.
schedule::Schedule with_buffers(const schedule::Schedule& schedule) {
  schedule::Schedule copy = schedule;
  for (schedule::Step& step : copy.steps)
    if (step.iteration) step.iteration = std::make_shared<schedule::Schedule>(with_buffers(*step.iteration));
  const auto lacks_program = [](const schedule::Step& step) {
    return step.kind == schedule::StepKind::kFusion && !step.loop;
  };
  if (std::any_of(copy.steps.begin(), copy.steps.end(), lacks_program)) make_loops(copy);
  plan_buffers(copy);
  return copy;
}

int64_t run_bytes(const schedule::Schedule& schedule) {
  std::vector<schedule::PackItem> arena;
  int64_t outputs = 0, all = 0;
  for (const schedule::Buffer& buffer : schedule.buffers) {
    const int64_t bytes = buffer_bytes(schedule, buffer);
    all = saturating_add(all, bytes);
    if (all >= kMost / 2) return kMost;  // pack() could overflow
    if (buffer.kind == schedule::BufferKind::kOutput) outputs += bytes;
    if (buffer.kind == schedule::BufferKind::kArena || buffer.kind == schedule::BufferKind::kStaging)
      arena.push_back({bytes, buffer.first, buffer.last, 0});
  }
  return outputs + pack(arena);
}

}  // namespace

Prediction predict_without_memory(const schedule::Schedule& schedule) {
  const spmd::LocalProgram& program = schedule.program;
  Prediction prediction;
  Counters& counters = prediction.counters;
  prediction.costs.resize(program.instructions.size());
  spmd::InstructionCosts all(program);
  for (const schedule::Step& step : schedule.steps) {
    check_interrupt();
    int64_t calls = step.calls;
    std::vector<spmd::InstructionCost> costs = all.of_step(step.instructions);
    if (step.iteration) {
      prediction.costs[step.instructions[0]] = costs[0];
      add_times(counters, predict_without_memory(*step.iteration).counters,
                most_iterations(*program.instructions[step.instructions[0]].node));
      continue;
    }
    for (size_t i = 0; i < costs.size(); ++i) {
      const spmd::InstructionCost& cost = prediction.costs[step.instructions[i]] = std::move(costs[i]);
      counters.flops = saturating_add(counters.flops, cost.flops.value());
      if (cost.count == 0) continue;
      const spmd::Instruction& instruction = program.instructions[step.instructions[i]];
      const spmd::LocalValue& from = program.values[instruction.operands[0]];
      counters.collectives[static_cast<int>(counted_as(instruction.kind))][from.mesh->names_of(instruction.axes)] +=
          CollectiveCount{cost.count, calls, cost.values.value(), cost.bytes.value(), cost.wire_bytes};
      calls = 0;  // counted once for the step
    }
  }
  counters.unique_flops = program.unique_flops.value();
  counters.processors = 1;
  for (const spmd::LocalValue& value : program.values)
    if (value.mesh) counters.processors = std::max(counters.processors, value.mesh->size());
  return prediction;
}

Prediction predict(const schedule::Schedule& schedule) {
  Prediction prediction = predict_without_memory(schedule);
  prediction.counters.peak_bytes = run_bytes(schedule);
  return prediction;
}

int64_t peak_as_ordered(const schedule::Schedule& schedule) { return run_bytes(with_buffers(schedule)); }

}  // namespace mtf::plan
