// How a run of a fused loop walks its block (internal to fused_loop_run.cpp and fused_nest.cpp).
//
// The dims of the loop become two lists, outermost first: those kept by the reduced outputs (all, if
// there is none) and those they reduce. The innermost dim, the last of one of the lists, is walked in
// tiles:
//
//   inner kept      for kept… { for a block of the inner dim { for reduced… { row } } }
//   inner reduced   for kept… { for reduced… { row } }
//
// Outputs *by row* reduce the inner dim, where the others keep it and reduce all dims outside it: sums over the rows
// and over the columns of one matrix are made in one walk.
//
// Short rows that are reduced lie side by side in one row, whose lanes are joined row by row.
//
// What is not one run of memory along a row (a transposed operand, rows too short for a tile) is
// copied to scratch, some rows at a time, and several short rows then make one.
#pragma once

#include <algorithm>
#include <array>

#include "kernels/fused_code.h"

namespace mtf::kernels {

/// More than there can be of more than one element each; those of one are left out.
constexpr int kMaxLoopDims = 48;

/// Accumulators side by side where the inner dim is kept. A reduction's bits depend on it, so a split
/// of that dim among threads falls on its multiples.
constexpr std::int64_t kColumns = 1024;

/// The longest row that has outputs by row.
constexpr std::int64_t kLongestRow = 2048;

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
  const ThreadedCode* code = nullptr;
  std::vector<LoopDim> kept;
  std::vector<LoopDim> reduced;
  bool inner_reduced = false;
  bool reduces = false;
  bool short_rows = false;  ///< the reduced dims are one, of at most a tile
  std::vector<Stream> operands;
  std::vector<Stream> outputs;
  std::vector<ElementType> output_types;
  std::vector<bool> by_row;               ///< for each output
  std::span<const LoopArgument> scalars;  ///< the operands as given

  bool has_by_row() const { return std::find(by_row.begin(), by_row.end(), true) != by_row.end(); }
};

/// Walks the whole nest on this thread.
void run_nest(const Nest& nest);

}  // namespace mtf::kernels
