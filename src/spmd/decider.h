#pragma once
// Decides how each operation of a program is lowered (spmd/decision.h). The decider reads the program under
// construction and changes nothing in it.
#include <map>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "graph/region.h"
#include "spmd/across_blocks.h"
#include "spmd/decision.h"
#include "spmd/local_builder.h"
#include "spmd/passes.h"
#include "spmd/program_readers.h"
#include "spmd/written_layouts.h"

namespace mtf::spmd {

class Decider {
 public:
  /// All of them must outlive the decider.
  Decider(const MergedProgram& merged, const EnclosingLoop& loop, LocalBuilder& local);

  /// Decides how the iteration space of operation `index` is split, and how each operand gets the sharding in which the
  /// operation reads it. `operands`: local values on the mesh of the operation. `zeros`: those that are constant zeros.
  OperationDecision split(int index, std::vector<int> operands, const std::vector<bool>& zeros);
  /// Decides how the results are computed from operands in the sharding of the split.
  void compute(int index, OperationDecision& decision) const;
  /// Decides whether the outcome of a result stays partial, and otherwise how it gets the layout of the result.
  ResultDecision result(graph::ProgramValue value, int outcome, ReasonRef reason);
  /// Decides how a root of the program ends.
  RootDecision root(size_t r, int value);
  /// Returns the copies to keep of values in Program::for_gradients: pairs of index and copy. `local_of` returns the
  /// local value of a value, or -1.
  std::vector<std::pair<int, int>> copies_for_gradients(const std::function<int(graph::ProgramValue)>& local_of) const;

  /// Returns, for each result of a loop, the axes over which it may stay partial. Another partial sum over these axes
  /// is likely to be added to it, or an enclosing loop adds it up and stores it replicated. If all its partial axes are
  /// among them, iterations do not reduce it.
  std::vector<AxisSet> partial_results(int loop) const;
  /// True if the operand of a loop is a parameter, or a slice of one.
  bool is_parameter(graph::ProgramValue operand) const;
  /// True if the operand is a variable, which is not resharded for a loop.
  bool is_variable(graph::ProgramValue operand) const;
  /// True if a longer sum follows addition `index`, and terms that are partial over other axes are likely in it.
  bool more_terms_come(int index) const;
  bool is_link(int index) const { return is_link_[index]; }

  /// Returns the iteration space of an operation. Operations of one form share it.
  const graph::IterationSpace& space(int index) { return *of_form(index).space; }
  const ProgramReaders& readers() const { return readers_; }
  const graph::OperationRef& operation_of(graph::ProgramValue value) const {
    return value.is_input() ? graph_.inputs[value.input()].operation : graph_.operations[value.source].operation;
  }

 private:
  /// The split of an operation for these operand shardings, if it was the only possible one, independent of copies.
  struct KnownSplit {
    std::vector<Sharding> operands;
    std::vector<bool> zeros;
    bool joins = false;
    AxisSet joined = 0;
    std::shared_ptr<const IterationSplit> split;
  };
  /// Facts that hold for all operations of a form.
  struct OfForm {
    const graph::IterationSpace* space = nullptr;
    std::vector<KnownSplit> splits;
  };

  OfForm& of_form(int index);
  std::shared_ptr<const IterationSplit> split_of(int index, const std::vector<int>& operands,
                                                 const std::vector<bool>& zeros);
  void keep_blocks(IterationSplit& split, const graph::LaidOutOperation& reshape, const Sharding& has);
  bool joins_sums(int index, const std::vector<int>& operands) const;
  StaysPartial stays_partial(graph::ProgramValue value, ElementType parts, AxisSet axes) const;
  bool goes_to_owner_alone(graph::ProgramValue value, AxisSet axes) const;
  /// True if a value, or a view of it, has no use other than as such a term.
  bool becomes_term(graph::ProgramValue value, AxisSet axes) const;
  bool is_term_alone(graph::ProgramValue value, AxisSet axes) const;
  bool is_summed(size_t root) const;
  bool is_part_of_sum(size_t root) const;
  bool stays_in_parts(size_t root, AxisSet axes) const;
  AxisSet joined_of(graph::ProgramValue value) const;

  const MergedProgram& merged_;
  const graph::Program& graph_;
  const EnclosingLoop& loop_;
  LocalBuilder& local_;
  const graph::Region* const region_;  ///< of the loop; null: none
  const ProgramReaders readers_;
  const WrittenLayouts written_;
  const std::vector<AxisSet> partial_, joined_;  ///< for each operation (spmd/partial_sums.h)
  const std::vector<AxisSet> joined_products_;   ///< for each operation: `joined_`, of the sums of products alone
  const std::vector<bool> is_link_;              ///< for each operation (spmd/partial_sums.h)
  std::unordered_map<int32_t, OfForm> forms_;
};

/// Returns the axes that split a stacked result along the loop's dim; none for a pipeline.
AxisList owners_of_result(const graph::LaidOutOperation& loop, int32_t result);

}  // namespace mtf::spmd
