#pragma once
// Convolution: a contraction that reads windows along some dims.
#include "ops/contract.h"
#include "ops/windows.h"

namespace mtf::ops {

// The names of dims determine their roles. So groups, depthwise windows, and several batch or channel dims are no
// special cases. A transposed convolution is the same operation with stride and base dilation exchanged. The gradients
// of conv are therefore conv itself and conv_window.

/// Of conv and conv_window. The lists have a number for each dim of space.
struct ConvolutionAttributes {
  bool transposed = false;  ///< the operand is the output of windows.h, the result the input
  Product product = Product::kPlain;
  Names over;     ///< the spatial dims
  Dims window;    ///< the window's dims, one for each spatial dim
  Integers size;  ///< for conv: the spatial dims of the result
  Integers stride, low, dilation, base_dilation;
  Names result;
  static constexpr auto members() {
    using A = ConvolutionAttributes;
    return std::array{graph::member<&A::transposed>("transposed"),
                      graph::member<&A::product>("product", kProductWords),
                      graph::member<&A::over>("over"),
                      graph::member<&A::window>("window"),
                      graph::member<&A::size>("size"),
                      graph::member<&A::stride>("stride"),
                      graph::member<&A::low>("low"),
                      graph::member<&A::dilation>("dilation"),
                      graph::member<&A::base_dilation>("base_dilation"),
                      graph::member<&A::result>("->")};
  }
  Window along(size_t d) const { return {window[d].size, stride[d], low[d], 0, dilation[d], base_dilation[d]}; }
};

/// Compute a convolution, and the gradient of its window, on blocks.
void convolution_kernel(graph::KernelCall& call);
void convolution_window_kernel(graph::KernelCall& call);

}  // namespace mtf::ops
