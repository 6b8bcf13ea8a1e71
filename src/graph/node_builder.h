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

/// The types in which the operations of a program compute, as `precision` sets them. ops/type_rules.h gives the rules
/// for each operation.
enum class Precision : uint8_t {
  kF32,    ///< as the operands' types say
  kBf16,   ///< products of f32 are computed in bf16
  kMixed,  ///< stored in f32, used as bf16, summed in f32
};

/// The state in which a statement is evaluated. The evaluator changes it for `mesh`, `layout`, `seed` and so on.
struct Context {
  MeshPtr mesh;
  LayoutPtr layout = std::make_shared<const Layout>();  ///< null: no rules
  Precision precision = Precision::kF32;
  bool check_finite = false;  ///< loops over a dim stack where values of their iterations are not finite
  bool no_grad = false;       ///< inside `no_grad { … }`
  double seed = 0;
  double random_calls = 0;  ///< random operations evaluated since `seed`
  SegmentRef segment;       ///< of new operations: a call of `recompute`, or a backward pass
  CallFrameRef frame;       ///< of new operations
};

/// A layout that is given instead of decided, and its reason. A null mesh is the current mesh.
struct GivenLayout {
  Sharding sharding;
  AxisSet inherited = 0;
  MeshPtr mesh = nullptr;
  LayoutReason why = {};
};

class NodeBuilder {
 public:
  Context context;
  Span span;                             ///< the expression under evaluation: operations store it, errors point to it
  bool written = true;                   ///< the program wrote the new operations: two rules on one axis are an error
  bool initial = false;                  ///< the new operations compute the initial value of a param or state
  std::shared_ptr<ValueTable> table;     ///< the table that counts nodes; null for an expansion
  std::function<void(Node&)> on_add;     ///< called for each new node, if set
  std::function<void()> on_frame;        ///< called before `context.frame` is read, if set: brings it up to date
  std::shared_ptr<LayoutRecord> record;  ///< records the decisions about layouts, if set
  int64_t added = 0;                     ///< number of nodes added so far

  /// The frame of new operations. Most calls add none, so their frames are made only here.
  const CallFrameRef& frame() {
    if (on_frame) on_frame();
    return context.frame;
  }

  /// Adds a node: infers its types and decides its layouts. Results inherit the operands' splits from `@`.
  Values add_node(const Op& op, Values operands, Attributes attributes = {}, std::vector<double> inputs = {});

  /// Adds a node that runs a region, with the host's numbers at the capture of the region.
  Values add_region(const Op& op, Values operands, Attributes attributes, CapturedRegion region);

  /// Adds a node of an operation whose layout is already decided: a copy of a node in another graph.
  NodePtr add_decided(OperationRef operation, Values operands) {
    return make_node(std::move(operation), std::move(operands), record.get());
  }

  /// Counts a node that a builder without a table has made.
  void adopt(Node& node);

  /// Adds a node with the same operation and name but other operands, for a backward pass. It keeps the operation's
  /// layout, whatever the operands' layouts are.
  NodePtr add_copy(const Node& node, Values operands);

 protected:
  /// Adds a node with one result, in a given layout.
  Value add_laid_out(const Op& op, Values operands, GivenLayout layout, Attributes attributes = {},
                     std::vector<double> inputs = {});
  /// Adds a node with one result that copies the layout and the mesh of `like`, dim by dim.
  Value add_following(const Op& op, Values operands, const Value& like, Attributes attributes = {},
                      std::vector<double> inputs = {});
  /// Returns the node whose layout copies of `value` should copy: the node that `value` itself copies, or `value`.
  /// Chains of references thus have length one.
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
