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
// A step of decoding has a few queries and a long cache of keys and values. The forward pass of few queries reads each
// tile of these where it lies in memory instead; the bits are the same.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "kernels/element_type.h"
#include "kernels/matmul_product.h"
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

/// A score of what is not seen, and what the maximum of a row is at least: so that a row in which nothing is seen, or
/// only minus infinity, has a sum of 0.
inline constexpr double kUnseen = -1e30, kLeastMaximum = -1e29, kLeastSum = 1e-30;

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

/// Keys and values of one place of the batch, laid out for tiles, and what was added up of their gradients. T: float,
/// for f32 and bf16, or double. Takes memory in proportion to the memory's length.
template <class T>
class Attention {
 public:
  explicit Attention(const AttentionRule& rule)
      : rule_(rule), pairs_(kMultipliesBf16 && std::is_same_v<T, float> && rule.bf16_product) {}

  /// Takes other keys and values; the backward pass starts their gradients at zero.
  void load(const MatrixPlace& k, const MatrixPlace& v, bool backward);
  static std::int64_t query_tiles(const AttentionRule& rule) {
    return rule.queries == 0 ? 0 : ceil_div(rule.first_query % kQueries + rule.queries, kQueries);
  }
  /// out and log_sum of a tile of queries.
  void forward(const AttentionQueries& place, std::int64_t tile);
  /// d_q of those queries; adds their part of the gradients of k and v.
  void backward(const AttentionQueries& place, std::int64_t tile);
  /// The gradients of the keys and values that were loaded; taken away, they are gone until the next load.
  const AttentionGradients& gradients() const { return gradients_; }
  AttentionGradients take_gradients() { return std::exchange(gradients_, {}); }
  /// to += more
  void add(const AttentionGradients& more, AttentionGradients& to) const;
  void store(const AttentionGradients& gradients, const MatrixPlace& d_k, const MatrixPlace& d_v) const;

 private:
  static constexpr std::int64_t kQueries = 64;  ///< of a tile: the grain in which they are divided
  static constexpr std::int64_t kKeys = 256;    ///< places of the memory in a tile, a whole number of packets

  /// The part of the memory that a tile covers; up to `padded` there are zeros, or what nobody sees. It is laid out
  /// from `laid` on, the first tile too, of which some places may lie in another block.
  struct Columns {
    std::int64_t begin, count, padded, laid;
  };
  /// Tiles [first, last), of which the places before `end` are seen.
  struct Seen {
    std::int64_t first, last, end;
  };
  /// Of a tile, what lies before `end`.
  Columns columns(std::int64_t tile, std::int64_t end) const;
  /// Places of the first tile of queries, of keys, that lie in another block.
  std::int64_t query_lead() const { return rule_.first_query % kQueries; }
  std::int64_t key_lead() const { return rule_.first_key % kKeys; }
  std::int64_t first_query_of(std::int64_t tile) const {
    return std::max<std::int64_t>(0, tile * kQueries - query_lead());
  }
  std::int64_t queries_of(std::int64_t tile) const {
    return std::min((tile + 1) * kQueries - query_lead(), rule_.queries) - first_query_of(tile);
  }
  std::int64_t tiles() const { return (key_lead() + rule_.memory + kKeys - 1) / kKeys; }
  /// What some query of [begin, begin + rows) sees.
  Seen seen(std::int64_t begin, std::int64_t rows) const;

  /// How many lines n steps of a sum are.
  std::int64_t lines(std::int64_t n) const { return pairs_ ? ceil_div(n, 2) : n; }
  /// Row `first` of a matrix that pairs are made of without a change of its numbers, bf16 side by side; else null.
  const Bf16* rows_of_bf16(const MatrixPlace& from, std::int64_t first, T factor) const;
  /// Rows [first, first + rows) of `size` elements, times `factor`: as lines of `size`, of rows or pairs of them.
  void load_along(const MatrixPlace& from, std::int64_t first, std::int64_t rows, std::int64_t size, T factor, T* to);
  /// As lines that lie `stride` apart, of columns or pairs of them.
  void load_across(const MatrixPlace& from, std::int64_t first, std::int64_t rows, std::int64_t size, T factor, T* to,
                   std::int64_t stride);
  /// Rows that lie `stride` apart as lines: as they are, or as pairs of rows in `to`.
  const T* along(const T* rows, std::int64_t count, std::int64_t size, std::int64_t stride, T* to);
  /// c (+)= a · b over k rows or columns, whose lines a and b are.
  void product(std::int64_t m, std::int64_t n, std::int64_t k, Matrix<const T> a, Matrix<const T> b, Matrix<T> c,
               bool accumulate);
  /// The same of lines a and keys or values b where they lie.
  void product(std::int64_t m, std::int64_t n, std::int64_t k, Matrix<const T> a, const MatrixPlace& b, Matrix<T> c,
               bool accumulate);

  /// Of the same tile, the places that some query of all sees.
  Columns loaded(const Columns& tile) const { return columns(tile.laid / kKeys, loaded_.end); }
  /// The keys of a tile, as columns, and the values of its first places, as rows, if products of few queries read them
  /// where they lie in memory; no data: they are laid out in lines.
  MatrixPlace keys_in_place(const Columns& all) const;
  MatrixPlace values_in_place(const Columns& all) const;
  bool can_read_in_place(std::int64_t n, std::int64_t k, const MatrixPlace& b) const;

  void load_queries(const AttentionQueries& place, std::int64_t begin, std::int64_t rows) {
    load_across(place.q, begin, rows, rule_.features, static_cast<T>(rule_.scale),
                q_across_.room<T>(kQueries * lines(rule_.features)), kQueries);
  }
  /// The scores of a tile; what is not seen, and the padding, is kUnseen.
  void score(const AttentionQueries& place, std::int64_t begin, std::int64_t rows, const Columns& columns);
  /// For query `row`: what its weights, and the gradients of those, are multiplied by in a tile. Null: nothing is
  /// dropped.
  const T* kept(const AttentionQueries& place, std::int64_t row, const Columns& columns);
  bool sees_all(std::int64_t begin, std::int64_t rows, const Columns& columns) const;

  AttentionRule rule_;
  const bool pairs_;
  AttentionGradients gradients_;
  // What load() took: where keys and values lie, for the forward pass alone.
  MatrixPlace k_, v_;
  Seen loaded_ = {};  ///< by some query
  // Of the memory, for each tile lines along and across its rows.
  Scratch k_along_, k_across_, v_along_, v_across_;
  // Of the queries of a tile: q, scaled, and d_out; scores, their gradients, what products take of them, sums.
  Scratch q_along_, q_across_, d_along_, d_across_, scores_, slopes_, weights_, sums_;
  Scratch stage_, staged_pairs_;
  Scratch kept_;  // of one query
};

extern template class Attention<float>;
extern template class Attention<double>;

}  // namespace mtf::kernels
