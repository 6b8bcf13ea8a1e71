// Reverse-mode differentiation of the global graph.
//
// The nodes that lead from the targets to the loss are walked from the last to the first; each operation's own rule
// turns the gradients of its results into those of its operands, as more graph. Nodes made inside a call of
// `recompute` are copied first (the copies compute the same again, random numbers included), and the rules read the
// copies, so that nothing of the forward pass has to be kept.
#include <algorithm>
#include <map>
#include <unordered_map>

#include "graph/builder.h"
#include "ops/op.h"
#include "support/diagnostics.h"

namespace mtf {
namespace {

class Backward {
 public:
  Backward(Builder& builder, const Value& loss, const Values& targets) : builder_(builder), loss_(loss), targets_(targets) {}

  Values run() {
    if (!loss_.dims().empty() || !is_float(loss_.element()))
      fail(Kind::grad_not_scalar, builder_.span, "expected a number such as `sum(…)` or `mean(…)` gives, found {}", to_string(loss_.type()));
    find_path();
    add_to(loss_, builder_.number(1, loss_.element()));
    for (auto node = path_.rbegin(); node != path_.rend(); ++node) step(*node);
    Values results;
    for (const Value& target : targets_) results.push_back(gradient_of(target));
    return results;
  }

 private:
  struct Key {
    const Node* node;
    int result;
    bool operator<(const Key& other) const { return std::tie(node, result) < std::tie(other.node, other.result); }
  };

  static bool passes(const Op& op) { return op.gradient && !op.ends_gradients; }

  bool is_target(const NodePtr& node) const {
    return std::any_of(targets_.begin(), targets_.end(), [&](const Value& t) { return t.node == node; });
  }

  /// Fills path_ with the nodes on a differentiable way from a target to the loss, in program order.
  void find_path() {
    std::vector<NodePtr> reached;
    std::vector<NodePtr> stack{loss_.node};
    const int64_t mark = new_mark();
    loss_.node->mark = mark;
    while (!stack.empty()) {
      NodePtr node = stack.back();
      stack.pop_back();
      reached.push_back(node);
      if (node->superseded.is_known())
        fail(Diagnostic(Kind::grad_through_assigned, builder_.span, "this gradient goes through `" + node->variable + "`")
                 .related(node->read.is_known() ? node->read : node->span, "read here")
                 .related(node->superseded, "assigned here since")
                 .help("take the gradient before the assignment"));
      if (!passes(*node->op)) continue;
      for (const Value& operand : node->operands) {
        if (operand.node->mark == mark || !is_float(operand.element())) continue;
        operand.node->mark = mark;
        stack.push_back(operand.node);
      }
    }
    std::sort(reached.begin(), reached.end(), [](const NodePtr& a, const NodePtr& b) { return a->id < b->id; });
    for (const NodePtr& node : reached) {
      bool leads = is_target(node);
      if (passes(*node->op))
        for (const Value& operand : node->operands)
          leads = leads || (is_float(operand.element()) && leads_.count(operand.node.get()));
      if (!leads) continue;
      leads_.insert({node.get(), true});
      path_.push_back(node);
    }
  }

  void add_to(const Value& of, const Value& gradient) { parts_[{of.node.get(), of.result}].push_back(gradient); }

  /// The sum of what has flowed to `of`, laid out as it; zeros if nothing has.
  Value gradient_of(const Value& of) {
    Values& parts = parts_[{of.node.get(), of.result}];
    const AxisSet inherited = of.node->inherited[of.result];
    MeshPtr mesh = builder_.context.mesh;
    builder_.context.mesh = of.node->mesh;
    if (parts.empty()) parts.push_back(builder_.zeros(of.type()));
    Value sum = parts[0];
    for (size_t i = 1; i < parts.size(); ++i) {
      sum = builder_.map("add", sum, parts[i]);
      sum.node->shardings[0] = of.sharding();
      sum.node->inherited[0] = inherited;
    }
    if (sum.dims() != of.dims()) {
      MTF_CHECK(same_set(sum.dims(), of.dims()), "the gradient of {} is {}", to_string(of.type()), to_string(sum.type()));
      sum = builder_.broadcast(sum, of.dims());  // the same dims in another order
    }
    sum = builder_.cast(sum, of.element());
    sum = builder_.laid_out(sum, of.sharding(), inherited, of.node->mesh);
    if (sum.node->hint.empty() && !of.node->hint.empty() && sum.node != of.node) sum.node->hint = Name("d_" + of.node->hint.str());
    builder_.context.mesh = mesh;
    parts.assign(1, sum);
    return sum;
  }

