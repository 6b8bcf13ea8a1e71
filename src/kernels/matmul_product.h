// One matrix product of one element type (internal to matmul*.cpp).
#pragma once

#include <cstdint>
#include <functional>

#include "kernels/element_type.h"

namespace mtf::kernels {

template <class T>
struct Matrix {
  T* data;
  std::int64_t row, column;  ///< strides
};

/// The number of terms that are summed in registers before they are added to C.
inline constexpr std::int64_t kBlockDepth = 512;

/// The maximal number of rows if the other matrix is read in place. With more rows the blocked product is faster.
inline constexpr std::int64_t kThinRows = 6;

/// c = a · b or c += a · b for m × k and k × n; m and n are positive, and k = 0 gives zeros. Calls `progress`, if set,
/// about every millisecond. The order of an element's terms depends on k alone. R is T. For f32 and k up to kBlockDepth
/// it may be Bf16, and the sum is rounded once.
template <class T, class R = T>
void multiply(std::int64_t m, std::int64_t n, std::int64_t k, Matrix<const T> a, Matrix<const T> b, Matrix<R> c,
              bool accumulate, const std::function<void()>& progress);

/// The same for few rows of a. b is widened as it is read: it holds bf16, or f32 that is rounded to bf16. Returns
/// false, and computes nothing, if this is not the faster way.
bool take_few_widened(std::int64_t m, std::int64_t n, std::int64_t k, Matrix<const float> a, Matrix<const Bf16> b,
                      Matrix<float> c, bool accumulate, const std::function<void()>& progress);
bool take_few_rounded(std::int64_t m, std::int64_t n, std::int64_t k, Matrix<const float> a, Matrix<const float> b,
                      Matrix<float> c, bool accumulate, const std::function<void()>& progress);

/// True if the processor multiplies bf16 itself (AVX512_BF16), about twice as fast as f32.
#ifdef __AVX512BF16__
inline constexpr bool kMultipliesBf16 = true;
#else
inline constexpr bool kMultipliesBf16 = false;
#endif

/// The same for bf16, summed in f32. Each element of a and b holds two numbers, neighbours along k; the second is 0 at
/// an odd end (bf16_pairs.h). `pairs` is their number, at most kBlockDepth if R is Bf16. Requires kMultipliesBf16.
template <class R = float>
void multiply_pairs(std::int64_t m, std::int64_t n, std::int64_t pairs, Matrix<const float> a, Matrix<const float> b,
                    Matrix<R> c, bool accumulate, const std::function<void()>& progress);
/// The same for f32 that is rounded to bf16 as it is read, for few rows of a or few columns of b; k counts numbers.
/// Returns false, and computes nothing, if this is not the faster way. Requires kMultipliesBf16.
bool take_few_pairs(std::int64_t m, std::int64_t n, std::int64_t k, Matrix<const float> a, Matrix<const float> b,
                    Matrix<float> c, bool accumulate, const std::function<void()>& progress);
/// The same for bf16 in memory. k counts its numbers, at most 2 kBlockDepth if R is Bf16.
template <class R = float>
void multiply_bf16(std::int64_t m, std::int64_t n, std::int64_t k, Matrix<const Bf16> a, Matrix<const Bf16> b,
                   Matrix<R> c, bool accumulate, const std::function<void()>& progress);
/// multiply_pairs for few rows of a. b holds f32 or bf16 numbers, which become pairs as they are read; k counts them.
/// Requires can_pair_as_read().
template <class Number>
void multiply_paired_as_read(std::int64_t m, std::int64_t n, std::int64_t k, const Matrix<const float>& a,
                             const Matrix<const Number>& b, const Matrix<float>& c, bool accumulate);
/// True if b's rows or columns are contiguous, and are neither too few nor too short.
template <class Number>
bool can_pair_as_read(std::int64_t m, std::int64_t n, std::int64_t k, const Matrix<const Number>& b);

}  // namespace mtf::kernels
