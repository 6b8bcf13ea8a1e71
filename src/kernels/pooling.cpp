#include "kernels/pooling.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <stdexcept>
#include <vector>

#include "kernels/scratch.h"
#include "support/integers.h"

namespace mtf::kernels {
namespace {

// The result is computed row by row, along the dim in which it is contiguous. For each tap, one loop covers the stretch
// of the row that the tap reaches.

constexpr int kPoolingAxes = 2 + kConvolutionDims;  // batch, channels, spatial dims
constexpr std::int64_t kShortestPooledRow = 8;
using PoolingIndex = std::array<std::int64_t, kPoolingAxes>;

/// Output o and tap t meet the input's element origin + o stride + t dilation, if that is in [begin, end).
struct PoolingAxis {
  std::int64_t inputs = 1, outputs = 1, taps = 1, stride = 1, dilation = 1, origin = 0;
  std::int64_t begin = 0, end = 1;
  std::int64_t first_output = 0, last_output = 1;  ///< outputs of the block that are inside the gathered dim
  std::vector<std::int64_t> meets;                 ///< for each output, the number of taps inside the gathered dim
};

/// Outputs [begin, end) meet elements of the input at a tap. The first element is `from`.
struct PoolingStretch {
  std::int64_t begin, end, from;
};

class PoolingAxes {
 public:
  explicit PoolingAxes(const Pooling& p) {
    if (p.dims.empty() || p.dims.size() > kConvolutionDims)
      throw std::invalid_argument("pooling has one to three dims");
    axes_[0] = whole(p.batch);
    axes_[1] = whole(p.channels);
    for (int a = 2; a < kPoolingAxes; ++a) axes_[a] = whole(1);
    for (std::size_t d = 0; d < p.dims.size(); ++d) {
      const ConvolutionDim& dim = p.dims[d];
      if (dim.base != 1) throw std::invalid_argument("pooling has no base dilation");
      PoolingAxis& axis = axes_[2 + d];
      axis.inputs = dim.input.size, axis.outputs = dim.output.size, axis.taps = dim.taps;
      axis.stride = dim.stride, axis.dilation = dim.dilation;
      axis.origin = dim.output.first * dim.stride - dim.low - dim.input.first;
      axis.begin = std::max<std::int64_t>(0, -dim.input.first);
      axis.end = std::max(axis.begin, std::min(dim.input.size, dim.input.whole - dim.input.first));
      axis.first_output = std::max<std::int64_t>(0, -dim.output.first);
      axis.last_output = std::min(dim.output.size, dim.output.whole - dim.output.first);
      axis.meets.assign(static_cast<std::size_t>(dim.output.size), p.counts_outside ? dim.taps : 0);
      for (std::int64_t o = 0; o < dim.output.size && !p.counts_outside; ++o) {
        for (std::int64_t t = 0; t < dim.taps; ++t) {
          const std::int64_t at = (dim.output.first + o) * dim.stride + t * dim.dilation - dim.low;
          axis.meets[static_cast<std::size_t>(o)] += at >= 0 && at < dim.input.whole;
        }
      }
    }
  }
  const PoolingAxis& operator[](int a) const { return axes_[a]; }

  static PoolingIndex strides(const PoolingTensor& t) {
    return {t.batch_stride, t.channel_stride, t.strides[0], t.strides[1], t.strides[2]};
  }

  /// The axis along which a tensor with these sizes is contiguous, if it is long enough for a row.
  static int along(const PoolingIndex& sizes, const PoolingIndex& strides) {
    int best = 0;
    for (int a = 1; a < kPoolingAxes; ++a) {
      const bool is_long = sizes[a] >= kShortestPooledRow;
      if (is_long != (sizes[best] >= kShortestPooledRow) ? is_long
          : is_long                                      ? std::abs(strides[a]) < std::abs(strides[best])
                                                         : sizes[a] > sizes[best])
        best = a;
    }
    return best;
  }
  PoolingIndex inputs() const {
    return {axes_[0].inputs, axes_[1].inputs, axes_[2].inputs, axes_[3].inputs, axes_[4].inputs};
  }
  PoolingIndex outputs() const {
    return {axes_[0].outputs, axes_[1].outputs, axes_[2].outputs, axes_[3].outputs, axes_[4].outputs};
  }

