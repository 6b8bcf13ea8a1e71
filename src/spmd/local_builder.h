#pragma once
// A local program under construction: its values, its instructions, and the copies that exist.
//
// If an operation needs a value in another sharding, the builder adds a copy. Later consumers of the same sharding
// read that copy. A view (the memory of another value under other names) has no copies of its own: the builder copies
// the other value and renames the copy. The backward pass copies variables again, so that the copies of the forward
// pass need not be kept for it. Operations that are recomputed for the backward pass (ProgramOperation::replica) make
// copies of their own, for the same reason: a segment keeps its inputs as they are stored. The gradients of the segment
// read these copies too.
#include <map>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "graph/program.h"
#include "spmd/decision.h"
#include "spmd/local_program.h"
#include "spmd/reshard.h"

namespace mtf::spmd {

/// Returns a block of result `result` of `operation`, in `sharding`.
LocalValue block_of_result(const std::string& name, const graph::LaidOutOperation& operation, int result,
                           const Sharding& sharding);

/// True if the value has whole blocks in exactly this sharding.
bool lies_as(const LocalValue& value, const Sharding& wanted);

/// Returns an operation that the program lacks, on the mesh and at the source position of an operation that it has.
graph::OperationRef helper_operation(const graph::Op& op, std::vector<TensorType> operands,
                                     graph::Attributes attributes, const graph::LaidOutOperation& of,
                                     std::vector<double> inputs = {});

/// Returns an operation that stands for an existing tensor: a program input that was not captured.
graph::OperationRef data_operation(const TensorType& type, Sharding lies, AxisSet inherited, const MeshPtr& mesh);

class LocalBuilder {
 public:
  explicit LocalBuilder(const graph::Program& graph) : graph_(graph) {
    const size_t least = graph.inputs.size() + graph.operations.size();  // most operations become one instruction
    program_.values.reserve(least);
    program_.instructions.reserve(least);
  }

  const LocalValue& operator[](int value) const { return program_.values[value]; }
  ReshardWays& ways() { return ways_; }
  /// Sets whether copies from now on belong to the backward pass.
  void set_backward(bool backward) { backward_ = backward; }
  LocalProgram take() { return std::move(program_); }

  int add(LocalValue value);
  /// Adds input `which` of the program, as a value of `mesh`. `lies` is its sharding; null: that of its layout.
  int add_input(int32_t which, const MeshPtr& mesh, const Sharding* lies = nullptr);
  /// In an iteration: adds the running value of a sum over iterations, whose next term is `term`. It dies with the
  /// iteration.
  int add_sum(int term, const graph::OperationRef& node);
  /// Sets the replica (ProgramOperation::replica) of the instructions that follow; 0: none.
  void in_replica(int32_t replica) {
    replica_ = replica;
    if (replica != 0) last_replica_ = replica;
  }
  /// `origin`: the index of `node` in the captured program, or -1.
  void compute(const graph::OperationRef& node, std::vector<int> operands, std::vector<int> results,
               int32_t origin = -1);
  /// In a stage of a pipeline: adds the start value of a micro-batch, which replaces the operand. The stage before
  /// leaves it as its output `output`.
  int take_over(const graph::OperationRef& node, int operand, const AxisList& stages, Name micro, int32_t output);
  /// In an iteration of a loop over `over`, for a value that is stored in blocks along `over` over `axes`. Only its
  /// owner holds the slice of this iteration. from_owner sends the slice to all processors; to_owner adds up their
  /// slices on the owner.
  int from_owner(const graph::OperationRef& node, int operand, Name over, const AxisList& axes);
  int to_owner(const graph::OperationRef& node, int operand, Name over, const AxisList& axes);
  /// Adds a loop; `iteration` is the program of one iteration.
  void run_in_iterations(const graph::OperationRef& node, std::vector<int> operands, std::vector<int> results,
                         int32_t origin, std::shared_ptr<const LocalProgram> iteration);
  int collective(InstructionKind kind, const graph::OperationRef& node, int operand, LocalValue result, AxisSet axes,
                 kernels::Reduction reduction, ReasonRef reason);
  /// Adds an exchange, or returns the value of an earlier exchange of the same intervals.
  int exchange(const graph::OperationRef& node, int operand, LocalValue result, AxisSet axes, ReasonRef reason);
  /// Records that `result` is the memory of `operand` under the names of `node`.
  void is_view(int result, int operand, const graph::OperationRef& node);

