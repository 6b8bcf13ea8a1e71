#include "graph/value_table.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "graph/history_end.h"
#include "graph/op.h"
#include "support/diagnostics.h"

namespace mtf::graph {
namespace {

/// True if a result that is not computed may still be needed. A single result may be needed if the node is set aside.
/// If an operation has several results, a holder or a user of the operation may need one. `given_up` of its users
/// release their operands.
bool may_be_asked(const Node& node, int32_t given_up = 0) {
  const size_t count = node.operation->results.size();
  if (count == 1) return node.is_for_later() && !node.is_computed(0);
  const size_t public_results = count - static_cast<size_t>(node.operation->op->saved_results);
  for (size_t r = 0; r < public_results; ++r)
    if (!node.is_computed(static_cast<int>(r)) &&
        (node.uses() > given_up || node.is_set_aside() || node.held(static_cast<int>(r)) > 0))
      return true;
  return false;
}

/// True for nodes other than leaves. A leaf has no computation, and the number of leaves depends only on sharing.
bool counts(const Node& node) { return !node.operation->op->is_leaf(); }

}  // namespace

void ValueTable::link(List& list, Node& node, Node::Link Node::*link) {
  Node::Link& own = node.*link;
  if (own.linked) return;
  own = {list.last, nullptr, true, last_node_id()};
  (list.last ? (list.last->*link).next : list.first) = &node;
  list.last = &node;
  ++list.count;
}

void ValueTable::unlink(List& list, Node& node, Node::Link Node::*link) {
  Node::Link& own = node.*link;
  if (!own.linked) return;
  (own.previous ? (own.previous->*link).next : list.first) = own.next;
  (own.next ? (own.next->*link).previous : list.last) = own.previous;
  own = {};
  --list.count;
}

void ValueTable::add(Node& node) {
  node.table_ = shared_from_this();
  if (counts(node)) ++added_;
}

void ValueTable::as_in_another(Node& copy, const Node& original) {
  if (original.computed_ != nullptr) {
    Computed& left = computed_of(copy);
    left.results = original.computed_->results;
    left.copies = original.computed_->copies;
    left.narrowed = original.computed_->narrowed;
    if (left.narrowed.first_in == original.table_->programs_) left.narrowed.first_in = programs_;
    else if (left.narrowed.first_in >= 0) left.narrowed.first_in = programs_ - 1;
  }
  copy.for_later_ = original.for_later_;
  copy.is_looked_at = original.is_looked_at;
  copy.keeps_history_ = original.keeps_history_;
  copy.leads_ = original.leads_;
  if (original.history_link_.linked) link(history_, copy, &Node::history_link_);
  copy.pending_ = original.pending_;
  if (counts(copy)) --added_;
}

Computed& ValueTable::computed_of(Node& node) {
  if (node.computed_ == nullptr) {
    if (free_.empty()) free_.push_back(&computed_.emplace_back());
    node.computed_ = free_.back();
    free_.pop_back();
  }
  return *node.computed_;
}

void ValueTable::now_held(Node& node) { link(held_, node, &Node::held_link_); }

void ValueTable::no_longer_held(Node& node) {
  unlink(held_, node, &Node::held_link_);
  if (on_unread_ && node.pending_ && counts(node) && node.uses() == 0) [[unlikely]]
    let_go_.insert(node.id);
}

void ValueTable::on_unread(std::function<void(const Node&)> tell) {
  on_unread_ = std::move(tell);
  let_go_.clear();
}

void ValueTable::forget(Node& node) {
  if (node.computed_ != nullptr) {
    *node.computed_ = {};
    free_.push_back(std::exchange(node.computed_, nullptr));
  }
  unlink(held_, node, &Node::held_link_);
  unlink(history_, node, &Node::history_link_);
  if (on_unread_ && let_go_.erase(node.id) > 0 && node.pending_) [[unlikely]]
    on_unread_(node);
}

Values ValueTable::pending_held(int64_t first) {
  Values roots;
  for (Node* node = held_.last; node != nullptr && node->held_link_.since >= first; node = node->held_link_.previous) {
    if (node->id < first) continue;
    for (int r = 0; r < static_cast<int>(node->operation->results.size()); ++r)
      if (node->held(r) > 0 && !node->is_computed(r)) roots.push_back({node->shared_from_this(), r});
  }
  std::sort(roots.begin(), roots.end(), is_made_before);
  return roots;
}

bool ValueTable::leads_through(const Value& operand, const Node& node) {
  return is_float(operand.element()) &&
         (operand.node->is_target_of(node) || (operand.node->keeps_history_ && operand.node->leads_));
}

bool ValueTable::leads(const Node& node) {
  return std::any_of(node.operands().begin(), node.operands().end(),
                     [&](const Value& operand) { return leads_through(operand, node); });
}

KeptHistory ValueTable::keep_history(const std::vector<NodePtr>& nodes, ReadsOfGradient reads_of_gradient) {
  KeptHistory history;
  gradients_may_come_ = reads_of_gradient != nullptr;
  if (!gradients_may_come_) {
    for (const NodePtr& node : nodes) node->keeps_history_ = false;
    return history;
  }
  for (const NodePtr& node : nodes)
    node->leads_ = node->keeps_history_ = passes_gradients(*node->operation) && !reads_assigned(*node) && leads(*node);
  keep_between(nodes);
  auto save = [&](const Value& value) {
    if (!value.node->is_computed(value.result) && !value.operation().op->is_leaf()) history.saved.push_back(value);
  };
  auto save_operand = [&](const Value& operand) {
    save(operand);
    if (operand.operation().op->is_leaf() || operand.node->variable != 0) return;  // variables' copies are made again
    history.read_again.push_back(operand);
  };
  for (const NodePtr& node : nodes) {
    if (!node->keeps_history_) continue;
    if (node->segment) {
      for (const Value& operand : node->operands())
        if (operand.node->segment != node->segment) node->segment->is_backward ? save(operand) : save_operand(operand);
      continue;
    }
    std::vector<bool> wanted;
    for (const Value& operand : node->operands()) wanted.push_back(leads_through(operand, *node));
    const GradientReads reads = reads_of_gradient(*node->operation, wanted);
    for (size_t k = 0; k < node->operands().size(); ++k)
      if (reads.operands[k]) save_operand(node->operands()[k]);
    for (size_t r = 0; r < node->operation->results.size(); ++r) {
      if (!reads.results[r]) continue;
      save({node, static_cast<int>(r)});
      if (node->operation->region) history.read_again.push_back({node, static_cast<int>(r)});  // as the iterations did
    }
  }
  std::sort(history.read_again.begin(), history.read_again.end(), is_made_before);
  history.read_again.erase(std::unique(history.read_again.begin(), history.read_again.end()), history.read_again.end());
  return history;
}

void ValueTable::mark_dying(const std::vector<NodePtr>& nodes, Capture& capture) const {
  const size_t count = capture.leaves.size();
  const int64_t first = new_mark(static_cast<int64_t>(count));  // each node that may die is marked with its first leaf
  const auto first_leaf = [&](const Node& node) { return static_cast<size_t>(node.mark - first); };
  std::vector<int32_t> given_up(count, 0);
  bool any = false;
  for (size_t i = 0; i < count; ++i) {
    const Value& leaf = capture.leaves[i];
    if (!leaf || leaf.node->is_kept()) continue;
    if (first_leaf(*leaf.node) >= count) leaf.node->mark = first + static_cast<int64_t>(i);
    any = true;
  }
  if (!any) return;
  std::unordered_map<const Node*, int32_t> given_up_inside;  // of several results: uses by nodes that release them
  for (auto at = nodes.rbegin(); at != nodes.rend(); ++at) {
    const Node& node = **at;
    if (node.keeps_history_ || node.for_later_) continue;
    if (node.operation->results.size() > 1) {  // computes its held results, and others may be asked for
      const auto uses = given_up_inside.find(&node);
      if (node.is_set_aside() || node.uses() > (uses == given_up_inside.end() ? 0 : uses->second)) continue;
    }
    for (const Value& operand : node.operands()) {
      if (const size_t i = first_leaf(*operand.node); i < count) ++given_up[i];
      else if (operand.node->operation->results.size() > 1) ++given_up_inside[operand.node.get()];
    }
  }
  for (size_t i = 0; i < count; ++i) {
    const Value& leaf = capture.leaves[i];
    if (!leaf || leaf.node->is_kept()) continue;
    const size_t at = first_leaf(*leaf.node);
    capture.program.inputs[i].dies = at < count && leaf.node->uses() == given_up[at];
  }
}

void ValueTable::computed(const std::vector<NodePtr>& nodes) {
  ++programs_;
  std::vector<NodePtr> done;
  for (const NodePtr& node : nodes) {
    node->pending_ = false;
    bool waits = false;
    for (int r = 0; r < static_cast<int>(node->operation->results.size()); ++r)
      waits = waits || (node->held(r) > 0 && !node->is_computed(r));
    if (!waits) unlink(held_, *node, &Node::held_link_);
    if (node->keeps_history_) link(history_, *node, &Node::history_link_);
    else done.push_back(node);
  }
  std::vector<NodePtr> ending;
  std::unordered_map<const Node*, int32_t> given_up;  // of several results: uses by ending nodes
  for (auto at = done.rbegin(); at != done.rend(); ++at) {
    const Node& node = **at;
    const auto uses = given_up.find(&node);
    if (may_be_asked(node, uses == given_up.end() ? 0 : uses->second)) continue;
    for (const Value& operand : node.operands())
      if (operand.node->operation->results.size() > 1) ++given_up[operand.node.get()];
    ending.push_back(std::move(*at));
  }
  std::reverse(ending.begin(), ending.end());
  end(ending);
  if (history_.count > 2 * history_after_last_look_ + 64) end_histories();
}

void ValueTable::keep_between(const std::vector<NodePtr>& nodes) {
  const int64_t wanted = new_mark(), again = new_mark();
  for (auto at = nodes.rbegin(); at != nodes.rend(); ++at) {
    Node& node = **at;
    node.keeps_history_ =
        node.mark == again || (node.leads_ && ((node.is_kept() && !node.is_looked_at) || node.mark == wanted ||
                                               (node.history_link_.linked && node.uses() > 0)));
    node.leads_ = node.leads_ && node.keeps_history_;
    if (!node.keeps_history_) continue;
    for (const Value& operand : node.operands()) {
      if (operand.node->is_computed(operand.result)) continue;
      if (node.segment && operand.node->segment == node.segment) operand.node->mark = again;
      else if (operand.node->mark != again && is_float(operand.element())) operand.node->mark = wanted;
    }
  }
}

void ValueTable::end_histories() {
  std::vector<NodePtr> nodes;
  nodes.reserve(history_.count);
  for (Node* node = history_.first; node != nullptr; node = node->history_link_.next)
    nodes.push_back(node->shared_from_this());
  for (const NodePtr& node : nodes) node->leads_ = !reads_assigned(*node) && leads(*node);
  keep_between(nodes);
  std::vector<NodePtr> ending;
  for (const NodePtr& node : nodes) {
    if (node->keeps_history_) continue;
    unlink(history_, *node, &Node::history_link_);
    if (!node->for_later_ || !may_be_asked(*node)) ending.push_back(node);
  }
  end(ending);
  history_after_last_look_ = history_.count;
}

void ValueTable::end(const std::vector<NodePtr>& nodes) const {
  if (gradients_may_come_) note_ends(nodes);
  else note_dropped(nodes);
  Values released;
  for (const NodePtr& node : nodes) node->release_operands(released);
}

}  // namespace mtf::graph
