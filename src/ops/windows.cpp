#include "ops/windows.h"

#include "graph/op.h"
#include "ops/shape.h"
#include "ops/type_rules.h"
#include "support/diagnostics.h"
#include "support/text.h"

namespace mtf::ops {
namespace {

/// Larger numbers could make positions overflow.
constexpr int64_t kMostOfWindow = int64_t{1} << 30;

int64_t extent(const Window& window) { return (window.taps - 1) * window.dilation + 1; }

int64_t checked(const Call& call, std::string_view argument, double number, int64_t least) {
  if (number < static_cast<double>(least) || number > static_cast<double>(kMostOfWindow))
    fail(Kind::bad_value, call.span_of(argument), "expected {} from {} to {}, found {}",
         argument == "pad" ? "zeros" : "numbers", least, kMostOfWindow, number);
  return static_cast<int64_t>(number);
}

[[noreturn]] void refuse_list(const Call& call, std::string_view argument, size_t dims, std::string_view also) {
  fail(Diagnostic(Kind::rank_mismatch, call.span_of(argument),
                  fmt::format("expected an int, or one for each of {}{}",
                              mtf::count_text(static_cast<int64_t>(dims), "dimension"), also))
           .help("they are in the order of the labels"));
}

/// `stride: 2`, `stride: [2, 1]`: a number for each of the dims.
std::vector<int64_t> for_each_dim(const Call& call, std::string_view argument, std::vector<int64_t> otherwise) {
  const Argument& given = call.argument(argument);
  if (!given.given) return otherwise;
  const auto& [sizes, numbers, all_int] = given.nested;
  const size_t dims = otherwise.size();
  if (!sizes.empty() && (sizes.size() != 1 || numbers.size() != dims)) refuse_list(call, argument, dims, "");
  for (size_t d = 0; d < dims; ++d) otherwise[d] = checked(call, argument, numbers[sizes.empty() ? 0 : d], 1);
  return otherwise;
}

/// `pad: 1`, `pad: [1, 2]`, `pad: [(1, 2), (0, 0)]`, and for one dim `pad: (1, 2)`.
void read_padding(const Call& call, std::vector<Window>& windows) {
  const Argument& given = call.argument("pad");
  if (!given.given) return;
  const auto& [sizes, numbers, all_int] = given.nested;
  const size_t dims = windows.size();
  const bool pairs = numbers.size() == 2 * dims && (sizes.size() == 2 || (sizes.size() == 1 && dims == 1));
  if (!pairs && !sizes.empty() && (sizes.size() != 1 || numbers.size() != dims))
    refuse_list(call, "pad", dims, ", or a pair (before, after) for each");
  for (size_t d = 0; d < dims; ++d) {
    const size_t at = sizes.empty() ? 0 : pairs ? 2 * d : d;
    windows[d].low = checked(call, "pad", numbers[at], -kMostOfWindow);
    windows[d].high = checked(call, "pad", numbers[at + (pairs ? 1 : 0)], -kMostOfWindow);
  }
}

}  // namespace

graph::AccessMap map_of_output(const Window& window, int64_t input, int64_t output) {
  return {.stride = window.stride,
          .offset = -window.low,
          .window = window.taps,
          .dilation = window.dilation,
          .base_dilation = window.base,
          .from = output,
          .to = input};
}

graph::AccessMap map_of_input(const Window& window, int64_t input, int64_t output) {
  return {.stride = window.base,
          .offset = window.low - (window.taps - 1) * window.dilation,
          .window = window.taps,
          .dilation = window.dilation,
          .base_dilation = window.stride,
          .from = input,
          .to = output};
}

int64_t output_size(const Window& window, int64_t input) {
  const int64_t padded = (input > 0 ? (input - 1) * window.base + 1 : 0) + window.low + window.high;
  return padded < extent(window) ? 0 : (padded - extent(window)) / window.stride + 1;
}

int64_t input_size(const Window& window, int64_t output) {
  const int64_t padded = (output - 1) * window.stride + extent(window) - window.low - window.high;
  return padded < 1 ? 0 : (padded + window.base - 2) / window.base + 1;
}

kernels::ConvolutionDim convolution_dim(const Window& window, const kernels::BlockDim& input,
                                        const kernels::BlockDim& output, int64_t tap_stride) {
  return {input, output, window.taps, tap_stride, window.stride, window.low, window.dilation, window.base};
}

std::vector<Window> windows_of(const Call& call, const std::vector<int64_t>& taps,
                               const std::vector<int64_t>& strides) {
  std::vector<Window> windows(taps.size());
  const std::vector<int64_t> ones(taps.size(), 1);
  const std::vector<int64_t> stride = for_each_dim(call, "stride", strides),
                             dilation = for_each_dim(call, "dilation", ones),
                             base = call.signature.place_of(Name("base_dilation")) < call.arguments.size()
                                        ? for_each_dim(call, "base_dilation", ones)
                                        : ones;
  for (size_t d = 0; d < taps.size(); ++d)
    windows[d] = {.taps = taps[d], .stride = stride[d], .dilation = dilation[d], .base = base[d]};
  read_padding(call, windows);
  return windows;
}

Dims dims_of_space(const Call& call, const graph::Value& x) {
  if (call.labels.empty())
    fail(Diagnostic(Kind::missing_argument, call.span,
                    fmt::format("`{}` needs the dimensions over which its window goes", call.op.name))
             .help(call.signature.text));
  if (call.labels.size() > kernels::kConvolutionDims)
    fail(Kind::wrong_arity, call.labels.back().span, "a window has one to three dimensions, found {}",
         call.labels.size());
  Dims dims;
  for (const DimLabel& label : call.labels) {
    const Dim& dim = x.dims()[position_of(x, label.dim, label.span)];
    if (has_dim(dims, dim.name))
      fail(Kind::dim_twice, label.span, "`{}` stands twice among the dimensions of the window", dim.name.text());
    dims.push_back(dim);
  }
  return dims;
}

void refuse_size(const Call& call, size_t d, const Dim& dim, const Window& window) {
  fail(Diagnostic(Kind::bad_size, call.labels[d].span,
                  fmt::format("expected a window that fits on {}, found one that reaches over {} places, with {} zeros "
                              "before and {} behind",
                              to_string(dim), extent(window), window.low, window.high))
           .help("`pad` puts more zeros around it"));
}

int64_t points_read(const graph::KernelCall& call) {
  int64_t points = 1;
  for (const graph::IterationDim& dim : call.operation.op->space(call.operation).dims) {
    if (dim.kind == graph::SplitKind::kWhole) continue;
    const graph::AccessMap* const window = dim.window();
    size_t own = 0;
    while (dim.results[0] < 0 && (dim.operands[own] < 0 || (window != nullptr && &dim.maps[own] == window))) ++own;
    const kernels::BlockDim& here =
        dim.results[0] >= 0 ? call.results[0].dims[dim.results[0]] : call.operands[own].dims[dim.operands[own]];
    points *= window != nullptr ? graph::count_reads(*window, {here.first, here.first + here.size}) : here.size;
  }
  return points;
}

}  // namespace mtf::ops
