#include "kernels/attention.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <type_traits>
#include <utility>

#include "kernels/attention_rows.h"
#include "kernels/bf16_pairs.h"
#include "kernels/copy.h"
#include "kernels/elements.h"
#include "kernels/matmul_product.h"
#include "support/integers.h"

namespace mtf::kernels {
namespace {

/// True if the bias or mask changes some score: it is present, and is not one neutral number for all of them.
bool changes_scores(const StridedMatrix& matrix, double neutral) {
  if (matrix.data == nullptr) return false;
  return matrix.row != 0 || matrix.column != 0 || number_at<double>(matrix, 0) != neutral;
}

StridedMatrix rows_from(const StridedMatrix& matrix, std::int64_t first) {
  if (matrix.data == nullptr) return {};
  char* const data = static_cast<char*>(matrix.data) + first * matrix.row * size_of(matrix.element);
  return {matrix.element, data, matrix.row, matrix.column};
}

template <class Number>
Matrix<const Number> matrix_of(const StridedMatrix& queries) {
  return {static_cast<const Number*>(queries.data), queries.row, queries.column};
}

/// True if no element is infinite or NaN: none has all bits of the exponent set. Computed in packets.
template <class S>
bool all_finite(const S* x, std::int64_t n) {
  if constexpr (std::is_integral_v<S>) {
    return true;
  } else {
    using Bits = std::conditional_t<sizeof(S) == 2, std::uint16_t,
                                    std::conditional_t<sizeof(S) == 4, std::uint32_t, std::uint64_t>>;
    constexpr Bits kExponent = sizeof(S) == 2   ? Bits(0x7f80)
                               : sizeof(S) == 4 ? Bits(0x7f800000)
                                                : Bits(0x7ff0000000000000);
    Bits found = 0;
    for (std::int64_t k = 0; k < n; ++k) found |= Bits((std::bit_cast<Bits>(x[k]) & kExponent) == kExponent);
    return found == 0;
  }
}

/// T is float (for f32 and bf16) or double.
template <class T>
class TiledAttention final : public Attention {
 public:
  explicit TiledAttention(const AttentionRule& rule)
      : rule_(rule), pairs_(kMultipliesBf16 && std::is_same_v<T, float> && rule.bf16_product) {}

  void load(const StridedMatrix& k, const StridedMatrix& v, bool backward) override;
  void forward(const AttentionQueries& queries, std::int64_t tile) override;
  void backward(const AttentionQueries& queries, std::int64_t tile) override;
  const AttentionGradients& gradients() const override { return gradients_; }
  AttentionGradients take_gradients() override { return std::exchange(gradients_, {}); }
  void add(const AttentionGradients& more, AttentionGradients& to) const override;
  void store(const AttentionGradients& gradients, const StridedMatrix& d_k, const StridedMatrix& d_v) const override;

 private:
  static constexpr std::int64_t kKeys = 256;  ///< memory positions of a tile, in whole packets

  /// The memory positions of a tile. Up to `padded` the rest is zeros or unseen positions. `laid` is the first position
  /// in the laid-out copy, also for the first tile, some of whose positions may be in another block.
  struct Columns {
    std::int64_t begin, count, padded, laid;
  };
  /// Tiles [first, last). The positions before `end` are seen.
  struct Seen {
    std::int64_t first, last, end;
  };
  /// The part of `tile` before `end`.
  Columns columns(std::int64_t tile, std::int64_t end) const;
  /// The number of positions of the first tile (of queries, of keys) that are in another block.
  std::int64_t query_lead() const { return rule_.first_query % kQueries; }
  std::int64_t key_lead() const { return rule_.first_key % kKeys; }
  std::int64_t first_query_of(std::int64_t tile) const {
    return std::max<std::int64_t>(0, tile * kQueries - query_lead());
  }
  std::int64_t queries_of(std::int64_t tile) const {
    return std::min((tile + 1) * kQueries - query_lead(), rule_.queries) - first_query_of(tile);
  }
  std::int64_t tiles() const { return (key_lead() + rule_.memory + kKeys - 1) / kKeys; }
  /// The positions that some query of [begin, begin + rows) sees.
  Seen seen(std::int64_t begin, std::int64_t rows) const;

