#pragma once
// A local program in the making: its values, the instructions that compute and move them, and which copies exist.
//
// A value that an operation needs in another sharding is copied there; whoever needs the same later reads that copy. A
// value that is another's memory under other names has no copies of its own: the other is copied, and the copy renamed.
// The backward pass makes copies of variables again, so that those of the forward pass need not be kept for it.
#include <map>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "graph/program.h"
#include "spmd/local_program.h"
#include "spmd/reshard.h"

namespace mtf::spmd {

/// A block of result `result` of `operation`, in `sharding`.
LocalValue block_of_result(const std::string& name, const graph::LaidOutOperation& operation, int result,
                           const Sharding& sharding);

/// It has blocks of its own in this sharding.
bool lies_as(const LocalValue& value, const Sharding& wanted);

/// An operation that the program does not have, on the mesh and at the place in the source of one that it has.
graph::OperationRef helper_operation(const graph::Op& op, std::vector<TensorType> operands,
                                     graph::Attributes attributes, const graph::LaidOutOperation& of,
                                     std::vector<double> inputs = {});

/// A tensor that is there, as the operation of a program's input that nobody captured.
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
  /// What is brought from now on is for the backward pass, or for the forward pass.
  void set_backward(bool backward) { backward_ = backward; }
  LocalProgram take() { return std::move(program_); }

  int add(LocalValue value);
  /// Input `which` of the program, as a value of `mesh`. `lies`: where it does; null: where its layout says.
  int add_input(int32_t which, const MeshPtr& mesh, const Sharding* lies = nullptr);
  /// In a turn: what has been added up so far of a sum over turns, whose next term this is. It dies with the turn.
  int add_sum(int term, const graph::OperationRef& node);
  /// What is added from here on is of this replica (ProgramOperation::replica), or of none: 0.
  void in_replica(int32_t replica) { replica_ = replica; }
  /// `origin`: which operation of the captured program `node` is, or -1.
  void compute(const graph::OperationRef& node, std::vector<int> operands, std::vector<int> results,
               int32_t origin = -1);
  /// Of a stage of a pipeline: what it begins a micro-batch with, which stands in for the operand.
  int take_over(const graph::OperationRef& node, int operand, const AxisList& stages, Name micro);
  /// In a turn of a loop over `over`, whose blocks lie over `axes`: the place of the turn, which only the one that
  /// stores it has, brought from there to all; and the other way, what all have of it.
  int from_owner(const graph::OperationRef& node, int operand, Name over, const AxisList& axes);
  int to_owner(const graph::OperationRef& node, int operand, Name over, const AxisList& axes);
  /// A loop, each of whose turns is `turn`.
  void run_in_turns(const graph::OperationRef& node, std::vector<int> operands, std::vector<int> results,
                    int32_t origin, std::shared_ptr<const LocalProgram> turn);
  int collective(InstructionKind kind, const graph::OperationRef& node, int operand, LocalValue result, AxisSet axes,
                 kernels::Reduction reduction, ReasonRef reason);
  /// An exchange; whoever asks for the same intervals of a value later gets those.
  int exchange(const graph::OperationRef& node, int operand, LocalValue result, AxisSet axes, ReasonRef reason);
  /// `result` is the memory of `operand` under the names that `node` gives.
  void is_view(int result, int operand, const graph::OperationRef& node);

  /// `value` in the sharding that `node` needs. `reason`: why a partial value is to be reduced.
  int bring(int value, const Sharding& wanted, const graph::OperationRef& node, const ReasonRef& reason);
  /// True if bringing it there communicates nothing more, because it has been brought there.
  bool has_copy(int value, const Sharding& wanted) const;
  /// What a value has been brought to by communication.
  std::vector<int> brought(int value) const;
  /// Where those lie, and copies of an input.
  std::vector<Sharding> copies(int value) const;
  /// A loop has brought a value there.
  void has_been_brought(int value, int copy);
  /// A value as `node` can read it on its mesh: in the blocks that it has, where that mesh can name them; gathered over
  /// the axes of its own mesh whose blocks it cannot.
  int onto_mesh(int value, const graph::OperationRef& node);
  /// True of a variable as the program finds it.
  bool is_stored(int value) const { return stored_.contains(value); }

 private:
  struct View {
    int operand;
    graph::OperationRef operation;
  };
  using CopyKey = std::pair<int, std::string>;
  CopyKey key_of(int value, const Sharding& wanted) const;
  /// Which copy of an input lies so, or -1.
  int32_t copy_of_input(int value, const Sharding& wanted) const;
  int add_instruction_of_input(LocalValue value, int32_t which, int32_t copy);
  int between_owner_and_all(InstructionKind kind, Reason::Kind why, const graph::OperationRef& node, int operand,
                            Name over, const AxisList& axes);

  const graph::Program& graph_;
  LocalProgram program_;
  ReshardWays ways_;
  int32_t replica_ = 0;
  std::map<CopyKey, int> copies_;
  std::unordered_map<int, std::vector<int>> exchanged_;  ///< of each value the intervals that were fetched
  std::map<std::pair<int, const Mesh*>, int> remeshed_;
  std::unordered_map<int, View> view_of_;
  std::unordered_set<int> stored_;
  std::unordered_map<int, int32_t> copied_input_;  ///< of values that are inputs with copies: which input
  std::unordered_set<int> communicated_;           ///< copies that communication has made
  bool backward_ = false;
  std::unordered_map<int, int32_t> number_of_;  ///< of values that are numbers of the host: which input
};

}  // namespace mtf::spmd
