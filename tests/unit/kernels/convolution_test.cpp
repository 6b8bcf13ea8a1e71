// Convolutions, their gradients and pooling against nested loops in double precision, and blocks against the whole
// result.
#include "kernels/kernel_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <random>
#include <stdexcept>
#include <vector>

namespace mtf::kernels {
namespace {

using Int = std::int64_t;
using Random = std::mt19937;

Int between(Random& random, Int low, Int high) {
  return low + static_cast<Int>(random() % static_cast<unsigned>(high - low + 1));
}

template <class T>
struct Stored {
  static constexpr double kTolerance = std::is_same_v<T, double> ? 1e-14 : std::is_same_v<T, float> ? 1e-5 : 5e-3;
  static constexpr ElementType kType = std::is_same_v<T, double>  ? ElementType::kF64
                                       : std::is_same_v<T, float> ? ElementType::kF32
                                                                  : ElementType::kBf16;
  static T from(double x) {
    if constexpr (std::is_same_v<T, Bf16>) return mtf::to_bf16(static_cast<float>(x));
    else return static_cast<T>(x);
  }
  static double number(T x) {
    if constexpr (std::is_same_v<T, Bf16>) return mtf::to_float(x);
    else return static_cast<double>(x);
  }
};

/// A dense tensor with its dims in any order in memory; often with channels last.
template <class T>
struct Tensor {
  std::vector<Int> sizes, strides;
  std::vector<T> data;

  Tensor(std::vector<Int> dims, Random& random) : sizes(std::move(dims)), strides(sizes.size()) {
    std::vector<std::size_t> order(sizes.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (random() % 3 == 0)
      std::reverse(order.begin() + 2, order.end()), std::rotate(order.begin(), order.begin() + 1, order.end());
    else std::shuffle(order.begin(), order.end(), random);
    Int stride = 1;
    for (const std::size_t d : order) strides[d] = stride, stride *= sizes[d];
    data.reserve(1);  // never null
    data.resize(static_cast<std::size_t>(stride));
    std::normal_distribution<double> normal;
    for (T& x : data) x = Stored<T>::from(normal(random));
  }
  T* at(const std::vector<Int>& index) {
    return data.data() + std::inner_product(index.begin(), index.end(), strides.begin(), Int{0});
  }
};

/// Calls fn with each index of a box.
template <class Fn>
void each_index(const std::vector<Int>& sizes, Fn fn) {
  Int count = 1;
  for (const Int size : sizes) count *= size;
  std::vector<Int> index(sizes.size());
  for (Int k = 0; k < count; ++k) {
    Int rest = k;
    for (std::size_t d = sizes.size(); d-- > 0; rest /= sizes[d]) index[d] = rest % sizes[d];
    fn(index);
  }
}

/// The whole dims of space, and channels.
struct Setting {
  Int batch = 1, groups = 1, inputs = 1, outputs = 1;
  std::vector<ConvolutionDim> dims;

  static Setting any(Random& random) {
    Setting s;
    const Int order = between(random, 1, 3);
    const bool wide = random() % 8 == 0;
    s.batch = random() % 20 == 0 ? 0 : between(random, 1, 3);
    s.groups = random() % 3 == 0 ? between(random, 2, 5) : 1;
    s.inputs = random() % 3 == 0 ? 1 : wide ? between(random, 60, 100) : between(random, 0, 6);
    s.outputs = random() % 3 == 0   ? 1
                : random() % 4 == 0 ? 32
                : wide              ? between(random, 20, 70)
                                    : between(random, 0, 20);
    for (Int d = 0; d < order; ++d) {
      ConvolutionDim dim;
      dim.taps = between(random, 1, 4);
      dim.stride = random() % 2 ? 1 : between(random, 1, 4);
      dim.dilation = random() % 2 ? 1 : between(random, 1, 4);
      dim.base = random() % 2 ? 1 : between(random, 1, 4);
      dim.low = between(random, -1, 4);
      const Int size = random() % 20 == 0 ? 0
                                          : between(random, 1,
                                                    order == 1   ? 700
                                                    : order == 2 ? wide ? 8 : 30
                                                                 : 7),
                high = between(random, -1, 4);
      dim.input = {0, size, size, 0};
      const Int result = convolved_size(dim, size, high);
      dim.output = {0, result, result, 0};
      s.dims.push_back(dim);
    }
    return s;
  }
  std::vector<Int> input_sizes() const {
    std::vector<Int> sizes{batch, groups * inputs};
    for (const ConvolutionDim& dim : dims) sizes.push_back(dim.input.size);
    return sizes;
  }
  std::vector<Int> output_sizes() const {
    std::vector<Int> sizes{batch, groups * outputs};
    for (const ConvolutionDim& dim : dims) sizes.push_back(dim.output.size);
    return sizes;
  }
  std::vector<Int> window_sizes() const {
    std::vector<Int> sizes{inputs, groups * outputs};
    for (const ConvolutionDim& dim : dims) sizes.push_back(dim.taps);
    return sizes;
  }

