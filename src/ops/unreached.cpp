#include "ops/unreached.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "graph/history_end.h"
#include "graph/op.h"
#include "ops/ops.h"

namespace mtf::ops {
namespace {

/// The reason why no gradient passes a node.
enum class Reason : uint8_t { kAssigned, kMeant, kHasNone };

bool is_backward(const graph::Node& node) { return node.segment && node.segment->is_backward; }

Reason reason_of(const graph::Node& node) {
  const graph::LaidOutOperation& operation = *node.operation;
  if (operation.op == &kAssign) return Reason::kAssigned;
  return operation.no_grad || operation.op == &kStopGradient ? Reason::kMeant : Reason::kHasNone;
}

/// The nodes at which the paths down from a loss end, the last first.
class Ends {
 public:
  Ends(const graph::Value& loss, const std::unordered_set<int64_t>& several) : several_(several) {
    come_to(loss);
    while (!stack_.empty()) {
      const graph::Node* node = stack_.back();
      stack_.pop_back();
      for (const graph::Value& operand : node->operands()) come_to(operand);
    }
    std::sort(list_.begin(), list_.end(),
              [](const graph::NodePtr& a, const graph::NodePtr& b) { return a->id > b->id; });
  }
  const std::vector<graph::NodePtr>& list() const { return list_; }
  /// True in a check if some paths are unknown.
  bool are_uncertain() const { return are_uncertain_; }
  /// True if the loss depends on the nodes of a backward pass.
  bool lie_behind_gradients() const { return lie_behind_gradients_; }

 private:
  void come_to(const graph::Value& value) {
    are_uncertain_ = are_uncertain_ || several_.contains(value.node->id);
    lie_behind_gradients_ = lie_behind_gradients_ || is_backward(*value.node);
    const bool goes_on = is_float(value.element()) && passes_gradients(*value.node->operation);
    if (!(goes_on ? passed_ : ended_).insert(value.node.get()).second) return;
    if (goes_on) stack_.push_back(value.node.get());
    else if (!value.node->operands().empty()) list_.push_back(value.node);
  }

  const std::unordered_set<int64_t>& several_;
  std::vector<graph::NodePtr> list_;
  std::vector<const graph::Node*> stack_;
  std::unordered_set<const graph::Node*> passed_, ended_;
  bool are_uncertain_ = false, lie_behind_gradients_ = false;
};

/// For each wanted target below some ends with the same reason, the first of these ends.
class Below {
 public:
  explicit Below(const std::unordered_set<const graph::Node*>& wanted) : wanted_(wanted) {}

  /// Does not enter backward passes: they depend on everything, and no path through them is of interest.
  void add(const graph::NodePtr& end) {
    std::vector<const graph::Node*> stack{end.get()};
    while (!stack.empty()) {
      const graph::Node* node = stack.back();
      stack.pop_back();
      if (!seen_.insert(node).second) continue;
      if (wanted_.count(node)) found_.emplace(node, end);
      if (is_backward(*node)) continue;
      for (const graph::Value& operand : node->operands()) stack.push_back(operand.node.get());
    }
  }
  /// The end above the target, or null.
  graph::NodePtr end_above(const graph::Node* target) const {
    const auto at = found_.find(target);
    return at == found_.end() ? nullptr : at->second;
  }

 private:
  const std::unordered_set<const graph::Node*>& wanted_;
  std::unordered_set<const graph::Node*> seen_;
  std::unordered_map<const graph::Node*, graph::NodePtr> found_;
};

}  // namespace

std::optional<Unreached> unreached(const graph::Value& loss, const graph::Values& targets,
                                   const std::vector<bool>& reached, const std::unordered_set<int64_t>& several) {
  std::unordered_set<const graph::Node*> wanted;
  for (size_t t = 0; t < targets.size(); ++t) {
    if (reached[t]) continue;
    if (several.contains(targets[t].node->id)) return std::nullopt;
    wanted.insert(targets[t].node.get());
  }
  const Ends ends(loss, several);
  if (wanted.empty() || ends.are_uncertain()) return std::nullopt;
  Below assigned(wanted), meant(wanted), has_none(wanted);
  for (const graph::NodePtr& end : ends.list()) {
    const Reason reason = reason_of(*end);
    (reason == Reason::kAssigned ? assigned : reason == Reason::kMeant ? meant : has_none).add(end);
  }
  Unreached found;
  const auto is_later = [](const graph::NodePtr& a, const graph::NodePtr& b) { return a && (!b || a->id > b->id); };
  graph::NodePtr assignment, without_gradient;
  for (size_t t = 0; t < targets.size(); ++t) {
    if (reached[t]) continue;
    const graph::Node* target = targets[t].node.get();
    const graph::NodePtr cut = assigned.end_above(target);
    if (!cut && (ends.lie_behind_gradients() || meant.end_above(target))) continue;
    found.targets.push_back(t);
    if (is_later(cut, assignment)) assignment = cut;
    if (const graph::NodePtr end = has_none.end_above(target); is_later(end, without_gradient)) without_gradient = end;
  }
  if (found.targets.empty()) return std::nullopt;
  found.end = assignment ? assignment : without_gradient;
  return found;
}

}  // namespace mtf::ops
