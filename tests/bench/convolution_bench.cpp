// Convolutions: 3 × 3 on a batch of 32 images of 32 × 32 with 32 channels, the layers of ResNet-18 (K. He et al.,
// 2015), and some from or to few channels, with channels first and last. Each benchmark reports `ratio`, the median of
// interleaved pairs: its time divided by that of a matrix product with the same flops. It compares some results with
// plain sums. report.py runs the same in PyTorch.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <vector>

#include "kernels/kernel_table.h"
#include "timing.h"

namespace mtf {
namespace {

using Int = std::int64_t;

/// Numbers between 0.25 and 0.75, no two neighbours equal.
std::vector<float> numbers(Int count) {
  std::vector<float> x(count);
  for (Int i = 0; i < count; ++i) x[i] = 0.25f + 0.5f * static_cast<float>(i * 7919 % 8191) / 8191;
  return x;
}

/// A square layer with half a window around its input.
struct Layer {
  Int batch, in, out, size, taps, stride;
  bool last;  ///< channels innermost in memory, also in the window
  Int low = taps / 2, places = (size + 2 * low - taps) / stride + 1;
  std::vector<float> x = numbers(batch * in * size * size), w = numbers(in * out * taps * taps),
                     y = numbers(batch * out * places * places);

  double flops() const {
    return 2.0 * static_cast<double>(batch * places * places * out) * static_cast<double>(in * taps * taps);
  }
  /// An element of an image, and of the window.
  Int image(Int b, Int c, Int i, Int j, Int channels, Int side) const {
    return last ? ((b * side + i) * side + j) * channels + c : ((b * channels + c) * side + i) * side + j;
  }
  Int window(Int c, Int k, Int s, Int t) const {
    return last ? ((s * taps + t) * in + c) * out + k : ((k * in + c) * taps + s) * taps + t;
  }