  /// The number of lines for n steps of a sum.
  std::int64_t lines(std::int64_t n) const { return pairs_ ? ceil_div(n, 2) : n; }
  /// Row `first` of a matrix whose rows are contiguous bf16, if pairs need no change of the numbers; else null.
  const Bf16* rows_of_bf16(const StridedMatrix& from, std::int64_t first, T factor) const;
  /// Loads rows [first, first + rows) of `size` elements, times `factor`. A line has `size` elements: a row, or a pair
  /// of rows.
  void load_along(const StridedMatrix& from, std::int64_t first, std::int64_t rows, std::int64_t size, T factor, T* to);
  /// The same, but a line is a column or a pair of columns. Lines are `stride` apart.
  void load_across(const StridedMatrix& from, std::int64_t first, std::int64_t rows, std::int64_t size, T factor, T* to,
                   std::int64_t stride);
  /// The lines of rows that are `stride` apart: the rows themselves, or pairs of rows, written to `to`.
  const T* along(const T* rows, std::int64_t count, std::int64_t size, std::int64_t stride, T* to);
  /// c (+)= a · b over k rows or columns, given as the lines a and b.
  void product(std::int64_t m, std::int64_t n, std::int64_t k, Matrix<const T> a, Matrix<const T> b, Matrix<T> c,
               bool accumulate);
  /// The same for lines a, and for keys or values b that are read in place.
  void product(std::int64_t m, std::int64_t n, std::int64_t k, Matrix<const T> a, const StridedMatrix& b, Matrix<T> c,
               bool accumulate);

  /// The positions of the same tile that any query sees.
  Columns loaded(const Columns& tile) const { return columns(tile.laid / kKeys, loaded_.end); }
  /// The keys of a tile as columns, and the values of its first positions as rows, if products of few queries read them
  /// in place. Null data: they are laid out in lines.
  StridedMatrix keys_in_place(const Columns& all) const;
  StridedMatrix values_in_place(const Columns& all) const;
  bool can_read_in_place(std::int64_t n, std::int64_t k, const StridedMatrix& b) const;

  void load_queries(const AttentionQueries& queries, std::int64_t begin, std::int64_t rows) {
    load_across(queries.q, begin, rows, rule_.features, static_cast<T>(rule_.scale),
                q_across_.room<T>(kQueries * lines(rule_.features)), kQueries);
  }
  /// c += a · b without pairs or rounding. A term with a factor of 0 adds nothing, also if the other is NaN or
  /// infinite.
  static void product_of_nonzeros(std::int64_t m, std::int64_t n, std::int64_t k, Matrix<const T> a, Matrix<const T> b,
                                  Matrix<T> c);
  /// `rows` rows of `size` elements from row `first`, row-major, with the values that products multiply.
  const T* plain_rows(const StridedMatrix& from, std::int64_t first, std::int64_t rows, std::int64_t size, T factor,
                      Scratch& scratch) {
    T* const to = scratch.room<T>(kKeys * size);
    load_rows(from, first, rows, size, factor, rule_.bf16_product, to);
    return to;
  }
  static bool rows_are_finite(const StridedMatrix& from, std::int64_t first, std::int64_t rows, std::int64_t size) {
    bool finite = true;
    by_type(from, [&](const auto* data) {
      for (std::int64_t r = 0; finite && r < rows; ++r) {
        const auto* const row = data + (first + r) * from.row;
        if (from.column == 1) finite = all_finite(row, size);
        else
          for (std::int64_t c = 0; finite && c < size; ++c) finite = all_finite(row + c * from.column, 1);
      }
    });
    return finite;
  }
  /// Computes out and log_sum of a tile of queries. `careful`: with product_of_nonzeros. Returns false if a result is
  /// not finite.
  bool forward(const AttentionQueries& queries, std::int64_t tile, bool careful);

