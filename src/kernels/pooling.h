// Pooling in one to three spatial dims, and its gradients, on blocks.
//
//   output[b, o, c] = max or mean over t of input[b, o · stride + t · dilation - low, c]
//
// Windows and blocks are defined as in kernels/convolution.h, with one exception: elements outside the gathered tensor
// are not 0, but left out. Terms are added in the order of the taps, so that no bit depends on the sharding.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "kernels/convolution.h"
#include "kernels/threads.h"

namespace mtf::kernels {

struct Pooling {
  std::int64_t batch = 1, channels = 1;
  std::span<const ConvolutionDim> dims;  ///< with base 1; strides in memory are the tensors'
  /// True: a mean divides by all taps of the window, as if there were zeros outside. False: it divides by the number of
  /// taps inside.
  bool counts_outside = false;
};

/// A tensor with the dims of the input or of the output. Strides are in elements. All tensors of a call have the same
/// element type: f32, f64 or bf16 (summed in f32).
struct PoolingTensor {
  ElementType element = ElementType::kF32;
  void* data = nullptr;
  std::int64_t batch_stride = 0, channel_stride = 0;
  std::array<std::int64_t, kConvolutionDims> strides{};  ///< of the spatial dims
};

/// Computes the maximum of each window: NaN if the window has one, -inf if the window is empty. If `ties` has data,
/// computes the number of elements that equal the maximum.
void max_pool(const Pooling& pooling, const PoolingTensor& input, const PoolingTensor& output,
              const PoolingTensor& ties, Threads& threads);
/// Computes the gradient of max_pool's input. The maximal elements of a window share its gradient equally. Windows that
/// the output's block lacks contribute nothing.
void max_pool_gradient(const Pooling& pooling, const PoolingTensor& input, const PoolingTensor& output,
                       const PoolingTensor& ties, const PoolingTensor& output_gradient,
                       const PoolingTensor& input_gradient, Threads& threads);

/// Computes the mean of each window, or 0 if the window is empty.
void mean_pool(const Pooling& pooling, const PoolingTensor& input, const PoolingTensor& output, Threads& threads);
void mean_pool_gradient(const Pooling& pooling, const PoolingTensor& output_gradient,
                        const PoolingTensor& input_gradient, Threads& threads);

}  // namespace mtf::kernels
