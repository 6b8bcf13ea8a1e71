// Elements of one run of memory: combined, added, converted, summed. For what is no loop of lanes (fused_loop.h).
#pragma once

#include <cstdint>
#include <span>

#include "kernels/element_type.h"
#include "kernels/lane_op.h"

namespace mtf::kernels {

/// result[i] = reduction(a[i], b[i]); `result` may be `a` or `b`. max and min give NaN if either is; i32 wraps. Of
/// bool, sum and max are `or`, prod and min are `and`; and, or are of bool alone.
void combine_elements(ElementType type, Reduction reduction, const void* a, const void* b, void* result,
                      std::int64_t count);

/// to[i * to_stride] += from[i * from_stride]. `to` has the type of `from`, in which bf16 is rounded after each sum, or
/// the type in which it is computed with (f32 for bf16, i32 for bool). i32 wraps.
void add_elements(ElementType from_type, const void* from, std::int64_t from_stride, ElementType to_type, void* to,
                  std::int64_t to_stride, std::int64_t count);

/// to[i * to_stride] = from[i * from_stride], from bf16 to f32 or back (rounded to nearest even).
void convert_elements(ElementType from_type, const void* from, std::int64_t from_stride, ElementType to_type, void* to,
                      std::int64_t to_stride, std::int64_t count);

/// Lines of elements in memory, in elements: how far an element is from the next of its line (it may be negative), and
/// a line from the next.
struct SummedLines {
  std::int64_t step, apart;
};

/// y = the running sums of `lines` lines of `count` elements each, with each element or, `exclusive`, before it. Each
/// begins with `before`. Floats are carried in f64, so that a sum is rounded only where it is written, and integers in
/// i64. Returns whether all sums of i32 fit in i32. x is y, or they do not overlap.
bool running_sums(ElementType type, bool exclusive, double before, const void* x, SummedLines from, void* y,
                  SummedLines to, std::int64_t count, std::int64_t lines);

/// The sums of such lines, carried so, `apart` from each other.
void line_sums(ElementType type, const void* x, SummedLines from, std::int64_t count, std::int64_t lines, double* sums,
               std::int64_t apart);

/// Lines that are added up by groups: group g has the lines [ends[g - 1], ends[g]), the first from 0 on. Line i begins
/// at from + lines[i], and has `length` elements side by side.
struct LineGroups {
  const std::int64_t* lines;
  std::span<const std::int64_t> ends;
  std::int64_t length;
};

/// to[g * sums.apart + j * sums.step] = the sum of element j of the lines of group g; 0 if it has none. Eight lines are
/// added up at once, and then to f64 (integers to i64), so that a sum is rounded a few times. `to_type`: the elements'
/// type, the one that they are computed with, or f64.
void sum_line_groups(ElementType type, const void* from, const LineGroups& groups, ElementType to_type, void* to,
                     SummedLines sums);

/// Whether every ids[i * stride] is at least 0 and less than `bound`.
bool ids_below(std::int64_t bound, const std::int32_t* ids, std::int64_t stride, std::int64_t count);

/// Σ words[i] · factors[i] modulo 2^64. `word_bytes`: 1, 2 or 4; words lie at any address.
std::uint64_t weighted_sum(const void* words, std::int64_t word_bytes, const std::uint32_t* factors,
                           std::int64_t count);

}  // namespace mtf::kernels
