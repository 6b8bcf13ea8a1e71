// Operations of which an interval of the result needs an interval of the operand: slice, pad, shift, reverse.
#include <algorithm>

#include "ops/blocks.h"
#include "ops/interval.h"
#include "ops/record.h"
#include "ops/shape.h"
#include "support/text.h"

namespace mtf {
namespace {

/// The operand's type with another size for one dim.
std::vector<TensorType> resized(const Operation& operation, int64_t size) {
  TensorType type = operation.operands[0];
  type.dims[dim_of(operation.attributes)].size = size;
  return {type};
}

/// One operand and one result with the same dims: free, but for one.
IterationSpace mapped_space(const Operation& operation, const IntervalMap& map) {
  IterationSpace space;
  for (size_t d = 0; d < operation.results[0].dims.size(); ++d) {
    IterationDim dim{.operands = {static_cast<int8_t>(d)}, .results = {static_cast<int8_t>(d)}};
    if (static_cast<int>(d) == dim_of(operation.attributes)) {
      dim.kind = SplitKind::kInterval;
      dim.maps = {map};
    }
    space.dims.push_back(dim);
  }
  return space;
}

/// The sizes of the operand's and of the result's whole dim.
struct Sizes {
  int64_t from, to;
};

Sizes sizes_of(const Operation& operation) {
  const int dim = dim_of(operation.attributes);
  return {operation.operands[0].dims[dim].size, operation.results[0].dims[dim].size};
}

Sizes sizes_of(const KernelCall& call) {
  const int dim = dim_of(call.attributes);
  return {call.operands[0].dims[dim].whole, call.results[0].dims[dim].whole};
}

void copy_by_map(KernelCall& call, const IntervalMap& map, double outside) {
  const int dim = dim_of(call.attributes);
  const Block& from = call.operands[0];
  const Block& to = call.results[0];
  copy_runs(call.threads, from, to, in_order(to.dims.size()), dim, runs_of(map, to.dims[dim], from.dims[dim]), outside);
}

// ---- slice (dim, first, count, stride) and spread (dim, first, stride, size) -------------------------------------------------

IntervalMap slice_map(const Attributes& attributes, Sizes sizes) {
  return {.stride = attributes.ints[3], .offset = attributes.ints[1], .from = sizes.to, .to = sizes.from};
}

Value spread(Builder& builder, const Value& x, const Attributes& slice, int64_t size) {
  return builder.add(ops::kSpread, {x}, {.dims = {}, .ints = {slice.ints[0], slice.ints[1], slice.ints[3], size}, .element = x.element()});
}

Value pad(Builder& builder, const Value& x, int dim, int64_t before, int64_t after) {
  if (before == 0 && after == 0) return x;
  return builder.add(ops::kPad, {x}, {.dims = {}, .ints = {dim, before, after}, .element = x.element()});
}

Values slice_gradient(GradientCall& call) {
  const Attributes& slice = call.operation.attributes;
  const int64_t size = sizes_of(call.operation).from, first = slice.ints[1], count = slice.ints[2];
  if (slice.ints[3] != 1) return {spread(call.builder, call.d_results[0], slice, size)};
  return {pad(call.builder, call.d_results[0], dim_of(slice), first, size - first - count)};
}

Values build_slice(Call& call) {
  Value x = call.tensor("x");
  const double stride = call.number("stride", 1);
  if (stride < 1) fail(Kind::bad_value, call.span_of("stride"), "expected a stride of at least 1, found {}", stride);
  for (const DimLabel& label : call.labels)
    x = slice_dim(call.builder, x, place_of(x, label.dim, label.span), label.numbers[0], label.numbers[1], static_cast<int64_t>(stride), label.span);
  return {own_value(call.builder, x, call.tensor("x"))};
}

void spread_kernel(KernelCall& call) {
  const int dim = dim_of(call.attributes);
  const std::vector<Run> runs = spread_runs(call.attributes, call.operands[0].dims[dim], call.results[0].dims[dim]);
  copy_runs(call.threads, call.operands[0], call.results[0], in_order(call.results[0].dims.size()), dim, runs, 0);
}

/// The operand's dim is whole everywhere; the result's may be split.
IterationSpace spread_space(const Operation& operation) {
  IterationSpace space = mapped_space(operation, {});
  IterationDim& dim = space.dims[dim_of(operation.attributes)];
  dim = {.kind = SplitKind::kFree, .operands = {-1}, .results = dim.results};
  space.dims.push_back({.kind = SplitKind::kWhole, .operands = dim.results, .results = {-1}});
  return space;
}

// ---- pad -------------------------------------------------------------------------------------------------------------

IntervalMap pad_map(const Attributes& attributes, Sizes sizes) { return mtf::pad_map(attributes, sizes.from, sizes.to); }

std::vector<TensorType> infer_pad(const Operation& operation) {
  return resized(operation, operation.operands[0].dims[dim_of(operation.attributes)].size + operation.attributes.ints[1] + operation.attributes.ints[2]);
}

IterationSpace pad_space(const Operation& operation) { return mapped_space(operation, pad_map(operation.attributes, sizes_of(operation))); }

Values pad_gradient(GradientCall& call) {
  const Attributes& pad = call.operation.attributes;
  return {call.builder.slice(call.d_results[0], dim_of(pad), pad.ints[1], sizes_of(call.operation).from)};
}

Values build_pad(Call& call) {
  Value x = call.tensor("x");
  const Argument& value = call.argument("value");
  const bool zero = !value.given || value.number == 0;
  if (!zero && !value.is_int && !is_float(x.element())) x = call.builder.cast(x, ElementType::kF32);
  for (const DimLabel& label : call.labels) {
    const int dim = place_of(x, label.dim, label.span);
    const int64_t before = label.numbers[0], after = label.numbers[1], size = x.dims()[dim].size;
    constexpr int64_t kMost = int64_t{1} << 61;
    if (before < 0 || after < 0)
      fail(Diagnostic(Kind::bad_value, label.span, fmt::format("expected no less than 0 elements before and after, found ({}, {})", before, after))
               .help(fmt::format("to take elements away write x[{}: first..last]", label.dim.name.text())));
    if (before > kMost || after > kMost || size + before + after > kMost)
      fail(Kind::size_overflow, label.span, "{} with {} and {} more", to_string(x.dims()[dim]), before, after);
    if (before == 0 && after == 0) continue;
    if (zero) x = pad(call.builder, x, dim, before, after);
    else x = call.builder.add(ops::kPadWith, {x}, {.dims = {}, .ints = {dim, before, after}, .element = x.element()}, {value.number});
  }
  return {own_value(call.builder, x, call.tensor("x"))};
}

// ---- shift and reverse -----------------------------------------------------------------------------------------------

IntervalMap shift_map(const Attributes& attributes, Sizes sizes) {
  return {.offset = -attributes.ints[1], .wrap = attributes.ints[2] != 0, .from = sizes.to, .to = sizes.from};
}

Value shift(Builder& builder, const Value& x, int dim, int64_t by, bool wrap) {
  const int64_t size = x.dims()[dim].size;
  // A shift by more than the dim is one by all of it, or goes around several times.
  by = wrap ? by % std::max<int64_t>(1, size) : std::clamp(by, -size, size);
  if (by == 0) return x;
  return builder.add(ops::kShift, {x}, {.dims = {}, .ints = {dim, by, wrap}, .element = x.element()});
}

Values build_shift(Call& call) {
  Value x = call.tensor("x");
  for (const DimLabel& label : call.labels)
    x = shift(call.builder, x, place_of(x, label.dim, label.span), label.numbers[0], call.flag("wrap", false));
  return {own_value(call.builder, x, call.tensor("x"))};
}

std::vector<TensorType> same_type(const Operation& operation) { return {operation.operands[0]}; }

IntervalMap reverse_map(int64_t size) { return {.reversed = true, .from = size, .to = size}; }

bool is_reversed(const Attributes& attributes, size_t dim) {
  return std::find(attributes.ints.begin(), attributes.ints.end(), static_cast<int64_t>(dim)) != attributes.ints.end();
}

IterationSpace reverse_space(const Operation& operation) {
  IterationSpace space = elementwise_space(operation);
  for (size_t d = 0; d < space.dims.size(); ++d)
    if (is_reversed(operation.attributes, d)) {
      space.dims[d].kind = SplitKind::kInterval;
      space.dims[d].maps = {reverse_map(operation.results[0].dims[d].size)};
    }
  return space;
}

void reverse_kernel(KernelCall& call) {
  const Block& from = call.operands[0];
  const Block& to = call.results[0];
  if (to.size() == 0) return;
  std::vector<Run> box;
  for (size_t d = 0; d < to.dims.size(); ++d)
    box.push_back(is_reversed(call.attributes, d) ? runs_of(reverse_map(to.dims[d].whole), to.dims[d], from.dims[d])[0] : Run{.count = to.dims[d].size});
  copy_box(call.threads, from, to, in_order(to.dims.size()), box);
}

Value reverse(Builder& builder, const Value& x, std::vector<int64_t> dims) {
  return builder.add(ops::kReverse, {x}, {.dims = {}, .ints = std::move(dims), .element = x.element()});
}

}  // namespace

IntervalMap pad_map(const Attributes& pad, int64_t from, int64_t to) { return {.offset = -pad.ints[1], .from = to, .to = from}; }

std::vector<Run> spread_runs(const Attributes& spread, const BlockDim& from, const BlockDim& to) {
  const int64_t first = spread.ints[1], stride = spread.ints[2];
  // Place i of the operand goes to first + i * stride: those that fall into the block.
  const int64_t start = std::max<int64_t>(0, to.first <= first ? 0 : ceil_div(to.first - first, stride));
  const int64_t end = to.first + to.size <= first ? 0 : std::min(from.whole, ceil_div(to.first + to.size - first, stride));
  if (start >= end) return {};
  return {{.to = first + start * stride - to.first, .from = start - from.first, .count = end - start, .to_step = stride}};
}

Value slice_dim(Builder& builder, const Value& x, int dim, int64_t first, int64_t last, int64_t stride, Span span) {
  const Dim& whole = x.dims()[dim];
  if (first < 0 || last > whole.size || first > whole.size || last < 0)
    fail(Diagnostic(Kind::index_out_of_range, span, fmt::format("expected bounds from 0 to {} for {}, found {}..{}", whole.size, to_string(whole), first, last))
             .related(x.operation().span, describe(x))
             .help(first < 0 || last < 0 ? fmt::format("places are counted from the start: size({}) - 1 is the last", whole.name.text()) : ""));
  if (first >= last)
    fail(Kind::bad_size, span, "expected at least one element of {}, found {}..{}", to_string(whole), first, last);
  if (first == 0 && last == whole.size && stride == 1) return builder.add(ops::kCopy, {x});
  return builder.slice(x, dim, first, ceil_div(last - first, stride), stride);
}

constexpr Op ops::kSlice = complete({
    .name = "slice", .signature = "slice(x: tensor, DIM: pair..., stride: int = 1)", .family = "Moving elements",
    .doc = "The elements from the first bound to the one before the second, every `stride`-th of them: "
           "`slice(x, rows: (2, 8), stride: 2)`. `x[rows: 2..8]` is the same with stride 1. The dimension keeps its name. Bounds lie "
           "in the dimension (negative ones do not count from the end), and at least one element is taken.",
    .example = "dim a = 6\n"
               "let x = tensor([0, 1, 2, 3, 4, 5], [a])\n"
               "print(x[a: 2..4])\n"
               "print(slice(x, a: (1, 6), stride: 2))\n"
               "#> [2, 3]\n"
               "#> [1, 3, 5]\n",
    .samples = "x: [a, b] => x[a: 1..]\nx: [a, b] => x[a: 0..2] * x[a: 1..3]\nx: [a, b] => slice(x, a: (0, 2), stride: 2) * slice(x, a: (1, 3), stride: 2)\n"
               "x: [a, b] => x[a: 0..2, b: 1..2]\n"
               "x: [a, b] => x[a: 0..2, b: 0..2] * x[a: 1..3, b: 1..3] + x[a: 0..2, b: 1..3] * x[a: 1..3, b: 0..2]\n"
               "x: [a, b] => slice(x, a: (0, size(a)), stride: 2)\n"
               "x: [a] => slice(x, a: (1, size(a)), stride: 2)",
    .build = build_slice,
    .infer = [](const Operation& operation) { return resized(operation, operation.attributes.ints[2]); },
    .space = [](const Operation& operation) { return mapped_space(operation, slice_map(operation.attributes, sizes_of(operation))); },
    .kernel = [](KernelCall& call) { copy_by_map(call, slice_map(call.attributes, sizes_of(call)), 0); },
    .gradient = slice_gradient, .linear = Linear::kEach});

constexpr Op ops::kSpread = complete({
    .name = "spread", .family = "Moving elements",
    .doc = "The opposite of a slice with a stride: element i goes to place first + i * stride of a dimension of a given size, "
           "zeros elsewhere.",
    .infer = [](const Operation& operation) { return resized(operation, operation.attributes.ints[3]); },
    .space = spread_space, .kernel = spread_kernel,
    .gradient = [](GradientCall& call) -> Values {
      const std::vector<int64_t>& at = call.operation.attributes.ints;
      return {call.builder.slice(call.d_results[0], static_cast<int>(at[0]), at[1], sizes_of(call.operation).from, at[2])};
    },
    .accumulate = &ops::kAddSpread});

constexpr Op ops::kPad = complete({
    .name = "pad", .signature = "pad(x: tensor, DIM: pair..., value: number = 0)", .family = "Moving elements",
    .doc = "Adds elements before and after those of a dimension, which keeps its name: `pad(x, rows: (1, 1))`.",
    .example = "dim a = 3\nprint(pad(tensor([1, 2, 3], [a]), a: (2, 1)))\n#> [0, 0, 1, 2, 3, 0]\n",
    .samples = "x: [a, b] => pad(x, a: (2, 1))\n"
               "x: [a, b] => pad(x, a: (0, 1), b: (1, 2), value: 1.5)",
    .build = build_pad, .infer = infer_pad, .space = pad_space,
    .kernel = [](KernelCall& call) { copy_by_map(call, pad_map(call.attributes, sizes_of(call)), 0); },
    .gradient = pad_gradient, .linear = Linear::kEach, .accumulate = &ops::kAddPadded});

constexpr Op ops::kPadWith = complete({
    .name = "pad_with", .family = "Moving elements", .doc = "`pad` with a value that is not 0.",
    .infer = infer_pad, .space = pad_space,
    .kernel = [](KernelCall& call) { copy_by_map(call, pad_map(call.attributes, sizes_of(call)), call.inputs[0]); },
    .gradient = pad_gradient});

constexpr Op ops::kShift = complete({
    .name = "shift", .signature = "shift(x: tensor, DIM: int..., wrap: bool = false)", .family = "Moving elements",
    .doc = "Moves every element by so many places along a dimension, towards the end or, if negative, the start. Zeros come in at "
           "the other end, or with `wrap` what goes out. A shift by more than the size leaves zeros, or goes around several times.",
    .example = "dim a = 4\n"
               "let x = tensor([1, 2, 3, 4], [a])\n"
               "print(shift(x, a: 1))\n"
               "print(shift(x, a: -1, wrap: true))\n"
               "#> [0, 1, 2, 3]\n"
               "#> [2, 3, 4, 1]\n",
    .samples = "x: [a, b] => shift(x, a: 1)\n"
               "x: [a, b] => shift(x, a: -2)\n"
               "x: [a, b] => shift(x, a: 1, b: -1, wrap: true)\n"
               "x: [a, b] => shift(x, a: 1) + shift(x, a: -1) * shift(x, a: 1, b: 1) - shift(x, b: 1, a: -1) * shift(x, b: -1)\n"
               "x: [a, b] => shift(x, a: 1, b: 1, wrap: true) * shift(x, a: -1, b: 1, wrap: true) + shift(x, b: -1, wrap: true)\n"
               "x: [a] => shift(x, a: 100)\n"
               "x: [a] => shift(x, a: 7, wrap: true)",
    .build = build_shift, .infer = same_type,
    .space = [](const Operation& operation) { return mapped_space(operation, shift_map(operation.attributes, sizes_of(operation))); },
    .kernel = [](KernelCall& call) { copy_by_map(call, shift_map(call.attributes, sizes_of(call)), 0); },
    .gradient = [](GradientCall& call) -> Values {
      const std::vector<int64_t>& by = call.operation.attributes.ints;
      return {shift(call.builder, call.d_results[0], static_cast<int>(by[0]), -by[1], by[2] != 0)};
    }});

constexpr Op ops::kReverse = complete({
    .name = "reverse", .signature = "reverse(x: tensor, over: dims)", .family = "Moving elements",
    .doc = "The elements in the opposite order along one or several dimensions.",
    .example = "dim a = 3\nprint(reverse(tensor([1, 2, 3], [a]), over: a))\n#> [3, 2, 1]\n",
    .samples = "x: [a, b] => reverse(x, over: a)\n"
               "x: [a, b] => reverse(x, over: [a, b])",
    .build = [](Call& call) -> Values {
      const Value& x = call.tensor("x");
      const Dims over = dims_over(call, "x");
      return {over.empty() ? own_value(call.builder, x, x) : reverse(call.builder, x, places_in(over, x.dims()))};
    },
    .infer = same_type, .space = reverse_space, .kernel = reverse_kernel,
    .gradient = [](GradientCall& call) -> Values { return {reverse(call.builder, call.d_results[0], call.operation.attributes.ints)}; }});

}  // namespace mtf
