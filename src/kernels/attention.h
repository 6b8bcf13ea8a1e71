// Attention by tiles: softmax(q kᵀ) v without the matrix of scores in memory (M. Rabe and C. Staats, Self-attention
// Does Not Need O(n²) Memory, 2021; T. Dao et al., FlashAttention, 2022).
//
//   scores[i, j] = scale · q[i, :] · k[j, :] + bias[i, j]        minus infinity where query i does not see place j
//   log_sum[i]   = log Σ_j exp(scores[i, j])
//   out[i, :]    = Σ_j exp(scores[i, j] - log_sum[i]) v[j, :]    zeros where a query sees nothing
//
// Scores exist as tiles of some queries by some places of the memory, which stay in a cache. Along a row of tiles a
// running maximum and a running sum are kept, and what was summed under a smaller maximum is scaled down. The backward
// pass needs log_sum alone: it computes each tile again. Where weights are dropped, each tile draws which, by the
// places of its elements in the whole tensor of scores: forward and backward the same ones, however queries, heads and
// batch are split. Tiles in which no query sees anything are skipped, and so are the last places of a tile. Tiles begin
// where those of the whole tensor do, whichever block of it is here. So the order in which the terms of out are added,
// and what is skipped, depend on the memory's length alone: splitting queries changes no bit of it. That of the
// gradients of k and v depends on which queries there are.
//
// Both operands of each of the products lie in lines, one for each step of what is summed over: q, k, d_out and v
// *across* their rows for the scores and their gradients, all but these *along* them for the rest. Where the processor
// multiplies bf16, a line is one of pairs (bf16_pairs.h). Sums, the softmax and the results are in T.
//
// A position that a query does not see may hold anything, and so may a query whose d_out is 0: a weight of 0 times NaN
// adds nothing. If the forward pass of a tile gives NaN or infinity, its products are computed again, term by term,
// without the terms that have a factor of 0. The backward pass does so at once if it reads NaN or infinity.
//
// A step of decoding has a few queries and a long cache of keys and values. The forward pass of few queries reads each
// tile of these where it lies in memory instead; the bits are the same.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>

#include "kernels/element_type.h"
#include "kernels/philox.h"
#include "kernels/scratch.h"
#include "support/integers.h"

namespace mtf::kernels {

/// What query i, at position `first + i`, sees of the memory's positions 0, 1, 2, …
struct Sight {
  bool causal = false;      ///< itself and what is before it
  std::int64_t window = 0;  ///< positions fewer than this away; 0: all
  std::int64_t first = 0;
};

/// The score of an unseen position. The maximum of a row is at least the least finite number, so that a row of unseen
/// positions, or of scores of minus infinity, has a sum of 0; its logarithm is taken of kLeastSum.
inline constexpr double kUnseen = -std::numeric_limits<double>::infinity(), kLeastSum = 1e-30;

/// A matrix of any element type in memory; strides in elements, 0 repeats. No data: there is none.
struct MatrixPlace {
  ElementType element = ElementType::kF32;
  void* data = nullptr;
  std::int64_t row = 0, column = 0;
};

/// One place of the batch. Rows are queries; a number a query is a matrix of one column.
struct AttentionQueries {
  MatrixPlace q, out, log_sum;
  MatrixPlace bias, mask;         ///< [queries, memory]; the mask is bool: what may be seen
  MatrixPlace d_out, delta, d_q;  ///< of the backward pass: delta[i] = Σ d_out[i, :] · out[i, :]
  std::uint64_t first_draw = 0;   ///< the number of the first query's first score in the whole tensor
};

/// Which weights are dropped; the numbers of a query's scores are `row` behind those of the query before.
struct DroppedWeights : Drop {
  std::int64_t row = 0;
};

/// What holds for a whole call.
struct AttentionRule {
  std::int64_t queries = 0, memory = 0, features = 0, values = 0;
  std::int64_t first_query = 0, first_key = 0;  ///< where these begin in the whole tensors
  double scale = 1;
  Sight sight;
  bool bf16_product = false;  ///< what is multiplied is rounded to bf16 first, the scaled q and the weights too
  DroppedWeights drop;
};

/// What was added up of the gradients of keys and values: [memory, features] and [memory, values].
struct AttentionGradients {
  Scratch k, v;
};

/// Keys and values of one place of the batch, laid out for tiles, and the sums of their gradients so far. Takes memory
/// in proportion to the memory's length. KernelTable::attention makes one, which computes in f32 for f32 and bf16, or
/// in f64.
class Attention {
 public:
  virtual ~Attention() = default;
  static constexpr std::int64_t kQueries = 64;  ///< queries of a tile: the grain in which they are divided
  static std::int64_t query_tiles(const AttentionRule& rule) {
    return rule.queries == 0 ? 0 : ceil_div(rule.first_query % kQueries + rule.queries, kQueries);
  }

  /// Takes other keys and values; the backward pass starts their gradients at zero.
  virtual void load(const MatrixPlace& k, const MatrixPlace& v, bool backward) = 0;
  /// out and log_sum of a tile of queries.
  virtual void forward(const AttentionQueries& place, std::int64_t tile) = 0;
  /// d_q of those queries; adds their part of the gradients of k and v.
  virtual void backward(const AttentionQueries& place, std::int64_t tile) = 0;
  /// The gradients of the keys and values that were loaded; taken away, they are gone until the next load.
  virtual const AttentionGradients& gradients() const = 0;
  virtual AttentionGradients take_gradients() = 0;
  /// to += more
  virtual void add(const AttentionGradients& more, AttentionGradients& to) const = 0;
  virtual void store(const AttentionGradients& gradients, const MatrixPlace& d_k, const MatrixPlace& d_v) const = 0;
};

/// `element`: f32 or f64.
std::unique_ptr<Attention> make_attention(ElementType element, const AttentionRule& rule);

}  // namespace mtf::kernels
