#include "graph/graph.h"

#include <algorithm>
#include <atomic>

#include "graph/value_table.h"
#include "support/diagnostics.h"

namespace mtf::graph {

int64_t new_mark(int64_t count) {
  static std::atomic<int64_t> next{1};
  return next.fetch_add(count);
}

namespace {
std::atomic<int64_t> last_id{0};
}  // namespace

int64_t new_node_id() { return ++last_id; }
int64_t last_node_id() { return last_id.load(std::memory_order_relaxed); }

const Computed Node::kNothing;

Computed& Node::compute_into() {
  MTF_CHECK(table_, "what no table counts is computed");
  return table_->computed_of(*this);
}

Node::~Node() {
  if (table_ != nullptr) table_->forget(*this);
  // An operand may die with its reader, and then its own operands too. The loop destroys them one after the other,
  // without recursion.
  thread_local Values* dying = nullptr;  // a plain pointer, because nodes may outlive a thread's objects
  for (const Value& operand : operands_) operand.node->use_no_longer();
  if (dying != nullptr) {
    dying->insert(dying->end(), std::make_move_iterator(operands_.begin()), std::make_move_iterator(operands_.end()));
    return;
  }
  dying = &operands_;
  while (!operands_.empty()) {
    const Value next = std::move(operands_.back());
    operands_.pop_back();
  }
  dying = nullptr;
}

void Node::set_operands(Values operands) {
  for (const Value& operand : operands) operand.node->use();
  for (const Value& operand : operands_) operand.node->use_no_longer();
  operands_ = std::move(operands);
}

void Node::use_no_longer() {
  if (--uses_ > 0) return;
  if (computed_ == nullptr) return;
  computed_->copies.clear();
  computed_->copied_by.clear();
}

void Node::release_operands(Values& released) {
  for (const Value& operand : operands_) operand.node->use_no_longer();
  released.insert(released.end(), std::make_move_iterator(operands_.begin()), std::make_move_iterator(operands_.end()));
  operands_ = Values();
}

void Node::hold(int result) {
  if (result == 0) {
    ++held_first_;
  } else {
    if (held_others_.empty()) held_others_.resize(operation->results.size() - 1);
    ++held_others_[result - 1];
  }
  ++held_total_;
  if (table_ != nullptr && !is_computed(result)) table_->now_held(*this);
}

void Node::let_go(int result) {
  --(result == 0 ? held_first_ : held_others_[result - 1]);
  if (--held_total_ == 0 && table_ != nullptr) table_->no_longer_held(*this);
}

void Node::keep_for_later() {
  std::vector<Node*> stack{this};
  while (!stack.empty()) {
    Node* const node = stack.back();
    stack.pop_back();
    if (node->for_later_) continue;
    node->for_later_ = true;
    for (const Value& operand : node->operands_)
      if (!operand.node->is_computed(operand.result)) stack.push_back(operand.node.get());
  }
}

std::vector<NodePtr> pending(const Values& roots, int64_t first) {
  std::vector<NodePtr> nodes;
  std::vector<NodePtr> stack;
  const int64_t mark = new_mark();
  auto visit = [&](const Value& value) {
    if (!value || value.node->mark == mark || value.node->is_computed(value.result)) return;
    if (value.node->id < first) return;
    value.node->mark = mark;
    stack.push_back(value.node);
  };
  for (const Value& root : roots) visit(root);
  while (!stack.empty()) {
    NodePtr node = std::move(stack.back());
    stack.pop_back();
    for (const Value& operand : node->operands()) visit(operand);
    nodes.push_back(std::move(node));
  }
  std::sort(nodes.begin(), nodes.end(), [](const NodePtr& a, const NodePtr& b) { return a->id < b->id; });
  return nodes;
}

}  // namespace mtf::graph
