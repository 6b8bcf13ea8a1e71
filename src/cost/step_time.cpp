#include "cost/step_time.h"

#include <algorithm>

#include "graph/op.h"
#include "graph/region.h"
#include "ops/attention.h"
#include "ops/ops.h"
#include "plan/predict.h"
#include "schedule/schedule.h"
#include "spmd/collectives.h"

namespace mtf::cost {
namespace {

double bytes_of(const spmd::LocalProgram& program, const std::vector<int>& values) {
  double bytes = 0;
  for (int v : values)
    bytes += static_cast<double>(schedule::largest_block(program.values[v])) *
             static_cast<double>(size_of(program.values[v].element));
  return bytes;
}

/// True if the rows of a value are whole units of 16 bytes: then a kernel can load and store them as units.
bool is_aligned(const spmd::LocalValue& value) {
  if (value.dims.empty()) return true;
  const int64_t row = largest_block(value.dims.back(), *value.mesh) * static_cast<int64_t>(size_of(value.element));
  return row % 16 == 0;
}

/// Returns the slowdown of a product with narrow matrices, short sums or unaligned rows, compared with a large product
/// of as many flops.
double narrowness(const spmd::LocalProgram& program, const spmd::Instruction& instruction,
                  const MachineModel& machine) {
  if (instruction.operands.size() != 2) return 1;
  const spmd::LocalValue &a = program.values[instruction.operands[0]], &b = program.values[instruction.operands[1]],
                         &c = program.values[instruction.results[0]];
  const auto has = [](const spmd::LocalValue& value, const spmd::LocalDim& dim) {
    return std::any_of(value.dims.begin(), value.dims.end(),
                       [&](const spmd::LocalDim& each) { return each.dim.name == dim.dim.name; });
  };
  double rows = 1, columns = 1, inner = 1;
  for (const spmd::LocalDim& dim : a.dims) {
    const double size = static_cast<double>(largest_block(dim, *a.mesh));
    if (has(b, dim) && !has(c, dim)) inner *= size;
    else if (!has(b, dim) && has(c, dim)) rows *= size;
  }
  for (const spmd::LocalDim& dim : b.dims)
    if (!has(a, dim) && has(c, dim)) columns *= static_cast<double>(largest_block(dim, *b.mesh));
  double times = 1 + machine.ramp / inner;
  for (double side : {rows, columns, inner}) times *= std::max(1.0, machine.narrow / side);
  const bool of_matrices = std::min({rows, columns, inner}) > 1;
  if (of_matrices && !(is_aligned(a) && is_aligned(b) && is_aligned(c))) times *= machine.unaligned;
  return times;
}

/// Returns the part of the counted operations that the processor with the most computes.
double part_of_slowest(const spmd::LocalProgram& program, const spmd::Instruction& instruction) {
  const graph::Op& op = *instruction.node->op;
  if (&op != &ops::kAttention && &op != &ops::kAttentionGradient) return computed_part(op, *instruction.node);
  const spmd::LocalValue& result = program.values[instruction.results[0]];
  const auto length = static_cast<size_t>(ops::AttentionParts(*instruction.node).length_position);
  const int64_t blocks = result.mesh ? result.mesh->group_size(result.dims[length].axes.set()) : 1;
  return ops::part_of_last_block(*instruction.node, blocks);
}

/// Returns the seconds of an instruction's arithmetic. If it counts no flops: the seconds to produce its elements.
double arithmetic_of(const spmd::LocalProgram& program, const spmd::Instruction& instruction, double flops,
                     const MachineModel& machine) {
  if (instruction.kind != spmd::InstructionKind::kCompute) return 0;
  const graph::Op& op = *instruction.node->op;
  const spmd::LocalValue& of =
      program.values[instruction.operands.empty() ? instruction.results[0] : instruction.operands[0]];
  if (op.role == graph::Role::kContraction)
    return flops / machine.flops_of(of.element) * narrowness(program, instruction, machine);
  if (flops > 0) return flops * part_of_slowest(program, instruction) / rate_of(machine, op, of.element);
  if (op.lane || op.role == graph::Role::kView) return 0;
  const spmd::LocalValue& result = program.values[instruction.results[0]];
  const std::optional<double> rate = machine.rate_of(std::string(op.name), "moving", result.element);
  return rate ? static_cast<double>(schedule::largest_block(result)) / *rate : 0;
}

/// Returns the seconds of a kernel: its start, and its arithmetic or its traffic, whichever is longer.
double kernel(const MachineModel& machine, double arithmetic, double bytes) {
  const double cached = machine.cache_bandwidth > 0 ? std::min(bytes, machine.cache) : 0;
  const double traffic =
      (bytes - cached) / machine.memory_bandwidth + (cached > 0 ? cached / machine.cache_bandwidth : 0);
  return machine.step + std::max(arithmetic, traffic);
}

/// Returns the seconds of attention that stores its scores, as before FlashAttention (Dao et al. 2022, algorithm 0).
/// Forward: a product, a softmax, dropout, a product. Backward, from stored weights: two products that read or make
/// scores, dropout, the gradient of the softmax, and two products.
double attention_with_scores(const spmd::LocalProgram& program, const spmd::Instruction& instruction,
                             const MachineModel& machine) {
  const auto& attributes = instruction.node->attributes.get<ops::AttentionAttributes>();
  const spmd::LocalValue &q = program.values[instruction.operands[0]], &k = program.values[instruction.operands[1]];
  const auto size_along = [](const spmd::LocalValue& value, Name name) {
    for (const spmd::LocalDim& dim : value.dims)
      if (dim.dim.name == name) return static_cast<double>(largest_block(dim, *value.mesh));
    return 1.0;
  };
  const double features = size_along(q, attributes.features), bytes = static_cast<double>(size_of(q.element));
  const double inputs = static_cast<double>(schedule::largest_block(q)) * bytes;
  const double scores = inputs / bytes / features * size_along(k, attributes.over);
  const double arithmetic = 2 * scores * features / machine.flops_of(q.element) * (1 + machine.ramp / features);
  const double product = kernel(machine, arithmetic, 2 * inputs + scores * bytes);
  const double mask = scores;  // a byte for each weight
  const double dropout = attributes.drops ? kernel(machine, 0, 2 * scores * bytes + mask) : 0;
  if (instruction.node->op == &ops::kAttention) return 2 * product + kernel(machine, 0, 2 * scores * bytes) + dropout;
  return 4 * product + kernel(machine, 0, 3 * scores * bytes) + dropout;
}

bool is_attention(const spmd::Instruction& instruction) {
  return instruction.kind == spmd::InstructionKind::kCompute &&
         (instruction.node->op == &ops::kAttention || instruction.node->op == &ops::kAttentionGradient);
}

}  // namespace

double StepTime::communication() const {
  double seconds = 0;
  for (const auto& [what, each] : collectives) seconds += each;
  return seconds;
}

void StepTime::add(const StepTime& other, double times) {
  compute += other.compute * times;
  hidden += other.hidden * times;
  host += other.host * times;
  for (const auto& [what, seconds] : other.collectives) collectives[what] += seconds * times;
}

double rate_of(const MachineModel& machine, const graph::Op& op, ElementType element) {
  return machine.rate_of(std::string(op.name),
                         op.lane        ? "elementwise"
                         : op.reduction ? "reduction"
                                        : "",
                         element)
      .value_or(machine.flops_of(element));
}

double computed_part(const graph::Op& op, const graph::Operation& operation) {
  return op.computed ? op.computed(operation) : 1;
}

StepTime time_of_step(const schedule::Schedule& schedule, const schedule::Step& step,
                      const std::vector<spmd::InstructionCost>& costs, const MachineModel& machine) {
  const spmd::LocalProgram& program = schedule.program;
  StepTime time;
  const spmd::Instruction& first = program.instructions[step.instructions[0]];
  if (step.kind == schedule::StepKind::kWindow) return time;
  if (step.iteration) {
    time.add(time_of(*step.iteration, plan::predict_without_memory(*step.iteration).costs, machine),
             static_cast<double>(most_iterations(*first.node)) + spmd::idle_iterations(*first.node));
    return time;
  }
  if (step.kind == schedule::StepKind::kCollective) {
    int64_t wire = 0;
    bool any = false;
    for (int i : step.instructions) {
      wire += costs[i].wire_bytes;
      any = any || costs[i].count > 0;
    }
    if (!any) return time;
    const Mesh& mesh = *program.values[first.operands[0]].mesh;
    const spmd::CollectiveKind kind = counted_as(first.kind);
    const Link link = machine.over(mesh, first.axes, kind);
    time.collectives[{kind, mesh.names_of(first.axes)}] =
        static_cast<double>(costs[step.instructions[0]].messages) * link.latency +
        static_cast<double>(wire) / link.bandwidth;
    return time;
  }
  const auto flops = [&](int i) { return static_cast<double>(costs[i].flops.value()); };
  if (!machine.fuses && step.instructions.size() > 1) {
    for (int i : step.instructions) {
      const spmd::Instruction& each = program.instructions[i];
      time.compute += kernel(machine, arithmetic_of(program, each, flops(i), machine),
                             bytes_of(program, each.operands) + bytes_of(program, each.results));
    }
    return time;
  }
  if (machine.stores_scores && is_attention(first)) {
    time.compute = attention_with_scores(program, first, machine);
    return time;
  }
  double arithmetic = 0;
  for (int i : step.instructions) arithmetic += arithmetic_of(program, program.instructions[i], flops(i), machine);
  time.compute = kernel(machine, arithmetic, bytes_of(program, step.reads) + bytes_of(program, step.writes));
  return time;
}

std::vector<double> shares_of_step(const schedule::Schedule& schedule, const schedule::Step& step,
                                   const std::vector<spmd::InstructionCost>& costs, const MachineModel& machine) {
  std::vector<double> shares;
  double all = 0;
  for (int i : step.instructions) {
    shares.push_back(step.kind == schedule::StepKind::kCollective
                         ? static_cast<double>(costs[i].wire_bytes)
                         : arithmetic_of(schedule.program, schedule.program.instructions[i],
                                         static_cast<double>(costs[i].flops.value()), machine));
    all += shares.back();
  }
  for (double& share : shares) share = all > 0 ? share / all : 1 / static_cast<double>(shares.size());
  return shares;
}

namespace {

/// Returns the times of the steps. Times of loops that hide no collective may be left out.
std::vector<StepTime> times_of(const schedule::Schedule& schedule, const std::vector<spmd::InstructionCost>& costs,
                               const MachineModel& machine, bool with_all_loops) {
  std::vector<StepTime> times;
  struct UnderWay {
    size_t step;
    int finish;
    double may_hide;
  };
  std::vector<UnderWay> under_way;  // in the order in which they began, which is the order of their progress
  for (size_t s = 0; s < schedule.steps.size(); ++s) {
    const schedule::Step& step = schedule.steps[s];
    std::erase_if(under_way,
                  [&](const UnderWay& each) { return each.finish <= static_cast<int>(s) || each.may_hide <= 0; });
    const bool is_needed = with_all_loops || !step.iteration || !under_way.empty();
    times.push_back(is_needed ? time_of_step(schedule, step, costs, machine) : StepTime());
    if (machine.overlap == 0) continue;
    if (step.kind == schedule::StepKind::kCollective)
      under_way.push_back({s, step.finish, machine.overlap * times[s].communication()});
    double left = times[s].compute;
    for (UnderWay& each : under_way) {
      const double hides = std::min(left, each.may_hide);
      each.may_hide -= hides;
      left -= hides;
      times[each.step].hidden += hides;
    }
  }
  return times;
}

}  // namespace

std::vector<StepTime> times_of_steps(const schedule::Schedule& schedule,
                                     const std::vector<spmd::InstructionCost>& costs, const MachineModel& machine) {
  return times_of(schedule, costs, machine, true);
}

std::vector<StepTime> times_around_loops(const schedule::Schedule& schedule,
                                         const std::vector<spmd::InstructionCost>& costs, const MachineModel& machine) {
  return times_of(schedule, costs, machine, false);
}

StepTime time_of(const schedule::Schedule& schedule, const std::vector<spmd::InstructionCost>& costs,
                 const MachineModel& machine) {
  StepTime time;
  for (const StepTime& step : times_of_steps(schedule, costs, machine)) time.add(step, 1);
  return time;
}

}  // namespace mtf::cost
