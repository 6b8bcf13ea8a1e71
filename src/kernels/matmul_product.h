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

/// Terms that are added up in registers before they are added to C.
inline constexpr std::int64_t kBlockDepth = 512;

/// Rows that are multiplied where the other matrix lies in memory; with more the blocked product is faster.
inline constexpr std::int64_t kThinRows = 6;

/// c = a · b or c += a · b for m × k and k × n, m and n positive; k = 0 gives zeros. Calls `progress`, if it is one,
/// about every millisecond. The order in which the terms of an element are added depends on k alone. R is T or, for f32
/// and a k of at most kBlockDepth, Bf16: the sum is then rounded once.
template <class T, class R = T>
void multiply(std::int64_t m, std::int64_t n, std::int64_t k, Matrix<const T> a, Matrix<const T> b, Matrix<R> c,
              bool accumulate, const std::function<void()>& progress);

/// The same for few rows of a, where b is widened as it is read: numbers of bf16, or f32 that is rounded to bf16. They
/// compute it if that is the faster way, or return false.
bool take_few_widened(std::int64_t m, std::int64_t n, std::int64_t k, Matrix<const float> a, Matrix<const Bf16> b,
                      Matrix<float> c, bool accumulate, const std::function<void()>& progress);
bool take_few_rounded(std::int64_t m, std::int64_t n, std::int64_t k, Matrix<const float> a, Matrix<const float> b,
                      Matrix<float> c, bool accumulate, const std::function<void()>& progress);

/// The processor multiplies bf16 by itself (AVX512_BF16), about twice as fast as f32.
#ifdef __AVX512BF16__
inline constexpr bool kMultipliesBf16 = true;
#else
inline constexpr bool kMultipliesBf16 = false;
#endif

/// The same of bf16, summed in f32: each element of a and b is two numbers, neighbours along k, the second 0 at an odd
/// end (bf16_pairs.h); `pairs` is how many there are, at most kBlockDepth where R is Bf16. Only where kMultipliesBf16.
template <class R = float>
void multiply_pairs(std::int64_t m, std::int64_t n, std::int64_t pairs, Matrix<const float> a, Matrix<const float> b,
                    Matrix<R> c, bool accumulate, const std::function<void()>& progress);
/// The same of f32 that is rounded to bf16 as it is read, for few rows of a or few columns of b; k counts numbers.
/// Computes it if that is the faster way, or returns false. Only where kMultipliesBf16.
bool take_few_pairs(std::int64_t m, std::int64_t n, std::int64_t k, Matrix<const float> a, Matrix<const float> b,
                    Matrix<float> c, bool accumulate, const std::function<void()>& progress);
/// The same of bf16 as it lies in memory; k counts its numbers, at most 2 kBlockDepth where R is Bf16.
template <class R = float>
void multiply_bf16(std::int64_t m, std::int64_t n, std::int64_t k, Matrix<const Bf16> a, Matrix<const Bf16> b,
                   Matrix<R> c, bool accumulate, const std::function<void()>& progress);
/// multiply_pairs for few rows of a, where b is numbers of f32 or bf16, which become pairs as they are read; k counts
/// them. Only where can_pair_as_read().
template <class Number>
void multiply_paired_as_read(std::int64_t m, std::int64_t n, std::int64_t k, const Matrix<const float>& a,
                             const Matrix<const Number>& b, const Matrix<float>& c, bool accumulate);
/// b's rows or columns lie together, and are not too few or too short.
template <class Number>
bool can_pair_as_read(std::int64_t m, std::int64_t n, std::int64_t k, const Matrix<const Number>& b);

}  // namespace mtf::kernels
