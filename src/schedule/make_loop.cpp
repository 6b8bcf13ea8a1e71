#include <algorithm>
#include <unordered_map>

#include "schedule/passes.h"
#include "support/diagnostics.h"

namespace mtf {
namespace {

bool same_names(const LocalValue& a, const LocalValue& b) {
  if (a.dims.size() != b.dims.size()) return false;
  return std::all_of(a.dims.begin(), a.dims.end(), [&](const LocalDim& d) {
    return std::any_of(b.dims.begin(), b.dims.end(), [&](const LocalDim& e) { return d.dim == e.dim; });
  });
}

Reduction reduction_for(ElementType element, Reduction reduction) {
  if (element != ElementType::kBool) return reduction;
  return reduction == Reduction::kMax ? Reduction::kOr : reduction == Reduction::kMin ? Reduction::kAnd : reduction;
}

}  // namespace

void make_loop(const Schedule& schedule, Step& step, const std::vector<bool>* kept_values) {
  auto kept = [&](int v) { return kept_values == nullptr || (*kept_values)[v]; };
  const LocalProgram& program = schedule.program;
  LoopPlan plan;
  std::unordered_map<int, int> operand_of;  // value → operand of the loop
  // A value of the loop: of a step, or of an operand.
  struct Use {
    bool inside = false;
    int number = 0;
  };
  std::unordered_map<int, Use> made;        // root value → where it is in the loop

  // Operands are numbered before steps, so they are collected first.
  auto resolve = [&](int v) -> Use {
    int root = schedule.alias_of[v];
    auto inside = made.find(root);
    if (inside != made.end() && same_names(program.values[v], program.values[root])) return inside->second;
    auto [at, is_new] = operand_of.emplace(v, static_cast<int>(plan.operands.size()));
    if (is_new) plan.operands.push_back(v);
    return {false, at->second};
  };
  std::vector<std::vector<Use>> uses(step.instructions.size());
  int steps = 0;
  for (size_t i = 0; i < step.instructions.size(); ++i) {
    const Instruction& instruction = program.instructions[step.instructions[i]];
    for (int v : instruction.operands) uses[i].push_back(resolve(v));
    if (instruction.node->op->lane) made[instruction.results[0]] = {true, steps++};
    else if (!instruction.node->op->reduction) made[instruction.results[0]] = uses[i][0];
  }
  int operands = static_cast<int>(plan.operands.size());
  auto number = [&](Use use) { return use.inside ? operands + use.number : use.number; };
  for (int v : plan.operands) {
    LoopOperand operand;
    operand.type = program.values[v].element;
    plan.program.operands.push_back(operand);
  }
  step.writes.clear();
  const LocalValue* shape = nullptr;  // what gives the loop its dims and their order
  for (size_t i = 0; i < step.instructions.size(); ++i) {
    const Instruction& instruction = program.instructions[step.instructions[i]];
    const Op& op = *instruction.node->op;
    int result = instruction.results[0];
    LoopOutput output;
    output.type = program.values[result].element;
    if (op.lane) {
      LoopStep lane;
      lane.op = *op.lane;
      lane.type = program.values[result].element;
      int* slots[] = {&lane.a, &lane.b, &lane.c};
      MTF_CHECK(uses[i].size() <= 3, "{} has {} operands", op.name, uses[i].size());
      for (size_t k = 0; k < uses[i].size(); ++k) *slots[k] = number(uses[i][k]);
      plan.program.steps.push_back(lane);
      plan.counted_steps += op.work == Work::kPerResult;
      output.value = number(made[result]);
      if (!shape || kept(result)) shape = &program.values[result];
    } else if (!op.reduction) {
      output.value = number(uses[i][0]);
      if (!shape || kept(result)) shape = &program.values[result];
    } else {
      output.reduction = reduction_for(program.values[instruction.operands[0]].element, *op.reduction);
      output.value = number(uses[i][0]);
      plan.counted_reductions += op.work == Work::kPerOperand;
      if (!shape) shape = &program.values[instruction.operands[0]];
    }
    if (!op.reduction && !kept(result)) continue;
    plan.program.outputs.push_back(output);
    plan.outputs.push_back(result);
    step.writes.push_back(result);
  }
  for (int8_t d : shape->order) plan.dims.push_back(shape->dims[d]);
  step.kind = StepKind::kLoop;
  step.reads = plan.operands;
  step.loop = std::move(plan);
}

Step single_loop(const Schedule& schedule, int instruction) {
  Step step;
  step.instructions = {instruction};
  make_loop(schedule, step, nullptr);
  return step;
}

}  // namespace mtf
