#pragma once
// The global graph: the computation of a program on whole tensors, and the state of its computation.
//
// A Node is one operation applied to results of other nodes. A Value is one result of a node. The evaluation of a
// tensor expression only adds a node, after its types and layouts are decided. Nothing is computed before the host
// needs a number.
//
// Operations are immutable (graph/operation.h). A node releases its operands when no gradient can go through it. The
// table of the program's values (graph/value_table.h) holds the computed results.
//
// Every value that the evaluator holds is a Handle. A node counts the handles of each of its results and the nodes
// that have it as an operand. All decisions about later readers follow from these two counts:
// - the values that a cut computes (pending values with handles)
// - the reach of a gradient
// - the memory that may be overwritten (graph/value_table.h)
//
// A handle can be set aside: its value remains available, but no cut computes it for its own sake. At a prompt, a
// loaded file's names are set aside when nothing in the file reads them.
//
// A variable is a `param` or `state` of a model. Each assignment to it makes a new node of the operation `assign`, and
// gradients end there. The replaced node records this in `ended`. So does each node that released its history because
// it had read a replaced node.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "graph/operation.h"
#include "support/name.h"

namespace mtf::plan {
class Tensor;  // a computed value, on this rank: plan/tensor.h
}

namespace mtf::graph {

// A call of `recompute` is a segment: a mark on nodes (Node::segment). It is not an operation that holds a program, as
// a loop is, because only a gradient decides which nodes are computed again. These nodes are not:
// - held values (a state, a list of losses)
// - values that a cut has computed
// - values of a backward pass that is still pending
//
// Operations know nothing of segments. A copy for the backward pass shares the operation of its original. A captured
// program numbers the operations that are recomputed together (ProgramOperation::replica). The passes lay such an
// operation out together with the operations around it. They neither merge it with its original nor move it to an
// earlier position.

struct Node;
class Handle;
class ValueTable;  // graph/value_table.h

using NodePtr = std::shared_ptr<Node>;

/// One result of a node.
struct Value {
  NodePtr node;
  int result = 0;
  explicit operator bool() const { return node != nullptr; }
  bool operator==(const Value&) const = default;
  const LaidOutOperation& operation() const;
  const TensorType& type() const;
  const Dims& dims() const { return type().dims; }
  ElementType element() const { return type().element; }
  const Sharding& sharding() const;
  AxisSet inherited() const;
  const MeshPtr& mesh() const;
  const std::shared_ptr<plan::Tensor>& computed() const;  ///< only of a computed value
};
using Values = std::vector<Value>;

/// The reason why gradients stop at a node.
struct HistoryEnd {
  Name variable;       ///< the assigned param or state
  Span assigned;       ///< position of the assignment
  Span read;           ///< position of the earlier read
  int64_t number = 0;  ///< of the variable (Node::variable)
  int64_t reader = 0;  ///< id of the node that read it; 0 for the variable itself
  std::shared_ptr<const std::vector<int64_t>> below = nullptr;  ///< the possible targets below: graph/history_end.h
};

/// The results of runs for a node, in the table of its program's values.
struct Computed {
  std::vector<std::shared_ptr<plan::Tensor>> results;  ///< for each result: its blocks on this rank, once computed
  /// Computed results in other shardings. The program that computed or read them made these copies, because gradient
  /// rules will read them. They live as long as an operation with such an operand keeps its operands.
  std::vector<std::pair<int, std::shared_ptr<plan::Tensor>>> copies;
  /// A program that may make such copies under some layout, for the record of programs (plan/program_record.h).
  struct CopiedBy {
    int result;
    int32_t program;
    int32_t place;  ///< index in Program::for_gradients
  };
  std::vector<CopiedBy> copied_by;
  /// A variable's copy in bf16, which is kept with the variable. The second program that narrows the variable makes
  /// the copy.
  struct Narrowed {
    int64_t first_in = -1;               ///< ValueTable::programs() at the first narrowing; -1: none
    std::weak_ptr<Node> copy;            ///< computed or pending
    std::shared_ptr<const Handle> held;  ///< a handle of the copy, once it is computed
  };
  Narrowed narrowed;
  /// Data of the runtime that lives as long as the node; only the runtime knows its type.
  std::shared_ptr<void> of_runtime;

  bool has(int result) const { return result < static_cast<int>(results.size()) && results[result]; }
};

/// A part of the program that a gradient recomputes: a call of `recompute`, or a backward pass. Only the inputs of the
/// segment are kept.
struct Segment {
  bool is_backward = false;
};
using SegmentRef = std::shared_ptr<const Segment>;

struct Node : std::enable_shared_from_this<Node> {
  Node() = default;
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;
  ~Node();  ///< works for a history of any length

  OperationRef operation;
  int64_t id = 0;             ///< ascending in program order
  Name name;                  ///< the script's name
  int64_t variable = 0;       ///< of an `assign`: the number of the param or state
  SegmentRef segment;         ///< the segment in which it is made; null: none
  bool stays = false;         ///< the computing cut keeps it with its operand, a variable (Computed::narrowed)
  bool is_looked_at = false;  ///< its holder only reads the value and takes no gradient of it
  SegmentRef again;           ///< of a copy for the backward pass: the segment of its original

  const Values& operands() const { return operands_; }
  void set_operands(Values operands);
  /// Releases the operands, so no gradient goes through this node anymore. Moves them to `released`, so that the
  /// caller decides when they die.
  void release_operands(Values& released);

  const Computed& computed() const { return computed_ ? *computed_ : kNothing; }
  bool is_computed(int result) const { return computed_ && computed_->has(result); }
  /// Returns the entry for computed results. Only for a node of a table.
  Computed& compute_into();

