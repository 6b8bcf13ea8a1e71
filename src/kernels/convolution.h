// Convolution in one to three spatial dims, and its gradients, on blocks (V. Dumoulin and F. Visin, A guide to
// convolution arithmetic for deep learning, 2016; strides and dilations as in XLA's ConvGeneralDilated).
//
//   output[b, o, g out + k] = Σ over t, c of input[b, i, g in + c] · window[t, c, g out + k]
//                             for all taps t at which o · stride + t · dilation - low = i · base in each spatial dim
//
// b: batch; o, i, t: one index for each spatial dim; g: groups; c < in and k < out: the channels of a group. The
// gradient of the input (a transposed convolution) and that of the window are sums of the same products.
//
// Input and output are blocks of gathered tensors: o and i are global indices, and elements that the input's block
// lacks count as 0. So the edges need no parameter of their own. `low` is the distance from the window's first position
// to the beginning of the gathered input. Padding at the end follows from the output's size. A block of the output is
// computed from the corresponding block of the input and its halo. Elements of a block outside the gathered tensor are
// not read.
//
// The terms of an output element are summed in pieces of the input's channels, in each piece by taps, for each tap by
// channels. The pieces depend on the numbers of taps and channels. The same holds for the input's gradient, with the
// taps in the order of the output. So the bits do not depend on threads, nor on the sharding of batch, spatial dims,
// groups and result channels. The window's gradient is a sum over batch and spatial dims. Its bits depend on the block
// of these dims only.
//
// Dims may have any order in memory. Channels last and channels first are both fast, because the kernel copies operands
// into caches, for some hundred output positions at once. It takes about two MiB for each thread besides the operands.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>

#include "kernels/block.h"
#include "kernels/threads.h"

namespace mtf::kernels {

/// One spatial dim. Strides in memory are in elements.
struct ConvolutionDim {
  BlockDim input, output;
  std::int64_t taps = 1;        ///< of the window
  std::int64_t tap_stride = 0;  ///< between neighbours in memory
  std::int64_t stride = 1;      ///< between neighbouring positions of the window
  std::int64_t low = 0;         ///< zeros before the input at the window's first position; may be negative
  std::int64_t dilation = 1;    ///< between neighbouring taps
  std::int64_t base = 1;        ///< between neighbouring elements of the input
};

/// The number of positions at which the window fits on an input of this size with `low` and `high` zeros around it.
inline std::int64_t convolved_size(const ConvolutionDim& dim, std::int64_t input, std::int64_t high) {
  const std::int64_t reach = (dim.taps - 1) * dim.dilation + 1,
                     size = (input > 0 ? (input - 1) * dim.base + 1 : 0) + dim.low + high;
  return size < reach ? 0 : (size - reach) / dim.stride + 1;
}

/// The input, the output, or a gradient of one of them. Strides are in elements.
struct ConvolutionTensor {
  ElementType element = ElementType::kF32;
  void* data = nullptr;
  std::int64_t batch_stride = 0, channel_stride = 0, group_stride = 0;
};

/// The window, or its gradient.
struct ConvolutionWindow {
  ElementType element = ElementType::kF32;
  void* data = nullptr;
  std::int64_t input_stride = 0, output_stride = 0;  ///< between channels of a group
  std::int64_t group_stride = 0;
};

/// Either all elements are f64, or each tensor is f32 or bf16. bf16 is multiplied and summed in f32, and the result is
/// rounded once. The result overlaps no operand. Any size may be 0.
struct Convolution {
  std::int64_t batch = 1, groups = 1;
  std::int64_t inputs = 1, outputs = 1;  ///< channels of a group
  std::span<const ConvolutionDim> dims;  ///< at most kConvolutionDims; fastest if the last is the longest
  ConvolutionTensor input, output;
  ConvolutionWindow window;
  std::function<void()> progress;  ///< as in Matmul
};

inline constexpr int kConvolutionDims = 3;

/// Computes the output.
void convolve(const Convolution& convolution, Threads& threads);
/// Computes the input's gradient from the output's: input[b, i, c] = Σ output[b, o, k] · window[t, c, k]. Elements that
/// the output's block lacks count as 0. So gradients of an input block with a halo are partial sums.
void convolve_input_gradient(const Convolution& convolution, Threads& threads);
/// Computes the window's gradient from the output's: window[t, c, k] = Σ over b and o of input[b, i, c] · output[b, o,
/// k].
void convolve_window_gradient(const Convolution& convolution, Threads& threads);

}  // namespace mtf::kernels