  /// Computes the scores of a tile. Unseen positions and the padding are kUnseen.
  void score(const AttentionQueries& queries, std::int64_t begin, std::int64_t rows, const Columns& columns);
  /// The factors of dropout for the weights of query `row` in a tile, and for their gradients. Null: nothing is
  /// dropped.
  const T* kept(const AttentionQueries& queries, std::int64_t row, const Columns& columns);
  bool sees_all(std::int64_t begin, std::int64_t rows, const Columns& columns) const;

  AttentionRule rule_;
  const bool pairs_;
  AttentionGradients gradients_;
  // The arguments of load(): keys and values in memory.
  StridedMatrix k_, v_;
  bool in_place_ = false;      ///< products of few queries may read keys and values in place
  bool finite_memory_ = true;  ///< for the backward pass: keys and values are finite
  Seen loaded_ = {};           ///< by some query
  // The memory's lines along and across its rows, for each tile.
  Scratch k_along_, k_across_, v_along_, v_across_;
  // For the queries of a tile: scaled q and d_out, the scores and their gradients, operands of products, and sums.
  Scratch q_along_, q_across_, d_along_, d_across_, scores_, slopes_, weights_, sums_;
  Scratch stage_, staged_pairs_;
  Scratch kept_;                                   // of one query
  Scratch plain_q_, plain_d_, plain_k_, plain_v_;  // for product_of_nonzeros
};

template <class T>
typename TiledAttention<T>::Columns TiledAttention<T>::columns(std::int64_t tile, std::int64_t end) const {
  const std::int64_t begin = std::max<std::int64_t>(0, tile * kKeys - key_lead());
  const std::int64_t count = std::min((tile + 1) * kKeys - key_lead(), end) - begin;
  return {begin, count, round_up(count, TileRow<T>::kBlock), tile * kKeys};
}

template <class T>
typename TiledAttention<T>::Seen TiledAttention<T>::seen(std::int64_t begin, std::int64_t rows) const {
  const Sight& sight = rule_.sight;
  const std::int64_t first = sight.first + begin, last = first + rows - 1;
  std::int64_t low = 0, high = rule_.memory;
  if (sight.window > 0) low = std::max(low, first - sight.window + 1);
  if (sight.window > 0) high = std::min(high, last + sight.window);
  if (sight.causal) high = std::min(high, last + 1);
  if (low >= high) return {0, 0, 0};
  return {(low + key_lead()) / kKeys, ceil_div(high + key_lead(), kKeys), high};
}

template <class T>
bool TiledAttention<T>::sees_all(std::int64_t begin, std::int64_t rows, const Columns& columns) const {
  const Sight& sight = rule_.sight;
  const std::int64_t first = sight.first + begin, last = first + rows - 1, end = columns.begin + columns.count;
  if (sight.causal && end - 1 > first) return false;
  return sight.window == 0 || (last - columns.begin < sight.window && end - 1 - first < sight.window);
}

// ---- operands of products: k runs from line to line -----------------------------------------------------------------

template <class T>
const Bf16* TiledAttention<T>::rows_of_bf16(const StridedMatrix& from, std::int64_t first, T factor) const {
  const bool is = pairs_ && from.element == ElementType::kBf16 && from.column == 1 && factor == T(1);
  return is ? static_cast<const Bf16*>(from.data) + first * from.row : nullptr;
}

template <class T>
void TiledAttention<T>::load_along(const StridedMatrix& from, std::int64_t first, std::int64_t rows, std::int64_t size,
                                   T factor, T* to) {
  if constexpr (std::is_same_v<T, float>) {
    if (const Bf16* const row = rows_of_bf16(from, first, factor)) {
      for (std::int64_t r = 0; r < rows; r += 2)
        pair_lines(row + r * from.row, r + 1 < rows ? row + (r + 1) * from.row : nullptr, size, to + r / 2 * size);
      return;
    }
  }
  T* const staged = pairs_ ? stage_.room<T>(rows * size) : to;
  load_rows(from, first, rows, size, factor, rule_.bf16_product && !pairs_, staged);
  along(staged, rows, size, size, to);
}

template <class T>
void TiledAttention<T>::load_across(const StridedMatrix& from, std::int64_t first, std::int64_t rows, std::int64_t size,
                                    T factor, T* to, std::int64_t stride) {
  const std::int64_t count = lines(size);
  const Bf16* const pairs = rows_of_bf16(from, first, factor);
  if (pairs && size % 2 == 0 && from.row % 2 == 0 && reinterpret_cast<std::uintptr_t>(pairs) % sizeof(T) == 0)
    return copy_matrix(rows, count, sizeof(T), pairs, from.row / 2, 1, to, 1, stride);
  T* staged = stage_.room<T>(rows * size);
  load_rows(from, first, rows, size, factor, rule_.bf16_product && !pairs_, staged);
  if constexpr (std::is_same_v<T, float>) {
    if (pairs_) {
      float* const pairs = staged_pairs_.room<float>(rows * count);
      for (std::int64_t r = 0; r < rows; ++r) pair_along(staged + r * size, size, pairs + r * count);
      staged = pairs;
    }
  }
  copy_matrix(rows, count, sizeof(T), staged, count, 1, to, 1, stride);
}

template <class T>
const T* TiledAttention<T>::along(const T* rows, std::int64_t count, std::int64_t size, std::int64_t stride, T* to) {
  if constexpr (std::is_same_v<T, float>) {
    for (std::int64_t r = 0; pairs_ && r < count; r += 2)
      pair_lines(rows + r * stride, r + 1 < count ? rows + (r + 1) * stride : nullptr, size, to + r / 2 * stride);
  }
  return pairs_ ? to : rows;
}

template <class T>
void TiledAttention<T>::product(std::int64_t m, std::int64_t n, std::int64_t k, Matrix<const T> a, Matrix<const T> b,
                                Matrix<T> c, bool accumulate) {
  if constexpr (std::is_same_v<T, float> && kMultipliesBf16) {
    if (pairs_) return multiply_pairs(m, n, lines(k), a, b, c, accumulate, {});
  }
  multiply<T>(m, n, k, a, b, c, accumulate, {});
}

template <class T>
void TiledAttention<T>::product(std::int64_t m, std::int64_t n, std::int64_t k, Matrix<const T> a,
                                const StridedMatrix& b, Matrix<T> c, bool accumulate) {
  if constexpr (std::is_same_v<T, float> && kMultipliesBf16) {
    if (pairs_ && b.element == ElementType::kBf16)
      return multiply_paired_as_read(m, n, k, a, matrix_of<Bf16>(b), c, accumulate);
    if (pairs_) return multiply_paired_as_read(m, n, k, a, matrix_of<float>(b), c, accumulate);
  }
  multiply<T>(m, n, k, a, matrix_of<T>(b), c, accumulate, {});
}

template <class T>
bool TiledAttention<T>::can_read_in_place(std::int64_t n, std::int64_t k, const StridedMatrix& b) const {
  if (!in_place_ || b.data == nullptr || rule_.queries > kThinRows) return false;
  if constexpr (std::is_same_v<T, float> && kMultipliesBf16) {
    if (pairs_ && b.element == ElementType::kBf16) return can_pair_as_read(rule_.queries, n, k, matrix_of<Bf16>(b));
    if (pairs_) return b.element == ElementType::kF32 && can_pair_as_read(rule_.queries, n, k, matrix_of<float>(b));
  }
  return !rule_.bf16_product && b.element == (std::is_same_v<T, float> ? ElementType::kF32 : ElementType::kF64) &&
         (b.row == 1 || b.column == 1);
}

template <class T>
StridedMatrix TiledAttention<T>::keys_in_place(const Columns& all) const {
  const StridedMatrix rows = rows_from(k_, all.begin), keys{rows.element, rows.data, rows.column, rows.row};
  return can_read_in_place(all.count, rule_.features, keys) ? keys : StridedMatrix{};
}

template <class T>
StridedMatrix TiledAttention<T>::values_in_place(const Columns& all) const {
  const StridedMatrix rows = rows_from(v_, all.begin);
  // If columns are contiguous, a query may see too few positions for a product in place.
  return rows.column == 1 && can_read_in_place(rule_.values, all.count, rows) ? rows : StridedMatrix{};
}

template <class T>
void TiledAttention<T>::load(const StridedMatrix& k, const StridedMatrix& v, bool backward) {
  const std::int64_t d = rule_.features, values = rule_.values, rows = tiles() * kKeys;
  loaded_ = seen(0, rule_.queries);
  k_ = k, v_ = v, in_place_ = !backward;
  const auto for_tiles = [&](const auto& lay) {
    for (std::int64_t tile = loaded_.first; tile < loaded_.last; ++tile) lay(columns(tile, loaded_.end));
  };
  // Lays out `matrix` in lines across its rows. The padding of a tile is zeros.
  const auto lay_across = [&](const StridedMatrix& matrix, const Columns& all, std::int64_t size, Scratch& scratch) {
    T* const at = scratch.room<T>(rows * lines(size)) + all.laid * lines(size);
    load_across(matrix, all.begin, all.count, size, T(1), at, kKeys);
    for (std::int64_t line = 0; line < lines(size); ++line)
      std::fill_n(at + line * kKeys + all.count, all.padded - all.count, T(0));
  };
  // Lays out `matrix` in lines along its rows.
  const auto lay_along = [&](const StridedMatrix& matrix, const Columns& all, std::int64_t size, Scratch& scratch) {
    T* const to = scratch.room<T>(lines(rows) * size);
    load_along(matrix, all.begin, all.count, size, T(1), to + lines(all.laid) * size);
  };
  for_tiles([&](const Columns& all) {
    if (!keys_in_place(all).data) lay_across(k, all, d, k_across_);
    if (!values_in_place(all).data) lay_along(v, all, values, v_along_);
    if (!backward) return;
    lay_along(k, all, d, k_along_);
    lay_across(v, all, values, v_across_);
  });
  if (!backward) return;
  finite_memory_ = true;
  for_tiles([&](const Columns& all) {
    finite_memory_ = finite_memory_ && rows_are_finite(k, all.begin, all.count, d) &&
                     rows_are_finite(v, all.begin, all.count, values);
  });
  std::fill_n(gradients_.k.room<T>(rule_.memory * d), rule_.memory * d, T(0));
  std::fill_n(gradients_.v.room<T>(rule_.memory * values), rule_.memory * values, T(0));
}

// ---- tiles ----------------------------------------------------------------------------------------------------------

template <class T>
void TiledAttention<T>::score(const AttentionQueries& queries, std::int64_t begin, std::int64_t rows,
                              const Columns& columns) {
  const std::int64_t d = rule_.features;
  T* const scores = scores_.room<T>(kQueries * kKeys);
  const Matrix<const T> q{q_across_.room<T>(0), 1, kQueries};
  const Columns all = loaded(columns);
  if (const StridedMatrix keys = keys_in_place(all); keys.data)
    product(rows, all.count, d, q, keys, {scores, kKeys, 1}, false);
  else
    product(rows, columns.padded, d, q, {k_across_.room<T>(0) + columns.laid * lines(d), kKeys, 1}, {scores, kKeys, 1},
            false);
  const bool biased = changes_scores(queries.bias, 0), masked = changes_scores(queries.mask, 1);
  const bool has_segments = queries.segments.data != nullptr;
  if (sees_all(begin, rows, columns) && !biased && !masked && !has_segments && columns.count == columns.padded) return;
  const Sight& sight = rule_.sight;
  for (std::int64_t i = 0; i < rows; ++i) {
    T* const row = scores + i * kKeys;
    if (biased)
      by_type(queries.bias, [&](const auto* data) {
        const auto* const bias = data + (begin + i) * queries.bias.row + columns.begin * queries.bias.column;
        for (std::int64_t j = 0; j < columns.count; ++j) row[j] += from_stored<T>(bias[j * queries.bias.column]);
      });
    std::int64_t from = 0, to = columns.count;  // the positions that are visible by position
    const std::int64_t position = sight.first + begin + i - columns.begin;
    if (sight.causal) to = std::min(to, position + 1);
    if (sight.window > 0)
      from = std::max(from, position - sight.window + 1), to = std::min(to, position + sight.window);
    to = std::max<std::int64_t>(to, 0), from = std::min(from, to);
    std::fill_n(row, from, static_cast<T>(kUnseen));
    std::fill_n(row + to, columns.padded - to, static_cast<T>(kUnseen));
    if (has_segments) {
      const std::int32_t own =
          static_cast<const std::int32_t*>(queries.segment.data)[(begin + i) * queries.segment.row];
      const auto* const segments =
          static_cast<const std::int32_t*>(queries.segments.data) + columns.begin * queries.segments.column;
      for (std::int64_t j = from; j < to; ++j)
        if (segments[j * queries.segments.column] != own) row[j] = static_cast<T>(kUnseen);
    }
    if (!masked) continue;
    const auto* const mask = static_cast<const std::uint8_t*>(queries.mask.data) + (begin + i) * queries.mask.row +
                             columns.begin * queries.mask.column;
    for (std::int64_t j = from; j < to; ++j)
      if (!mask[j * queries.mask.column]) row[j] = static_cast<T>(kUnseen);
  }
}

template <class T>
const T* TiledAttention<T>::kept(const AttentionQueries& queries, std::int64_t row, const Columns& columns) {
  if (rule_.drop.rate == 0) return nullptr;
  T* const factors = kept_.room<T>(kKeys);
  fill_kept(kElementOf<T>, rule_.drop,
            queries.first_draw + static_cast<std::uint64_t>(row * rule_.drop.row + columns.begin), columns.padded,
            factors);
  return factors;
}

template <class T>
void TiledAttention<T>::product_of_nonzeros(std::int64_t m, std::int64_t n, std::int64_t k, Matrix<const T> a,
                                            Matrix<const T> b, Matrix<T> c) {
  for (std::int64_t i = 0; i < m; ++i)
    for (std::int64_t step = 0; step < k; ++step) {
      const T factor = a.data[i * a.row + step * a.column];
      if (factor == T(0)) continue;
      for (std::int64_t j = 0; j < n; ++j) {
        const T other = b.data[step * b.row + j * b.column];
        if (other != T(0)) c.data[i * c.row + j * c.column] += factor * other;
      }
    }
}

template <class T>
void TiledAttention<T>::forward(const AttentionQueries& queries, std::int64_t tile) {
  if (!forward(queries, tile, false)) forward(queries, tile, true);
}

template <class T>
bool TiledAttention<T>::forward(const AttentionQueries& queries, std::int64_t tile_of_queries, bool careful) {
  using Row = TileRow<T>;
  const std::int64_t begin = first_query_of(tile_of_queries), rows = queries_of(tile_of_queries), values = rule_.values;
  T* const sums = sums_.room<T>(kQueries * values);
  std::fill_n(sums, rows * values, T(0));
  T greatest[kQueries];
  double total[kQueries] = {};
  std::fill_n(greatest, rows, std::numeric_limits<T>::lowest());
  load_queries(queries, begin, rows);
  const Seen seen_here = seen(begin, rows);
  for (std::int64_t tile = seen_here.first; tile < seen_here.last; ++tile) {
    const Columns seen = columns(tile, seen_here.end);
    score(queries, begin, rows, seen);
    T* const scores = scores_.room<T>(0);
    T* const weights = weights_.room<T>(lines(kKeys) * kQueries);
    for (std::int64_t i = 0; i < rows; ++i) {
      T* const row = scores + i * kKeys;
      const T now = Row::max(row, seen.padded, greatest[i]);
      if (now != greatest[i]) {
        if (total[i] > 0) {
          const T smaller = std::exp(greatest[i] - now);
          Row::scale(sums + i * values, values, smaller);
          total[i] *= static_cast<double>(smaller);
        }
        greatest[i] = now;
      }
      total[i] += static_cast<double>(Row::exp(row, seen.padded, now));
      Row::multiply(row, kept(queries, begin + i, seen), seen.padded);
      if constexpr (std::is_same_v<T, float>) {
        if (pairs_ && !careful) pair_along(row, seen.padded, weights + i * lines(kKeys));
        else if (rule_.bf16_product) round_to_bf16(row, seen.padded);
      }
    }
    const Matrix<const T> factors{pairs_ ? weights : scores, lines(kKeys), 1};
    if (careful)
      product_of_nonzeros(rows, values, seen.count, {scores, kKeys, 1},
                          {plain_rows(v_, seen.begin, seen.count, values, T(1), plain_v_), values, 1},
                          {sums, values, 1});
    else if (const StridedMatrix v = values_in_place(loaded(seen)); v.data)
      product(rows, values, seen.count, factors, v, {sums, values, 1}, true);
    else
      product(rows, values, seen.count, factors, {v_along_.room<T>(0) + lines(seen.laid) * values, values, 1},
              {sums, values, 1}, true);
  }
  for (std::int64_t i = 0; i < rows; ++i) {
    const double sum = std::max(total[i], kLeastSum);
    greatest[i] = static_cast<T>(static_cast<double>(greatest[i]) + std::log(sum));
    Row::scale(sums + i * values, values, static_cast<T>(1 / sum));
  }
  store_matrix(greatest, rows, 1, T(1), queries.log_sum, begin);
  store_matrix(sums, rows, values, T(1), queries.out, begin);
  return all_finite(sums, rows * values);
}

template <class T>
void TiledAttention<T>::backward(const AttentionQueries& queries, std::int64_t tile_of_queries) {
  using Row = TileRow<T>;
  const std::int64_t begin = first_query_of(tile_of_queries), rows = queries_of(tile_of_queries), values = rule_.values,
                     d = rule_.features;
  load_queries(queries, begin, rows);
  T* const q_along = q_along_.room<T>(kQueries * d);
  T* const d_along = d_along_.room<T>(kQueries * values);
  T* const d_across = d_across_.room<T>(kQueries * lines(values));
  load_along(queries.q, begin, rows, d, static_cast<T>(rule_.scale), q_along);
  load_along(queries.d_out, begin, rows, values, T(1), d_along);
  load_across(queries.d_out, begin, rows, values, T(1), d_across, kQueries);
  T* const d_q = sums_.room<T>(kQueries * d);
  std::fill_n(d_q, rows * d, T(0));
  T log_sum[kQueries], delta[kQueries];
  load_rows(queries.log_sum, begin, rows, 1, T(1), false, log_sum);
  load_rows(queries.delta, begin, rows, 1, T(1), false, delta);
  T* const slopes = slopes_.room<T>(kQueries * kKeys);
  const bool careful = !finite_memory_ || !all_finite(log_sum, rows) || !all_finite(delta, rows) ||
                       !rows_are_finite(queries.q, begin, rows, d) ||
                       !rows_are_finite(queries.d_out, begin, rows, values);
  const T *plain_q = nullptr, *plain_d = nullptr;
  if (careful) {
    plain_q = plain_rows(queries.q, begin, rows, d, static_cast<T>(rule_.scale), plain_q_);
    plain_d = plain_rows(queries.d_out, begin, rows, values, T(1), plain_d_);
  }
  const Seen seen_here = seen(begin, rows);
  for (std::int64_t tile = seen_here.first; tile < seen_here.last; ++tile) {
    const Columns seen = columns(tile, seen_here.end);
    score(queries, begin, rows, seen);
    T* const weights = scores_.room<T>(0);
    if (careful) {
      std::fill_n(slopes, rows * kKeys, T(0));
      product_of_nonzeros(rows, seen.count, values, {plain_d, values, 1},
                          {plain_rows(v_, seen.begin, seen.count, values, T(1), plain_v_), 1, values},
                          {slopes, kKeys, 1});
    } else {
      product(rows, seen.padded, values, {d_across, 1, kQueries},
              {v_across_.room<T>(0) + seen.laid * lines(values), kKeys, 1}, {slopes, kKeys, 1}, false);
    }
    for (std::int64_t i = 0; i < rows; ++i) {
      T* const row = weights + i * kKeys;
      const T* const factors = kept(queries, begin + i, seen);
      Row::multiply(slopes + i * kKeys, factors, seen.padded);
      Row::softmax_gradient(row, slopes + i * kKeys, seen.padded, log_sum[i], delta[i]);
      Row::multiply(row, factors, seen.padded);
      if (rule_.bf16_product && !pairs_)
        round_to_bf16(row, seen.padded), round_to_bf16(slopes + i * kKeys, seen.padded);
    }
    if (careful) {
      if (pairs_)
        for (std::int64_t i = 0; i < rows; ++i)
          round_to_bf16(weights + i * kKeys, seen.padded), round_to_bf16(slopes + i * kKeys, seen.padded);
      product_of_nonzeros(seen.count, values, rows, {weights, 1, kKeys}, {plain_d, values, 1},
                          {gradients_.v.room<T>(0) + seen.begin * values, values, 1});
      product_of_nonzeros(seen.count, d, rows, {slopes, 1, kKeys}, {plain_q, d, 1},
                          {gradients_.k.room<T>(0) + seen.begin * d, d, 1});
      product_of_nonzeros(rows, d, seen.count, {slopes, kKeys, 1},
                          {plain_rows(k_, seen.begin, seen.count, d, T(1), plain_k_), d, 1}, {d_q, d, 1});
      continue;
    }
    const T* const weights_along = along(weights, rows, seen.padded, kKeys, weights_.room<T>(lines(kQueries) * kKeys));
    product(seen.count, values, rows, {weights_along, 1, kKeys}, {d_along, values, 1},
            {gradients_.v.room<T>(0) + seen.begin * values, values, 1}, true);
    const T* const slopes_along = along(slopes, rows, seen.padded, kKeys, weights_.room<T>(lines(kQueries) * kKeys));
    product(seen.count, d, rows, {slopes_along, 1, kKeys}, {q_along, d, 1},
            {gradients_.k.room<T>(0) + seen.begin * d, d, 1}, true);
    if constexpr (std::is_same_v<T, float>)
      for (std::int64_t i = 0; pairs_ && i < rows; ++i)
        pair_along(slopes + i * kKeys, seen.padded, weights + i * lines(kKeys));
    product(rows, d, seen.count, {pairs_ ? weights : slopes, lines(kKeys), 1},
            {k_along_.room<T>(0) + lines(seen.laid) * d, d, 1}, {d_q, d, 1}, true);
  }
  store_matrix(d_q, rows, d, static_cast<T>(rule_.scale), queries.d_q, begin);
}

template <class T>
void TiledAttention<T>::add(const AttentionGradients& more, AttentionGradients& to) const {
  const auto sum = [](const Scratch& from, const Scratch& sums, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) static_cast<T*>(sums.data())[i] += static_cast<const T*>(from.data())[i];
  };
  sum(more.k, to.k, rule_.memory * rule_.features);
  sum(more.v, to.v, rule_.memory * rule_.values);
}

template <class T>
void TiledAttention<T>::store(const AttentionGradients& gradients, const StridedMatrix& d_k,
                              const StridedMatrix& d_v) const {
  store_matrix(static_cast<const T*>(gradients.k.data()), rule_.memory, rule_.features, T(1), d_k, 0);
  store_matrix(static_cast<const T*>(gradients.v.data()), rule_.memory, rule_.values, T(1), d_v, 0);
}

}  // namespace

std::unique_ptr<Attention> make_attention(ElementType element, const AttentionRule& rule) {
  if (element == ElementType::kF64) return std::make_unique<TiledAttention<double>>(rule);
  return std::make_unique<TiledAttention<float>>(rule);
}

}  // namespace mtf::kernels
