// Attention by tiles: softmax(q kᵀ) v without the matrix of scores in memory (M. Rabe and C. Staats, Self-attention
// Does Not Need O(n²) Memory, 2021; T. Dao et al., FlashAttention, 2022).
//
//   scores[i, j] = scale · q[i, :] · k[j, :] + bias[i, j]        minus infinity where query i does not see position j
//   log_sum[i]   = log Σ_j exp(scores[i, j])
//   out[i, :]    = Σ_j exp(scores[i, j] - log_sum[i]) v[j, :]    zeros where a query sees nothing
//
// Scores exist only as tiles of some queries by some memory positions, which stay in a cache. Along a row of tiles the
// kernel keeps a running maximum and a running sum, and rescales sums when the maximum grows. The backward pass
// computes each tile again, from log_sum alone. If weights are dropped, each tile draws them by its elements' indices
// in the gathered tensor of scores. So forward and backward drop the same weights, for every sharding of queries, heads
// and batch. Tiles that no query sees are skipped, and so are unseen positions at the end of a tile. Tile bounds are
// those of the gathered tensor, whichever block this is. So the order of the terms of out, and the skipped terms,
// depend on the memory's length alone: sharding queries changes no bit of it. The bits of the gradients of k and v
// depend on the queries of the block.
//
// The operands of each product are stored in lines, one for each step of the sum. For the scores and their gradients,
// q, k, d_out and v are stored *across* their rows. For the other products the operands are stored *along* their rows.
// If the processor multiplies bf16, a line holds pairs (bf16_pairs.h). Sums, the softmax and the results are of type T.
//
// Unseen positions may hold any value, and so may a query whose d_out is 0: a weight of 0 times NaN adds nothing. If
// the forward pass of a tile gives NaN or infinity, its products are computed again, term by term, without the terms
// that have a factor of 0. The backward pass does so at once if it reads NaN or infinity.
//
// A decoding step has few queries and a long cache of keys and values. For few queries, the forward pass reads each
// tile of the cache in place. The bits are the same.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>

#include "kernels/element_type.h"
#include "kernels/philox.h"
#include "kernels/scratch.h"
#include "support/integers.h"

namespace mtf::kernels {

/// The memory positions 0, 1, 2, … that query i, at position `first + i`, sees.
struct Sight {
  bool causal = false;      ///< the query's own position and earlier ones
  std::int64_t window = 0;  ///< positions at a smaller distance; 0: all
  std::int64_t first = 0;
};

/// The score of an unseen position. The maximum of a row is at least the least finite number. So a row of unseen
/// positions, or of scores of minus infinity, has the sum 0. log_sum then takes the logarithm of kLeastSum.
inline constexpr double kUnseen = -std::numeric_limits<double>::infinity(), kLeastSum = 1e-30;

/// A matrix of any element type in memory. Strides are in elements; 0 repeats. Null data: the matrix is absent.
struct StridedMatrix {
  ElementType element = ElementType::kF32;
  void* data = nullptr;
  std::int64_t row = 0, column = 0;
};

/// One batch position. Rows are queries. One number for each query is a matrix of one column.
struct AttentionQueries {
  StridedMatrix q, out, log_sum;
  StridedMatrix bias, mask;         ///< [queries, memory]; the mask is bool, true: visible
  StridedMatrix segment, segments;  ///< i32 of each query, and of each memory position: visible if equal
  StridedMatrix d_out, delta, d_q;  ///< in the backward pass: delta[i] = Σ d_out[i, :] · out[i, :]
  std::uint64_t first_draw = 0;     ///< index of the first query's first score in the gathered tensor
};

/// The dropped weights. The scores of a query have indices that are `row` larger than those of the previous query.
struct DroppedWeights : Drop {
  std::int64_t row = 0;
};

/// The parameters that are the same for a whole call.
struct AttentionRule {
  std::int64_t queries = 0, memory = 0, features = 0, values = 0;
  std::int64_t first_query = 0, first_key = 0;  ///< first positions in the gathered tensors
  double scale = 1;
  Sight sight;
  bool bf16_product = false;  ///< operands are rounded to bf16 first, the scaled q and the weights too
  DroppedWeights drop;
};

/// Partial sums of the gradients of keys and values: [memory, features] and [memory, values].
struct AttentionGradients {
  Scratch k, v;
};

/// The keys and values of one batch position, laid out for tiles, and the sums of their gradients so far. Takes memory
/// in proportion to the memory's length. KernelTable::attention makes one, which computes f32 and bf16 in f32, and f64
/// in f64.
class Attention {
 public:
  virtual ~Attention() = default;
  static constexpr std::int64_t kQueries = 64;  ///< queries of a tile, the unit of division
  static std::int64_t query_tiles(const AttentionRule& rule) {
    return rule.queries == 0 ? 0 : ceil_div(rule.first_query % kQueries + rule.queries, kQueries);
  }

  /// Loads other keys and values. For the backward pass, sets their gradients to zero.
  virtual void load(const StridedMatrix& k, const StridedMatrix& v, bool backward) = 0;
  /// Computes out and log_sum of a tile of queries.
  virtual void forward(const AttentionQueries& position, std::int64_t tile) = 0;
  /// Computes d_q of a tile of queries, and adds their terms to the gradients of k and v.
  virtual void backward(const AttentionQueries& position, std::int64_t tile) = 0;
  /// The gradients of the loaded keys and values. take_gradients() moves them out; they are gone until the next load.
  virtual const AttentionGradients& gradients() const = 0;
  virtual AttentionGradients take_gradients() = 0;
  /// to += more
  virtual void add(const AttentionGradients& more, AttentionGradients& to) const = 0;
  virtual void store(const AttentionGradients& gradients, const StridedMatrix& d_k, const StridedMatrix& d_v) const = 0;
};

/// `element` is f32 or f64.
std::unique_ptr<Attention> make_attention(ElementType element, const AttentionRule& rule);

}  // namespace mtf::kernels
