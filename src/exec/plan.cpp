#include "exec/plan.h"

#include <map>
#include <unordered_map>

#include "exec/predict.h"
#include "spmd/split.h"
#include "support/diagnostics.h"

namespace mtf {
namespace {

/// Replaces the program's nodes by copies that keep what running, costs and messages read: not their operands' values.
class Detacher {
 public:
  void run(LocalProgram& program) {
    std::vector<NodePtr> kept;
    for (Instruction& instruction : program.instructions)
      if (instruction.node != nullptr) instruction.node = copy(*instruction.node, true).get();
    for (auto& [original, node] : copies_) kept.push_back(node);
    for (auto& [original, node] : stubs_) kept.push_back(node);
    program.kept_alive = std::move(kept);
  }

 private:
  NodePtr copy(const Node& node, bool with_operands) {
    NodePtr& result = (with_operands ? copies_ : stubs_)[&node];
    if (result) return result;
    result = std::make_shared<Node>();
    result->op = node.op;
    result->attributes = node.attributes;
    result->inputs = node.inputs;
    result->types = node.types;
    result->shardings = node.shardings;
    result->inherited = node.inherited;
    result->mesh = node.mesh;
    result->span = node.span;
    result->hint = node.hint;
    NodePtr own = result;  // `result` may move when others are added
    if (with_operands)
      for (const Value& operand : node.operands) own->operands.push_back({copy(*operand.node, false), operand.result});
    return own;
  }

  std::unordered_map<const Node*, NodePtr> copies_, stubs_;
};

}  // namespace

std::unique_ptr<Plan> make_plan(const Cut& cut, const Values& roots, const std::vector<std::string>& skipped_passes) {
  auto plan = std::make_unique<Plan>();
  plan->ir = to_string(cut.nodes);
  LocalProgram program = split(roots);
  std::map<std::pair<const Node*, int>, int> leaf_of;
  std::unordered_map<const Node*, int> node_of;
  for (size_t i = 0; i < cut.leaves.size(); ++i) leaf_of[{cut.leaves[i].value.node.get(), cut.leaves[i].value.result}] = static_cast<int>(i);
  for (size_t i = 0; i < cut.nodes.size(); ++i) node_of[cut.nodes[i].get()] = static_cast<int>(i);

  std::map<int, Plan::Input> input_of;
  std::map<int, bool> dies;
  for (const Instruction& instruction : program.instructions) {
    auto at = node_of.find(instruction.node);
    plan->node_of_instruction.push_back(at == node_of.end() ? -1 : at->second);
    if (instruction.kind != InstructionKind::kInput) continue;
    int value = instruction.results[0];
    Plan::Input& input = input_of[value];
    if (is_host_number(instruction)) {
      if (at != node_of.end()) input.node = at->second;
      else input.number = instruction.node->inputs[0];
      continue;
    }
    auto leaf = leaf_of.find({instruction.node, instruction.node_result});
    MTF_CHECK(leaf != leaf_of.end(), "{} is an input that the cut does not have", program.values[value].name);
    input.leaf = leaf->second;
    program.values[value].order = instruction.node->computed[instruction.node_result]->order;
    dies[value] = cut.leaves[leaf->second].dies;
  }
  ScheduleOptions options;
  options.skip = skipped_passes;
  for (int v : program.inputs) {
    plan->inputs.push_back(input_of[v]);
    options.input_dies.push_back(dies[v]);
  }
  Detacher().run(program);
  plan->schedule = std::make_shared<Schedule>(mtf::schedule(std::move(program), options));
  plan->predicted = predict(*plan->schedule);
  return plan;
}

std::vector<PlanInput> inputs_of(const Plan& plan, const Cut& cut) {
  std::vector<PlanInput> inputs;
  inputs.reserve(plan.inputs.size());
  for (const Plan::Input& from : plan.inputs) {
    PlanInput input;
    if (from.leaf >= 0) {
      const Value& leaf = cut.leaves[from.leaf].value;
      input.tensor = leaf.node->computed[leaf.result].get();
    } else {
      input.number = from.node >= 0 ? cut.nodes[from.node]->inputs[0] : from.number;
    }
    inputs.push_back(input);
  }
  return inputs;
}

}  // namespace mtf
