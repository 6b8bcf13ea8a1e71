#include "kernels/attention.h"

#include <cmath>
#include <functional>

#include "kernels/attention_rows.h"
#include "kernels/matmul_product.h"

namespace mtf {
namespace {

const std::function<void()> kNoProgress;

}  // namespace

template <class T>
typename Attention<T>::Columns Attention<T>::columns(std::int64_t tile) const {
  constexpr std::int64_t kLanes = TileRow<T>::kLanes;
  const std::int64_t begin = tile * kKeys, count = std::min(kKeys, rule_.memory - begin);
  return {begin, count, (count + kLanes - 1) / kLanes * kLanes};
}

template <class T>
std::pair<std::int64_t, std::int64_t> Attention<T>::seen_tiles(std::int64_t begin, std::int64_t rows) const {
  const Sight& sight = rule_.sight;
  const std::int64_t first = sight.first + begin, last = first + rows - 1;
  std::int64_t low = 0, high = rule_.memory;
  if (sight.window > 0) low = std::max(low, first - sight.window + 1);
  if (sight.window > 0) high = std::min(high, last + sight.window);
  if (sight.causal) high = std::min(high, last + 1);
  if (low >= high) return {0, 0};
  return {low / kKeys, (high + kKeys - 1) / kKeys};
}

template <class T>
bool Attention<T>::sees_all(std::int64_t begin, std::int64_t rows, const Columns& columns) const {
  const Sight& sight = rule_.sight;
  const std::int64_t first = sight.first + begin, last = first + rows - 1, end = columns.begin + columns.count;
  if (sight.causal && end - 1 > first) return false;
  return sight.window == 0 || (last - columns.begin < sight.window && end - 1 - first < sight.window);
}

template <class T>
void Attention<T>::load(const MatrixPlace& k, const MatrixPlace& v, bool backward) {
  const std::int64_t d = rule_.features, values = rule_.values, rows = tiles() * kKeys;
  const bool round = rule_.bf16_product;
  T* const k_tiles = room(k_tiles_, rows * d);
  T* const v_rows = room(v_, rows * values);
  std::fill_n(k_tiles, rows * d, T(0));
  std::fill_n(v_rows + rule_.memory * values, (rows - rule_.memory) * values, T(0));
  load_matrix(v, 0, rule_.memory, values, T(1), round, v_rows, values, 1);
  for (std::int64_t tile = 0; tile < tiles(); ++tile)
    load_matrix(k, tile * kKeys, columns(tile).count, d, T(1), round, k_tiles + tile * kKeys * d, 1, kKeys);
  if (!backward) return;
  T* const k_rows = room(k_, rows * d);
  T* const v_tiles = room(v_tiles_, rows * values);
  std::fill_n(k_rows + rule_.memory * d, (rows - rule_.memory) * d, T(0));
  std::fill_n(v_tiles, rows * values, T(0));
  load_matrix(k, 0, rule_.memory, d, T(1), round, k_rows, d, 1);
  for (std::int64_t tile = 0; tile < tiles(); ++tile)
    load_matrix(v, tile * kKeys, columns(tile).count, values, T(1), round, v_tiles + tile * kKeys * values, 1, kKeys);
  std::fill_n(room(d_k_, rows * d), rows * d, T(0));
  std::fill_n(room(d_v_, rows * values), rows * values, T(0));
}

template <class T>
void Attention<T>::load_queries(const AttentionQueries& place, std::int64_t begin, std::int64_t rows) {
  load_matrix(place.q, begin, rows, rule_.features, static_cast<T>(rule_.scale), rule_.bf16_product, room(q_columns_, kQueries * rule_.features), 1, kQueries);
}

template <class T>
void Attention<T>::score(const AttentionQueries& place, std::int64_t begin, std::int64_t rows, const Columns& columns) {
  const std::int64_t d = rule_.features;
  T* const scores = room(scores_, kQueries * kKeys);
  multiply<T>(rows, columns.padded, d, {room(q_columns_, 0), 1, kQueries}, {room(k_tiles_, 0) + columns.begin * d, kKeys, 1}, {scores, kKeys, 1}, false, kNoProgress);
  const bool all = sees_all(begin, rows, columns);
  if (all && place.bias.data == nullptr && place.mask.data == nullptr && columns.count == columns.padded) return;
  const Sight& sight = rule_.sight;
  for (std::int64_t i = 0; i < rows; ++i) {
    T* const row = scores + i * kKeys;
    if (place.bias.data)
      by_type(place.bias, [&](const auto* data) {
        const auto* const bias = data + (begin + i) * place.bias.row + columns.begin * place.bias.column;
        for (std::int64_t j = 0; j < columns.count; ++j) row[j] += from_stored<T>(bias[j * place.bias.column]);
      });
    std::int64_t from = 0, to = columns.count;  // what is seen by position
    const std::int64_t position = sight.first + begin + i - columns.begin;
    if (sight.causal) to = std::min(to, position + 1);
    if (sight.window > 0) from = std::max(from, position - sight.window + 1), to = std::min(to, position + sight.window);
    to = std::max<std::int64_t>(to, 0), from = std::min(from, to);
    std::fill_n(row, from, static_cast<T>(kUnseen));
    std::fill_n(row + to, columns.padded - to, static_cast<T>(kUnseen));
    if (!place.mask.data) continue;
    const auto* const mask = static_cast<const std::uint8_t*>(place.mask.data) + (begin + i) * place.mask.row + columns.begin * place.mask.column;
    for (std::int64_t j = from; j < to; ++j)
      if (!mask[j * place.mask.column]) row[j] = static_cast<T>(kUnseen);
  }
}

template <class T>
const T* Attention<T>::kept(const AttentionQueries& place, std::int64_t row, const Columns& columns) {
  if (rule_.drop.rate == 0) return nullptr;
  T* const factors = room(kept_, kKeys);
  fill_kept(rule_.drop, place.first_draw + static_cast<std::uint64_t>(row * rule_.drop.row + columns.begin), columns.padded, factors);
  return factors;
}

template <class T>
void Attention<T>::forward(const AttentionQueries& place, std::int64_t begin) {
  using Row = TileRow<T>;
  const std::int64_t rows = rows_from(begin), values = rule_.values;
  T* const sums = room(sums_, kQueries * values);
  std::fill_n(sums, rows * values, T(0));
  T greatest[kQueries];
  double total[kQueries] = {};
  std::fill_n(greatest, rows, static_cast<T>(kLeastMaximum));
  load_queries(place, begin, rows);
  const auto [first, last] = seen_tiles(begin, rows);
  for (std::int64_t tile = first; tile < last; ++tile) {
    const Columns seen = columns(tile);
    score(place, begin, rows, seen);
    T* const scores = room(scores_, 0);
    for (std::int64_t i = 0; i < rows; ++i) {
      T* const row = scores + i * kKeys;
      const T now = Row::max(row, seen.padded, greatest[i]);
      if (now != greatest[i]) {
        const T smaller = std::exp(greatest[i] - now);
        for (std::int64_t c = 0; c < values; ++c) sums[i * values + c] *= smaller;
        total[i] *= static_cast<double>(smaller);
        greatest[i] = now;
      }
      total[i] += Row::exp(row, seen.padded, now);
      Row::multiply(row, kept(place, begin + i, seen), seen.padded);
      if (rule_.bf16_product) round_to_bf16(row, seen.padded);
    }
    multiply<T>(rows, values, seen.count, {scores, kKeys, 1}, {room(v_, 0) + seen.begin * values, values, 1}, {sums, values, 1}, true, kNoProgress);
  }
  for (std::int64_t i = 0; i < rows; ++i) {
    const double sum = std::max(total[i], kLeastSum);
    const T log_sum = static_cast<T>(static_cast<double>(greatest[i]) + std::log(sum));
    store_matrix(&log_sum, 1, 1, T(1), place.log_sum, begin + i);
    store_matrix(sums + i * values, 1, values, static_cast<T>(1 / sum), place.out, begin + i);
  }
}

template <class T>
void Attention<T>::backward(const AttentionQueries& place, std::int64_t begin) {
  using Row = TileRow<T>;
  const std::int64_t rows = rows_from(begin), values = rule_.values, d = rule_.features;
  const bool round = rule_.bf16_product;
  load_queries(place, begin, rows);
  T* const q_rows = room(q_rows_, kQueries * d);
  load_matrix(place.q, begin, rows, d, static_cast<T>(rule_.scale), round, q_rows, d, 1);
  T* const d_rows = room(d_rows_, kQueries * values);
  T* const d_columns = room(d_columns_, kQueries * values);
  load_matrix(place.d_out, begin, rows, values, T(1), round, d_rows, values, 1);
  load_matrix(place.d_out, begin, rows, values, T(1), round, d_columns, 1, kQueries);
  T* const d_q = room(sums_, kQueries * d);
  std::fill_n(d_q, rows * d, T(0));
  T* const slopes = room(slopes_, kQueries * kKeys);
  const auto [first, last] = seen_tiles(begin, rows);
  for (std::int64_t tile = first; tile < last; ++tile) {
    const Columns seen = columns(tile);
    score(place, begin, rows, seen);
    T* const weights = room(scores_, 0);
    multiply<T>(rows, seen.padded, values, {d_columns, 1, kQueries}, {room(v_tiles_, 0) + seen.begin * values, kKeys, 1}, {slopes, kKeys, 1}, false, kNoProgress);
    for (std::int64_t i = 0; i < rows; ++i) {
      T* const row = weights + i * kKeys;
      Row::exp(row, seen.padded, number_at<T>(place.log_sum, begin + i));
      const T* const factors = kept(place, begin + i, seen);
      Row::multiply(slopes + i * kKeys, factors, seen.padded);
      Row::softmax_gradient(row, slopes + i * kKeys, seen.padded, number_at<T>(place.delta, begin + i));
      Row::multiply(row, factors, seen.padded);
      if (round) round_to_bf16(row, seen.padded), round_to_bf16(slopes + i * kKeys, seen.padded);
    }
    multiply<T>(seen.count, values, rows, {weights, 1, kKeys}, {d_rows, values, 1}, {room(d_v_, 0) + seen.begin * values, values, 1}, true, kNoProgress);
    multiply<T>(seen.count, d, rows, {slopes, 1, kKeys}, {q_rows, d, 1}, {room(d_k_, 0) + seen.begin * d, d, 1}, true, kNoProgress);
    multiply<T>(rows, d, seen.count, {slopes, kKeys, 1}, {room(k_, 0) + seen.begin * d, d, 1}, {d_q, d, 1}, true, kNoProgress);
  }
  store_matrix(d_q, rows, d, static_cast<T>(rule_.scale), place.d_q, begin);
}

template <class T>
void Attention<T>::store(const MatrixPlace& d_k, const MatrixPlace& d_v) const {
  store_matrix(static_cast<const T*>(d_k_.data()), rule_.memory, rule_.features, T(1), d_k, 0);
  store_matrix(static_cast<const T*>(d_v_.data()), rule_.memory, rule_.values, T(1), d_v, 0);
}

template class Attention<float>;
template class Attention<double>;

}  // namespace mtf
