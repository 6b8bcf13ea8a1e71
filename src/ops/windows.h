#pragma once
// Windows over dims of space: how convolution and pooling read, and how a call says it.
//
// Place o of the output and place t of the window meet the input's element i, in each dim of space, where
//
//     o · stride + t · dilation - low = i · base
//
// The output is computed from windows of the input; the input's gradient, a transposed convolution, from windows of the
// output, in which stride and base dilation have changed places. Both are access maps, so that blocks get halos by
// exact intervals, whatever they are split by (Y. Xu et al., GSPMD, 2021, section 4.3; D. Lepikhin et al., GShard,
// 2020, appendix A.4).
#include <cstdint>
#include <vector>

#include "graph/iteration_space.h"
#include "graph/kernel_call.h"
#include "kernels/convolution.h"
#include "ops/call.h"

namespace mtf::ops {

/// The window along one dim of space.
struct Window {
  int64_t taps = 1;
  int64_t stride = 1;
  int64_t low = 0;  ///< zeros before the input; fewer than 0 take elements away
  int64_t high = 0;
  int64_t dilation = 1;
  int64_t base = 1;
};

/// The places of the input that a place of the output reads; sizes are those of the whole dims.
graph::AccessMap map_of_output(const Window& window, int64_t input, int64_t output);
/// The places of the output whose windows have a place of the input.
graph::AccessMap map_of_input(const Window& window, int64_t input, int64_t output);

/// How often the window fits on an input of this size.
int64_t output_size(const Window& window, int64_t input);
/// The smallest input on which it fits so often.
int64_t input_size(const Window& window, int64_t output);

/// One dim of space of blocks of the input and of the output; `tap_stride` is of the window in memory.
kernels::ConvolutionDim convolution_dim(const Window& window, const kernels::BlockDim& input,
                                        const kernels::BlockDim& output, int64_t tap_stride);

/// The arguments `stride`, `pad`, `dilation` and, where the operation has it, `base_dilation` of a call, for windows of
/// these sizes; without a stride, `strides`. Refuses numbers that no window has.
std::vector<Window> windows_of(const Call& call, const std::vector<int64_t>& taps, const std::vector<int64_t>& strides);

/// The dims of `x` that the labels name, one to three of them, each once.
Dims dims_of_space(const Call& call, const graph::Value& x);

/// Fails at the label of dim `d`, over which the window does not fit.
[[noreturn]] void refuse_size(const Call& call, size_t d, const Dim& dim, const Window& window);

/// The points of the iteration space of blocks, each as often as it reads an element (graph::count_reads).
int64_t points_read(const graph::KernelCall& call);

}  // namespace mtf::ops
