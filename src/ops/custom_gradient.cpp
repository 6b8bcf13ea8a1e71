#include "ops/custom_gradient.h"

#include <algorithm>
#include <unordered_set>

#include "graph/region.h"
#include "ops/elementwise.h"
#include "ops/record.h"

namespace mtf::ops {
namespace {

using graph::Value;
using graph::Values;

struct CustomGradientAttributes {
  int64_t arguments = 0;
  std::shared_ptr<const GradientRule> rule = nullptr;  ///< not part of what a plan depends on
  static constexpr auto members() {
    return std::array{graph::member<&CustomGradientAttributes::arguments>("arguments")};
  }
};

/// The nodes of a rule in program order, and the values from outside that they and the gradients read.
struct RuleNodes {
  std::vector<graph::NodePtr> nodes;
  Values constants;

  explicit RuleNodes(const RuleGraph& rule) {
    Values leaves = rule.arguments;
    leaves.push_back(rule.result);
    leaves.push_back(rule.d_result);
    std::unordered_set<const graph::Node*> seen;
    Values stack;
    for (const Value& gradient : rule.gradients)
      if (gradient) stack.push_back(gradient);
    while (!stack.empty()) {
      const Value value = stack.back();
      stack.pop_back();
      if (std::find(leaves.begin(), leaves.end(), value) != leaves.end()) continue;
      const graph::Role role = value.operation().op->role;
      const bool is_outside = value.node->id < rule.first_node || role == graph::Role::kData;
      if (is_outside && role != graph::Role::kNumber) {
        if (std::find(constants.begin(), constants.end(), value) == constants.end()) constants.push_back(value);
        continue;
      }
      if (!seen.insert(value.node.get()).second) continue;
      for (const Value& operand : value.node->operands()) stack.push_back(operand);
      nodes.push_back(value.node);
    }
    std::sort(nodes.begin(), nodes.end(),
              [](const graph::NodePtr& a, const graph::NodePtr& b) { return a->id < b->id; });
  }
};

graph::Values gradient_by_rule(graph::GradientCall& call) {
  const std::shared_ptr<const GradientRule>& rule = call.operation.attributes.get<CustomGradientAttributes>().rule;
  MTF_CHECK(rule != nullptr, "an operation that was read from a text has no rule for its gradient");
  const graph::Program& program = rule->program;
  Builder& builder = call.builder;
  Values given(call.operands.begin() + 1, call.operands.begin() + 1 + static_cast<std::ptrdiff_t>(rule->arguments));
  given.push_back(call.results[0]);
  given.push_back(builder.cast(call.d_results[0], call.results[0].element()));
  given.insert(given.end(), call.operands.begin() + 1 + static_cast<std::ptrdiff_t>(rule->arguments),
               call.operands.end());
  graph::Successors now;
  Values inputs;
  for (size_t i = 0; i < program.inputs.size(); ++i) {
    const graph::LaidOutOperation& was = *program.inputs[i].operation;
    inputs.push_back(i < given.size() ? given[i] : builder.number(rule->numbers[i], was.results[0].element));
    now.add(was, program.inputs[i].result, inputs[i].node->operation, inputs[i].result);
  }
  std::vector<graph::NodePtr> nodes;
  const auto at = [&](graph::ProgramValue value) {
    return value.is_input() ? inputs[value.input()] : Value{nodes[value.source], value.result};
  };
  for (size_t i = 0; i < program.operations.size(); ++i) {
    auto copy = std::make_shared<graph::LaidOutOperation>(*program.operations[i].operation);
    now.apply(copy->why);
    now.add(*program.operations[i].operation, copy);
    Values operands;
    for (const graph::ProgramValue& operand : program.operands_of(i)) operands.push_back(at(operand));
    nodes.push_back(builder.add_decided(copy, std::move(operands)));
    nodes.back()->name = program.operations[i].name;
  }
  Values gradients(call.operands.size());
  for (size_t a = 0; a < rule->arguments; ++a)
    if (rule->gradient_of[a] >= 0) gradients[a + 1] = at(program.roots[rule->gradient_of[a]]);
  return gradients;
}

}  // namespace

const graph::LaidOutOperation* random_in(const RuleGraph& rule) {
  for (const graph::NodePtr& node : RuleNodes(rule).nodes) {
    const graph::LaidOutOperation& operation = *node->operation;
    const bool in_iterations = operation.region && !operation.region->call_numbers.empty();
    if (in_iterations || operation.op->random_call >= 0 ||
        (operation.op->random_call_operand && operation.op->random_call_operand(operation) >= 0))
      return &operation;
  }
  return nullptr;
}

Value with_gradient(Builder& builder, const Value& result, const Values& arguments, const RuleGraph& rule) {
  const RuleNodes nodes(rule);
  auto made = std::make_shared<GradientRule>();
  made->arguments = arguments.size();
  Values given = rule.arguments;
  given.push_back(rule.result);
  given.push_back(rule.d_result);
  given.insert(given.end(), nodes.constants.begin(), nodes.constants.end());
  Values roots;
  for (const Value& gradient : rule.gradients) {
    made->gradient_of.push_back(gradient ? static_cast<int>(roots.size()) : -1);
    if (gradient) roots.push_back(gradient);
  }
  graph::Capture captured = graph::capture(nodes.nodes, roots, given);
  made->program = std::move(captured.program);
  made->numbers = std::move(captured.numbers);
  Values operands{result};
  operands.insert(operands.end(), arguments.begin(), arguments.end());
  operands.insert(operands.end(), nodes.constants.begin(), nodes.constants.end());
  return builder.add(kCustomGradient, std::move(operands),
                     CustomGradientAttributes{static_cast<int64_t>(arguments.size()), std::move(made)});
}

constexpr graph::Op kCustomGradient = complete({
    .name = "custom_gradient",
    .family = "Gradients",
    .doc = "The first operand, with a gradient that a function of the program gives; the others are what that reads.",
    .attributes = &graph::kFormOf<CustomGradientAttributes>,
    .infer = [](const graph::Operation& operation) -> std::vector<TensorType> { return {operation.operands[0]}; },
    .space = [](const graph::Operation& operation) -> graph::IterationSpace {
      graph::IterationSpace space;
      for (size_t d = 0; d < operation.operands[0].dims.size(); ++d) {
        graph::IterationDim dim;
        dim.operands.assign(operation.operands.size(), -1);
        dim.operands[0] = narrow(static_cast<int64_t>(d));
        dim.results = {narrow(static_cast<int64_t>(d))};
        space.dims.push_back(std::move(dim));
      }
      return space;
    },
    .gradient = gradient_by_rule,
    .role = graph::Role::kView,
    .reads_first_alone = true,
});

}  // namespace mtf::ops
