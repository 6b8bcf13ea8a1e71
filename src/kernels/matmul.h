// Matrix products C[b, m, n] (+)= Σ_k A[b, m, k] · B[b, k, n], with any number of batch dims b.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "kernels/element_type.h"
#include "kernels/threads.h"

namespace mtf::kernels {

/// A batch of matrices in memory. Strides are in elements.
struct MatrixBatch {
  void* data = nullptr;
  std::int64_t row_stride = 0;
  std::int64_t column_stride = 0;
  std::span<const std::int64_t> batch_strides;  ///< one for each batch dim; 0 repeats a matrix
};

struct Matmul {
  /// The operands' type: f32, f64, i32 (wraps), or bf16 (summed in f32).
  ElementType operand_type = ElementType::kF32;
  /// The operands' type. For bf16 it may be f32; otherwise bf16 is rounded once, after `accumulate`.
  ElementType result_type = ElementType::kF32;
  /// f32 operands are rounded to bf16 before they are multiplied.
  bool bf16_product = false;
  /// C += instead of C =.
  bool accumulate = false;
  std::int64_t m = 0, n = 0, k = 0;  ///< any may be 0; k = 0 gives zeros
  std::span<const std::int64_t> batch;
  MatrixBatch a, b, c;  ///< c overlaps neither a nor b
  /// Each thread calls it about every millisecond during the product. An exception ends the product.
  std::function<void()> progress;
};

/// Computes the product. It is fastest if a stride of each matrix is 1. The order of an element's terms depends on k
/// alone. So the bits are the same for any position and any number of threads.
void matmul(const Matmul& product, Threads& threads);

}  // namespace mtf::kernels
