#include "kernels/fused_fold.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <functional>
#include <type_traits>

namespace mtf::kernels {
namespace {

template <class T>
T joined(Reduction reduction, T a, T b) {
  switch (reduction) {
    case Reduction::kSum:
      if constexpr (std::is_integral_v<T>)
        return static_cast<T>(static_cast<std::uint32_t>(a) + static_cast<std::uint32_t>(b));
      else return a + b;
    case Reduction::kProd:
      if constexpr (std::is_integral_v<T>)
        return static_cast<T>(static_cast<std::uint32_t>(a) * static_cast<std::uint32_t>(b));
      else return a * b;
    case Reduction::kMax: return (a > b || a != a) ? a : b;
    case Reduction::kMin: return (a < b || a != a) ? a : b;
    case Reduction::kAnd: return (a != 0 && b != 0) ? T(-1) : T(0);
    default: return (a != 0 || b != 0) ? T(-1) : T(0);
  }
}

template <class Fn>
void by_cell(ElementType cell, Fn fn) {
  if (cell == ElementType::kF64) fn(double{});
  else if (cell == ElementType::kF32) fn(float{});
  else fn(std::int32_t{});
}

template <class X>
void put(char* target, X value) {
  std::memcpy(target, &value, sizeof value);
}

template <class T>
void write(ElementType type, char* target, T value) {
  switch (type) {
    case ElementType::kBool: *target = value != T(0); break;
    case ElementType::kI32: put(target, static_cast<std::int32_t>(value)); break;
    case ElementType::kBf16: put(target, mtf::to_bf16(static_cast<float>(value))); break;
    case ElementType::kF32: put(target, static_cast<float>(value)); break;
    case ElementType::kF64: put(target, static_cast<double>(value)); break;
  }
}

/// Writes n cells, `step` bytes apart.
template <class T>
void write_all(ElementType type, char* target, std::int64_t step, const T* cells, std::int64_t n) {
  if (type == ElementType::kBool) {
    for (std::int64_t k = 0; k < n; ++k) write(type, target + k * step, cells[k]);
  } else {
    constexpr ElementType kCell = std::is_same_v<T, double>  ? ElementType::kF64
                                  : std::is_same_v<T, float> ? ElementType::kF32
                                                             : ElementType::kI32;
    write_cells(kCell, type, reinterpret_cast<const char*>(cells), n, target, step);
  }
}

/// Joins the cells to one, by halves. The first three halvings are done at once, so that no sum waits for another's
/// store. `n` is a power of two.
template <class T>
T tree(Reduction reduction, T* cells, std::int64_t n) {
  auto by = [&](auto join) {
    if (const std::int64_t m = n / 8; m > 0) {
      for (std::int64_t k = 0; k < m; ++k) {
        const T* const c = cells + k;
        const T even = join(join(c[0], c[4 * m]), join(c[2 * m], c[6 * m]));
        cells[k] = join(even, join(join(c[m], c[5 * m]), join(c[3 * m], c[7 * m])));
      }
      n = m;
    }
    for (std::int64_t half = n / 2; half >= 1; half /= 2) {
      for (std::int64_t k = 0; k < half; ++k) cells[k] = join(cells[k], cells[k + half]);
    }
  };
  // The frequent reductions are named, so that the compiler sees one operation in the loop.
  switch (reduction) {
    case Reduction::kSum: by([](T a, T b) { return joined(Reduction::kSum, a, b); }); break;
    case Reduction::kMax: by([](T a, T b) { return joined(Reduction::kMax, a, b); }); break;
    case Reduction::kMin: by([](T a, T b) { return joined(Reduction::kMin, a, b); }); break;
    default: by([&](T a, T b) { return joined(reduction, a, b); });
  }
  return cells[0];
}

}  // namespace

std::int64_t Folds::bytes(const ThreadedCode& code, std::int64_t width) {
  return (width + code.tile) * (8 + 8 + 8) + 3 * 64;
}

Folds::Folds(const ThreadedCode& code, const std::vector<bool>& chosen, std::span<const ElementType> types,
             std::int64_t width, const std::function<char*(std::int64_t)>& take)
    : tile_(code.tile),
      width_(width),
      lane_bytes_(code.group == lanes::Group::kFour ? 4 : 8),
      accumulators_(types.size()) {
  for (std::size_t o = 0; o < types.size(); ++o) {
    const FusionOutput& output = code.program.outputs[o];
    if (output.reduction == Reduction::kStore || !chosen[o]) continue;
    Accumulator& a = accumulators_[o];
    a.reduction = output.reduction;
    a.cell = code.types[output.value];
    if (a.cell == ElementType::kBf16) a.cell = ElementType::kF32;
    if (a.cell == ElementType::kBool && a.reduction == Reduction::kSum) a.cell = ElementType::kI32;
    a.target = types[o];
    a.folds = a.reduction == Reduction::kSum && is_float(a.cell);
    a.lanes = take((width_ + tile_) * lane_bytes_);
    a.totals = reinterpret_cast<double*>(take((width_ + tile_) * 8));
    if (scratch_ == nullptr) scratch_ = take((width_ + tile_) * 8);
  }
}

/// The first n lanes: in place if they are contiguous, else a copy. The caller may change them.
template <class T>
T* Folds::cells(const Accumulator& a, std::int64_t n) const {
  if (sizeof(T) == static_cast<std::size_t>(lane_bytes_)) return reinterpret_cast<T*>(a.lanes);
  T* const cells = reinterpret_cast<T*>(scratch_);
  for (std::int64_t k = 0; k < n; ++k) std::memcpy(&cells[k], a.lanes + k * lane_bytes_, sizeof(T));
  return cells;
}

template <class T>
void Folds::set_lane(char* lanes, std::int64_t k, T value) const {
  if constexpr (sizeof(T) == 8) {
    put(lanes + k * 8, value);
  } else {
    std::int32_t pattern;
    std::memcpy(&pattern, &value, 4);
    put(lanes + k * 8, static_cast<std::int64_t>(pattern));
  }
}

void Folds::clear(std::int64_t n) {
  for (Accumulator& a : accumulators_) {
    if (a.lanes == nullptr) continue;
    a.folded = false;
    by_cell(a.cell, [&](auto zero) {
      using T = decltype(zero);
      const T value = identity_of<T>(a.reduction);
      if (sizeof(T) == static_cast<std::size_t>(lane_bytes_)) {
        std::fill_n(reinterpret_cast<T*>(a.lanes), n, value);
      } else {
        for (std::int64_t k = 0; k < n; ++k) set_lane(a.lanes, k, value);
      }
    });
  }
}

void Folds::add_to_totals(Accumulator& a, std::int64_t n) const {
  by_cell(a.cell, [&](auto zero) {
    const auto* const cells = this->cells<decltype(zero)>(a, n);
    for (std::int64_t k = 0; k < n; ++k) a.totals[k] += static_cast<double>(cells[k]);
  });
}

double* Folds::totals(std::size_t output, std::int64_t n) {
  Accumulator& a = accumulators_[output];
  if (!a.folded) std::fill_n(a.totals, n, 0.0);
  a.folded = true;
  return a.totals;
}

void Folds::fold(std::int64_t n) {
  for (std::size_t o = 0; o < accumulators_.size(); ++o) {
    Accumulator& a = accumulators_[o];
    if (a.lanes == nullptr || !a.folds) continue;
    totals(o, n);
    add_to_totals(a, n);
    std::memset(a.lanes, 0, static_cast<std::size_t>(n * lane_bytes_));
  }
}

void Folds::finish_row(std::size_t output, char* target) {
  Accumulator& a = accumulators_[output];
  if (a.lanes == nullptr) return;
  if (a.folds && a.folded) {
    add_to_totals(a, tile_);
    return write(a.target, target, tree(a.reduction, a.totals, tile_));
  }
  by_cell(a.cell,
          [&](auto zero) { write(a.target, target, tree(a.reduction, cells<decltype(zero)>(a, tile_), tile_)); });
}

void Folds::finish_rows(std::size_t output, std::int64_t rows, std::int64_t size, char* target, std::int64_t step) {
  Accumulator& a = accumulators_[output];
  if (a.lanes == nullptr) return;
  const auto padded = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(size)));
  by_cell(a.cell, [&](auto zero) {
    using T = decltype(zero);
    auto* const cells = this->cells<T>(a, rows * size);
    std::array<T, lanes::kTile4> row;
    for (std::int64_t r = 0; r < rows; ++r) {
      std::copy_n(cells + r * size, size, row.begin());
      std::fill(row.begin() + size, row.begin() + padded, identity_of<T>(a.reduction));
      write(a.target, target + r * step, tree(a.reduction, row.data(), padded));
    }
  });
}

