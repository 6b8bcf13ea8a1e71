// Operations on one run of elements in memory that are no loop of lanes (fused_loop.h).
#pragma once

#include <cstdint>
#include <span>

#include "kernels/element_type.h"
#include "kernels/lane_op.h"

namespace mtf::kernels {

/// result[i] = reduction(a[i], b[i]). `result` may be `a` or `b`. max and min give NaN if either is NaN; i32 wraps. For
/// bool, sum and max are `or`, prod and min are `and`. The reductions and, or are for bool only.
void combine_elements(ElementType type, Reduction reduction, const void* a, const void* b, void* result,
                      std::int64_t count);

/// to[i * to_stride] += from[i * from_stride]. `to` has the type of `from`, in which bf16 is rounded after each sum, or
/// the type that computes with it (f32 for bf16, i32 for bool). i32 wraps.
void add_elements(ElementType from_type, const void* from, std::int64_t from_stride, ElementType to_type, void* to,
                  std::int64_t to_stride, std::int64_t count);

/// to[i * to_stride] = from[i * from_stride], from bf16 to f32 or back (rounded to nearest even).
void convert_elements(ElementType from_type, const void* from, std::int64_t from_stride, ElementType to_type, void* to,
                      std::int64_t to_stride, std::int64_t count);

/// Lines of elements in memory. Distances are in elements: `step` between neighbours of a line (it may be negative),
/// and `apart` between lines.
struct SummedLines {
  std::int64_t step, apart;
};

/// Computes the running sums of `lines` lines of `count` elements each. A sum includes its own element unless
/// `exclusive` is set. Each line begins with `before`. Floats are summed in f64, so a sum is rounded only when it is
/// stored. Integers are summed in i64. Returns true if all sums of i32 fit in i32. y may be x, but must not overlap it
/// otherwise.
bool running_sums(ElementType type, bool exclusive, double before, const void* x, SummedLines from, void* y,
                  SummedLines to, std::int64_t count, std::int64_t lines);

/// Computes the sums of such lines in the same way, and stores them `apart` from each other.
void line_sums(ElementType type, const void* x, SummedLines from, std::int64_t count, std::int64_t lines, double* sums,
               std::int64_t apart);

/// Lines that are summed by groups. Group g has the lines [ends[g - 1], ends[g]), the first group starts at 0. Line i
/// begins at from + lines[i], and has `length` contiguous elements.
struct LineGroups {
  const std::int64_t* lines;
  std::span<const std::int64_t> ends;
  std::int64_t length;
};

/// to[g * sums.apart + j * sums.step] = the sum of element j over the lines of group g; 0 for an empty group. Eight
/// lines are summed at once and then added to f64 (integers to i64), so that a sum is rounded a few times only.
/// `to_type` is the elements' type, the type that computes with them, or f64.
void sum_line_groups(ElementType type, const void* from, const LineGroups& groups, ElementType to_type, void* to,
                     SummedLines sums);

/// True if every ids[i * stride] is at least 0 and less than `bound`.
bool ids_below(std::int64_t bound, const std::int32_t* ids, std::int64_t stride, std::int64_t count);

/// Σ words[i] · factors[i] modulo 2^64. `word_bytes` is 1, 2 or 4; words may have any alignment.
std::uint64_t weighted_sum(const void* words, std::int64_t word_bytes, const std::uint32_t* factors,
                           std::int64_t count);

}  // namespace mtf::kernels
