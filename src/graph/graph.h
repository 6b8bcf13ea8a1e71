#pragma once
// The global graph: what a program computes, on whole tensors.
//
// A Node is one application of an operation to the results of others; a Value is one result of a node. Evaluating a
// tensor expression only adds a node, after its shape and its layout have been decided; nothing is computed before a
// cut (a place where the host needs a number) asks for it. Then the node's results are filled in (`computed`), and the
// node stays as long as a name holds it, so that a gradient can still go through it.
//
// A number of the host that stands in an arithmetic place (a factor, a rate, a seed, the number of a random call) is
// an input of the node: it is not part of the graph's structure, so that a changing one does not make a new plan.
//
// A variable (a `param` or `state` of a model) is a place; each assignment to it makes a new node of the operation
// `assign`, which is where gradients end. The node it replaces is marked as superseded.
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "support/name.h"
#include "support/source.h"
#include "types/dim.h"
#include "types/mesh.h"
#include "types/sharding.h"

namespace mtf {

struct Op;
struct Node;
class Tensor;  // a computed value, on this rank: exec/tensor.h

using NodePtr = std::shared_ptr<Node>;

/// One result of a node.
struct Value {
  NodePtr node;
  int result = 0;
  explicit operator bool() const { return node != nullptr; }
  bool operator==(const Value&) const = default;
  const TensorType& type() const;
  const Dims& dims() const { return type().dims; }
  ElementType element() const { return type().element; }
  const Sharding& sharding() const;
};
using Values = std::vector<Value>;

/// What fixes a node's structure besides its operands: dims that the call names and numbers that fix a shape or place.
/// What each entry means is said by the operation's record.
struct Attributes {
  Dims dims;
  std::vector<int64_t> ints;
  ElementType element = ElementType::kF32;
  bool operator==(const Attributes&) const = default;
};

struct Node {
  Node() = default;
  Node(const Node&) = default;
  Node& operator=(const Node&) = default;
  ~Node();  ///< at any length of the history behind it

  const Op* op = nullptr;
  Attributes attributes;
  Values operands;
  std::vector<double> inputs;           ///< the host's numbers, not part of the structure
  std::vector<TensorType> types;        ///< of each result
  std::vector<Sharding> shardings;      ///< of each result: the layout that was decided; never partial
  std::vector<AxisSet> inherited;       ///< of each result: the splits that `@` wrote, or that come from one
  MeshPtr mesh;
  Span span;                            ///< the expression
  Name hint;                            ///< the name that the program gave it
  int64_t id = 0;                       ///< ascending in program order
  int64_t replica = 0;                  ///< not 0: a copy for a backward pass, never merged with its original
  int64_t region = 0;                   ///< not 0: made inside this call of `recompute`
  mutable int64_t mark = 0;             ///< of the last walk that came here
  int64_t settled = 0;                  ///< its history has been looked through: Evaluator::forget_history
  std::vector<std::shared_ptr<Tensor>> computed;  ///< of each result: its blocks on this rank, once computed
  bool is_computed(int result) const { return result < static_cast<int>(computed.size()) && computed[result]; }
  // Of an `assign` node that another assignment has replaced: where, and the variable's name. Of a computed node that
  // has dropped its operands because they read such a node: the same, for the message of a gradient that comes here.
  Span superseded;
  std::string variable;
  Span read;                            ///< where the superseded variable was read
};

inline const TensorType& Value::type() const { return node->types[result]; }
inline const Sharding& Value::sharding() const { return node->shardings[result]; }

/// The nodes that `roots` need and that are not computed, operands first, in program order.
std::vector<NodePtr> pending(const Values& roots);

/// A mark that no earlier walk has used.
int64_t new_mark();

/// A name for each node, in the script's words: its own, or that of the named value it is a part of with a number
/// behind it (h.1); different nodes get different names.
std::vector<std::string> names_of(const std::vector<NodePtr>& nodes);

/// The graph in the script's names, a line a node: `h: f32[batch=64/rows, hidden=128/cols] = relu(h.1)`.
std::string to_string(const std::vector<NodePtr>& nodes);

/// Fails on our own bug: a dim twice, an axis twice, an operand that is not in the list before its use.
void verify(const std::vector<NodePtr>& nodes);

}  // namespace mtf
