#pragma once
// The global graph: what a program computes, on whole tensors, and what of it has been computed.
//
// A Node is one operation applied to results of other nodes; a Value is one result of a node. Evaluating a tensor
// expression only adds a node, after its types and layouts have been decided; nothing is computed before the host needs
// a number. Operations are immutable (graph/operation.h). A node's operands are given up when no gradient can go
// through it any more. What runs leave of its results stands in the table of its program's values
// (graph/value_table.h).
//
// Values are held, not guessed. Whatever the evaluator holds is a Handle; a node counts the handles of each of its
// results and the nodes that have it as an operand. All that follows from who may still read a value follows from these
// two counts: what a cut computes (pending values with handles), how far a gradient can reach, and whether memory may
// be overwritten (graph/value_table.h).
//
// A handle can be set aside: what it holds can be had later, but no cut computes it for its own sake. So are, at a
// prompt, the names of a file that was loaded when nothing in the file reads them any more.
//
// A variable (a `param` or `state` of a model) is a place; each assignment to it makes a new node of the operation
// `assign`, which is where gradients end. The node that it replaces says so in `ended`, and so does a node whose
// history was given up because it had read such a node.
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
  const std::shared_ptr<plan::Tensor>& computed() const;  ///< it has been
};
using Values = std::vector<Value>;

/// Why no gradient goes on from a node.
struct HistoryEnd {
  Name variable;                                                ///< the param or state that was assigned
  Span assigned;                                                ///< where
  Span read;                                                    ///< where it had been read
  int64_t place = 0;                                            ///< which one it is (Node::place)
  int64_t reader = 0;                                           ///< the node that had read it; of the variable itself 0
  std::shared_ptr<const std::vector<int64_t>> below = nullptr;  ///< what may be a target below: graph/history_end.h
};

/// What runs have left of a node, in the table of its program's values.
struct Computed {
  std::vector<std::shared_ptr<plan::Tensor>> results;  ///< of each: its blocks on this rank, once computed
  /// Computed results in other shardings, which the program that computed or read them has brought there for operations
  /// whose gradient rules will read them, by result; as long as an operation keeps its operands that has one of them.
  std::vector<std::pair<int, std::shared_ptr<plan::Tensor>>> copies;
  /// The programs that may make such copies under some layout, for a record of them (plan/program_record.h).
  struct CopiedBy {
    int result;
    int32_t program;
    int32_t place;  ///< in Program::for_gradients
  };
  std::vector<CopiedBy> copied_by;
  /// A variable's copy in bf16, which stays with it: made by the second program that narrows the variable.
  struct Narrowed {
    int64_t first_in = -1;               ///< ValueTable::programs() as it was narrowed first; -1: it was not
    std::weak_ptr<Node> copy;            ///< computed, or pending
    std::shared_ptr<const Handle> held;  ///< of the copy, once it is computed
  };
  Narrowed narrowed;
  /// What the runtime keeps besides for as long as the node lives; nobody else knows what that is.
  std::shared_ptr<void> of_runtime;

  bool has(int result) const { return result < static_cast<int>(results.size()) && results[result]; }
};

/// A part of the program of which a gradient needs only what goes into it, and computes it again: a call of
/// `recompute`, or a backward pass.
struct Segment {
  bool is_backward = false;
};
using SegmentRef = std::shared_ptr<const Segment>;

struct Node : std::enable_shared_from_this<Node> {
  Node() = default;
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;
  ~Node();  ///< at any length of the history behind it

  OperationRef operation;
  int64_t id = 0;             ///< ascending in program order
  Name name;                  ///< that the program gave it
  int64_t place = 0;          ///< of an `assign`: the number of the param or state
  SegmentRef segment;         ///< that it is made in; null: in none
  bool stays = false;         ///< the cut that computes it keeps it with its operand, a variable (Computed::narrowed)
  bool is_looked_at = false;  ///< its holder reads the value alone, and asks for no gradient of it
  SegmentRef again;           ///< of a copy for the backward pass that it is made in: the segment of its original

  const Values& operands() const { return operands_; }
  void set_operands(Values operands);
  /// Gives up the operands: no gradient goes through this node from here on. They are moved to `released` so that the
  /// caller decides when they die.
  void release_operands(Values& released);

  const Computed& computed() const { return computed_ ? *computed_ : kNothing; }
  bool is_computed(int result) const { return computed_ && computed_->has(result); }
  /// Where a run leaves what it has computed. Of a node that a table counts alone.
  Computed& compute_into();