  /// The stretch among outputs [first, last) of an axis.
  PoolingStretch stretch(int a, std::int64_t tap, std::int64_t first, std::int64_t last) const {
    const PoolingAxis& axis = axes_[a];
    const std::int64_t from = axis.origin + tap * axis.dilation;
    const auto at_least = [&](std::int64_t i) { return i <= from ? 0 : ceil_div(i - from, axis.stride); };
    const std::int64_t begin = std::max(first, at_least(axis.begin)),
                       end = std::max(begin, std::min(last, at_least(axis.end)));
    return {begin, end, from + begin * axis.stride};
  }

 private:
  static PoolingAxis whole(std::int64_t size) {
    PoolingAxis axis;
    axis.inputs = axis.outputs = axis.end = axis.last_output = size;
    axis.meets.assign(static_cast<std::size_t>(size), 1);
    return axis;
  }
  std::array<PoolingAxis, kPoolingAxes> axes_;
};

float pooled(float x) { return x; }
double pooled(double x) { return x; }
float pooled(Bf16 x) { return to_float(x); }
void put_pooled(float x, float& to) { to = x; }
void put_pooled(double x, double& to) { to = x; }
void put_pooled(float x, Bf16& to) { to = mtf::to_bf16(x); }

/// Calls fn(k, k step) for k < n. Frequent steps have their own loops, so that the compiler vectorises them.
template <class Fn>
void each_of_run(std::int64_t n, std::int64_t step, Fn fn) {
  if (step == 1)
    for (std::int64_t k = 0; k < n; ++k) fn(k, k);
  else if (step == 2)
    for (std::int64_t k = 0; k < n; ++k) fn(k, 2 * k);
  else
    for (std::int64_t k = 0; k < n; ++k) fn(k, k * step);
}

/// Calls fn(index) for the first element of each row along an axis.
template <class Fn>
void each_row_along(const PoolingIndex& sizes, int along, std::int64_t taps, Threads& threads, Fn fn) {
  std::int64_t rows = 1;
  for (int a = 0; a < kPoolingAxes; ++a) rows *= a == along ? 1 : sizes[a];
  if (sizes[along] == 0) return;
  threads.parallel_for(rows, 30000 / (sizes[along] * std::max<std::int64_t>(1, taps)) + 1,
                       [&](std::int64_t begin, std::int64_t end) {
                         PoolingIndex index{};
                         std::int64_t rest = begin;
                         for (int a = kPoolingAxes; a-- > 0;)
                           if (a != along) index[a] = rest % sizes[a], rest /= sizes[a];
                         for (std::int64_t row = begin; row < end; ++row) {
                           fn(index);
                           for (int a = kPoolingAxes; a-- > 0;) {
                             if (a == along) continue;
                             if (++index[a] < sizes[a]) break;
                             index[a] = 0;
                           }
                         }
                       });
}

std::int64_t offset_of(const PoolingIndex& index, const PoolingIndex& strides) {
  std::int64_t offset = 0;
  for (int a = 0; a < kPoolingAxes; ++a) offset += index[a] * strides[a];
  return offset;
}

std::int64_t all_taps(const PoolingAxes& axes) { return axes[2].taps * axes[3].taps * axes[4].taps; }

/// The rows that a row along an axis meets through the taps: rows of the input for an output row, and rows of the
/// output for an input row.
class MetRows {
 public:
  MetRows(const PoolingAxes& axes, int along, bool of_output) : along_(along) {
    for (int d = 0; d < kConvolutionDims; ++d) {
      const PoolingAxis& axis = axes[2 + d];
      met_[d].resize(static_cast<std::size_t>(2 + d == along ? 1 : of_output ? axis.outputs : axis.inputs));
      for (std::size_t row = 0; row < met_[d].size(); ++row) {
        for (std::int64_t tap = 0; tap < axis.taps; ++tap) {
          const std::int64_t from = axis.origin + tap * axis.dilation, at = static_cast<std::int64_t>(row);
          const std::int64_t other = 2 + d == along ? 0
                                     : of_output    ? from + at * axis.stride
                                                    : (at - from) / axis.stride;
          const bool meets = of_output ? other >= axis.begin && other < axis.end
                                       : at >= from && (at - from) % axis.stride == 0 && at >= axis.begin &&
                                             at < axis.end && other >= axis.first_output && other < axis.last_output;
          if (2 + d == along || meets) met_[d][row].push_back({tap, other});
        }
      }
    }
  }