void Folds::finish_columns(std::size_t output, std::int64_t columns, std::int64_t used, char* target,
                           std::int64_t step) {
  Accumulator& a = accumulators_[output];
  if (a.lanes == nullptr) return;
  constexpr std::int64_t kMostJoined = 64;  // lanes of a column: a sum of more lanes in their type would drift
  if (a.folds && used > kMostJoined * columns) totals(output, used);
  if (a.folds && a.folded) {
    add_to_totals(a, used);
    for (std::int64_t k = columns; k < used; ++k) a.totals[k % columns] += a.totals[k];
    return write_all(a.target, target, step, a.totals, columns);
  }
  by_cell(a.cell, [&](auto zero) {
    auto* const cells = this->cells<decltype(zero)>(a, used);
    for (std::int64_t k = columns; k < used; ++k)
      cells[k % columns] = joined(a.reduction, cells[k % columns], cells[k]);
    write_all(a.target, target, step, cells, columns);
  });
}

void write_identity(Reduction reduction, ElementType type, char* target) {
  switch (type) {
    case ElementType::kBool: *target = reduction == Reduction::kAnd; break;
    case ElementType::kI32: put(target, identity_of<std::int32_t>(reduction)); break;
    case ElementType::kBf16: put(target, mtf::to_bf16(identity_of<float>(reduction))); break;
    case ElementType::kF32: put(target, identity_of<float>(reduction)); break;
    case ElementType::kF64: put(target, identity_of<double>(reduction)); break;
  }
}

