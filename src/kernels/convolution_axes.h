// The pairs of elements that a convolution multiplies (internal to convolution.cpp). A convolution with any strides and
// dilations consists of ordinary convolutions. The results are computed box by box.
//
// Each residue of the result's index modulo the base dilation is an ordinary convolution, with the taps that meet
// elements of the operand there. The result is the output and the operand the input; for the input's gradient, vice
// versa.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <vector>

#include "kernels/convolution.h"
#include "support/integers.h"

namespace mtf::kernels {

constexpr int kAxes = 1 + kConvolutionDims;  // batch, then the spatial dims at the end

/// One axis of an ordinary convolution. Result u and tap v meet the operand's element origin + u step + v apart, if
/// that is in [begin, end). Strides are those in memory.
struct ConvolutionAxis {
  std::int64_t count = 1, first = 0, result_stride = 0;  ///< results: `first` is the address of the first one
  std::int64_t taps = 1, first_tap = 0, tap_stride = 0;  ///< the same for the window
  std::int64_t origin = 0, step = 1, apart = 1;
  std::int64_t begin = 0, end = 1, operand_stride = 0;
};
using ConvolutionAxes = std::array<ConvolutionAxis, kAxes>;

/// The ordinary convolutions of a dim: one for each residue of the output's index, or of the input's index if
/// `to_input`.
inline std::vector<ConvolutionAxis> ordinary(const ConvolutionDim& dim, bool to_input) {
  // Result r, tap t and operand i meet where r * stride + t * dilation + shift = i * base.
  const BlockDim &result = to_input ? dim.input : dim.output, &operand = to_input ? dim.output : dim.input;
  const std::int64_t stride = to_input ? dim.base : dim.stride, base = to_input ? dim.stride : dim.base;
  const std::int64_t dilation = to_input ? -dim.dilation : dim.dilation, shift = to_input ? dim.low : -dim.low;
  const std::int64_t residues = base / std::gcd(stride, base), tap_step = base / std::gcd(dilation, base);
  std::vector<ConvolutionAxis> axes;
  for (std::int64_t r = 0; r < std::min(residues, result.size); ++r) {
    const std::int64_t at = (result.first + r) * stride + shift;
    std::int64_t tap = 0;
    while (tap < tap_step && (at + tap * dilation) % base != 0) ++tap;
    ConvolutionAxis axis;
    axis.count = ceil_div(result.size - r, residues);
    axis.first = r * result.stride, axis.result_stride = residues * result.stride;
    axis.taps = tap == tap_step ? 0 : std::max<std::int64_t>(0, ceil_div(dim.taps - tap, tap_step));
    axis.first_tap = tap * dim.tap_stride, axis.tap_stride = tap_step * dim.tap_stride;
    axis.step = residues * stride / base, axis.apart = tap_step * dilation / base;
    if (axis.taps > 0) axis.origin = (at + tap * dilation) / base - operand.first;
    if (axis.apart < 0) {  // then start with the last tap
      const std::int64_t last = std::max<std::int64_t>(0, axis.taps - 1);
      axis.first_tap += last * axis.tap_stride, axis.tap_stride = -axis.tap_stride;
      axis.origin += last * axis.apart, axis.apart = -axis.apart;
    }
    axis.begin = std::max<std::int64_t>(0, -operand.first);
    axis.end = std::max(axis.begin, std::min(operand.size, operand.whole - operand.first));
    axis.operand_stride = operand.stride;
    axes.push_back(axis);
  }
  return axes;
}

/// A box of result positions.
struct Box {
  std::array<std::int64_t, kAxes> at{}, size{};
  std::int64_t positions() const { return size[0] * size[1] * size[2] * size[3]; }
};

/// Divides the results into boxes of about `positions` positions. The last axes are not divided if possible.
class Boxes {
 public:
  Boxes(const ConvolutionAxes& axes, std::int64_t positions) {
    std::int64_t room = positions;
    for (int a = kAxes; a-- > 0;) {
      count_[a] = axes[a].count;
      pieces_[a] = ceil_div(count_[a], std::max<std::int64_t>(1, room));
      room /= std::max<std::int64_t>(1, ceil_div(count_[a], std::max<std::int64_t>(1, pieces_[a])));
      size_ *= pieces_[a];
    }
  }
  std::int64_t size() const { return size_; }
  /// A box with the maximal size along each axis.
  Box largest() const {
    Box box;
    for (int a = 0; a < kAxes; ++a) box.size[a] = pieces_[a] > 0 ? ceil_div(count_[a], pieces_[a]) : 0;
    return box;
  }
  Box operator[](std::int64_t index) const {
    Box box;
    for (int a = kAxes; a-- > 0; index /= pieces_[a]) {
      const std::int64_t piece = index % pieces_[a];
      box.at[a] = count_[a] * piece / pieces_[a];
      box.size[a] = count_[a] * (piece + 1) / pieces_[a] - box.at[a];
    }
    return box;
  }

 private:
  std::array<std::int64_t, kAxes> count_{}, pieces_{};
  std::int64_t size_ = 1;
};

/// Calls fn with the axes of each ordinary convolution that the convolution consists of.
template <class Fn>
void for_each_ordinary(const Convolution& c, bool to_input, Fn fn) {
  const ConvolutionTensor &result = to_input ? c.input : c.output, &operand = to_input ? c.output : c.input;
  std::array<std::vector<ConvolutionAxis>, kAxes> axes;
  axes.fill({ConvolutionAxis{}});
  axes[0][0] = {
      .count = c.batch, .result_stride = result.batch_stride, .end = c.batch, .operand_stride = operand.batch_stride};
  const std::size_t before = kAxes - c.dims.size();
  for (std::size_t d = 0; d < c.dims.size(); ++d) axes[before + d] = ordinary(c.dims[d], to_input);
  for (const ConvolutionAxis& s : axes[0])
    for (const ConvolutionAxis& t : axes[1])
      for (const ConvolutionAxis& u : axes[2])
        for (const ConvolutionAxis& v : axes[3]) fn(ConvolutionAxes{s, t, u, v});
}

}  // namespace mtf::kernels
