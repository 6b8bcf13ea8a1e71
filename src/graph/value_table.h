#pragma once
// The evaluator's table of values: what is held and not computed, what runs have left of the others, and the history
// that is kept for gradients.
//
// Cut. A cut computes every pending value that a handle holds. Whatever nobody holds is not computed.
//
// History. Of what a cut computes, an operation's operands are kept if a gradient may still go through it: gradients
// may come (`grad` can still be called), the operation passes them on, it was not made inside `no_grad`, and it lies
// between two values that are held. Then the values that its gradient rule reads are computed and kept by the same cut,
// as any autodiff system does, so that nothing of the forward pass is done twice. Of a segment (graph.h) only what goes
// into it is kept. All other operations give up their operands at once, and their memory with them.
//
//        x ──► h = x·w ──► y = tanh h ──► loss = mean y      print(loss)
//      held   keeps x, w    keeps y         keeps nothing     (x, w held; h not needed by any rule: not computed)
//
// A handle that only looks at a value (`print(loss)` where nothing reads `loss` afterwards, Node::is_looked_at) keeps
// no history.
//
// An assignment to a param or state ends every history that has read its old value: what read it directly gives up its
// operands (Node::ended says why), and so does everything through which nothing that is held can be reached any more.
//
// Set aside. For histories, what is set aside is held. What it is computed from keeps its operands until it is
// computed.
#include <cstdint>
#include <deque>
#include <functional>
#include <unordered_set>
#include <vector>

#include "graph/program.h"

namespace mtf::graph {

/// Program order.
inline bool is_made_before(const Value& a, const Value& b) {
  return a.node->id != b.node->id ? a.node->id < b.node->id : a.result < b.result;
}

/// Which operands and results an operation's gradient rule reads.
struct GradientReads {
  std::vector<bool> operands;
  std::vector<bool> results;
};
/// `wanted`: the operands whose gradients are asked for. ops/gradients.h has the one that asks the rule.
using ReadsOfGradient = GradientReads (*)(const LaidOutOperation& operation, const std::vector<bool>& wanted);

/// What a cut keeps for gradients.
struct KeptHistory {
  Values saved;  ///< that are computed for it
  /// Operands that an operation and its gradient rule both read, and what a loop gives its gradient, computed or not:
  /// what they were brought to is kept.
  Values read_again;
};

class ValueTable : public std::enable_shared_from_this<ValueTable> {
 public:
  ValueTable() = default;
  ValueTable(const ValueTable&) = delete;
  ValueTable& operator=(const ValueTable&) = delete;

  /// From here on the node is counted here. The table lives as long as its nodes.
  void add(Node& node);
  /// A node that add() was given is a copy of one of another table, from which it differs in its operands, if it has
  /// any: what has been computed of it and what cuts have made of it is the same. Nobody holds it yet.
  void as_in_another(Node& copy, const Node& original);

  /// Every value that is held and not computed, in program order. Of nodes with smaller numbers than `first` there are
  /// none; how many these are takes no time.
  Values pending_held(int64_t first = 0);
  bool any_pending_held() const { return held_.count > 0; }
  /// It has not been part of a cut.
  static bool is_pending(const Node& node) { return node.pending_; }
  /// From here on `tell` is called with each node of which nothing has been computed when it dies, if it was no operand
  /// when the last handle let go of it: nobody has read it. Null: with none.
  void on_unread(std::function<void(const Node&)> tell);
  /// How many operations have been added to it ever, but for leaves and copies: a count that does not depend on how
  /// long somebody holds a value, so that cuts fall where they do in a session, which holds more.
  int64_t added() const { return added_; }

  /// How many cuts have computed something.
  int64_t programs() const { return programs_; }

  /// Decides which of the nodes that a cut computes keep their operands (those on a way from a value that is held down
  /// to another that is), and returns the values that their gradients will read, as `reads` says: the cut computes them
  /// too. `nodes` are in program order. Without `reads` no gradient comes any more.
  KeptHistory keep_history(const std::vector<NodePtr>& nodes, ReadsOfGradient reads);
  /// Marks the inputs of a capture of `nodes` that die with it: nobody holds them, and every node that has them as an
  /// operand gives it up after the cut. Between keep_history and computed().
  void mark_dying(const std::vector<NodePtr>& nodes, Capture& capture) const;
  /// The nodes have been computed: those that keep no history give up their operands.
  void computed(const std::vector<NodePtr>& nodes);
  /// Places have been assigned since the last call: histories that read an old value end.
  void end_histories();

 private:
  friend struct Node;
  struct List {
    Node* first = nullptr;
    Node* last = nullptr;
    size_t count = 0;
  };
  static void link(List& list, Node& node, Node::Link Node::*link);
  static void unlink(List& list, Node& node, Node::Link Node::*link);
  /// What runs leave of a node stands here for as long as the node lives, in one place.
  Computed& computed_of(Node& node);
  void now_held(Node& node);
  void no_longer_held(Node& node);
  void forget(Node& node);
  /// Something held can be reached through an operand, an operation.
  static bool leads_through(const Value& operand);
  static bool leads(const Node& node);
  /// Of nodes through which something held can be reached (leads_), in program order, those that something held is made
  /// of keep their operands. What a kept operation of a segment is computed from in it does too: it will be computed
  /// again.
  static void keep_between(const std::vector<NodePtr>& nodes);
  /// They give up their operands, in program order.
  void end(const std::vector<NodePtr>& nodes) const;

  std::deque<Computed> computed_;
  std::vector<Computed*> free_;  ///< of these: of nodes that have died
  List held_;                    ///< held, and a held result is not computed
  List history_;                 ///< have been part of a cut and keep their operands
  int64_t added_ = 0;
  int64_t programs_ = 0;
  size_t history_after_last_look_ = 0;
  bool gradients_may_come_ = true;  ///< as of the last cut
  std::function<void(const Node&)> on_unread_;
  std::unordered_set<int64_t> let_go_;  ///< where it is set: nodes that nobody held or had as an operand any more
};

}  // namespace mtf::graph
