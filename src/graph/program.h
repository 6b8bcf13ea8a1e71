#pragma once
// A captured program: the computation of one cut, as data.
//
// A program is a list of operations in program order. Each operand is an index of an input, or of a result of an
// earlier operation. The program contains nothing of a run: no tensor, no node, no number of the host (a number is an
// input). Keying, merging, layout assignment, splitting, printing and verifying use only the program, and a plan may
// keep it indefinitely.
//
//     inputs      x: f32[batch=64/rows, io=32]     w: f32[io=32, hidden=64]     number
//     operations  0: einsum(x, w)     1: add(0, number)     2: relu(1)
//     roots       2
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "graph/graph.h"

namespace mtf {
class TextReader;  // types/text_reader.h
}

namespace mtf::graph {

/// A value of a program: a result of one of its operations, or one of its inputs.
struct ProgramValue {
  int32_t source = 0;  ///< the operation, or ~input
  int32_t result = 0;
  static ProgramValue input(size_t index) { return {~static_cast<int32_t>(index), 0}; }
  bool is_input() const { return source < 0; }
  int32_t input() const { return ~source; }
  bool operator==(const ProgramValue&) const = default;
  auto operator<=>(const ProgramValue&) const = default;
};

/// A copy of an input in another sharding, which an earlier program left (Program::for_gradients).
struct InputCopy {
  Sharding sharding;
  std::vector<int8_t> order;
};

struct ProgramInput {
  OperationRef operation;  ///< its producer: type and layout
  int32_t result = 0;
  Name name;
  bool is_number = false;  ///< a number of the host
  bool is_own = false;     ///< the program's own number (of an expansion): `number` is its value
  double number = 0;
  bool dies = false;          ///< nothing reads it after the program
  std::vector<int8_t> order;  ///< storage order of the tensor; empty: the declared order
  std::vector<InputCopy> copies = {};
};

struct ProgramOperation {
  OperationRef operation;
  int32_t first_operand = 0;  ///< index in Program::operands
  int32_t operand_count = 0;
  Name name;
  int32_t replica = 0;  ///< not 0: recomputed for a backward pass with all operations of this number
  int32_t origin = -1;  ///< its index in the captured program, or -1: part of an expansion
  int32_t like = -1;    ///< index of the operation whose layout it copies, or -1: none in this program
};

struct Program {
  std::vector<ProgramInput> inputs;
  std::vector<ProgramOperation> operations;
  std::vector<ProgramValue> operands;  ///< of all operations, in order
  std::vector<ProgramValue> roots;
  /// For each root: it is kept for gradients alone, so it may keep the layout in which it was computed. Empty: no root
  /// is.
  std::vector<bool> only_history;
  std::vector<ProgramValue>
      for_gradients;  ///< inputs and roots whose resharded copies are kept, because a backward pass will read them

  std::span<const ProgramValue> operands_of(const ProgramOperation& operation) const {
    return {operands.data() + operation.first_operand, static_cast<size_t>(operation.operand_count)};
  }
  std::span<const ProgramValue> operands_of(size_t operation) const { return operands_of(operations[operation]); }
  const LaidOutOperation& maker(ProgramValue value) const {
    return value.is_input() ? *inputs[value.input()].operation : *operations[value.source].operation;
  }
  int32_t result_of(ProgramValue value) const { return value.is_input() ? inputs[value.input()].result : value.result; }
  const TensorType& type(ProgramValue value) const { return maker(value).results[result_of(value)]; }
  const Sharding& sharding(ProgramValue value) const { return maker(value).shardings[result_of(value)]; }
  AxisSet inherited(ProgramValue value) const { return maker(value).inherited[result_of(value)]; }
  const MeshPtr& mesh(ProgramValue value) const { return maker(value).mesh; }
};

/// A program together with the values that one run reads.
struct Capture {
  Program program;
  Values leaves;                ///< the value of each input that is no number; otherwise empty
  std::vector<double> numbers;  ///< the value of each input that is a number; otherwise 0
};

/// Captures `nodes`, which must equal pending(roots), as a program. Equal numbers of the host become one input.
/// `given` are its first inputs, computed or not. Without `given`, each computed value becomes an input when it is
/// first read.
Capture capture(const std::vector<NodePtr>& nodes, const Values& roots, const Values& given = {});

/// Returns an input's own name, or that of its producer; for another result than the first, `h.1`.
std::string name_of(const ProgramInput& input);

/// Returns a unique name for each operation, in the script's words. This is its own name, or the name of the value that
/// it is a part of, with a number (h.1).
std::vector<std::string> names_of(const Program& program);

/// Returns the program in the script's names, one line for each operation, complete enough for the passes
/// (program_text.cpp):
///
///     mesh grid = [rows: 2, cols: 2]
///     x: f32[batch=64/rows, io=32] = input()
///     w: f32[io=32, hidden=64/cols] = variable()
///     h.1: f32[batch=64/rows, hidden=64/cols] = einsum(x, w -> [batch, hidden])
///     h: f32[batch=64/rows, hidden=64/cols] = relu(h.1)
///     -> h
std::string to_string(const Program& program);

/// Reads the text of to_string, up to the line of roots. `find_op` returns the operation with a name, because the
/// records are in a later folder.
Program read_program(TextReader& reader, const Op* (*find_op)(std::string_view name));

/// Fails on our own bugs: a repeated dim or axis, an operand that comes before its producer, or an operand of the
/// wrong type. Also checks the iterations of loops.
void verify(const Program& program);

/// Returns a text that is equal for programs with equal plans. It contains:
/// - operations, attributes, operands, types, layouts and meshes
/// - inputs with their storage orders, and which inputs die
/// - which numbers of the host are equal, but not their values, except the numbers of operations that have an
/// expansion
///
/// The text holds no pointers, so it is the same on all ranks.
std::string canonical_form(const Program& program);

}  // namespace mtf::graph