  std::shared_ptr<const HistoryEnd> ended;

  // ---- counts, kept by Handle and by set_operands -------------------------------------------------------------------
  int32_t held(int result) const {
    return result == 0 ? held_first_ : held_others_.empty() ? 0 : held_others_[result - 1];
  }
  bool is_held() const { return held_total_ > 0; }
  bool is_set_aside() const { return aside_ > 0; }
  bool is_kept() const { return held_total_ + aside_ > 0; }  ///< held, or set aside
  /// What is set aside is computed from it, perhaps later: it needs its operands as long as it is not computed.
  bool is_for_later() const { return for_later_; }
  int32_t uses() const { return uses_; }  ///< how often it is an operand of a node that keeps its operands

  /// It is of that table's program; null: of nobody's, as in a turn of a loop.
  bool is_of(const ValueTable* table) const { return table_.get() == table; }

  mutable int64_t mark = 0;  ///< of the last walk that came here

 private:
  friend class Handle;
  friend class ValueTable;
  struct Link {
    Node* previous = nullptr;
    Node* next = nullptr;
    bool linked = false;
    int64_t since = 0;  ///< the last node that there was then
  };
  void hold(int result);
  void let_go(int result);
  void keep_for_later();
  void use() { ++uses_; }
  void use_no_longer();

  static const Computed kNothing;

  Values operands_;
  Computed* computed_ = nullptr;  ///< in table_; null: nothing
  int32_t uses_ = 0;
  int32_t held_first_ = 0;
  int32_t held_total_ = 0;
  int32_t aside_ = 0;  ///< handles that are set aside
  std::vector<int32_t> held_others_;
  std::shared_ptr<ValueTable> table_;  ///< null: of nobody's program (an expansion)
  Link held_link_, history_link_;
  bool for_later_ = false;
  bool pending_ = true;         ///< nothing of it has been computed
  bool keeps_history_ = false;  ///< since a cut: its operands are kept for gradients
  bool leads_ = false;          ///< as of the last look: a held value lies below it
};

inline const LaidOutOperation& Value::operation() const { return *node->operation; }
inline const TensorType& Value::type() const { return node->operation->results[result]; }
inline const Sharding& Value::sharding() const { return node->operation->shardings[result]; }
inline AxisSet Value::inherited() const { return node->operation->inherited[result]; }
inline const MeshPtr& Value::mesh() const { return node->operation->mesh; }
inline const std::shared_ptr<plan::Tensor>& Value::computed() const { return node->computed().results[result]; }

/// What the evaluator holds of the graph: a value that somebody can still name. Copies count, and are set aside if the
/// original is.
class Handle {
 public:
  Handle() = default;
  Handle(Value value) : value_(std::move(value)) { hold(); }  // NOLINT: a value that the evaluator takes is held
  Handle(const Handle& other) : value_(other.value_), aside_(other.aside_) { hold(); }
  Handle(Handle&& other) noexcept : value_(std::move(other.value_)), aside_(other.aside_) { other.value_ = {}; }
  Handle& operator=(Handle other) noexcept {
    std::swap(value_, other.value_);
    std::swap(aside_, other.aside_);
    return *this;
  }
  ~Handle() { let_go(); }
  const Value& value() const { return value_; }
  bool operator==(const Handle& other) const { return value_ == other.value_; }

  bool is_aside() const { return aside_; }
  void set_aside() { change(true); }
  /// It is held as any other again.
  void take_up() { change(false); }

 private:
  void hold() {
    if (!value_.node) return;
    if (aside_) ++value_.node->aside_;
    else value_.node->hold(value_.result);
  }
  void let_go() {
    if (!value_.node) return;
    if (aside_) --value_.node->aside_;
    else value_.node->let_go(value_.result);
  }
  void change(bool aside) {
    if (aside == aside_ || !value_.node) return;
    if (aside && !value_.node->is_computed(value_.result)) value_.node->keep_for_later();
    let_go();
    aside_ = aside;
    hold();
  }

  Value value_;
  bool aside_ = false;
};

/// The nodes that `roots` need and that are not computed, operands first, in program order. Of nodes with smaller
/// numbers than `first` there are none.
std::vector<NodePtr> pending(const Values& roots, int64_t first = 0);

/// The first of so many marks that no earlier walk has used.
int64_t new_mark(int64_t count = 1);
/// A number for a node, after all before it.
int64_t new_node_id();
/// The last of them: what is made before another one has a number below that.
int64_t last_node_id();

}  // namespace mtf::graph
