#pragma once
// Finds the layouts that a script would have under another mesh or other rules, without another evaluation. The same
// functions decide each operation's layout again from the LayoutRecord.
//
// New rules replace all rules in force, as `--layout` does, and a new mesh replaces every mesh, as `--mesh` does.
// Requests of `@` remain, and a value that copies another value's layout copies the new one. Only splits and meshes
// change, because the operations of a program and its cuts never depend on them.
//
// Decisions of one form with equal operand layouts are made once. Their operations become one object, with the source
// position of the first. So all layers of a Transformer share the objects of one layer.
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "graph/layout_record.h"
#include "graph/layouts.h"
#include "graph/program.h"

namespace mtf::graph {

/// A captured program with the decision behind the layout of each operation and input.
struct RecordedProgram {
  Program program;
  std::vector<int32_t> operations;
  std::vector<int32_t> inputs;
  /// For each input, the programs that may have left copies of it: their numbers, and indices in their for_gradients.
  std::vector<std::vector<std::pair<int32_t, int32_t>>> copied_by;
};

class Relayout {
 public:
  /// Null for `mesh` or `rules` keeps those of the script. The record must outlive this object and may grow.
  Relayout(const LayoutRecord& record, MeshPtr mesh, LayoutPtr rules)
      : record_(record), mesh_(std::move(mesh)), rules_(std::move(rules)) {}

  /// Returns a recorded program as it would have been captured. The caller runs the pass `carry_splits`, which decides
  /// the splits of roots for gradients alone, and then calls `computed`. Programs must be requested in the order of
  /// recording. Throws a UserError as the evaluation would: two rules on one axis, or an unknown axis.
  Program program(const RecordedProgram& recorded);

  /// Returns the operation of a decision in its new layout.
  const OperationRef& operation(int32_t decision);

  /// Records that the roots of program `number` have the layouts in `program`.
  void computed(int32_t number, const Program& program);

 private:
  /// An operation in its layout. `places` has a number for each result: equal numbers mean equal types, layouts and
  /// meshes.
  struct Laid {
    OperationRef operation;
    std::vector<int32_t> places;
  };
  const Laid& laid(int32_t decision);
  const Laid& decide(const LayoutRecord::Decision& decision);
  /// Returns the index of the rule by path that decides how the operation's variable is stored; -1: none.
  int64_t stored_rule(const LaidOutOperation& operation) const;
  OperationRef lay_out(const LayoutRecord::Decision& decision);
  Laid with_places(OperationRef operation);
  int32_t place(LayoutRecord::Source source) const { return laid_[source.decision]->places[source.result]; }

  const LayoutRecord& record_;
  const MeshPtr mesh_;
  const LayoutPtr rules_;
  std::vector<const Laid*> laid_;                ///< for each decision
  std::unordered_map<std::string, Laid> known_;  ///< by form and the numbers in `places` of its operands
  std::deque<Laid> moved_;                       ///< operations whose layout a cut decided
  std::unordered_map<std::string, int32_t> places_;
  std::string key_;
  std::map<std::pair<int32_t, int32_t>, OperationRef> computed_;  ///< by program and root
};

/// Converts a sharding to another mesh by the names of its axes; drops axes that the other mesh lacks.
Sharding on_mesh(const Sharding& sharding, const Mesh& from, const Mesh& to);
AxisSet on_mesh(AxisSet axes, const Mesh& from, const Mesh& to);

/// Returns an operation as it would have been under another mesh or other rules (null: its own). `operands` are its
/// operands' layouts, and `like` replaces the value that it copies, if any.
std::shared_ptr<LaidOutOperation> laid_out_again(const LaidOutOperation& was, std::span<const OperandLayout> operands,
                                                 OperationRef like, const MeshPtr& mesh, const LayoutPtr& rules);

/// Decides layouts again after the paths of params and states became known. `nodes` are pending nodes in program
/// order. Changes the variables, the operations that copy their layouts, and the operations computed from either. Adds
/// the decisions to `record`, if there is one.
void paths_are_known(std::span<const NodePtr> nodes, LayoutRecord* record);

/// Returns the operation with the layout `sharding` for a result, because a cut computed the result in it.
OperationRef lies_computed(const LaidOutOperation& operation, int result, const Sharding& sharding);

}  // namespace mtf::graph
