// Row kernels: softmax and related operations over one dim of a block.
#pragma once

#include <cstdint>

#include "kernels/element_type.h"
#include "kernels/threads.h"

namespace mtf::kernels {

/// `outer` × `inner` rows of `n` elements; element k of row (o, i) is at
/// data[o * outer_stride + i * inner_stride + k * stride].
struct Rows {
  std::int64_t outer = 1, n = 0, inner = 1;
};
struct RowsIn {
  const void* data = nullptr;
  std::int64_t outer_stride = 0, stride = 1, inner_stride = 0;
};
struct RowsOut {
  void* data = nullptr;
  std::int64_t outer_stride = 0, stride = 1, inner_stride = 0;
};

// All are for f32 and f64 (`type`); results have that type. log_sum_rows and layer_norm_rows are also for bf16: `y` is
// then bf16, rounded once, and what there is of each row is f32. `y` may be `x`. A NaN in a row makes the whole row
// NaN. A row that is -inf everywhere gives NaN (softmax, log_softmax) or -inf (logsumexp). For a row with +inf,
// logsumexp is +inf, and softmax gives the elements of +inf equal shares. A row's bits depend on its elements only.

/// y = exp(x - max x) / Σ exp(x - max x).
void softmax_rows(ElementType type, Rows rows, RowsIn x, RowsOut y, Threads& threads);

/// y = x - logsumexp(x).
void log_softmax_rows(ElementType type, Rows rows, RowsIn x, RowsOut y, Threads& threads);

/// One result for each row (`y.stride` is not read). An empty row gives -inf.
void logsumexp_rows(ElementType type, Rows rows, RowsIn x, RowsOut y, Threads& threads);

/// The largest element of each row, and log Σ exp(x - max x). Their `stride` is not read. Their sum is logsumexp(x),
/// but apart they keep its digits. A row that is -inf everywhere gives -inf twice.
void log_sum_rows(ElementType type, Rows rows, RowsIn x, RowsOut max, RowsOut log_sum, Threads& threads);

/// y = (x - mean) · scale with scale = 1 / sqrt(variance + epsilon). mean and scale are saved, one for each row. Their
/// `stride` is not read, and their `data` may be null.
void layer_norm_rows(ElementType type, Rows rows, double epsilon, RowsIn x, RowsOut y, RowsOut mean, RowsOut scale,
                     Threads& threads);

}  // namespace mtf::kernels
