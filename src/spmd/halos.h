#pragma once
// Halos: fetches once the parts beyond a block that several windows over one tensor need.
//
// A window is an operation whose result block needs an interval of the operand along one dim: shift, slice, pad. A 3 ×
// 3 stencil is eight windows over one tensor; some of them are windows of windows:
//
//     x ── shift r ──► up ── shift c ──► up_left, up_right
//       ── shift r ──► down ── shift c ──► down_left, down_right
//       ── shift c ──► left, right
//
// Computed one by one, they send 2 messages along r and 6 along c. These messages repeat rows of x that `up` and `down`
// contain. Together they need one larger block of x. One exchange fetches its halo along each dim, for both sides at
// once. The exchange along c sends the block with its halo along r and so includes the corners:
//
//     . . . .        r r r r        c r r r r c
//     . x x .   ──►  . x x .   ──►  c . x x . c      every window is then computed from this
//     . x x .        . x x .        c . x x . c
//     . . . .        r r r r        c r r r r c
//
// Windows along one dim share a halo if the shared exchange sends no more than separate exchanges. The windows of a
// tensor are computed together if that takes fewer elements, or as many elements in fewer exchanges.
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

  /// Decides whether operation `index` gets its halo together with other windows of the same tensor. `operand` is its
  /// operand, in the blocks of the operation's split.
  bool shares_halo(int index, const LocalBuilder& local, const Lowering& of, int operand);
  /// Returns the operand of such an operation with the halo that the result's block needs.
  int fetched(int index, LocalBuilder& local, const Lowering& of, int operand);

  /// True if a window was computed from a larger block than its operand's own.
  bool passes_over_windows() const { return passes_over_windows_; }

 private:
  /// A dim, and the halo that is needed along it.
  using Side = std::pair<int, graph::AccessMap>;
  /// A larger block of a tensor, as a halo for each of some dims.
  using Box = std::vector<Side>;

  struct Window {
    int tensor = -1;  ///< index in tensors_; -1: the operation is no window
    int inner = -1;   ///< the window that it reads; -1: it reads the tensor
    int dim = 0;
    graph::AccessMap map;
    Box box;                   ///< the halo of the tensor that it and its inner windows need
    graph::OperationRef node;  ///< set when the window is lowered
    std::string name;
  };
  struct Made {
    int window;  ///< the window whose result this is a block of; -1: the tensor
    Box box;
    int value;
  };
  struct Tensor {
    std::vector<int> windows;
    int local = -1;  ///< the local value, set when the first of its windows is lowered
    bool together = false;
    std::vector<Box> largest;  ///< boxes that no other box contains
    std::vector<Made> made;
  };

  void decide(Tensor& tensor, const LocalValue& value);
  void share_sides(Tensor& tensor, const LocalValue& value, int dim);
  static const Box* part_of(const Tensor& tensor, const Box& box);
  int block(Tensor& tensor, int window, const Box& box, LocalBuilder& local, const Lowering& of);
  int block_of_tensor(Tensor& tensor, const Box& box, LocalBuilder& local, const Lowering& of);

  std::vector<Window> windows_;  ///< for each operation
  std::vector<Tensor> tensors_;
  bool passes_over_windows_ = false;
};

}  // namespace mtf::spmd
