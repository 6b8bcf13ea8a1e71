// Pooling in one to three dims of space, and its gradients, of blocks.
//
//   output[b, o, c] = max or mean over t of input[b, o · stride + t · dilation - low, c]
//
// The window is placed and blocks are blocks of a whole as in kernels/convolution.h, but for one thing: what lies
// outside the whole is not 0, it is left out. Terms are added in the order of the taps, so that no bit depends on how
// anything is split.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "kernels/convolution.h"
#include "kernels/threads.h"

namespace mtf::kernels {

struct Pooling {
  std::int64_t batch = 1, channels = 1;
  std::span<const ConvolutionDim> dims;  ///< of base 1; strides in memory are the tensors'
  /// A mean divides by all taps of the window, as if there were zeros outside the whole; otherwise by those that are
  /// inside.
  bool counts_outside = false;
};

/// A tensor with the dims of the input or of the output; strides in elements. All of one call have the same element:
/// f32, f64 or bf16, which is added up in f32.
struct PoolingTensor {
  ElementType element = ElementType::kF32;
  void* data = nullptr;
  std::int64_t batch_stride = 0, channel_stride = 0;
  std::array<std::int64_t, kConvolutionDims> strides{};  ///< of the dims of space
};

/// The greatest element of each window, NaN where there is one, -inf where the window meets none; and how many of its
/// elements are as great, if `ties` has data.
void max_pool(const Pooling& pooling, const PoolingTensor& input, const PoolingTensor& output,
              const PoolingTensor& ties, Threads& threads);
/// The gradient of max_pool's input: of each window the greatest elements share what comes to it equally. Of what the
/// block of the output lacks comes nothing.
void max_pool_gradient(const Pooling& pooling, const PoolingTensor& input, const PoolingTensor& output,
                       const PoolingTensor& ties, const PoolingTensor& output_gradient,
                       const PoolingTensor& input_gradient, Threads& threads);

/// The mean of each window; 0 where it meets no element.
void mean_pool(const Pooling& pooling, const PoolingTensor& input, const PoolingTensor& output, Threads& threads);
void mean_pool_gradient(const Pooling& pooling, const PoolingTensor& output_gradient,
                        const PoolingTensor& input_gradient, Threads& threads);

}  // namespace mtf::kernels