  /// Calls fn(other, tap) in the order of the taps, for both directions. `other` is the index of a row that meets
  /// `row`, `tap` the tap along the row.
  template <class Fn>
  void each(const PoolingIndex& row, Fn fn) const {
    PoolingIndex other = row;
    std::array<std::int64_t, kConvolutionDims> tap{};
    for (const Meeting& first : of(0, row)) {
      other[2] = first.other, tap[0] = first.tap;
      for (const Meeting& second : of(1, row)) {
        other[3] = second.other, tap[1] = second.tap;
        for (const Meeting& third : of(2, row)) {
          other[4] = third.other, tap[2] = third.tap;
          fn(other, along_ < 2 ? 0 : tap[static_cast<std::size_t>(along_ - 2)]);
        }
      }
    }
  }

 private:
  struct Meeting {
    std::int64_t tap, other;
  };
  const std::vector<Meeting>& of(int d, const PoolingIndex& row) const {
    return met_[d][2 + d == along_ ? 0 : static_cast<std::size_t>(row[2 + d])];
  }

  int along_;
  std::array<std::vector<std::vector<Meeting>>, kConvolutionDims> met_;
};

/// The number of elements in the windows of the output's row at `row`, along all axes except the row's own.
std::int64_t met_by_others(const PoolingAxes& axes, const PoolingIndex& row, int along) {
  std::int64_t count = 1;
  for (int a = 0; a < kPoolingAxes; ++a) count *= a == along ? 1 : axes[a].meets[static_cast<std::size_t>(row[a])];
  return count;
}

/// A tensor that is read or written by rows.
template <class S>
struct PoolingRows {
  S* data;
  PoolingIndex strides;
  explicit PoolingRows(const PoolingTensor& t) : data(static_cast<S*>(t.data)), strides(PoolingAxes::strides(t)) {}
  S* at(const PoolingIndex& row) const { return data + offset_of(row, strides); }
  template <class T>
  void put(const PoolingIndex& row, int along, std::int64_t size, const T* from) const {
    S* const to = at(row);
    each_of_run(size, strides[along],
                [&](std::int64_t k, std::int64_t position) { put_pooled(from[k], to[position]); });
  }
};

/// Computes the output row by row. `start` and `finish` get a row of T. `tap` gets a stretch of the row with the
/// elements that it meets.
template <class S, class T, class Start, class Tap, class Finish>
void pool_rows(const PoolingAxes& axes, const PoolingTensor& input, const PoolingTensor& output, Threads& threads,
               Start start, Tap tap, Finish finish) {
  const PoolingRows<S> x(input);
  const PoolingIndex sizes = axes.outputs();
  const int along = PoolingAxes::along(sizes, PoolingAxes::strides(output));
  const std::int64_t size = sizes[along], step = axes[along].stride * x.strides[along];
  const MetRows met_rows(axes, along, true);
  each_row_along(sizes, along, all_taps(axes), threads, [&](const PoolingIndex& row) {
    thread_local Scratch of_values, of_ties;
    T* const values = of_values.room<T>(size);
    T* const ties = of_ties.room<T>(size);
    start(values, ties, size);
    met_rows.each(row, [&](PoolingIndex met, std::int64_t t) {
      const PoolingStretch s = axes.stretch(along, t, 0, size);
      met[along] = s.from;
      if (s.begin < s.end) tap(values + s.begin, ties + s.begin, s.end - s.begin, x.at(met), step);
    });
    finish(row, along, values, ties, size);
  });
}

/// Computes the input's gradient row by row, as sums of the gradients of each output. Rows in scratch are sorted by
/// their residues modulo the stride, so that neighbouring outputs meet neighbouring inputs. `term` gets the sums for a
/// stretch of outputs, the elements of `values` at the same inputs (none if it has no data), and the first output.
template <class S, class T, class Term>
void pool_gradient_rows(const PoolingAxes& axes, const PoolingTensor& values, const PoolingTensor& input_gradient,
                        Threads& threads, Term term) {
  const PoolingRows<S> x(values), dx(input_gradient);
  const PoolingIndex sizes = axes.inputs();
  const int along = PoolingAxes::along(sizes, dx.strides);
  const std::int64_t size = sizes[along], residues = axes[along].stride, each = ceil_div(size, residues);
  const MetRows met_rows(axes, along, false);
  each_row_along(sizes, along, all_taps(axes), threads, [&](const PoolingIndex& row) {
    thread_local Scratch of_sums, of_values;
    T* const sums = of_sums.room<T>(residues * each);
    T* const inputs = of_values.room<T>(residues * each);
    std::fill_n(sums, residues * each, T(0));
    const auto each_input = [&](std::int64_t step, auto fn) {
      for (std::int64_t r = 0; r < residues; ++r) {
        const std::int64_t count = ceil_div(size - r, residues);
        each_of_run(count, residues * step,
                    [&](std::int64_t k, std::int64_t position) { fn(r * each + k, r * step + position); });
      }
    };
    if (x.data != nullptr) {
      const S* const from = x.at(row);
      each_input(x.strides[along], [&](std::int64_t k, std::int64_t position) { inputs[k] = pooled(from[position]); });
    }
    met_rows.each(row, [&](PoolingIndex met, std::int64_t t) {
      const PoolingStretch s = axes.stretch(along, t, axes[along].first_output, axes[along].last_output);
      if (s.begin == s.end) return;
      met[along] = s.begin;
      const std::int64_t first = s.from % residues * each + s.from / residues;
      term(sums + first, inputs + first, s.end - s.begin, met, along);
    });
    S* const to = dx.at(row);
    each_input(dx.strides[along], [&](std::int64_t k, std::int64_t position) { put_pooled(sums[k], to[position]); });
  });
}

/// Calls fn with a zero of the stored type and one of the type of the sums.
template <class Fn>
void by_pooled_type(std::initializer_list<const PoolingTensor*> tensors, Fn fn) {
  const ElementType element = (*tensors.begin())->element;
  for (const PoolingTensor* tensor : tensors)
    if (tensor->element != element) throw std::invalid_argument("pooling: tensors of one element type");
  if (element == ElementType::kF32) return fn(float{}, float{});
  if (element == ElementType::kF64) return fn(double{}, double{});
  if (element == ElementType::kBf16) return fn(Bf16{}, float{});
  throw std::invalid_argument("pooling is of f32, f64 and bf16");
}

}  // namespace

void max_pool(const Pooling& pooling, const PoolingTensor& input, const PoolingTensor& output,
              const PoolingTensor& ties, Threads& threads) {
  const PoolingAxes axes(pooling);
  by_pooled_type({&input, &output, ties.data != nullptr ? &ties : &output}, [&]<class S, class T>(S, T) {
    const PoolingRows<S> y(output), n(ties);
    pool_rows<S, T>(
        axes, input, output, threads,
        [](T* values, T* counts, std::int64_t size) {
          std::fill_n(values, size, -std::numeric_limits<T>::infinity());
          std::fill_n(counts, size, T(0));
        },
        [](T* __restrict values, T* __restrict counts, std::int64_t size, const S* __restrict x, std::int64_t step) {
          each_of_run(size, step, [&](std::int64_t k, std::int64_t position) {
            const T value = pooled(x[position]), greatest = values[k];
            counts[k] = value > greatest ? T(1) : counts[k] + (value == greatest ? T(1) : T(0));
            values[k] = value > greatest || value != value ? value : greatest;
          });
        },
        [&](const PoolingIndex& row, int along, const T* values, const T* counts, std::int64_t size) {
          y.put(row, along, size, values);
          if (n.data != nullptr) n.put(row, along, size, counts);
        });
  });
}

void max_pool_gradient(const Pooling& pooling, const PoolingTensor& input, const PoolingTensor& output,
                       const PoolingTensor& ties, const PoolingTensor& output_gradient,
                       const PoolingTensor& input_gradient, Threads& threads) {
  const PoolingAxes axes(pooling);
  by_pooled_type({&input, &output, &ties, &output_gradient, &input_gradient}, [&]<class S, class T>(S, T) {
    const PoolingRows<S> y(output), n(ties), dy(output_gradient);
    const auto term = [&](T* __restrict sums, const T* __restrict inputs, std::int64_t size, const PoolingIndex& met,
                          int along) {
      const S *const greatest = y.at(met), *const count = n.at(met), *const slope = dy.at(met);
      const std::int64_t y_step = y.strides[along], n_step = n.strides[along], dy_step = dy.strides[along];
      const auto share = [](T sum, T of, T most, T slope, T ties) { return of == most ? sum + slope / ties : sum; };
      if (y_step == 1 && n_step == 1 && dy_step == 1)
        for (std::int64_t k = 0; k < size; ++k)
          sums[k] = share(sums[k], inputs[k], pooled(greatest[k]), pooled(slope[k]), pooled(count[k]));
      else
        for (std::int64_t k = 0; k < size; ++k)
          sums[k] = share(sums[k], inputs[k], pooled(greatest[k * y_step]), pooled(slope[k * dy_step]),
                          pooled(count[k * n_step]));
    };
    pool_gradient_rows<S, T>(axes, input, input_gradient, threads, term);
  });
}

void mean_pool(const Pooling& pooling, const PoolingTensor& input, const PoolingTensor& output, Threads& threads) {
  const PoolingAxes axes(pooling);
  by_pooled_type({&input, &output}, [&]<class S, class T>(S, T) {
    const PoolingRows<S> y(output);
    pool_rows<S, T>(
        axes, input, output, threads, [](T* values, T*, std::int64_t size) { std::fill_n(values, size, T(0)); },
        [](T* __restrict values, T*, std::int64_t size, const S* __restrict x, std::int64_t step) {
          each_of_run(size, step, [&](std::int64_t k, std::int64_t position) { values[k] += pooled(x[position]); });
        },
        [&](const PoolingIndex& row, int along, T* values, T*, std::int64_t size) {
          const std::int64_t others = met_by_others(axes, row, along);
          const std::vector<std::int64_t>& meets = axes[along].meets;
          for (std::int64_t k = 0; k < size; ++k)
            values[k] /= static_cast<T>(std::max<std::int64_t>(1, others * meets[static_cast<std::size_t>(k)]));
          y.put(row, along, size, values);
        });
  });
}

void mean_pool_gradient(const Pooling& pooling, const PoolingTensor& output_gradient,
                        const PoolingTensor& input_gradient, Threads& threads) {
  const PoolingAxes axes(pooling);
  by_pooled_type({&output_gradient, &input_gradient}, [&]<class S, class T>(S, T) {
    const PoolingRows<S> dy(output_gradient);
    std::array<std::vector<T>, kPoolingAxes> meets;
    for (int a = 0; a < kPoolingAxes; ++a)
      meets[static_cast<std::size_t>(a)].assign(axes[a].meets.begin(), axes[a].meets.end());
    const auto term = [&](T* __restrict sums, const T*, std::int64_t size, const PoolingIndex& met, int along) {
      const S* const slope = dy.at(met);
      const std::int64_t dy_step = dy.strides[along];
      const T others = static_cast<T>(met_by_others(axes, met, along));
      const T* const count = meets[static_cast<std::size_t>(along)].data() + met[along];
      if (dy_step == 1)
        for (std::int64_t k = 0; k < size; ++k) sums[k] += pooled(slope[k]) / (others * count[k]);
      else
        for (std::int64_t k = 0; k < size; ++k) sums[k] += pooled(slope[k * dy_step]) / (others * count[k]);
    };
    pool_gradient_rows<S, T>(axes, {}, input_gradient, threads, term);
  });
}

}  // namespace mtf::kernels