  void step(const NodePtr& node) {
    if (!passes(*node->op)) return;
    std::vector<bool> wanted;
    bool any = false;
    for (const Value& operand : node->operands) {
      wanted.push_back(is_float(operand.element()) && leads_.count(operand.node.get()));
      any = any || wanted.back();
    }
    bool flows = false;
    Values d_results(node->types.size());
    for (size_t r = 0; r < node->types.size(); ++r) {
      Value result{node, static_cast<int>(r)};
      auto at = parts_.find({node.get(), static_cast<int>(r)});
      if (at == parts_.end() || at->second.empty()) continue;
      d_results[r] = gradient_of(result);
      flows = true;
    }
    if (!any || !flows) return;
    Values operands;
    for (const Value& operand : node->operands) operands.push_back(again(operand));
    Values results;
    for (size_t r = 0; r < node->types.size(); ++r) results.push_back(again({node, static_cast<int>(r)}));
    MeshPtr mesh = builder_.context.mesh;
    builder_.context.mesh = node->mesh;
    GradientCall call{builder_, *node, operands, results, d_results, wanted};
    std::vector<Value> gradients = node->op->gradient(call);
    builder_.context.mesh = mesh;
    MTF_CHECK(gradients.size() == node->operands.size(), "the gradient of {} gives {} for {} operands", node->op->name, gradients.size(), node->operands.size());
    for (size_t k = 0; k < gradients.size(); ++k)
      if (wanted[k] && gradients[k]) add_to(node->operands[k], gradients[k]);
  }

  /// `value` as the backward pass reads it: itself, or its copy if it was made under `recompute`.
  Value again(const Value& value) {
    if (value.node->region == 0) return value;
    auto at = copies_.find(value.node.get());
    if (at != copies_.end()) return {at->second, value.result};
    // Copy everything that it needs inside regions, operands first (in program order).
    std::vector<NodePtr> nodes;
    std::vector<NodePtr> stack{value.node};
    const int64_t mark = new_mark();
    value.node->mark = mark;
    while (!stack.empty()) {
      NodePtr node = stack.back();
      stack.pop_back();
      nodes.push_back(node);
      for (const Value& operand : node->operands) {
        if (operand.node->region == 0 || operand.node->mark == mark || copies_.count(operand.node.get())) continue;
        operand.node->mark = mark;
        stack.push_back(operand.node);
      }
    }
    std::sort(nodes.begin(), nodes.end(), [](const NodePtr& a, const NodePtr& b) { return a->id < b->id; });
    for (const NodePtr& node : nodes) {
      NodePtr copy = builder_.copy_node(*node);
      if (!replica_) replica_ = copy->id;
      copy->replica = replica_;
      for (Value& operand : copy->operands) {
        auto it = copies_.find(operand.node.get());
        if (it != copies_.end()) operand.node = it->second;
      }
      copies_[node.get()] = copy;
    }
    return {copies_[value.node.get()], value.result};
  }

  Builder& builder_;
  Value loss_;
  const Values& targets_;
  std::vector<NodePtr> path_;
  std::unordered_map<const Node*, bool> leads_;
  std::map<Key, Values> parts_;
  std::unordered_map<const Node*, NodePtr> copies_;
  int64_t replica_ = 0;
};

}  // namespace

Values gradients(Builder& builder, const Value& loss, const Values& targets) {
  const bool written = builder.written;
  const int64_t region = builder.context.recompute_region;
  builder.written = false;
  builder.context.recompute_region = 0;
  Values results;
  try {
    results = Backward(builder, loss, targets).run();
  } catch (...) {
    builder.written = written;
    builder.context.recompute_region = region;
    throw;
  }
  builder.written = written;
  builder.context.recompute_region = region;
  return results;
}

}  // namespace mtf
