#pragma once
// Adds nodes to the global graph, each with its types checked and its layout decided.
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "graph/graph.h"
#include "graph/value_table.h"
#include "types/layout.h"

namespace mtf::graph {

class LayoutRecord;     // graph/layout_record.h
struct CapturedRegion;  // graph/region.h

/// What `precision` has in force: in which types what the program writes is computed. What that means for an operation
/// is said in ops/type_rules.h, once.
enum class Precision : uint8_t {
  kF32,    ///< as the operands' types say
  kBf16,   ///< products of f32 are those of bf16
  kMixed,  ///< stored in f32, used as bf16, summed in f32
};

/// What a statement is evaluated under; the evaluator changes it as `mesh`, `layout`, `seed` … say.
struct Context {
  MeshPtr mesh;
  LayoutPtr layout = std::make_shared<const Layout>();  ///< null: no rules, whatever is in force
  Precision precision = Precision::kF32;
  bool check_finite = false;  ///< loops over a dim stack where values of their turns are not finite
  bool no_grad = false;       ///< inside `no_grad { … }`
  double seed = 0;
  double random_calls = 0;  ///< random operations evaluated since `seed`
  SegmentRef segment;       ///< of what is added: a call of `recompute`, a backward pass
  CallFrameRef frame;       ///< of what is added
};

/// Where a result lies that is given instead of decided, and why; on the current mesh where there is none.
struct GivenLayout {
  Sharding sharding;
  AxisSet inherited = 0;
  MeshPtr mesh = nullptr;
  LayoutReason why = {};
};

class NodeBuilder {
 public:
  Context context;
  Span span;                             ///< of the expression being evaluated: operations get it, errors point at it
  bool written = true;                   ///< the program wrote what is being added: two rules on one axis are an error
  bool initial = false;                  ///< what is being added is of the value that a param or state begins with
  std::shared_ptr<ValueTable> table;     ///< where nodes are counted; null for an expansion
  std::function<void(Node&)> on_add;     ///< called for each new node, if set
  std::shared_ptr<LayoutRecord> record;  ///< where what decides layouts is written down, if it is
  int64_t added = 0;                     ///< nodes so far

  /// Adds a node: infers its types, decides its layouts. `@`-splits in operands are inherited.
  Values add_node(const Op& op, Values operands, Attributes attributes = {}, std::vector<double> inputs = {});

  /// Adds a node that runs a region, with the numbers of the host that this was captured with.
  Values add_region(const Op& op, Values operands, Attributes attributes, CapturedRegion region);

  /// Adds a node of an operation whose layout has been decided: a copy of one of another graph.
  NodePtr add_decided(OperationRef operation, Values operands) {
    return make_node(std::move(operation), std::move(operands), record.get());
  }

  /// A node of a builder that counts none is counted as this one's.
  void adopt(Node& node);

  /// A node of the same operation, of the same name, on other operands: for a backward pass. It lies as the operation
  /// does, whatever the operands do.
  NodePtr add_copy(const Node& node, Values operands);

 protected:
  /// Adds a node of one result, in a layout that is given.
  Value add_laid_out(const Op& op, Values operands, GivenLayout layout, Attributes attributes = {},
                     std::vector<double> inputs = {});
  /// Adds a node of one result that lies as `like` does, on its mesh, dim by dim.
  Value add_following(const Op& op, Values operands, const Value& like, Attributes attributes = {},
                      std::vector<double> inputs = {});
  /// What `value` follows, so that it never follows what only follows: itself, or what it was laid out as.
  static std::pair<OperationRef, int> followed(const Value& value);

 private:
  std::shared_ptr<LaidOutOperation> make(const Op& op, const Values& operands, Attributes attributes,
                                         std::vector<double> inputs, std::shared_ptr<const Region> region = nullptr);
  Values add_by_rules(std::shared_ptr<LaidOutOperation> operation, Values operands);
  Value add_given(std::shared_ptr<LaidOutOperation> operation, Values operands, LayoutOrigin origin,
                  GivenLayout layout);
  NodePtr make_node(OperationRef operation, Values operands, LayoutRecord* into);
};

}  // namespace mtf::graph
