#pragma once
// The lines of a local program's text; that of a schedule has the same.
//
//   mesh grid = [rows: 2, cols: 2]
//   x: f32[batch=64/rows, io=32] = input(0) dies
//   w: f32[io=32, hidden=128/cols] stored [hidden, io] = variable(1)
//   h: f32[batch=64/rows, hidden=128/cols] = einsum(x, w -> [batch, hidden])
//   v: f32[hidden=128/cols, io=32] = input(2) copy 0
//   y: f32[batch=64/rows, io=32] partial over cols = einsum(h, v -> [batch, io])
//   y'2: f32[batch=64/rows, io=32] = all_reduce(y) over cols
//   -> y'2, h as copy 0
//
// `(offset: -1, window: 3)` behind a dim and its axes is the interval of it that a processor has (LocalDim::map). What
// is there of an instruction, where it is so: `over rows` its axes, `by max` its reduction, `again 1` its replica.
// Behind a loop stands what it runs how often, and in the indented lines that follow, one turn; there `total(0)` is
// what has been added up of the first sum over turns.
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "graph/region.h"
#include "spmd/local_program.h"
#include "types/text_reader.h"

namespace mtf::spmd {

class LocalWriter {
 public:
  explicit LocalWriter(const LocalProgram& program);

  /// The mesh, and the inputs.
  std::string beginning();
  /// An instruction, or several all_reduces over the same axes; without the end of the line.
  std::string line(std::span<const int> instructions);
  /// The outputs.
  std::string end() const;

  /// Each value has another.
  const std::string& name(int value) const { return names_[value]; }
  std::string names(std::span<const int> values) const;

 private:
  std::string value_text(int value) const;

  const LocalProgram& program_;
  std::vector<std::string> names_;
  MeshPtr mesh_;
};

class LocalReader {
 public:
  explicit LocalReader(TextReader& reader) : reader_(reader) {}

  /// The next line is the first behind the inputs.
  void read_beginning();
  /// The line up to what a schedule adds: the instructions that it makes, in `program`.
  std::vector<int> read_line();
  /// The line was that of a loop, behind which the lines of its turn stand: what it says of them; else null.
  const graph::Region* begins_turn() const;
  /// Those lines have been read.
  void set_turn(LocalProgram turn);
  /// The line of outputs.
  void read_end();

  /// Reads the name of a value that has been made.
  int value();

  LocalProgram program;

 private:
  void new_value();
  void read_input(std::string_view word);
  int add(Instruction instruction, std::vector<int> results);
  LocalDim read_dim(const Mesh* mesh);
  void read_region_of(Instruction& instruction);
  void find_sums();
  void read_operation(Instruction& instruction, const std::vector<int>& results, Span place);

  TextReader& reader_;
  MeshesOfText meshes_;
  std::unordered_map<std::string_view, int> values_;
  std::unordered_map<int, graph::OperationRef> made_by_;
};

}  // namespace mtf::spmd
