#include "graph/layout_record.h"

#include <bit>
#include <utility>

#include "graph/op.h"
#include "types/key.h"

namespace mtf::graph {
namespace {

void append_rules(std::string& key, const Layout& layout) {
  mtf::append(key, layout.rules.size());
  for (const LayoutRule& rule : layout.rules) {
    append(key, rule.dim);
    mtf::append(key, rule.axes.size());
    for (Name axis : rule.axes) append(key, axis);
  }
}

/// Appends the path and kind by which rules know the variable that the operation sets. A variable without a path yet is
/// told apart from others: it may get one, or be let go.
void append_path(std::string& key, const LaidOutOperation& operation) {
  const Variable* const variable = operation.why.variable.get();
  const bool has_path = variable != nullptr && !variable->path.empty();
  mtf::append(key, has_path);
  if (!has_path) return mtf::append(key, variable);
  mtf::append(key, variable->trainable);
  mtf::append(key, variable->path.size());
  key += variable->path;
}

/// Returns a key of everything that decides the layout and the split of an operation, except other layouts and paths:
/// LayoutRecord::Decision::form.
std::string key_of(const LaidOutOperation& operation) {
  std::string key;
  append(key, static_cast<const Operation&>(operation));
  if (operation.op->expand != nullptr)  // its numbers decide the split, as the window of attention does
    for (const double number : operation.inputs) mtf::append(key, std::bit_cast<uint64_t>(number));
  append(key, operation.mesh.get());
  mtf::append(key, operation.origin);
  mtf::append(key, operation.written);
  mtf::append(key, operation.initial);
  append(key, operation.why.rules.get());
  if (is_as_it_lies(operation)) {
    mtf::append(key, operation.inherited[0]);
    for (const AxisList& axes : operation.shardings[0].dims) append(key, axes);
  }
  mtf::append(key, operation.why.asked != nullptr);
  if (operation.why.asked) {
    append_rules(key, operation.why.asked->rules);
    mtf::append(key, operation.why.asked->keeps_others);
    mtf::append(key, operation.why.asked->path.size());
    key += operation.why.asked->path;
  }
  return key;
}

/// True if the operands' layouts matter. They do not if a written layout or a copied layout decides alone. So an
/// iteration assigns a param in the same layout as the iteration before, whatever the operands are.
bool lies_as_operands(const LaidOutOperation& operation) {
  if (operation.origin == LayoutOrigin::kGiven) return !operation.why.like && !operation.why.rules;
  return operation.origin == LayoutOrigin::kRules;
}

}  // namespace

int32_t LayoutRecord::number_of(std::string key, Decision decision) {
  const auto [at, fresh] = known_.try_emplace(std::move(key), static_cast<int32_t>(decisions_.size()));
  if (fresh) decisions_.push_back(std::move(decision));
  return at->second;
}

void LayoutRecord::add(const Node& node) {
  const LaidOutOperation& operation = *node.operation;
  Decision decision;
  decision.operation = node.operation;
  decision.form = forms_.try_emplace(key_of(operation), static_cast<int32_t>(forms_.size())).first->second;
  std::string key;
  mtf::append(key, decision.form);
  append_path(key, operation);
  for (const Value& operand : node.operands()) {
    if (!lies_as_operands(operation)) break;
    decision.operands.push_back({decision_of(operand.operation()), operand.result});
    mtf::append(key, decision.operands.back());
  }
  if (operation.why.like) {
    decision.like = {decision_of(*operation.why.like), operation.why.like_result};
    mtf::append(key, decision.like);
  }
  const int32_t number = number_of(std::move(key), std::move(decision));
  numbers_[&operation] = number;
}

void LayoutRecord::add_computed(OperationRef operation, int32_t program, int32_t root) {
  Decision decision{std::move(operation), -1, {}, {}, program, root};
  std::string key;
  mtf::append(key, decision.form);
  mtf::append(key, program);
  mtf::append(key, root);
  const LaidOutOperation* const address = decision.operation.get();
  numbers_[address] = number_of(std::move(key), std::move(decision));
}

}  // namespace mtf::graph
