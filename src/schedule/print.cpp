#include <fmt/format.h>

#include "graph/op.h"
#include "schedule/pack.h"
#include "schedule/schedule.h"
#include "spmd/collectives.h"
#include "support/text.h"

namespace mtf {
namespace {

std::string type_text(const LocalValue& value) {
  std::string text = std::string(name(value.element)) + "[";
  for (size_t i = 0; i < value.order.size(); ++i) {
    const LocalDim& dim = value.dims[value.order[i]];
    text += (i ? ", " : "") + to_string(dim.dim);
    for (int a = 0; a < dim.axes.size(); ++a) text += (a ? "+" : "/") + value.mesh->axes()[dim.axes[a]].name.str();
  }
  text += "]";
  if (value.partial) text += " partial over " + value.mesh->axes_to_string(value.partial);
  return text;
}

std::string names(const LocalProgram& program, const std::vector<int>& values) {
  std::vector<std::string> parts;
  for (int v : values) parts.push_back(program.values[v].name);
  return join(parts, ", ");
}

std::string word(const Instruction& instruction) {
  if (instruction.kind == InstructionKind::kCompute) return std::string(instruction.node->op->name);
  if (instruction.kind == InstructionKind::kSlice) return "slice";
  const CollectiveRecord* record = find_collective(instruction.kind);
  return record ? std::string(record->word) : "input";
}

}  // namespace

// A line a step, dims in storage order; under a loop, its instructions.
std::string to_string(const Schedule& schedule) {
  const LocalProgram& program = schedule.program;
  std::string text;
  for (const Step& step : schedule.steps) {
    const Instruction& first = program.instructions[step.instructions[0]];
    std::vector<std::string> results;
    for (int v : step.writes) {
      int buffer = schedule.buffer_of.empty() ? -1 : schedule.buffer_of[v];
      std::string where = buffer >= 0 && schedule.buffers[buffer].value != v
                              ? " in " + program.values[schedule.buffers[buffer].value].name : "";
      results.push_back(program.values[v].name + ": " + type_text(program.values[v]) + where);
    }
    text += join(results, ", ") + " = ";
    if (step.kind == StepKind::kLoop && step.instructions.size() > 1) {
      text += fmt::format("loop of {}\n", step.instructions.size());
      for (int i : step.instructions) {
        const Instruction& instruction = program.instructions[i];
        text += fmt::format("  {} = {}({})\n", names(program, instruction.results), word(instruction),
                            names(program, instruction.operands));
      }
      continue;
    }
    text += word(first) + "(" + names(program, step.reads) + ")";
    if (is_collective(first.kind) && program.values[first.operands[0]].mesh)
      text += " over " + program.values[first.operands[0]].mesh->axes_to_string(first.axes);
    if (step.calls > 1) text += fmt::format(" in {} pieces", step.calls);
    text += "\n";
  }
  return text;
}

}  // namespace mtf
