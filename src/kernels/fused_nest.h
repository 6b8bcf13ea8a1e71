// How a run of a fused loop walks its block (internal to fused_loop_run.cpp and fused_nest.cpp).
//
// The dims of the loop become two lists, outermost first: those kept by the reduced outputs (all, if
// there is none) and those they reduce. The innermost dim, the last of one of the lists, is walked in
// tiles:
//
//   inner kept      for kept… { for a block of the inner dim { for reduced… { row } } }
//   inner reduced   for kept… { for reduced… { row } }
//
// What is not one run of memory along a row (a transposed operand, rows too short for a tile) is
// copied to scratch, some rows at a time, and several short rows then make one.
#pragma once

#include <array>

#include "kernels/fused_code.h"

namespace mtf {

/// More than there can be of more than one element each; those of one are left out.
constexpr int kMaxLoopDims = 48;

/// Accumulators side by side where the inner dim is kept. A reduction's bits depend on it, so a split
/// of that dim among threads falls on its multiples.
constexpr std::int64_t kColumns = 1024;

struct LoopDim {
  std::int64_t size = 1;
  int id = 0;  ///< index into strides of a stream
};

/// An operand or output while it is walked. Strides in elements; for an iota `base` is the number.
struct Stream {
  char* base = nullptr;
  int element_size = 0;  ///< 1 for an iota, whose pointer is a number
  bool iota = false;
  bool used = false;  ///< not for scalars
  std::array<std::int64_t, kMaxLoopDims> strides{};
};

/// The element type in which a reduced output is written: wider than asked for where chunks of one
/// reduction are still to be joined.
struct Nest {
  const FusedLoop::Code* code = nullptr;
  std::vector<LoopDim> kept;
  std::vector<LoopDim> reduced;
  bool inner_reduced = false;
  bool reduces = false;
  std::vector<Stream> operands;
  std::vector<Stream> outputs;
  std::vector<ElementType> output_types;
  std::span<const LoopArgument> scalars;  ///< the operands as given
};

/// Walks the whole nest on this thread.
void run_nest(const Nest& nest);

}  // namespace mtf