  std::shared_ptr<const HistoryEnd> ended;

  // ---- counts, kept by Handle and by set_operands -------------------------------------------------------------------
  int32_t held(int result) const {
    return result == 0 ? held_first_ : held_others_.empty() ? 0 : held_others_[result - 1];
  }
  bool is_held() const { return held_total_ > 0; }
  bool is_set_aside() const { return aside_ > 0; }
  bool is_kept() const { return held_total_ + aside_ > 0; }  ///< held, or set aside
  /// True if an earlier node still has the node as a possible target of a gradient. A handle for an undo does not make
  /// it a target of later nodes: an undo drops them.
  bool is_target_of(const Node& later) const { return held_total_ + aside_ > (later.id > undo_since_ ? for_undo_ : 0); }
  /// True if a value that is set aside depends on it. The node then keeps its operands until it is computed.
  bool is_for_later() const { return for_later_; }
  int32_t uses() const { return uses_; }  ///< number of uses as an operand by nodes that keep their operands

  /// True if the node belongs to `table`; null: to no table, as in an iteration of a loop.
  bool is_of(const ValueTable* table) const { return table_.get() == table; }

  mutable int64_t mark = 0;  ///< set by the latest walk that visited the node

 private:
  friend class Handle;
  friend class ValueTable;
  struct Link {
    Node* previous = nullptr;
    Node* next = nullptr;
    bool linked = false;
    int64_t since = 0;  ///< the latest node id at the time of linking
  };
  void hold(int result);
  void let_go(int result);
  void keep_for_later();
  void use() { ++uses_; }
  void use_no_longer();

  static const Computed kNothing;

  Values operands_;
  Computed* computed_ = nullptr;  ///< in table_; null: nothing is computed
  int32_t uses_ = 0;
  int32_t held_first_ = 0;
  int32_t held_total_ = 0;
  int32_t aside_ = 0;       ///< number of handles that are set aside
  int32_t for_undo_ = 0;    ///< number of these that are for an undo
  int64_t undo_since_ = 0;  ///< an undo drops the nodes with larger ids
  std::vector<int32_t> held_others_;
  std::shared_ptr<ValueTable> table_;  ///< null: of no program (an expansion)
  Link held_link_, history_link_;
  bool for_later_ = false;
  bool pending_ = true;         ///< no result is computed
  bool keeps_history_ = false;  ///< set by a cut: its operands are kept for gradients
  bool leads_ = false;          ///< result of the latest check: a held value is below it
};

inline const LaidOutOperation& Value::operation() const { return *node->operation; }
inline const TensorType& Value::type() const { return node->operation->results[result]; }
inline const Sharding& Value::sharding() const { return node->operation->shardings[result]; }
inline AxisSet Value::inherited() const { return node->operation->inherited[result]; }
inline const MeshPtr& Value::mesh() const { return node->operation->mesh; }
inline const std::shared_ptr<plan::Tensor>& Value::computed() const { return node->computed().results[result]; }

/// A value that the evaluator holds, because the script can still name it. Copies of a handle count too, and are set
/// aside if the original is.
class Handle {
  enum class Holds : uint8_t { kNow, kLater, kForUndo };

 public:
  Handle() = default;
  Handle(Value value) : value_(std::move(value)) { hold(); }  // NOLINT: a value that the evaluator takes is held
  Handle(const Handle& other) : value_(other.value_), holds_(other.holds_) { hold(); }
  Handle(Handle&& other) noexcept : value_(std::move(other.value_)), holds_(other.holds_) { other.value_ = {}; }
  Handle& operator=(Handle other) noexcept {
    std::swap(value_, other.value_);
    std::swap(holds_, other.holds_);
    return *this;
  }
  ~Handle() { let_go(); }
  const Value& value() const { return value_; }
  bool operator==(const Handle& other) const { return value_ == other.value_; }

  bool is_aside() const { return holds_ != Holds::kNow; }
  void set_aside() { change(Holds::kLater); }
  /// Sets it aside for an undo, which would drop all nodes with ids above `since`.
  void set_aside_for_undo(int64_t since) {
    change(Holds::kForUndo);
    if (value_.node) value_.node->undo_since_ = std::max(value_.node->undo_since_, since);
  }
  /// Makes a handle that was set aside an ordinary one again.
  void take_up() { change(Holds::kNow); }

 private:
  void hold() {
    if (!value_.node) return;
    if (holds_ == Holds::kNow) return value_.node->hold(value_.result);
    ++value_.node->aside_;
    if (holds_ == Holds::kForUndo) ++value_.node->for_undo_;
  }
  void let_go() {
    if (!value_.node) return;
    if (holds_ == Holds::kNow) return value_.node->let_go(value_.result);
    --value_.node->aside_;
    if (holds_ == Holds::kForUndo) --value_.node->for_undo_;
  }
  void change(Holds holds) {
    if (holds == holds_ || !value_.node) return;
    if (holds != Holds::kNow && !value_.node->is_computed(value_.result)) value_.node->keep_for_later();
    let_go();
    holds_ = holds;
    hold();
  }

  Value value_;
  Holds holds_ = Holds::kNow;
};

/// Returns the nodes that `roots` need and that are not computed, in program order, so operands come first. Ignores
/// nodes with ids below `first`.
std::vector<NodePtr> pending(const Values& roots, int64_t first = 0);

/// Returns the first of `count` marks that no earlier walk has used.
int64_t new_mark(int64_t count = 1);
/// Returns a new id, larger than those of all earlier nodes.
int64_t new_node_id();
/// Returns the latest id. Every existing node has this id or a smaller one.
int64_t last_node_id();

}  // namespace mtf::graph
