// The order in which a run of a fused loop walks its block (internal to fused_loop_run.cpp and fused_nest.cpp).
//
// The dims of the loop become two lists, outermost first: the dims that the reduced outputs keep (all, if there is
// none) and the dims that they reduce. The innermost dim, the last of one of the lists, is walked in tiles:
//
//   inner kept      for kept… { for a block of the inner dim { for reduced… { row } } }
//   inner reduced   for kept… { for reduced… { row } }
//
// Outputs *by row* reduce the inner dim, while the other outputs keep it and reduce all dims outside it. So one walk
// computes sums over both the rows and the columns of a matrix.
//
// Short reduced rows are joined to one row, and their lanes are reduced row by row.
//
// An operand that is not contiguous along a row (a transposed operand, rows too short for a tile) is copied to scratch,
// some rows at a time. Several short rows then form one.
#pragma once

#include <algorithm>
#include <array>

#include "kernels/fused_code.h"

namespace mtf::kernels {

/// Larger than any possible number of dims with more than one element. Dims of one element are left out.
constexpr int kMaxNestDims = 48;

/// The number of adjacent accumulators if the inner dim is kept. A reduction's bits depend on it. So threads divide
/// that dim at its multiples.
constexpr std::int64_t kColumns = 1024;

/// The longest row that has outputs by row.
constexpr std::int64_t kLongestRow = 2048;

struct NestDim {
  std::int64_t size = 1;
  int id = 0;  ///< index into the strides of a stream
};

/// An operand or output during the walk. Strides are in elements. For an iota, `base` is the number.
struct Stream {
  char* base = nullptr;
  int element_size = 0;  ///< 1 for an iota, whose pointer is a number
  bool iota = false;
  bool used = false;  ///< not for scalars
  std::array<std::int64_t, kMaxNestDims> strides{};
};

/// The walk of a block or of a chunk of it. `output_types` are the types in which outputs are written: wider than the
/// result's type if chunks of a reduction are still to be joined.
struct Nest {
  const ThreadedCode* code = nullptr;
  std::vector<NestDim> kept;
  std::vector<NestDim> reduced;
  bool inner_reduced = false;
  bool reduces = false;
  bool short_rows = false;  ///< there is one reduced dim, at most a tile long
  std::vector<Stream> operands;
  std::vector<Stream> outputs;
  std::vector<ElementType> output_types;
  std::vector<bool> by_row;                 ///< for each output
  std::span<const FusionArgument> scalars;  ///< the operands as given

  bool has_by_row() const { return std::find(by_row.begin(), by_row.end(), true) != by_row.end(); }
};

/// Walks the whole nest on this thread.
void run_nest(const Nest& nest);

}  // namespace mtf::kernels
