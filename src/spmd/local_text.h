#pragma once
// The lines of a local program's text. The text of a schedule has the same lines.
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
// `(offset: -1, window: 3)` after a dim and its axes is the interval of the dim that a processor holds
// (LocalDim::map). After the operands come, if present, the axes (`over rows`), the reduction (`by max`) and the
// replica (`again 1`). The line of a loop ends with its region and the number of iterations. The indented lines after
// it are one iteration. There `total(0)` is the running value of the first sum over iterations.
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "graph/region.h"
#include "spmd/local_program.h"
#include "types/text_reader.h"

namespace mtf::spmd {

/// Returns the word of an instruction that is neither an input nor an operation: `all_reduce`, `own_part`.
std::string_view word_of(InstructionKind kind);

class LocalWriter {
 public:
  explicit LocalWriter(const LocalProgram& program);

  /// Returns the lines of the mesh and of the inputs.
  std::string beginning();
  /// Returns the line of an instruction, or of several merged all_reduces, without the line break.
  std::string line(std::span<const int> instructions);
  /// Returns the line of the outputs.
  std::string end() const;

  /// Returns the unique name of a value.
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

  /// Reads up to the first line after the inputs.
  void read_beginning();
  /// Reads a line up to the part that a schedule adds. Returns the indices of the new instructions in `program`.
  std::vector<int> read_line();
  /// If the last line was a loop, which the lines of its iteration follow: returns its region; else null.
  const graph::Region* begins_iteration() const;
  /// Gives the loop the program that these lines describe.
  void set_iteration(LocalProgram iteration);
  /// Reads the line of outputs.
  void read_end();

  /// Reads the name of an earlier value.
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