  kernels::Convolution convolution(std::vector<kernels::ConvolutionDim>& dims) {
    dims.resize(2);
    for (int d = 0; d < 2; ++d) {
      const Int i = d == 0, j = d == 1;
      dims[d].input = {0, size, size, image(0, 0, i, j, in, size)};
      dims[d].output = {0, places, places, image(0, 0, i, j, out, places)};
      dims[d].taps = taps, dims[d].tap_stride = window(0, 0, i, j), dims[d].stride = stride, dims[d].low = low;
    }
    kernels::Convolution c;
    c.batch = batch, c.inputs = in, c.outputs = out, c.dims = dims;
    c.input = {ElementType::kF32, x.data(), image(1, 0, 0, 0, in, size), image(0, 1, 0, 0, in, size)};
    c.output = {ElementType::kF32, y.data(), image(1, 0, 0, 0, out, places), image(0, 1, 0, 0, out, places)};
    c.window = {ElementType::kF32, w.data(), window(1, 0, 0, 0), window(0, 1, 0, 0)};
    return c;
  }
};

using Compute = void (*)(const kernels::Convolution&, kernels::Threads&);

/// Compares some computed elements with plain sums.
void expect_sums(benchmark::State& state, Compute compute, const Layer& l, const Layer& before) {
  std::vector<double> computed, expected;
  for (Int sample = 0; sample < 50; ++sample) {
    const auto any = [&](std::uint64_t size, Int salt) {
      return static_cast<Int>((static_cast<std::uint64_t>(sample * 8 + salt) * 0x9e3779b97f4a7c15U >> 40) % size);
    };
    double sum = 0;
    if (compute == kernels::table().convolve) {
      const Int b = any(l.batch, 1), k = any(l.out, 2), i = any(l.places, 3), j = any(l.places, 4);
      for (Int c = 0; c < l.in; ++c) {
        for (Int s = 0; s < l.taps; ++s) {
          for (Int t = 0; t < l.taps; ++t) {
            const Int u = i * l.stride + s - l.low, v = j * l.stride + t - l.low;
            if (u >= 0 && u < l.size && v >= 0 && v < l.size)
              sum += l.x[l.image(b, c, u, v, l.in, l.size)] * l.w[l.window(c, k, s, t)];
          }
        }
      }
      computed.push_back(l.y[l.image(b, k, i, j, l.out, l.places)]);
    } else if (compute == kernels::table().convolve_input_gradient) {
      const Int b = any(l.batch, 1), c = any(l.in, 2), u = any(l.size, 3), v = any(l.size, 4);
      for (Int k = 0; k < l.out; ++k) {
        for (Int s = 0; s < l.taps; ++s) {
          for (Int t = 0; t < l.taps; ++t) {
            const Int i = u + l.low - s, j = v + l.low - t;
            if (i < 0 || j < 0 || i % l.stride || j % l.stride || i / l.stride >= l.places || j / l.stride >= l.places)
              continue;
            sum += before.y[l.image(b, k, i / l.stride, j / l.stride, l.out, l.places)] * l.w[l.window(c, k, s, t)];
          }
        }
      }
      computed.push_back(l.x[l.image(b, c, u, v, l.in, l.size)]);
    } else {
      const Int c = any(l.in, 1), k = any(l.out, 2), s = any(l.taps, 3), t = any(l.taps, 4);
      for (Int b = 0; b < l.batch; ++b) {
        for (Int i = 0; i < l.places; ++i) {
          for (Int j = 0; j < l.places; ++j) {
            const Int u = i * l.stride + s - l.low, v = j * l.stride + t - l.low;
            if (u >= 0 && u < l.size && v >= 0 && v < l.size)
              sum += before.x[l.image(b, c, u, v, l.in, l.size)] * before.y[l.image(b, k, i, j, l.out, l.places)];
          }
        }
      }
      computed.push_back(l.w[l.window(c, k, s, t)]);
    }
    expected.push_back(sum);
  }
  expect_same<double>(state, computed, expected);
}

void convolution(benchmark::State& state, Compute compute, bool last) {
  Layer layer{state.range(0), state.range(1), state.range(2), state.range(3), state.range(4), state.range(5), last};
  const Layer before = layer;
  std::vector<kernels::ConvolutionDim> dims;
  const kernels::Convolution c = layer.convolution(dims);
  kernels::Threads threads(1);
  constexpr Int kSide = 512;
  kernels::Matmul p;
  p.m = static_cast<Int>(layer.flops() / (2.0 * kSide * kSide)), p.n = p.k = kSide;
  std::vector<float> a = numbers(p.m * kSide), b = numbers(kSide * kSide), product(p.m * kSide);
  p.a = {a.data(), kSide, 1, {}}, p.b = {b.data(), kSide, 1, {}}, p.c = {product.data(), kSide, 1, {}};
  compare(
      state, [&] { compute(c, threads); }, [&] { kernels::table().matmul(p, threads); }, layer.flops());
  expect_sums(state, compute, layer, before);
}
#define MTF_LAYERS                                             \
  ->ArgNames({"batch", "in", "out", "size", "taps", "stride"}) \
      ->Args({32, 32, 32, 32, 3, 1})                           \
      ->Args({8, 3, 64, 224, 7, 2})                            \
      ->Args({8, 64, 64, 56, 3, 1})                            \
      ->Args({8, 64, 128, 56, 3, 2})                           \
      ->Args({8, 64, 128, 56, 1, 2})                           \
      ->Args({8, 128, 128, 28, 3, 1})                          \
      ->Args({8, 256, 256, 14, 3, 1})                          \
      ->Args({8, 512, 512, 7, 3, 1})                           \
      ->Args({32, 3, 64, 32, 3, 1})                            \
      ->Args({4, 3, 64, 128, 4, 2})                            \
      ->Args({2, 64, 2, 128, 3, 1})                            \
      ->Args({2, 64, 3, 128, 1, 1})                            \
      ->UseManualTime()
BENCHMARK_CAPTURE(convolution, output_channels_last, kernels::table().convolve, true) MTF_LAYERS;
BENCHMARK_CAPTURE(convolution, input_channels_last, kernels::table().convolve_input_gradient, true) MTF_LAYERS;
BENCHMARK_CAPTURE(convolution, window_channels_last, kernels::table().convolve_window_gradient, true) MTF_LAYERS;
BENCHMARK_CAPTURE(convolution, output_channels_first, kernels::table().convolve, false) MTF_LAYERS;
BENCHMARK_CAPTURE(convolution, input_channels_first, kernels::table().convolve_input_gradient, false) MTF_LAYERS;
BENCHMARK_CAPTURE(convolution, window_channels_first, kernels::table().convolve_window_gradient, false) MTF_LAYERS;

}  // namespace
}  // namespace mtf

BENCHMARK_MAIN();
