#pragma once
// The evaluator's table of values: held pending values, computed results, and the history that is kept for gradients.
//
//   a scope, a list, an argument of a call          hold values
//        │ Handle
//        ▼
//      node ──operands()──► node ──► node           pending: not computed yet; computed: this rank's blocks
//        │ operation (immutable, shared)
//
//   a cut: pending values with handles = roots ──► pending nodes below them ──► captured program ──► plan ──► run
//
// Cut. A cut computes every pending value that a handle holds, and no value that is not held.
//
// History. An operation in a cut keeps its operands if a gradient may still go through it:
// - `grad` can still be called
// - the operation passes gradients on and was not made inside `no_grad`
// - it is on a path between two held values
//
// As in any autodiff system, the same cut then computes and keeps the values that the operation's gradient rule reads.
// So no part of the forward pass is computed twice. A segment (graph.h) keeps only its inputs, and is computed again
// just before the backward pass needs it. A backward pass is a segment too. All other operations release their operands
// at once, and with them the memory.
//
//        x ──► h = x·w ──► y = tanh h ──► loss = mean y      print(loss)
//      held   keeps x, w    keeps y         keeps nothing     (x, w held; h not needed by any rule: not computed)
//
// A handle that only looks at a value keeps no history (Node::is_looked_at). There are two kinds:
// - a reader that takes no gradient: a part of a text, or an argument of `print`, `float`, `int` or `string`
//   (Cuts::Looking, eval/cuts.h)
// - a name that no `grad` in the rest of the text can reach (OpenBlocks::beyond_gradients, eval/open_blocks.h)
//
// For instance, a sum of losses that is only printed does not keep the activations of each batch. If no remaining code
// can call `grad`, a cut keeps no history at all.
//
// An assignment to a param or state ends every history that has read its old value. The operations that read it
// directly release their operands (Node::ended records why). So do all operations that no longer lead to a held value.
//
// Set aside. For histories, a value that is set aside counts as held. The operations that it depends on keep their
// operands until it is computed. A value that only an undo may bring back counts for the nodes that the undo keeps.
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

/// The operands and results that an operation's gradient rule reads.
struct GradientReads {
  std::vector<bool> operands;
  std::vector<bool> results;
};
/// `wanted`: the operands whose gradients are requested. ops/gradients.h has the function that asks the rule.
using ReadsOfGradient = GradientReads (*)(const LaidOutOperation& operation, const std::vector<bool>& wanted);

/// The values that a cut keeps for gradients.
struct KeptHistory {
  Values saved;  ///< values that are computed for gradients
  /// Operands that both an operation and its gradient rule read, and the results that a loop saves for its gradient,
  /// computed or not. Their resharded copies are kept.
  Values read_again;
};

class ValueTable : public std::enable_shared_from_this<ValueTable> {
 public:
  ValueTable() = default;
  ValueTable(const ValueTable&) = delete;
  ValueTable& operator=(const ValueTable&) = delete;

  /// Adds a node to the table. The table lives as long as its nodes.
  void add(Node& node);
  /// Makes an added node the copy of a node of another table. It gets the original's computed results and its state
  /// after cuts. Only its operands, if it has any, differ. It must not be held yet.
  void as_in_another(Node& copy, const Node& original);

  /// Returns every held value that is not computed, in program order. Ignores nodes with ids below `first`; their
  /// number does not affect the time.
  Values pending_held(int64_t first = 0);
  bool any_pending_held() const { return held_.count > 0; }
  /// True if the node has not been part of a cut.
  static bool is_pending(const Node& node) { return node.pending_; }
  /// From now on, calls `tell` when a pending node dies that was no operand when its last handle was released: it was
  /// never read. Null: no calls.
  void on_unread(std::function<void(const Node&)> tell);
  /// Returns how many operations have ever been added, without leaves and copies. The count does not depend on how
  /// long values are held. So cuts occur at the same points in a session, which holds more values.
  int64_t added() const { return added_; }

  /// Returns how many cuts have computed something.
  int64_t programs() const { return programs_; }

  /// Decides which nodes of a cut keep their operands: the nodes on a path between two held values. Returns the values
  /// that their gradients will read, according to `reads`; the cut computes them too. `nodes` are in program order.
  /// Without `reads`, no gradient can follow.
  KeptHistory keep_history(const std::vector<NodePtr>& nodes, ReadsOfGradient reads);
  /// Marks the inputs of a capture of `nodes` that die with it. Such an input has no handle, and every node that has
  /// it as an operand releases it after the cut. Call this between keep_history and computed().
  void mark_dying(const std::vector<NodePtr>& nodes, Capture& capture) const;
  /// Records that the nodes have been computed. Nodes without history release their operands.
  void computed(const std::vector<NodePtr>& nodes);
  /// Ends histories that read an old value of a variable, after variables were assigned.
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
  /// Returns the entry of a node, which stays at one address as long as the node lives.
  Computed& computed_of(Node& node);
  void now_held(Node& node);
  void no_longer_held(Node& node);
  void forget(Node& node);
  /// True if an operand of `node` is held or leads to a held value.
  static bool leads_through(const Value& operand, const Node& node);
  static bool leads(const Node& node);
  /// Keeps the operands of every node that a held value depends on. `nodes` are in program order and lead to held
  /// values (leads_). Inside a segment, also keeps the dependencies of kept operations, because the segment is
  /// computed again.
  static void keep_between(const std::vector<NodePtr>& nodes);
  /// Makes the nodes release their operands; `nodes` are in program order.
  void end(const std::vector<NodePtr>& nodes) const;

  std::deque<Computed> computed_;
  std::vector<Computed*> free_;  ///< entries of dead nodes
  List held_;                    ///< nodes with a held result that is not computed
  List history_;                 ///< nodes of earlier cuts that keep their operands
  int64_t added_ = 0;
  int64_t programs_ = 0;
  size_t history_after_last_look_ = 0;
  bool gradients_may_come_ = true;  ///< as of the latest cut
  std::function<void(const Node&)> on_unread_;
  std::unordered_set<int64_t> let_go_;  ///< if on_unread_ is set: nodes without handles and uses
};

}  // namespace mtf::graph
