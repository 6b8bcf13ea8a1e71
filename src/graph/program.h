#pragma once
// A captured program: what one cut computes, as data.
//
// A list of operations in program order; every operand names an input, or a result of an operation before it, by index.
// There is nothing of the run in it: no tensor, no node, no number of the host (a number is an input). It is the only
// input of keying, merging, layout assignment, splitting, printing and verifying, and a plan may keep it for as long as
// it likes.
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

/// An input in another sharding, as an earlier program left it (Program::for_gradients).
struct InputCopy {
  Sharding sharding;
  std::vector<int8_t> order;
};

struct ProgramInput {
  OperationRef operation;  ///< that made it: type and layout
  int32_t result = 0;
  Name name;
  bool is_number = false;  ///< a number of the host
  bool is_own = false;     ///< a number that is the program's own (of an expansion): `number` is its value
  double number = 0;
  bool dies = false;          ///< nobody reads it after the program
  std::vector<int8_t> order;  ///< storage order of the tensor; empty where it is as declared
  std::vector<InputCopy> copies = {};
};

struct ProgramOperation {
  OperationRef operation;
  int32_t first_operand = 0;  ///< in Program::operands
  int32_t operand_count = 0;
  Name name;
  int32_t replica = 0;  ///< not 0: computed again for a backward pass, with all that have this number: from 1 on
  int32_t origin = -1;  ///< the operation of the captured program that it is, or -1: made by an expansion
  int32_t like = -1;    ///< which other of the program its layout follows, or -1: none of them
};

struct Program {
  std::vector<ProgramInput> inputs;
  std::vector<ProgramOperation> operations;
  std::vector<ProgramValue> operands;  ///< of all operations, one after the other
  std::vector<ProgramValue> roots;
  /// Of each root: it is kept for gradients alone, so that it may lie as it was computed. Empty: none is.
  std::vector<bool> only_history;
  std::vector<ProgramValue>
      for_gradients;  ///< inputs and roots of which what they are brought to is kept: a backward pass will read it

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

/// A program with what one run of it reads.
struct Capture {
  Program program;
  Values leaves;                ///< the value of each input that is no number; others are empty
  std::vector<double> numbers;  ///< of each input that is a number; others are 0
};

/// `nodes` (pending(roots), and no others) as a program. Equal numbers of the host become one input. `given` are its
/// first inputs, computed or not; without them each computed value is one where it is first read.
Capture capture(const std::vector<NodePtr>& nodes, const Values& roots, const Values& given = {});

/// An input's own name, or that of the operation that made it; of another result than the first, `h.1`.
std::string name_of(const ProgramInput& input);

/// A name for each operation, in the script's words: its own, or that of the named value it is a part of with a number
/// behind it (h.1); different operations get different names.
std::vector<std::string> names_of(const Program& program);

/// The program in the script's names, a line an operation, with all that passes need of it (program_text.cpp):
///
///     mesh grid = [rows: 2, cols: 2]
///     x: f32[batch=64/rows, io=32] = input()
///     w: f32[io=32, hidden=64/cols] = variable()
///     h.1: f32[batch=64/rows, hidden=64/cols] = einsum(x, w -> [batch, hidden])
///     h: f32[batch=64/rows, hidden=64/cols] = relu(h.1)
///     -> h
std::string to_string(const Program& program);

/// Reads what to_string wrote, up to the line of roots. `find_op` finds the operation of a name: the records stand in a
/// later folder.
Program read_program(TextReader& reader, const Op* (*find_op)(std::string_view name));

/// Fails on our own bug: a dim twice, an axis twice, an operand that stands before its maker, or that has another type
/// than its operation reads. Looks at the turns of loops too.
void verify(const Program& program);

/// All that a plan depends on, as a text in which equal programs are equal: operations, attributes, who reads what,
/// types, layouts, meshes, inputs with storage orders and which of them die, and which numbers of the host are equal,
/// but not what they are; only an operation that has an expansion puts its numbers in. It holds no pointers, so that it
/// is the same on all ranks.
std::string canonical_form(const Program& program);

}  // namespace mtf::graph
