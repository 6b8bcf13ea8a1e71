#pragma once
// Other layouts for a script that has been evaluated: what each operation's layout would have been under another mesh
// or other rules, decided by the same functions from what a LayoutRecord wrote down. Nothing is evaluated again.
//
// Rules stand in for those in force everywhere, as `--layout` does, and a mesh for every mesh, as `--mesh` does. What
// `@` asks stays asked, and what follows another value follows it to where it lies now. Only splits and meshes change:
// the operations of a program, and which cuts there are, never depend on them.
//
// Decisions of one form whose operands lie alike are taken once, and their operations are then one object, whose place
// in the source is that of the first: the layers of a Transformer have one layer's.
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

/// A captured program, with the decision behind the layout of each of its operations and inputs.
struct RecordedProgram {
  Program program;
  std::vector<int32_t> operations;
  std::vector<int32_t> inputs;
  /// Of each input, the programs that may have left copies of it: their numbers, and places in their for_gradients.
  std::vector<std::vector<std::pair<int32_t, int32_t>>> copied_by;
};

class Relayout {
 public:
  /// `mesh`, `rules`: null: those that the script has. The record lives longer, and may grow.
  Relayout(const LayoutRecord& record, MeshPtr mesh, LayoutPtr rules)
      : record_(record), mesh_(std::move(mesh)), rules_(std::move(rules)) {}

  /// The program number `number` as it would have been captured, with what its roots for gradients alone keep of splits
  /// (the pass `carry_splits`) left to the caller, who then calls `computed`. Programs are asked for in the order in
  /// which they were recorded. Throws a UserError as the evaluation would: two rules on one axis, an axis that is not
  /// there.
  Program program(const RecordedProgram& recorded);

  /// The operation of a decision, laid out.
  const OperationRef& operation(int32_t decision);

  /// The roots of program `number` lie as `program` says.
  void computed(int32_t number, const Program& program);

 private:
  /// An operation laid out, with a number for where each result lies: equal numbers, equal types, layouts and meshes.
  struct Laid {
    OperationRef operation;
    std::vector<int32_t> places;
  };
  const Laid& laid(int32_t decision);
  const Laid& decide(const LayoutRecord::Decision& decision);
  /// Which of the rules by path says how the operation's variable is stored; -1: none.
  int64_t stored_rule(const LaidOutOperation& operation) const;
  OperationRef lay_out(const LayoutRecord::Decision& decision);
  Laid with_places(OperationRef operation);
  int32_t place(LayoutRecord::Source source) const { return laid_[source.decision]->places[source.result]; }

  const LayoutRecord& record_;
  const MeshPtr mesh_;
  const LayoutPtr rules_;
  std::vector<const Laid*> laid_;                ///< of each decision
  std::unordered_map<std::string, Laid> known_;  ///< by form and the places that it depends on
  std::deque<Laid> moved_;                       ///< by cuts
  std::unordered_map<std::string, int32_t> places_;
  std::string key_;
  std::map<std::pair<int32_t, int32_t>, OperationRef> computed_;  ///< by program and root
};

/// A layout as far as another mesh has its axes, by their names.
Sharding on_mesh(const Sharding& sharding, const Mesh& from, const Mesh& to);
AxisSet on_mesh(AxisSet axes, const Mesh& from, const Mesh& to);

/// What an operation would have been under another mesh or other rules (null: its own) where its operands lie so and
/// `like`, if it follows another value, lies there.
std::shared_ptr<LaidOutOperation> laid_out_again(const LaidOutOperation& was, std::span<const OperandLayout> operands,
                                                 OperationRef like, const MeshPtr& mesh, const LayoutPtr& rules);

/// The paths of params and states have become known: lays them out again, of these pending nodes, which stand in
/// program order, and with them what follows them and what is made of them. In `record`, if there is one, too.
void paths_are_known(std::span<const NodePtr> nodes, LayoutRecord* record);

/// Makes `operation` say that a result lies as `sharding` says because a cut computed it there.
OperationRef lies_computed(const LaidOutOperation& operation, int result, const Sharding& sharding);

}  // namespace mtf::graph
