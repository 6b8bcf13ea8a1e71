#include "cost/step_time.h"

#include <algorithm>

#include "spmd/collectives.h"
#include "spmd/reduction_tree.h"

namespace mtf {
namespace {

double bytes_of(const LocalProgram& program, const std::vector<int>& values) {
  double bytes = 0;
  for (int v : values) bytes += static_cast<double>(largest_block(program.values[v])) * static_cast<double>(size_of(program.values[v].element));
  return bytes;
}

}  // namespace

double StepTime::communication() const {
  double seconds = 0;
  for (const auto& [what, each] : collectives) seconds += each;
  return seconds;
}

void StepTime::add(const StepTime& other, int64_t times) {
  compute += other.compute * static_cast<double>(times);
  for (const auto& [what, seconds] : other.collectives) collectives[what] += seconds * static_cast<double>(times);
}

int64_t messages_of(const LocalProgram& program, const Instruction& instruction, int64_t calls) {
  const LocalValue& from = program.values[instruction.operands[0]];
  const int64_t others = from.mesh->group_size(instruction.axes) - 1;
  switch (record_of(instruction.kind).movement) {
    case Movement::kReduce: {
      const std::vector<int64_t> levels = exchange_levels(tree_over(others + 1));
      int64_t met = 0;
      for (int64_t level : levels) met += level - 1;
      return calls * (is_sent_whole(levels, largest_block(from), size_of(from.element)) ? met : 2 * met);
    }
    case Movement::kReduceScatter:
    case Movement::kFromGroup: return calls * others;
    case Movement::kFromPermuted: return calls;
  }
  return calls;
}

StepTime time_of(const Schedule& schedule, const std::vector<InstructionCost>& costs, const Machine& machine) {
  const LocalProgram& program = schedule.program;
  StepTime time;
  for (const Step& step : schedule.steps) {
    const Instruction& first = program.instructions[step.instructions[0]];
    if (step.kind == StepKind::kCollective) {
      int64_t wire = 0;
      bool any = false;
      for (int i : step.instructions) {
        wire += costs[i].wire_bytes;
        any = any || costs[i].count > 0;
      }
      if (!any) continue;
      const Mesh& mesh = *program.values[first.operands[0]].mesh;
      const Link link = machine.over(mesh, first.axes);
      time.collectives[{counted_as(first.kind), mesh.axes_to_string(first.axes)}] +=
          static_cast<double>(messages_of(program, first, step.calls)) * link.latency + static_cast<double>(wire) / link.bandwidth;
      continue;
    }
    if (step.kind == StepKind::kWindow) continue;
    double arithmetic = 0;
    for (int i : step.instructions) {
      const Instruction& instruction = program.instructions[i];
      const LocalValue& of = program.values[instruction.operands.empty() ? instruction.results[0] : instruction.operands[0]];
      arithmetic += static_cast<double>(costs[i].flops.value()) / machine.flops_of(of.element);
    }
    const double traffic = (bytes_of(program, step.reads) + bytes_of(program, step.writes)) / machine.memory_bandwidth;
    time.compute += machine.step + std::max(arithmetic, traffic);
  }
  return time;
}

}  // namespace mtf
