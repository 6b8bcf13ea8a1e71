// Convolution: the records. The kernels are in convolution_kernel.cpp.
//
// Two operations are closed under gradients:
//   conv          convolves x with a window w, transposed or not
//   conv_window   for each element of the window, sums the output times the input element that it reads
//
// The gradient of conv with respect to x is conv in the other direction. Its gradient with respect to w is conv_window.
// The gradients of conv_window are convs.
#include "ops/convolution.h"

#include <algorithm>

#include "ops/record.h"

namespace mtf::ops {
namespace {

size_t position_among(const Names& names, Name name) {
  return static_cast<size_t>(std::find(names.begin(), names.end(), name) - names.begin());
}

[[noreturn]] void refuse(const graph::Value& value, Span span, const std::string& expected, const std::string& help) {
  fail(Diagnostic(Kind::shape_mismatch, span, fmt::format("expected {}, found {}", expected, describe(value)))
           .help(help));
}

/// The dims of the window, which only `w` has.
Dims dims_of_window(const Call& call, const graph::Value& x, const graph::Value& w, const Dims& space) {
  Dims dims;
  for (size_t d = 0; d < space.size(); ++d) {
    const Dim& dim = call.labels[d].value;
    if (has_dim(w.dims(), space[d].name))
      refuse(
          w, call.span_of("w"), fmt::format("a window without `{}`, over which it goes", space[d].name.text()),
          fmt::format("give its dimension a name of its own, as in conv(x, w, {}: taps -> …)", space[d].name.text()));
    if (!has_dim(w.dims(), dim.name))
      refuse(w, call.labels[d].span, fmt::format("a window with `{}`", dim.name.text()), "");
    if (has_dim(x.dims(), dim.name) || has_dim(*call.arrow, dim.name))
      refuse(x, call.labels[d].span, fmt::format("`{}` in the window alone, which is summed along it", dim.name.text()),
             "");
    if (has_dim(dims, dim.name))
      fail(Kind::dim_twice, call.labels[d].span, "the window has `{}` along two dimensions", dim.name.text());
    dims.push_back(dim);
  }
  return dims;
}

/// Sums `value` over the dims that neither `other`, `result` nor `own` has.
graph::Value without_lone_dims(Builder& b, const graph::Value& value, const graph::Value& other, const Dims& result,
                               const Dims& own) {
  Dims kept;
  for (const Dim& dim : value.dims())
    if (has_dim(other.dims(), dim.name) || has_dim(result, dim.name) || has_dim(own, dim.name)) kept.push_back(dim);
  const bool written = b.written;
  b.written = false;
  graph::Value summed = b.sum_to(value, kept);
  b.written = written;
  return summed;
}

graph::Values build_conv(Call& call) {
  Builder& b = call.builder;
  graph::Values operands = tensor_arguments(call);
  check_sizes(call, operands);
  const Dims space = dims_of_space(call, operands[0]);
  const Dims window = dims_of_window(call, operands[0], operands[1], space);
  check_arrow(call, operands);
  for (size_t d = 0; d < space.size(); ++d)
    if (!has_dim(*call.arrow, space[d].name))
      fail(Diagnostic(
               Kind::missing_argument, call.arrow_span,
               fmt::format("expected `{}` in the result, which has a place for each window", space[d].name.text()))
               .help("to sum over all places, write sum(conv(…), over: …)"));
  const ElementType summed = used_element(b, number_element(common_element(b, operands)));
  const ElementType element = added_element(summed);
  Product product = product_in_force(b.context, element);
  operands = as_element(b, operands, element, call.span);
  operands[0] = without_lone_dims(b, operands[0], operands[1], *call.arrow, space);
  operands[1] = without_lone_dims(b, operands[1], operands[0], *call.arrow, window);
  if (product == Product::kAsBf16 && element == ElementType::kF32) {
    for (graph::Value& operand : operands) operand = b.cast(operand, ElementType::kBf16);
    product = Product::kWide;
  } else if (product == Product::kAsBf16) {
    product = Product::kPlain;
  }
  ConvolutionAttributes made;
  made.transposed = call.flag("transposed", false);
  made.product = product;
  made.over = names_of(space);
  made.window = window;
  made.result = names_of(*call.arrow);
  std::vector<int64_t> taps;
  for (const Dim& dim : window) taps.push_back(dim.size);
  const std::vector<Window> windows = windows_of(call, taps, std::vector<int64_t>(taps.size(), 1));
  for (size_t d = 0; d < windows.size(); ++d) {
    const Window& along = windows[d];
    const int64_t size = made.transposed ? input_size(along, space[d].size) : output_size(along, space[d].size);
    if (size < 1) refuse_size(call, d, space[d], along);
    made.size.push_back(size);
    made.stride.push_back(along.stride);
    made.low.push_back(along.low);
    made.dilation.push_back(along.dilation);
    made.base_dilation.push_back(along.base);
  }
  return {as_summed(b, b.add(kConv, operands, made), summed)};
}

void check_lists(const graph::Operation& operation) {
  const auto& made = operation.attributes.get<ConvolutionAttributes>();
  const size_t dims = made.over.size();
  for (const Integers* list : {&made.stride, &made.low, &made.dilation, &made.base_dilation})
    MTF_CHECK(list->size() == dims, "{} numbers for {} dims of {}", list->size(), dims, operation.op->name);
  MTF_CHECK(made.window.size() == dims && operation.operands.size() == 2, "operands or window of {}",
            operation.op->name);
}

ElementType result_element(const graph::Operation& operation) {
  const ElementType element = operation.operands[0].element;
  for (const TensorType& operand : operation.operands)
    MTF_CHECK(operand.element == element, "{} of {} and {}", operation.op->name, name(element), name(operand.element));
  return operation.attributes.get<ConvolutionAttributes>().product == Product::kWide ? ElementType::kF32 : element;
}

std::vector<TensorType> infer_conv(const graph::Operation& operation) {
  check_lists(operation);
  const auto& made = operation.attributes.get<ConvolutionAttributes>();
  MTF_CHECK(made.size.size() == made.over.size(), "{} sizes for {} dims", made.size.size(), made.over.size());
  Dims dims = operand_dims(operation, made.result);
  for (Dim& dim : dims)
    if (const size_t d = position_among(made.over, dim.name); d < made.over.size()) dim.size = made.size[d];
  return {{result_element(operation), dims}};
}

/// Dims correspond by name. Each block needs all of the window's own dims.
graph::IterationSpace conv_space(const graph::Operation& operation) {
  const auto& made = operation.attributes.get<ConvolutionAttributes>();
  const Dims &x = operation.operands[0].dims, &w = operation.operands[1].dims, &result = operation.results[0].dims;
  graph::IterationSpace space;
  const auto add = [&](const Dim& dim) {
    graph::IterationDim entry{.operands = {narrow(find_dim(x, dim.name)), narrow(find_dim(w, dim.name))},
                              .results = {narrow(find_dim(result, dim.name))}};
    entry.rounds_parts = made.product == Product::kRounded;
    if (entry.results[0] < 0) entry.kind = graph::SplitKind::kReduce;
    if (const size_t d = position_among(made.over, dim.name); d < made.over.size()) {
      const int64_t size = result[entry.results[0]].size;
      entry.maps = {
          made.transposed ? map_of_input(made.along(d), size, dim.size) : map_of_output(made.along(d), dim.size, size),
          {}};
    }
    space.dims.push_back(std::move(entry));
  };
  for (const Dim& dim : x) add(dim);
  for (const Dim& dim : w)
    if (!has_dim(x, dim.name) && !has_dim(made.window, dim.name)) add(dim);
  for (const Dim& dim : made.window)
    space.dims.push_back(
        {.kind = graph::SplitKind::kWhole, .operands = {-1, narrow(find_dim(w, dim.name))}, .results = {-1}});
  return space;
}

std::vector<TensorType> infer_window(const graph::Operation& operation) {
  check_lists(operation);
  const auto& made = operation.attributes.get<ConvolutionAttributes>();
  Dims dims;
  for (Name name : made.result) {
    const int tap = find_dim(made.window, name);
    dims.push_back(tap >= 0 ? made.window[tap] : operand_dims(operation, {name})[0]);
  }
  return {{result_element(operation), dims}};
}

/// Dims correspond by name. The first operand is read at single positions.
graph::IterationSpace window_space(const graph::Operation& operation) {
  const auto& made = operation.attributes.get<ConvolutionAttributes>();
  const Dims &output = operation.operands[0].dims, &input = operation.operands[1].dims,
             &result = operation.results[0].dims;
  graph::IterationSpace space;
  const auto add = [&](const Dim& dim) {
    graph::IterationDim entry{.operands = {narrow(find_dim(output, dim.name)), narrow(find_dim(input, dim.name))},
                              .results = {narrow(find_dim(result, dim.name))}};
    entry.rounds_parts = made.product == Product::kRounded;
    if (entry.results[0] < 0) entry.kind = graph::SplitKind::kReduce;
    if (const size_t d = position_among(made.over, dim.name); d < made.over.size())
      entry.maps = {{.from = dim.size, .to = dim.size},
                    map_of_output(made.along(d), input[entry.operands[1]].size, dim.size)};
    space.dims.push_back(std::move(entry));
  };
  for (const Dim& dim : output) add(dim);
  for (const Dim& dim : input)
    if (!has_dim(output, dim.name)) add(dim);
  for (const Dim& dim : made.window)
    space.dims.push_back(
        {.kind = graph::SplitKind::kWhole, .operands = {-1, -1}, .results = {narrow(find_dim(result, dim.name))}});
  return space;
}

/// The conv that computes the gradient of `like`, summed to the dims of `like`.
graph::Value conv_to(graph::GradientCall& call, const graph::Value& x, const graph::Value& w, const graph::Value& like,
                     bool transposed) {
  ConvolutionAttributes made = call.operation.attributes.get<ConvolutionAttributes>();
  made.transposed = transposed;
  made.product = gradient_product(made.product, like);
  made.result = names_of(like.dims());
  made.size.clear();
  for (Name name : made.over) made.size.push_back(like.dims()[find_dim(like.dims(), name)].size);
  return call.builder.add(kConv, {x, w}, made);
}

graph::Values conv_gradient(graph::GradientCall& call) {
  const ConvolutionAttributes& of = call.operation.attributes.get<ConvolutionAttributes>();
  const graph::Value &x = call.operands[0], &w = call.operands[1];
  const graph::Value d = call.builder.cast(call.d_results[0], x.element());
  graph::Values gradients(2);
  if (call.wants(0)) gradients[0] = conv_to(call, d, w, x, !of.transposed);
  if (call.wants(1)) {
    ConvolutionAttributes made = of;
    made.transposed = false;
    made.product = gradient_product(of.product, w);
    made.result = names_of(w.dims());
    made.size.clear();
    gradients[1] = call.builder.add(kConvWindow, of.transposed ? graph::Values{x, d} : graph::Values{d, x}, made);
  }
  return gradients;
}

graph::Values window_gradient(graph::GradientCall& call) {
  const graph::Value &output = call.operands[0], &input = call.operands[1];
  const graph::Value d = call.builder.cast(call.d_results[0], output.element());
  graph::Values gradients(2);
  if (call.wants(0)) gradients[0] = conv_to(call, input, d, output, false);
  if (call.wants(1)) gradients[1] = conv_to(call, output, d, input, true);
  return gradients;
}

/// The declared order: the kernel reads and writes every order at the same cost.
StorageOrder order_as_written(const graph::Operation& operation, std::span<const StorageOrder>) {
  return written_order(operation.results[0].dims.size());
}

}  // namespace

constexpr graph::Op kConv = complete({
    .name = "conv",
    .signature = "conv(x: tensor, w: tensor, DIM: dim..., stride: ints = 1, pad: ints = 0, dilation: ints = 1, "
                 "base_dilation: ints = 1, transposed: bool = false -> shape)",
    .family = "Contraction",
    .doc =
        "The convolution of x with the window w, over one to three dimensions of x; each label names one of them, with "
        "the window's own dimension along it: `conv(x, w, height: rows, width: columns -> [batch, height, width, "
        "out])`. All other dimensions are as in `einsum`: what x and w share and the result lacks is summed, as "
        "channels are; what all three have are groups; what w alone has is new. In each dimension, place o of the "
        "result is the sum over places t of the window of w at t times x at (o · `stride` + t · `dilation` - before) / "
        "`base_dilation`, where that is a whole number and in x. `pad` says how many zeros are before x and behind it: "
        "an int for both sides, or a pair (before, after) for each dimension; fewer than 0 leave out elements. Each of "
        "the four is an int, or a list in the order of the labels. The result has as many places as windows fit. "
        "`transposed` is the other way, from such a result to x: what a stride makes smaller it makes larger, to the "
        "least size that fits, so that `stride: 2, transposed: true` with a window of 2 doubles it. The window is not "
        "turned around. Split over a dimension of the window, a block fetches exactly what its windows read beyond it. "
        "Under `precision bf16` and `mixed` it multiplies as `einsum` does.",
    .example = "dim length = 4, taps = 3\n"
               "let x = tensor([1, 2, 3, 4], [length])\n"
               "let w = tensor([1, 0, -1], [taps])\n"
               "print(conv(x, w, length: taps -> [length]))\n"
               "#> [-2, -2]\n"
               "print(conv(x, w, length: taps, pad: 1 -> [length]))\n"
               "#> [-2, -2, -2, 3]\n"
               "print(conv(x, w, length: taps, stride: 2, transposed: true -> [length]))\n"
               "#> [1, 0, 1, 0, 1, 0, 1, 0, -4]\n",
    .samples =
        "x: [a, b], w: [c, b, d] => conv(x, w, a: c, pad: 9 -> [a, d])\n"
        "x: [b, a], w: [d, c] => conv(x, w, a: c, b: d, pad: 9, stride: [2, 1] -> [a, b])\n"
        "dim k = 3; x: [a, b], w: [k, b, c] => conv(x, w, a: k, pad: 1 -> [a, c])\n"
        "dim k = 3, l = 2; x: [a, b], w: [l, k] => conv(x, w, a: k, b: l, pad: [(1, 2), (2, 0)] -> [a, b])\n"
        "dim k = 3; x: [b, a, c], w: [k, b, c] => conv(x, w, a: k, pad: (0, 3), stride: 2 -> [c, a])\n"
        "dim k = 2; x: [b, a, c], w: [c, k] => conv(x, w, a: k, pad: 3, dilation: 3, base_dilation: 2 -> [a, b])\n"
        "dim k = 3; x: [a, b], w: [c, k, b] => conv(x, w, a: k, stride: 2, pad: 1, transposed: true -> [c, a])\n"
        "dim k = 3, l = 2; x: [a, b], w: [k, l] => conv(x, w, b: l, a: k, stride: [1, 3], pad: 2, "
        "base_dilation: [3, 2] -> [b, a])\n"
        "dim k = 2; x: i32[a, c] in -3..3, w: i32[k] in -3..3 => conv(x, w, a: k, pad: 1 -> [a])\n"
        "dim k = 7; x: [a, b], w: [k] => conv(x, w, a: k, pad: 9 -> [b, a])\n"
        "dim k = 3; x: bf16[a, b], w: bf16[k, b, c] => conv(x, w, a: k, pad: 1 -> [a, c])",
    .build = build_conv,
    .attributes = &graph::kFormOf<ConvolutionAttributes>,
    .infer = infer_conv,
    .space = conv_space,
    .kernel = convolution_kernel,
    .work = graph::Work::kProducts,
    .gradient = conv_gradient,
    .role = graph::Role::kContraction,
    .linear = graph::Linear::kEach,
    .result_order = order_as_written,
});

constexpr graph::Op kConvWindow = complete({
    .name = "conv_window",
    .family = "Contraction",
    .doc = "The gradient of a convolution's window: the sum over the places of the first operand, which lies as the "
           "output, of what its windows read of the second.",
    .attributes = &graph::kFormOf<ConvolutionAttributes>,
    .infer = infer_window,
    .space = window_space,
    .kernel = convolution_window_kernel,
    .work = graph::Work::kProducts,
    .gradient = window_gradient,
    .role = graph::Role::kContraction,
    .linear = graph::Linear::kEach,
    .result_order = order_as_written,
});

}  // namespace mtf::ops
