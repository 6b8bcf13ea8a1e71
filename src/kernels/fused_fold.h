// What the reduced outputs of a fused loop are folded into (internal to fused_loop_run.cpp and fused_nest.cpp).
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "kernels/fused_code.h"

namespace mtf::kernels {

/// For each reduced output a row of lanes, which the loop's steps fold into side by side; for sums of floats a row of
/// f64 beside them, which takes over from time to time.
class Folds {
 public:
  /// Of the reduced outputs that are `chosen`. `width`: the most lanes side by side, beyond one tile. `types`: in which
  /// the outputs are written.
  Folds(const ThreadedCode& code, const std::vector<bool>& chosen, std::span<const ElementType> types,
        std::int64_t width, const std::function<char*(std::int64_t)>& take);
  /// What one output takes.
  static std::int64_t bytes(const ThreadedCode& code, std::int64_t width);

  /// The lanes of an output; nullptr if it is stored, or not chosen.
  char* lanes(std::size_t output) const { return accumulators_[output].lanes; }
  /// What the first n lanes of a sum of floats were folded into; zeros if nothing was.
  double* totals(std::size_t output, std::int64_t n);

  /// Each of the first n lanes becomes the identity of its reduction; the others are not used until the next time.
  void clear(std::int64_t n);
  /// Sums of floats in the first n lanes go to f64: in as many each time until they are cleared.
  void fold(std::int64_t n);
  /// Joins the lanes of a tile to one element.
  void finish_row(std::size_t output, char* target);
  /// Writes `rows` elements `step` bytes apart, each joined of `size` lanes side by side, at most a tile, as
  /// finish_row joins them.
  void finish_rows(std::size_t output, std::int64_t rows, std::int64_t size, char* target, std::int64_t step);
  /// Writes `columns` elements `step` bytes apart, each joined of every `columns`th of the first `used` lanes.
  void finish_columns(std::size_t output, std::int64_t columns, std::int64_t used, char* target, std::int64_t step);

 private:
  struct Accumulator {
    Reduction reduction = Reduction::kSum;
    ElementType cell = ElementType::kF32;  // kBool: a mask; kBf16 counts as kF32
    ElementType target = ElementType::kF32;
    bool folds = false;
    bool folded = false;
    char* lanes = nullptr;  // as the group of lanes holds them
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

/// The identity of a reduction, written as one element of `type`.
void write_identity(Reduction reduction, ElementType type, char* target);

/// total = total (op) part, of each of n elements of `type`, which lie together.
void join_elements(Reduction reduction, ElementType type, std::int64_t n, char* total, const char* part);

/// Writes n elements of type `from` (f64, f32, i32 or `to` itself), which lie together, as `to`, `step` bytes apart.
void write_cells(ElementType from, ElementType to, const char* source, std::int64_t n, char* target, std::int64_t step);

}  // namespace mtf::kernels
