#pragma once
// Windows over spatial dims: how convolution and pooling read, and how a call describes it.
//
// Position o of the output and position t of the window meet the input's element i, in each spatial dim, where
//
//     o · stride + t · dilation - low = i · base
//
// The output is computed from windows of the input. The input's gradient is a transposed convolution: it is computed
// from windows of the output, with stride and base dilation exchanged. Both are access maps, so that blocks get halos
// by exact intervals for any sharding (Y. Xu et al., GSPMD, 2021, section 4.3; D. Lepikhin et al., GShard, 2020,
// appendix A.4).
#include <cstdint>
#include <vector>

#include "graph/iteration_space.h"
#include "graph/kernel_call.h"
#include "kernels/convolution.h"
#include "ops/call.h"

namespace mtf::ops {

/// The window along one spatial dim.
struct Window {
  int64_t taps = 1;
  int64_t stride = 1;
  int64_t low = 0;  ///< zeros before the input; negative: removes elements
  int64_t high = 0;
  int64_t dilation = 1;
  int64_t base = 1;
};

/// The positions of the input that a position of the output reads. Sizes are those of the gathered dims.
graph::AccessMap map_of_output(const Window& window, int64_t input, int64_t output);
/// The positions of the output whose windows contain a position of the input.
graph::AccessMap map_of_input(const Window& window, int64_t input, int64_t output);

/// The number of positions at which the window fits on an input of this size.
int64_t output_size(const Window& window, int64_t input);
/// The smallest input that gives an output of this size.
int64_t input_size(const Window& window, int64_t output);

/// One spatial dim of blocks of the input and the output. `tap_stride` is the stride of the window in memory.
kernels::ConvolutionDim convolution_dim(const Window& window, const kernels::BlockDim& input,
                                        const kernels::BlockDim& output, int64_t tap_stride);

/// The arguments `stride`, `pad`, `dilation` and, if the operation has it, `base_dilation` of a call, for windows of
/// the sizes `taps`. `strides` is the default for `stride`. Fails if a number is impossible.
std::vector<Window> windows_of(const Call& call, const std::vector<int64_t>& taps, const std::vector<int64_t>& strides);

/// The dims of `x` that the labels name. They are one to three, each named once.
Dims dims_of_space(const Call& call, const graph::Value& x);

/// Fails at the label of dim `d`, because the window does not fit into the dim.
[[noreturn]] void refuse_size(const Call& call, size_t d, const Dim& dim, const Window& window);

/// The points of the iteration space of blocks, each counted once for each element that it reads (graph::count_reads).
int64_t points_read(const graph::KernelCall& call);

}  // namespace mtf::ops