  /// Decides how `value` gets the sharding `wanted`.
  Resharding way_to(int value, const Sharding& wanted);
  /// Returns the value of `resharding` in the sharding `wanted` for which the resharding was decided. `reason` explains
  /// the reduction of a partial value.
  int bring(const Resharding& resharding, const Sharding& wanted, const graph::OperationRef& node,
            const ReasonRef& reason);
  int bring(int value, const Sharding& wanted, const graph::OperationRef& node, const ReasonRef& reason) {
    return bring(way_to(value, wanted), wanted, node, reason);
  }
  /// True if resharding to `wanted` needs no further communication, because the copy exists.
  bool has_copy(int value, const Sharding& wanted) const;
  /// Returns the copies of a value that communication made.
  std::vector<int> brought(int value) const;
  /// Returns the shardings of these copies, and of the copies of an input.
  std::vector<Sharding> copies(int value) const;
  /// Records that a partial value is zero except on the last stage of `pipeline`.
  void is_on_last_stage(int value, const graph::OperationRef& pipeline) { on_last_stage_[value] = pipeline; }
  /// Records a copy that a loop has made.
  void has_been_brought(int value, int copy);
  /// Returns a value on the mesh of `node`. The value keeps its blocks if that mesh can express them, and is gathered
  /// over the other axes of its own mesh.
  int onto_mesh(int value, const graph::OperationRef& node);
  /// Records that a variable stores the value. The backward pass brings it again, so copies of it are not kept so long.
  void stores(int value) { stored_.insert(value); }
  /// True if a variable stores the value, at the start of the program or later.
  bool is_stored(int value) const { return stored_.contains(value); }

 private:
  struct View {
    int operand;
    graph::OperationRef operation;
  };
  std::shared_ptr<const ReshardWay> from_last_stage(int value, std::shared_ptr<const ReshardWay> way) const;
  int sent_from_last_stage(int value, ReshardWay way, const graph::OperationRef& node);
  using CopyKey = std::pair<int, std::string>;
  CopyKey key_of(int value, const Sharding& wanted, int32_t replica) const;
  /// The copy of a value that the current operation may read; -1: there is none.
  int copy_of(int value, const Sharding& wanted) const;
  /// Returns the index of the input's copy in this sharding, or -1.
  int32_t copy_of_input(int value, const Sharding& wanted) const;
  int add_instruction_of_input(LocalValue value, int32_t which, int32_t copy);
  int between_owner_and_all(InstructionKind kind, Reason::Kind why, const graph::OperationRef& node, int operand,
                            Name over, const AxisList& axes);

  const graph::Program& graph_;
  LocalProgram program_;
  ReshardWays ways_;
  int32_t replica_ = 0;
  int32_t last_replica_ = 0;  ///< of the segment whose gradients are computed, if it is recomputed
  std::map<CopyKey, int> copies_;
  std::unordered_map<int, std::vector<int>> exchanged_;  ///< for each value: the intervals that were fetched
  std::map<std::pair<int, const Mesh*>, int> remeshed_;
  std::unordered_map<int, View> view_of_;
  std::unordered_set<int> stored_;
  std::unordered_map<int, graph::OperationRef> on_last_stage_;  ///< for values on the last stage: the pipeline
  std::unordered_map<int, int32_t> copied_input_;               ///< for values that are inputs with copies: the input
  std::unordered_set<int> communicated_;                        ///< copies made by communication
  bool backward_ = false;
  std::unordered_map<int, int32_t> number_of_;  ///< for values that are numbers of the host: the input
};

}  // namespace mtf::spmd
