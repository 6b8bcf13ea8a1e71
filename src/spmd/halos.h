#pragma once
// Halos: what several windows over one tensor need beyond its block is fetched once, for all of them.
//
// A window is an operation of which a block of the result needs an interval of the operand along one dim: shift, slice,
// pad. A 3 × 3 stencil is eight windows and windows of windows over one tensor:
//
//     x ── shift r ──► up ── shift c ──► up_left, up_right
//       ── shift r ──► down ── shift c ──► down_left, down_right
//       ── shift c ──► left, right
//
// One by one they send 2 messages along r and 6 along c, among them the rows of up and down, which hold what x does.
// Together they need one larger block of x. Its halo along each dim is one exchange, of both sides at once, and the
// exchange along c is of the block with its halo along r, which carries the corners along:
//
//     . . . .        r r r r        c r r r r c
//     . x x .   ──►  . x x .   ──►  c . x x . c      every window is then computed from this
//     . x x .        . x x .        c . x x . c
//     . . . .        r r r r        c r r r r c
//
// Windows along one dim share a halo where it sends no more than they would one by one, and a tensor's windows are
// computed together where all their exchanges are of no more elements, or of as many and fewer.
#include <optional>
#include <utility>
#include <vector>

#include "graph/program.h"
#include "spmd/across_blocks.h"

namespace mtf::spmd {

class Halos {
 public:
  /// Finds the windows of a program that share a tensor.
  explicit Halos(const graph::Program& program);

  /// The operand of operation `index` with what the result's block needs, where its windows are computed together;
  /// -1 where they are not. `operand` is what it reads, in the blocks that the operation is split into.
  int fetched(int index, LocalBuilder& local, const Lowering& of, int operand);

  /// A window was computed from another block than its operand's own.
  bool passes_over_windows() const { return passes_over_windows_; }

 private:
  /// A dim, and the halo of it that is needed.
  using Side = std::pair<int, graph::AccessMap>;
  /// A larger block of a tensor, by dims.
  using Box = std::vector<Side>;

  struct Window {
    int tensor = -1;  ///< in tensors_, or -1: no window
    int inner = -1;   ///< the window that it is a window of, or -1: of the tensor
    int dim = 0;
    graph::AccessMap map;
    Box box;                   ///< what it and its inner windows need of the tensor
    graph::OperationRef node;  ///< once it has been lowered
    std::string name;
  };
  struct Made {
    int window;  ///< whose result it is a block of, or -1: of the tensor
    Box box;
    int value;
  };
  struct Tensor {
    std::vector<int> windows;
    int local = -1;  ///< the local value, once the first of its windows is lowered
    bool together = false;
    std::vector<Box> largest;  ///< boxes that no other contains
    std::vector<Made> made;
  };

  void decide(Tensor& tensor, const LocalValue& value);
  void share_sides(Tensor& tensor, const LocalValue& value, int dim);
  static const Box* part_of(const Tensor& tensor, const Box& box);
  int block(Tensor& tensor, int window, const Box& box, LocalBuilder& local, const Lowering& of);
  int block_of_tensor(Tensor& tensor, const Box& box, LocalBuilder& local, const Lowering& of);

  std::vector<Window> windows_;  ///< of each operation
  std::vector<Tensor> tensors_;
  bool passes_over_windows_ = false;
};

}  // namespace mtf::spmd
