// Convolution in one to three dims of space, and its gradients, of blocks (V. Dumoulin and F. Visin, A guide to
// convolution arithmetic for deep learning, 2016; strides and dilations as XLA's ConvGeneralDilated has them).
//
//   output[b, o, g out + k] = Σ over t, c of input[b, i, g in + c] · window[t, c, g out + k]
//                             for all taps t at which o · stride + t · dilation - low = i · base in each dim of space
//
// b: batch; o, i, t: one index for each dim of space; g: groups; c < in and k < out: the channels of a group. The
// gradient of the input (a transposed convolution) and that of the window are sums of the same products.
//
// Input and output are blocks of a whole: o and i are indices in it, and what the input's block lacks counts as 0. So
// the edges need no argument of their own: `low` is how far the window reaches before the whole at its first place,
// padding after the whole follows from the output's size, and a block is computed from the input block beneath it with
// what the window reaches beyond it. Elements of a block that lie outside the whole are not read.
//
// The terms of an element of the output are added by pieces of the input's channels, in each by taps, in each by
// channels; the pieces depend on how many taps and channels there are. The same holds of the input's gradient, with the
// taps in the order of the output. So their bits do not depend on how batch, space, groups and the channels of the
// result are split, nor on threads. Those of the window's gradient depend on the block of batch and space, which is
// what it is a sum over, but not on the rest.
//
// Dims may lie in any order in memory: fast are channels last and channels first, since what is multiplied is first
// copied into caches, for some hundred places of the output at once. Beyond the operands it takes about two MiB for
// each thread.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>

#include "kernels/block.h"
#include "kernels/threads.h"

namespace mtf::kernels {

/// One dim of space; strides in memory are in elements.
struct ConvolutionDim {
  BlockDim input, output;
  std::int64_t taps = 1;        ///< of the window
  std::int64_t tap_stride = 0;  ///< between neighbours in memory
  std::int64_t stride = 1;      ///< between neighbouring places of the window
  std::int64_t low = 0;         ///< how far the first place of the window begins before the input; may be negative
  std::int64_t dilation = 1;    ///< between neighbouring taps
  std::int64_t base = 1;        ///< between neighbouring elements of the input
};

/// How often the window fits on an input of this size, with `low` and `high` zeros around it; 0 if it is larger.
inline std::int64_t convolved_size(const ConvolutionDim& dim, std::int64_t input, std::int64_t high) {
  const std::int64_t reach = (dim.taps - 1) * dim.dilation + 1,
                     size = (input > 0 ? (input - 1) * dim.base + 1 : 0) + dim.low + high;
  return size < reach ? 0 : (size - reach) / dim.stride + 1;
}

/// Input or output, or a gradient of it; strides in elements.
struct ConvolutionTensor {
  ElementType element = ElementType::kF32;
  void* data = nullptr;
  std::int64_t batch_stride = 0, channel_stride = 0, group_stride = 0;
};

/// The window, or its gradient.
struct ConvolutionWindow {
  ElementType element = ElementType::kF32;
  void* data = nullptr;
  std::int64_t input_stride = 0, output_stride = 0;  ///< between channels of the input, of the output, of one group
  std::int64_t group_stride = 0;
};

/// All elements are f64, or each tensor's f32 or bf16: what is bf16 is multiplied and added up in f32, and rounded
/// once. What is written overlaps nothing that is read. Any size may be 0.
struct Convolution {
  std::int64_t batch = 1, groups = 1;
  std::int64_t inputs = 1, outputs = 1;  ///< channels of a group
  std::span<const ConvolutionDim> dims;  ///< at most kConvolutionDims; the last is fastest if it is the longest
  ConvolutionTensor input, output;
  ConvolutionWindow window;
  std::function<void()> progress;  ///< as of a Matmul
};

inline constexpr int kConvolutionDims = 3;

/// Computes the output.
void convolve(const Convolution& convolution, Threads& threads);
/// Computes the input's gradient from the output's: input[b, i, c] = Σ output[b, o, k] · window[t, c, k]. What the
/// output's block lacks counts as 0, so that gradients of an input block with a halo are parts of sums.
void convolve_input_gradient(const Convolution& convolution, Threads& threads);
/// Computes the window's gradient from the output's: window[t, c, k] = Σ over b and o of input[b, i, c] · output[b, o,
/// k].
void convolve_window_gradient(const Convolution& convolution, Threads& threads);

}  // namespace mtf::kernels