  /// Calls fn with the indices of input, window and output of each product.
  template <class Fn>
  void each_product(Fn fn) const {
    std::vector<Int> taps, positions = output_sizes(), i{0, 0}, w{0, 0};
    for (const ConvolutionDim& dim : dims) taps.push_back(dim.taps);
    i.resize(positions.size()), w.resize(positions.size());
    each_index(positions, [&](const std::vector<Int>& o) {
      each_index(taps, [&](const std::vector<Int>& tap) {
        for (std::size_t d = 0; d < dims.size(); ++d) {
          const Int at = o[d + 2] * dims[d].stride + tap[d] * dims[d].dilation - dims[d].low;
          if (at < 0 || at % dims[d].base != 0 || at / dims[d].base >= dims[d].input.size) return;
          i[d + 2] = at / dims[d].base, w[d + 2] = tap[d];
        }
        i[0] = o[0], w[1] = o[1];
        for (Int c = 0; c < inputs; ++c) {
          i[1] = o[1] / outputs * inputs + c, w[0] = c;
          fn(i, w, o);
        }
      });
    });
  }
};

/// A setting with its tensors.
template <class T, class R = T>
struct Case {
  Setting setting;
  Tensor<T> x, w;
  Tensor<R> y;

  Case(const Setting& s, Random& random)
      : setting(s), x(s.input_sizes(), random), w(s.window_sizes(), random), y(s.output_sizes(), random) {}