void join_elements(Reduction reduction, ElementType type, std::int64_t n, char* total, const char* part) {
  const auto join = [&](auto zero, auto by) {
    using T = decltype(zero);
    for (std::int64_t k = 0; k < n; ++k, total += sizeof(T), part += sizeof(T)) {
      T a, b;
      std::memcpy(&a, total, sizeof a);
      std::memcpy(&b, part, sizeof b);
      a = by(a, b);
      std::memcpy(total, &a, sizeof a);
    }
  };
  const auto by_reduction = [&](auto a, auto b) { return joined(reduction, a, b); };
  if (type == ElementType::kF64 && reduction == Reduction::kSum) join(double{}, std::plus<double>());
  else if (type == ElementType::kF64) join(double{}, by_reduction);
  else if (type == ElementType::kF32) join(float{}, by_reduction);
  else if (type == ElementType::kI32) join(std::int32_t{}, by_reduction);
  else join(char{}, [&](char a, char b) { return static_cast<char>(joined<std::int32_t>(reduction, a, b) != 0); });
}

void write_cells(ElementType from, ElementType to, const char* source, std::int64_t n, char* target,
                 std::int64_t step) {
  if (from == to && step == size_of(to)) {
    std::memcpy(target, source, static_cast<std::size_t>(n * step));
    return;
  }
  by_cell(from, [&](auto zero) {
    using From = decltype(zero);
    const auto write_all = [&](auto as) {
      for (std::int64_t k = 0; k < n; ++k) {
        From value;
        std::memcpy(&value, source + k * static_cast<std::int64_t>(sizeof value), sizeof value);
        put(target + k * step, as(value));
      }
    };
    switch (to) {
      case ElementType::kBf16: return write_all([](From x) { return mtf::to_bf16(static_cast<float>(x)); });
      case ElementType::kF32: return write_all([](From x) { return static_cast<float>(x); });
      case ElementType::kF64: return write_all([](From x) { return static_cast<double>(x); });
      default: return write_all([](From x) { return static_cast<std::int32_t>(x); });
    }
  });
}

}  // namespace mtf::kernels
