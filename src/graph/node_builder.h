#pragma once
// Adds nodes to the global graph, each with its types checked and its layout decided.
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "graph/graph.h"
#include "graph/value_table.h"
#include "types/layout.h"

namespace mtf {

/// What a statement is evaluated under; the evaluator changes it as `mesh`, `layout`, `seed` … say.
struct Context {
  MeshPtr mesh;
  Layout layout;
  bool multiply_bf16 = false;     ///< precision bf16
  bool no_grad = false;           ///< inside `no_grad { … }`
  double seed = 0;
  double random_calls = 0;        ///< random operations evaluated since `seed`
  int64_t recompute_region = 0;   ///< not 0 inside a call of `recompute`
  CallFrameRef frame;             ///< of what is added
};

class NodeBuilder {
 public:
  Context context;
  Span span;            ///< of the expression being evaluated: operations get it, errors point at it
  bool written = true;  ///< the program wrote what is being added: two rules on one axis are an error
  std::shared_ptr<ValueTable> table;         ///< where nodes are counted; null for an expansion
  std::function<void(Node&)> on_add;         ///< called for each new node, if set
  int64_t added = 0;                         ///< nodes so far

  /// Adds a node: infers its types, decides its layouts. `@`-splits in operands are inherited.
  Values add_node(const Op& op, Values operands, Attributes attributes = {}, std::vector<double> inputs = {});

  /// The same operation on other operands, in the region under way: for a backward pass.
  NodePtr copy_node(const Node& node, Values operands);

 protected:
  /// Where a result lies that is given instead of decided; on the current mesh where there is none.
  struct GivenLayout {
    Sharding sharding;
    AxisSet inherited = 0;
    MeshPtr mesh = nullptr;
    Value like = {};   ///< the value whose layout it is; none: the program wrote it
  };
  /// Adds a node of one result, in a layout that is given.
  Value add_laid_out(const Op& op, Values operands, GivenLayout layout, Attributes attributes = {}, std::vector<double> inputs = {});

 private:
  std::shared_ptr<LaidOutOperation> make(const Op& op, const Values& operands, Attributes attributes, std::vector<double> inputs);
  NodePtr make_node(OperationRef operation, Values operands);
};

}  // namespace mtf