  Convolution whole(std::vector<ConvolutionDim>& dims) {
    dims = setting.dims;
    for (std::size_t d = 0; d < dims.size(); ++d)
      dims[d].input.stride = x.strides[d + 2], dims[d].output.stride = y.strides[d + 2],
      dims[d].tap_stride = w.strides[d + 2];
    Convolution c;
    c.batch = setting.batch, c.groups = setting.groups, c.inputs = setting.inputs, c.outputs = setting.outputs;
    c.dims = dims;
    c.input = {Stored<T>::kType, x.data.data(), x.strides[0], x.strides[1], setting.inputs * x.strides[1]};
    c.output = {Stored<R>::kType, y.data.data(), y.strides[0], y.strides[1], setting.outputs * y.strides[1]};
    c.window = {Stored<T>::kType, w.data.data(), w.strides[0], w.strides[1], setting.outputs * w.strides[1]};
    return c;
  }
};

/// The expected values of a tensor: sums, and the sums of absolute terms, which bound the rounding.
struct Sums {
  std::vector<double> sum, size;
  explicit Sums(std::size_t count) : sum(count), size(count) {}
  void add(std::ptrdiff_t at, double term) {
    sum[static_cast<std::size_t>(at)] += term, size[static_cast<std::size_t>(at)] += std::abs(term);
  }
  template <class T>
  void expect(const Tensor<T>& computed, const char* what) const {
    for (std::size_t k = 0; k < sum.size(); ++k)
      ASSERT_NEAR(Stored<T>::number(computed.data[k]), sum[k], Stored<T>::kTolerance * size[k]) << what;
  }
};

template <class T, class R = T>
void expect_sums(int rounds) {
  Random random(3);
  Threads one(1), three(3);
  for (int round = 0; round < rounds; ++round) {
    SCOPED_TRACE(round);
    Case<T, R> c(Setting::any(random), random);
    Sums x(c.x.data.size()), w(c.w.data.size()), y(c.y.data.size());
    const Tensor<T> x0 = c.x, w0 = c.w;
    const Tensor<R> y0 = c.y;
    c.setting.each_product([&](const std::vector<Int>& i, const std::vector<Int>& t, const std::vector<Int>& o) {
      const auto at_x = c.x.at(i) - c.x.data.data(), at_w = c.w.at(t) - c.w.data.data(),
                 at_y = c.y.at(o) - c.y.data.data();
      const double input = Stored<T>::number(x0.data[at_x]), window = Stored<T>::number(w0.data[at_w]),
                   output = Stored<R>::number(y0.data[at_y]);
      y.add(at_y, input * window), x.add(at_x, output * window), w.add(at_w, input * output);
    });
    std::vector<ConvolutionDim> dims;
    Threads& threads = round % 2 ? three : one;
    table().convolve(c.whole(dims), threads);
    y.expect(c.y, "output");
    c.y = y0;
    table().convolve_input_gradient(c.whole(dims), threads);
    x.expect(c.x, "input's gradient");
    c.x = x0;
    table().convolve_window_gradient(c.whole(dims), threads);
    w.expect(c.w, "window's gradient");
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(Convolution, EveryElementIsItsSum) {
  expect_sums<float>(200);
  expect_sums<double>(200);
}

TEST(Convolution, OfBf16IsAddedUpInF32) {
  expect_sums<Bf16, float>(40);
  expect_sums<Bf16>(40);
}

/// Bounds of up to `most` uneven blocks of a dim, some of them empty.
std::vector<Int> bounds(Int size, Int most, Random& random) {
  std::vector<Int> result{0, size};
  for (Int k = between(random, 0, most - 1); k > 0; --k) result.push_back(between(random, 0, size));
  std::sort(result.begin(), result.end());
  return result;
}

/// Computes a whole result by blocks of batch, channels of the result, and space. Each block reads the part of the
/// operand that it needs and a little more. With `to_input` computes the gradient of the input.
template <class T>
void by_blocks(Case<T>& c, bool to_input, Threads& threads, Random& random) {
  std::vector<ConvolutionDim> dims;
  const Convolution whole = c.whole(dims);
  std::vector<std::vector<Int>> cuts{bounds(whole.batch, 2, random), bounds(whole.groups > 1 ? whole.groups
                                                                            : to_input       ? whole.inputs
                                                                                             : whole.outputs,
                                                                            3, random)};
  std::vector<Int> counts;
  for (const ConvolutionDim& dim : dims) cuts.push_back(bounds(to_input ? dim.input.size : dim.output.size, 3, random));
  for (const auto& cut : cuts) counts.push_back(std::ssize(cut) - 1);
  each_index(counts, [&](const std::vector<Int>& index) {
    Convolution block = whole;
    std::vector<ConvolutionDim> own = dims;
    auto *x = static_cast<T*>(whole.input.data), *y = static_cast<T*>(whole.output.data),
         *w = static_cast<T*>(whole.window.data);
    const auto range = [&](std::size_t d) {
      return std::pair(cuts[d][static_cast<std::size_t>(index[d])], cuts[d][static_cast<std::size_t>(index[d]) + 1]);
    };
    const auto [batch, batch_end] = range(0);
    block.batch = batch_end - batch;
    x += batch * whole.input.batch_stride, y += batch * whole.output.batch_stride;
    const auto [channel, channel_end] = range(1);
    const Int count = channel_end - channel;
    if (whole.groups > 1) {
      block.groups = count;
      x += channel * whole.inputs * whole.input.channel_stride,
          y += channel * whole.outputs * whole.output.channel_stride;
      w += channel * whole.outputs * whole.window.output_stride;
    } else if (to_input) {
      block.inputs = count;
      x += channel * whole.input.channel_stride, w += channel * whole.window.input_stride;
    } else {
      block.outputs = count;
      y += channel * whole.output.channel_stride, w += channel * whole.window.output_stride;
    }
    for (std::size_t d = 0; d < own.size(); ++d) {
      const ConvolutionDim& dim = dims[d];
      const auto [first, last] = range(d + 2);
      BlockDim &result = to_input ? own[d].input : own[d].output, &operand = to_input ? own[d].output : own[d].input;
      result.first = first, result.size = last - first;
      Int low = operand.whole, high = 0;  // the part that the block reads
      for (Int o = 0; o < dim.output.size; ++o) {
        for (Int t = 0; t < dim.taps; ++t) {
          const Int at = o * dim.stride + t * dim.dilation - dim.low, i = at / dim.base;
          if (at < 0 || at % dim.base != 0 || i >= dim.input.size) continue;
          const Int mine = to_input ? i : o, read = to_input ? o : i;
          if (mine >= first && mine < last) low = std::min(low, read), high = std::max(high, read + 1);
        }
      }
      if (low > high) low = high;
      operand.first = low - between(random, 0, 3);  // may extend beyond the whole dim on both sides
      operand.size = high + between(random, 0, 3) - operand.first;
      x += own[d].input.first * dim.input.stride, y += own[d].output.first * dim.output.stride;
    }
    block.dims = own;
    block.input.data = x, block.output.data = y, block.window.data = w;
    to_input ? table().convolve_input_gradient(block, threads) : table().convolve(block, threads);
  });
}

template <class T>
void expect_bits_of_whole(int rounds) {
  Random random(5);
  Threads one(1), three(3);
  for (int round = 0; round < rounds; ++round) {
    SCOPED_TRACE(round);
    Case<T> c(Setting::any(random), random);
    std::vector<ConvolutionDim> dims;
    table().convolve(c.whole(dims), one);
    const std::vector<T> output = c.y.data;
    std::fill(c.y.data.begin(), c.y.data.end(), T(NAN));
    by_blocks(c, false, three, random);
    ASSERT_EQ(std::memcmp(output.data(), c.y.data.data(), output.size() * sizeof(T)), 0);
    table().convolve_input_gradient(c.whole(dims), one);
    const std::vector<T> input = c.x.data;
    std::fill(c.x.data.begin(), c.x.data.end(), T(NAN));
    by_blocks(c, true, three, random);
    ASSERT_EQ(std::memcmp(input.data(), c.x.data.data(), input.size() * sizeof(T)), 0);
  }
}

TEST(Convolution, BlocksHaveTheBitsOfTheWhole) {
  expect_bits_of_whole<float>(150);
  expect_bits_of_whole<double>(50);
}

TEST(Convolution, AWindowsGradientHasTheSameBitsForAnyChannelsAndThreads) {
  Random random(6);
  Threads one(1), three(3);
  for (int round = 0; round < 60; ++round) {
    Setting s = Setting::any(random);
    s.groups = 1;
    Case<float> c(s, random);
    std::vector<ConvolutionDim> dims;
    table().convolve_window_gradient(c.whole(dims), one);
    const std::vector<float> gradient = c.w.data;
    std::fill(c.w.data.begin(), c.w.data.end(), NAN);
    const std::vector<Int> in = bounds(s.inputs, 3, random), out = bounds(s.outputs, 3, random);
    for (std::size_t i = 1; i < in.size(); ++i) {
      for (std::size_t o = 1; o < out.size(); ++o) {
        Convolution block = c.whole(dims);
        block.inputs = in[i] - in[i - 1], block.outputs = out[o] - out[o - 1];
        block.input.data = c.x.data.data() + in[i - 1] * c.x.strides[1];
        block.output.data = c.y.data.data() + out[o - 1] * c.y.strides[1];
        block.window.data = c.w.data.data() + in[i - 1] * c.w.strides[0] + out[o - 1] * c.w.strides[1];
        table().convolve_window_gradient(block, three);
      }
    }
    ASSERT_EQ(std::memcmp(gradient.data(), c.w.data.data(), gradient.size() * sizeof(float)), 0) << round;
  }
}

/// Computes some channels of a result with 40 channels, which other loops compute if they are few. Nothing beside them
/// may be written.
template <class T>
void expect_bits_of_many(int rounds) {
  constexpr Int kMany = 40;
  Random random(10);
  Threads one(1), three(3);
  for (int round = 0; round < rounds; ++round) {
    SCOPED_TRACE(round);
    const bool to_input = round % 3 == 1, to_window = round % 3 == 2;
    Setting s = Setting::any(random);
    (to_input ? s.inputs : s.outputs) = kMany;
    (to_input ? s.outputs : s.inputs) = between(random, 1, random() % 2 ? 6 : 80);
    Case<T> c(s, random);
    std::vector<ConvolutionDim> dims;
    const auto compute = to_input    ? table().convolve_input_gradient
                         : to_window ? table().convolve_window_gradient
                                     : table().convolve;
    Tensor<T>& result = to_input ? c.x : to_window ? c.w : c.y;
    compute(c.whole(dims), one);
    const std::vector<T> many = result.data;
    for (Int few = 1; few <= 8; ++few) {
      const Int first = between(random, 0, kMany - few);
      const T unwritten = Stored<T>::from(NAN);
      std::fill(result.data.begin(), result.data.end(), unwritten);
      Convolution some = c.whole(dims);
      (to_input ? some.inputs : some.outputs) = few;
      some.window.data = c.w.data.data() + first * c.w.strides[to_input ? 0 : 1];
      if (to_input) some.input.data = c.x.data.data() + first * c.x.strides[1];
      else some.output.data = c.y.data.data() + first * c.y.strides[1];
      compute(some, few % 2 ? one : three);
      each_index(result.sizes, [&](const std::vector<Int>& index) {
        const Int channel = index[1] % kMany;
        const T* const at = result.at(index);
        const T& expected = channel >= first && channel < first + few
                                ? many[static_cast<std::size_t>(at - result.data.data())]
                                : unwritten;
        ASSERT_EQ(std::memcmp(at, &expected, sizeof(T)), 0) << few;
      });
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

TEST(Convolution, FewChannelsHaveTheBitsOfTheSameAmongMany) {
  expect_bits_of_many<float>(45);
  expect_bits_of_many<double>(30);
  expect_bits_of_many<Bf16>(30);
}

TEST(Convolution, GradientsAreAdjoint) {
  Random random(7);
  Threads threads(2);
  for (int round = 0; round < 200; ++round) {
    Case<double> c(Setting::any(random), random);
    std::vector<ConvolutionDim> dims;
    const auto dot = [](const std::vector<double>& a, const std::vector<double>& b) {
      return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
    };
    const std::vector<double> x = c.x.data, w = c.w.data, y = c.y.data;
    table().convolve(c.whole(dims), threads);
    const double expected = dot(c.y.data, y), tolerance = 1e-12 * std::sqrt(1 + dot(c.y.data, c.y.data) * dot(y, y));
    c.y.data = y;
    table().convolve_input_gradient(c.whole(dims), threads);
    EXPECT_NEAR(dot(c.x.data, x), expected, tolerance) << round;
    c.x.data = x;
    table().convolve_window_gradient(c.whole(dims), threads);
    EXPECT_NEAR(dot(c.w.data, w), expected, tolerance) << round;
  }
}

TEST(Convolution, PartsOfAnInputsGradientAddUp) {
  Random random(8);
  Threads threads(1);
  for (int round = 0; round < 50; ++round) {
    Case<double> c(Setting::any(random), random);
    std::vector<ConvolutionDim> dims;
    table().convolve_input_gradient(c.whole(dims), threads);
    const std::vector<double> expected = c.x.data;
    std::vector<double> sum(expected.size());
    const std::vector<Int> cut = bounds(dims[0].output.size, 3, random);
    for (std::size_t k = 1; k < cut.size(); ++k) {
      Convolution part = c.whole(dims);
      dims[0].output.first = cut[k - 1], dims[0].output.size = cut[k] - cut[k - 1];
      part.output.data = c.y.data.data() + cut[k - 1] * dims[0].output.stride;
      table().convolve_input_gradient(part, threads);
      for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += c.x.data[i];
    }
    for (std::size_t i = 0; i < sum.size(); ++i) ASSERT_NEAR(sum[i], expected[i], 1e-10) << round;
  }
}

TEST(Convolution, ProgressIsToldAndMayEndIt) {
  Random random(9);
  Setting s;
  s.batch = 8, s.inputs = 64, s.outputs = 64;
  for (int d = 0; d < 2; ++d) {
    ConvolutionDim dim;
    dim.taps = 3, dim.low = 1, dim.input = dim.output = {0, 32, 32, 0};
    s.dims.push_back(dim);
  }
  Case<float> c(s, random);
  std::vector<ConvolutionDim> dims;
  Convolution told = c.whole(dims);
  Threads threads(1);
  for (const auto compute : {table().convolve, table().convolve_input_gradient, table().convolve_window_gradient}) {
    int calls = 0;
    told.progress = [&] { ++calls; };
    compute(told, threads);
    EXPECT_GE(calls, 4);
    EXPECT_LE(calls, 200);
    told.progress = [] { throw std::runtime_error("enough"); };
    EXPECT_THROW(compute(told, threads), std::runtime_error);
  }
}

TEST(Convolution, RefusesMixedTypesAndFourDims) {
  Random random(9);
  Case<float> c(Setting::any(random), random);
  std::vector<ConvolutionDim> dims;
  Threads threads(1);
  Convolution mixed = c.whole(dims);
  mixed.window.element = ElementType::kF64;
  EXPECT_THROW(table().convolve(mixed, threads), std::invalid_argument);
  Convolution deep = c.whole(dims);
  dims.resize(4);
  deep.dims = dims;
  EXPECT_THROW(table().convolve(deep, threads), std::invalid_argument);
}

/// Tensors of a pooling, with integers, so that there are ties.
template <class T>
struct PoolingCase {
  Setting setting;
  Tensor<T> x, y, n, dy, dx;
  bool counts_outside;

  PoolingCase(const Setting& s, Random& random)
      : setting(s),
        x(s.input_sizes(), random),
        y(s.output_sizes(), random),
        n(s.output_sizes(), random),
        dy(s.output_sizes(), random),
        dx(s.input_sizes(), random),
        counts_outside(random() % 2) {
    for (T& number : x.data) number = Stored<T>::from(std::round(Stored<T>::number(number)));
    if (random() % 5 == 0 && !x.data.empty()) x.data[random() % x.data.size()] = Stored<T>::from(NAN);
  }
  static Setting any(Random& random) {
    Setting s = Setting::any(random);
    s.groups = 1, s.inputs = s.outputs = random() % 2 ? 1 : between(random, 0, 20);
    for (ConvolutionDim& dim : s.dims) {
      dim.base = 1;
      dim.output.size = dim.output.whole = convolved_size(dim, dim.input.size, between(random, 0, 2));
    }
    return s;
  }
  Pooling whole() const {
    Pooling p;
    p.batch = setting.batch, p.channels = setting.inputs;
    p.dims = setting.dims;
    p.counts_outside = counts_outside;
    return p;
  }
  static PoolingTensor tensor(Tensor<T>& t) {
    PoolingTensor result{Stored<T>::kType, t.data.data(), t.strides[0], t.strides[1], {}};
    for (std::size_t d = 2; d < t.strides.size(); ++d) result.strides[d - 2] = t.strides[d];
    return result;
  }
  /// Runs the four kernels, with gradients into dx: of the maximum, or of the mean.
  void pool(bool greatest, Threads& threads) {
    greatest ? table().max_pool(whole(), tensor(x), tensor(y), tensor(n), threads)
             : table().mean_pool(whole(), tensor(x), tensor(y), threads);
  }
  void gradient(bool greatest, Threads& threads) {
    greatest ? table().max_pool_gradient(whole(), tensor(x), tensor(y), tensor(n), tensor(dy), tensor(dx), threads)
             : table().mean_pool_gradient(whole(), tensor(dy), tensor(dx), threads);
  }
  /// Calls fn with the indices of an output and of each input in its window, and with the window's number of elements.
  template <class Fn>
  void each_window(Fn fn) const {
    Setting plain = setting;
    plain.groups = setting.inputs, plain.inputs = plain.outputs = 1;
    Int taps = 1;
    for (const ConvolutionDim& dim : setting.dims) taps *= dim.taps;
    std::vector<Int> last;
    std::vector<std::vector<Int>> window;
    const auto end = [&] {
      if (!last.empty()) fn(last, window, counts_outside ? taps : std::ssize(window));
      window.clear();
    };
    plain.each_product([&](const std::vector<Int>& i, const std::vector<Int>&, const std::vector<Int>& o) {
      if (o != last) end(), last = o;
      window.push_back(i);
    });
    end();
  }
};

template <class T>
void expect_pools(int rounds) {
  Random random(11);
  Threads one(1), three(3);
  for (int round = 0; round < rounds; ++round) {
    SCOPED_TRACE(round);
    PoolingCase<T> c(PoolingCase<T>::any(random), random);
    Threads& threads = round % 2 ? one : three;
    for (const bool greatest : {true, false}) {
      std::vector<double> y(c.y.data.size(), greatest ? -INFINITY : 0), dx(c.dx.data.size());
      c.each_window([&](const std::vector<Int>& o, const std::vector<std::vector<Int>>& window, Int count) {
        double most = -INFINITY, sum = 0;
        Int ties = 0;
        for (const auto& i : window)
          most = std::max(Stored<T>::number(*c.x.at(i)), most), sum += Stored<T>::number(*c.x.at(i));
        if (std::isnan(sum)) most = NAN;
        for (const auto& i : window) ties += Stored<T>::number(*c.x.at(i)) == most;
        y[static_cast<std::size_t>(c.y.at(o) - c.y.data.data())] = greatest ? most : sum / static_cast<double>(count);
        const double slope = Stored<T>::number(*c.dy.at(o));
        for (const auto& i : window) {
          double& to = dx[static_cast<std::size_t>(c.x.at(i) - c.x.data.data())];
          if (!greatest) to += slope / static_cast<double>(count);
          else if (Stored<T>::number(*c.x.at(i)) == most) to += slope / static_cast<double>(ties);
        }
      });
      c.dx.strides = c.x.strides;
      c.pool(greatest, threads);
      c.gradient(greatest, threads);
      const auto near = [](double a, double b) {
        return (std::isnan(a) && std::isnan(b)) || a == b ||
               std::abs(a - b) <= 2 * Stored<T>::kTolerance * (1 + std::abs(b));
      };
      for (std::size_t k = 0; k < y.size(); ++k) ASSERT_PRED2(near, Stored<T>::number(c.y.data[k]), y[k]);
      for (std::size_t k = 0; k < dx.size(); ++k) ASSERT_PRED2(near, Stored<T>::number(c.dx.data[k]), dx[k]);
    }
  }
}

TEST(Pooling, IsTheGreatestOrTheMeanAndTiesShare) {
  expect_pools<float>(200);
  expect_pools<double>(100);
  expect_pools<Bf16>(50);
}

TEST(Pooling, BlocksHaveTheBitsOfTheWhole) {
  Random random(12);
  Threads one(1), three(3);
  for (int round = 0; round < 150; ++round) {
    PoolingCase<float> c(PoolingCase<float>::any(random), random);
    for (float& x : c.x.data) x *= 1.1f;
    const PoolingTensor x = c.tensor(c.x), y = c.tensor(c.y), n = c.tensor(c.n), dy = c.tensor(c.dy),
                        dx = c.tensor(c.dx);
    const auto shifted = [](PoolingTensor t, std::size_t d, Int by) {
      t.data = static_cast<float*>(t.data) + by * t.strides[d];
      return t;
    };
    for (const bool greatest : {true, false}) {
      c.pool(greatest, one);
      c.gradient(greatest, one);
      const std::vector<float> output = c.y.data, gradient = c.dx.data;
      std::fill(c.y.data.begin(), c.y.data.end(), 7.0f);
      std::fill(c.dx.data.begin(), c.dx.data.end(), 7.0f);
      const std::size_t d = random() % c.setting.dims.size();
      std::vector<ConvolutionDim> dims = c.setting.dims;
      ConvolutionDim& dim = dims[d];
      Pooling block = c.whole();
      block.dims = dims;
      const auto part = [](BlockDim& of, Int first, Int last) { of.first = first, of.size = last - first; };
      std::vector<Int> cut = bounds(dim.output.whole, 4, random);
      for (std::size_t k = 1; k < cut.size(); ++k) {  // an input block that is somewhat larger than necessary
        part(dim.output, cut[k - 1], cut[k]);
        part(dim.input, cut[k - 1] * dim.stride - dim.low - 2,
             (cut[k] - 1) * dim.stride + (dim.taps - 1) * dim.dilation - dim.low + 2);
        if (dim.input.size < 0) dim.input.size = 0;
        const PoolingTensor mine = shifted(y, d, cut[k - 1]), in = shifted(x, d, dim.input.first);
        greatest ? table().max_pool(block, in, mine, shifted(n, d, cut[k - 1]), three)
                 : table().mean_pool(block, in, mine, three);
      }
      ASSERT_EQ(std::memcmp(output.data(), c.y.data.data(), output.size() * sizeof(float)), 0) << round;
      part(dim.output, -2, dim.output.whole + 2);
      cut = bounds(dim.input.whole, 4, random);
      for (std::size_t k = 1; k < cut.size(); ++k) {
        part(dim.input, cut[k - 1], cut[k]);
        const PoolingTensor mine = shifted(dx, d, cut[k - 1]), in = shifted(x, d, cut[k - 1]);
        greatest ? table().max_pool_gradient(block, in, shifted(y, d, -2), shifted(n, d, -2), shifted(dy, d, -2), mine,
                                             three)
                 : table().mean_pool_gradient(block, shifted(dy, d, -2), mine, three);
      }
      ASSERT_EQ(std::memcmp(gradient.data(), c.dx.data.data(), gradient.size() * sizeof(float)), 0) << round;
    }
  }
}

}  // namespace
}  // namespace mtf::kernels
