// The accumulators of the reduced outputs of a fused loop (internal to fused_loop_run.cpp and fused_nest.cpp).
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "kernels/fused_code.h"

namespace mtf::kernels {

/// For each reduced output, a row of lanes into which the loop's steps fold their results. For sums of floats there is
/// also a row of f64, into which the lanes are added from time to time.
class Folds {
 public:
  /// Makes accumulators for the reduced outputs that are `chosen`. `width` is the maximal number of adjacent lanes
  /// beyond one tile. `types` are the element types of the outputs in memory.
  Folds(const ThreadedCode& code, const std::vector<bool>& chosen, std::span<const ElementType> types,
        std::int64_t width, const std::function<char*(std::int64_t)>& take);
  /// The bytes that one output takes.
  static std::int64_t bytes(const ThreadedCode& code, std::int64_t width);

  /// The lanes of an output. Null if the output is stored, or not chosen.
  char* lanes(std::size_t output) const { return accumulators_[output].lanes; }
  /// The f64 totals of the first n lanes of a sum of floats; zeros if nothing was folded.
  double* totals(std::size_t output, std::int64_t n);

  /// Sets the first n lanes to the identity of their reduction. The other lanes must not be used until the next call.
  void clear(std::int64_t n);
  /// Adds sums of floats in the first n lanes to f64. n must be the same for all calls until the lanes are cleared.
  void fold(std::int64_t n);
  /// Joins the lanes of a tile to one element.
  void finish_row(std::size_t output, char* target);
  /// Writes `rows` elements, `step` bytes apart. Each joins `size` adjacent lanes (at most a tile) as finish_row does.
  void finish_rows(std::size_t output, std::int64_t rows, std::int64_t size, char* target, std::int64_t step);
  /// Writes `columns` elements, `step` bytes apart. Each joins every `columns`th of the first `used` lanes.
  void finish_columns(std::size_t output, std::int64_t columns, std::int64_t used, char* target, std::int64_t step);

 private:
  struct Accumulator {
    Reduction reduction = Reduction::kSum;
    ElementType cell = ElementType::kF32;  // kBool: a mask; kBf16 counts as kF32
    ElementType target = ElementType::kF32;
    bool folds = false;
    bool folded = false;
    char* lanes = nullptr;  // in the lane type of the group
    double* totals = nullptr;
  };

  template <class T>
  T* cells(const Accumulator& a, std::int64_t n) const;
  template <class T>
  void set_lane(char* lanes, std::int64_t k, T value) const;
  void add_to_totals(Accumulator& a, std::int64_t n) const;

  std::int64_t tile_, width_;
  int lane_bytes_;
  std::vector<Accumulator> accumulators_;
  char* scratch_ = nullptr;
};

/// Writes the identity of a reduction as one element of `type`.
void write_identity(Reduction reduction, ElementType type, char* target);

/// total = total (op) part, for each of n contiguous elements of `type`.
void join_elements(Reduction reduction, ElementType type, std::int64_t n, char* total, const char* part);

/// Converts n contiguous elements of type `from` (f64, f32, i32 or `to` itself) to `to`, and writes them `step` bytes
/// apart.
void write_cells(ElementType from, ElementType to, const char* source, std::int64_t n, char* target, std::int64_t step);

}  // namespace mtf::kernels
