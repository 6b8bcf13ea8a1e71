// Operations in which an interval of the result reads an interval of the operand: slice, pad, shift, reverse.
#include <algorithm>

#include "ops/blocks.h"
#include "ops/interval.h"
#include "ops/record.h"
#include "ops/shape.h"
#include "support/integers.h"
#include "support/text.h"

namespace mtf::ops {
namespace {

/// Moves every element of a dim by `by` positions.
struct ShiftAttributes {
  Name over;
  int64_t by;
  bool wrap = false;
  static constexpr auto members() {
    return std::array{graph::member<&ShiftAttributes::over>("over"), graph::member<&ShiftAttributes::by>("by"),
                      graph::member<&ShiftAttributes::wrap>("wrap")};
  }
};

/// The operand's type with another size for one dim.
std::vector<TensorType> resized(const graph::Operation& operation, int dim, int64_t size) {
  TensorType type = operation.operands[0];
  type.dims[dim].size = size;
  return {type};
}

/// One operand and one result with the same dims. All are free; `mapped` reads its operand by `map`.
graph::IterationSpace mapped_space(const graph::Operation& operation, int mapped, const graph::AccessMap& map) {
  graph::IterationSpace space = space_by_position(operation, -1, graph::SplitKind::kFree);
  space.dims[mapped].maps = {map};
  return space;
}

/// The sizes of the dim in the gathered operand and result.
struct Sizes {
  int64_t from, to;
};

Sizes sizes_of(const graph::Operation& operation, int dim) {
  return {operation.operands[0].dims[dim].size, operation.results[0].dims[dim].size};
}

/// The iteration space of an operation that reads its one operand along one dim by `map`.
template <typename T, graph::AccessMap (*map)(const T&, Sizes)>
graph::IterationSpace space_by_map(const graph::Operation& operation) {
  const int dim = dim_of<T>(operation);
  return mapped_space(operation, dim, map(operation.attributes.get<T>(), sizes_of(operation, dim)));
}

template <typename T, graph::AccessMap (*map_of)(const T&, Sizes)>
void copy_by_map(graph::KernelCall& call, double outside = 0) {
  const int dim = dim_of<T>(call.operation);
  const graph::AccessMap map = map_of(call.operation.attributes.get<T>(), sizes_of(call.operation, dim));
  const kernels::Block& from = call.operands[0];
  const kernels::Block& to = call.results[0];
  copy_runs(call.threads, from, to, in_order(to.dims.size()), dim, runs_of(map, to.dims[dim], from.dims[dim]), outside);
}

// ---- slice and spread -----------------------------------------------------------------------------------------------

graph::AccessMap slice_map(const SliceAttributes& slice, Sizes sizes) {
  return {.stride = slice.stride, .offset = slice.first, .from = sizes.to, .to = sizes.from};
}

graph::Value pad(Builder& builder, const graph::Value& x, Name over, int64_t before, int64_t after) {
  if (before == 0 && after == 0) return x;
  return builder.add(kPad, {x}, PadAttributes{over, before, after});
}

graph::Values slice_gradient(graph::GradientCall& call) {
  const auto& [over, first, count, stride] = call.operation.attributes.get<SliceAttributes>();
  const int64_t size = call.operands[0].dims()[dim_of<SliceAttributes>(call.operation)].size;
  if (stride != 1) return {call.builder.add(kSpread, {call.d_results[0]}, SpreadAttributes{over, first, stride, size})};
  return {pad(call.builder, call.d_results[0], over, first, size - first - count)};
}

graph::Values build_slice(Call& call) {
  graph::Value x = call.tensor("x");
  const double stride = call.number("stride", 1);
  if (stride < 1) fail(Kind::bad_value, call.span_of("stride"), "expected a stride of at least 1, found {}", stride);
  for (const DimLabel& label : call.labels)
    x = slice_dim(call.builder, x, position_of(x, label.dim, label.span), label.numbers[0], label.numbers[1],
                  static_cast<int64_t>(stride), label.span);
  return {own_value(call.builder, x, call.tensor("x"))};
}

void spread_kernel(graph::KernelCall& call) {
  const int dim = dim_of<SpreadAttributes>(call.operation);
  const std::vector<Run> runs = spread_runs(call.operation.attributes.get<SpreadAttributes>(),
                                            call.operands[0].dims[dim], call.results[0].dims[dim]);
  copy_runs(call.threads, call.operands[0], call.results[0], in_order(call.results[0].dims.size()), dim, runs, 0);
}

/// Each block needs the operand's whole dim. The result's dim may be sharded.
graph::IterationSpace spread_space(const graph::Operation& operation) {
  graph::IterationSpace space = space_by_position(operation, -1, graph::SplitKind::kFree);
  graph::IterationDim& dim = space.dims[dim_of<SpreadAttributes>(operation)];
  dim = {.kind = graph::SplitKind::kFree, .operands = {-1}, .results = dim.results};
  space.dims.push_back({.kind = graph::SplitKind::kWhole, .operands = dim.results, .results = {-1}});
  return space;
}

// ---- pad ------------------------------------------------------------------------------------------------------------

graph::AccessMap map_of_pad(const PadAttributes& pad, Sizes sizes) { return pad_map(pad, sizes.from, sizes.to); }

std::vector<TensorType> infer_pad(const graph::Operation& operation) {
  const PadAttributes& pad = operation.attributes.get<PadAttributes>();
  const int dim = dim_of<PadAttributes>(operation);
  return resized(operation, dim, operation.operands[0].dims[dim].size + pad.before + pad.after);
}

graph::Values pad_gradient(graph::GradientCall& call) {
  const int dim = dim_of<PadAttributes>(call.operation);
  return {call.builder.slice(call.d_results[0], dim, call.operation.attributes.get<PadAttributes>().before,
                             call.operands[0].dims()[dim].size)};
}

/// The elements that pad repeats instead of a value.
enum class PadSource : uint8_t { kValue, kReflect, kEdge, kWrap };

PadSource pad_source(const Call& call) {
  PadSource source = PadSource::kValue;
  std::string_view first = call.argument("value").given ? "value" : "";
  for (const auto& [name, each] : {std::pair<std::string_view, PadSource>{"reflect", PadSource::kReflect},
                                   {"edge", PadSource::kEdge},
                                   {"wrap", PadSource::kWrap}}) {
    if (!call.flag(name, false)) continue;
    if (!first.empty())
      fail(Kind::bad_value, call.span_of(name), "expected one way to pad, found `{}` and `{}`", first, name);
    first = name;
    source = each;
  }
  return source;
}

/// x with `before` and `after` of its own elements around it.
graph::Value pad_with_own(Builder& b, const graph::Value& x, int dim, PadSource source, int64_t before, int64_t after,
                          Span span) {
  const Dim whole = x.dims()[dim];
  const int64_t most = source == PadSource::kReflect ? whole.size - 1 : whole.size;
  if (source != PadSource::kEdge && std::max(before, after) > most)
    fail(Kind::bad_value, span, "expected at most {} elements of {} on each side, found ({}, {})", most,
         to_string(whole), before, after);
  const auto part = [&](int64_t first, int64_t count) {
    if (source == PadSource::kEdge) {
      Dims dims = x.dims();
      dims[dim].size = count;
      return b.broadcast(index_dim(b, x, dim, static_cast<double>(first), span), dims);
    }
    const graph::Value slice = b.slice(x, dim, first, count);
    return source == PadSource::kReflect ? b.add(kReverse, {slice}, ReverseAttributes{{whole.name}}) : slice;
  };
  graph::Values parts;
  if (before > 0)
    parts.push_back(part(source == PadSource::kReflect ? 1
                         : source == PadSource::kEdge  ? 0
                                                       : whole.size - before,
                         before));
  parts.push_back(x);
  if (after > 0)
    parts.push_back(part(source == PadSource::kReflect ? most - after
                         : source == PadSource::kEdge  ? whole.size - 1
                                                       : 0,
                         after));
  return b.add(kConcat, parts, OverAttributes{whole.name});
}

graph::Values build_pad(Call& call) {
  const PadSource source = pad_source(call);
  graph::Value x = call.tensor("x");
  const Argument& value = call.argument("value");
  const bool zero = !value.given || value.number == 0;
  if (!zero && !value.is_int && !is_float(x.element())) x = call.builder.cast(x, ElementType::kF32);
  for (const DimLabel& label : call.labels) {
    const int dim = position_of(x, label.dim, label.span);
    const int64_t before = label.numbers[0], after = label.numbers[1], size = x.dims()[dim].size;
    constexpr int64_t kMost = int64_t{1} << 61;
    if (before < 0 || after < 0)
      fail(Diagnostic(Kind::bad_value, label.span,
                      fmt::format("expected no less than 0 elements before and after, found ({}, {})", before, after))
               .help(fmt::format("to take elements away write x[{}: first..last]", label.dim.name.text())));
    if (before > kMost || after > kMost || size + before + after > kMost)
      fail(Kind::size_overflow, label.span, "{} with {} and {} more", to_string(x.dims()[dim]), before, after);
    if (before == 0 && after == 0) continue;
    if (source != PadSource::kValue) x = pad_with_own(call.builder, x, dim, source, before, after, label.span);
    else if (zero) x = pad(call.builder, x, label.dim.name, before, after);
    else x = call.builder.add(kPadWith, {x}, PadAttributes{label.dim.name, before, after}, {value.number});
  }
  return {own_value(call.builder, x, call.tensor("x"))};
}

// ---- shift and reverse ----------------------------------------------------------------------------------------------

graph::AccessMap shift_map(const ShiftAttributes& shift, Sizes sizes) {
  return {.offset = -shift.by, .wrap = shift.wrap, .from = sizes.to, .to = sizes.from};
}

graph::Values build_shift(Call& call) {
  graph::Value x = call.tensor("x");
  for (const DimLabel& label : call.labels)
    x = shift(call.builder, x, position_of(x, label.dim, label.span), label.numbers[0], call.flag("wrap", false));
  return {own_value(call.builder, x, call.tensor("x"))};
}

std::vector<TensorType> same_type(const graph::Operation& operation) { return {operation.operands[0]}; }

graph::AccessMap reverse_map(int64_t size) { return {.reversed = true, .from = size, .to = size}; }

bool is_reversed(const graph::Operation& operation, size_t dim) {
  const Names& over = operation.attributes.get<ReverseAttributes>().over;
  return std::find(over.begin(), over.end(), operation.operands[0].dims[dim].name) != over.end();
}

graph::IterationSpace reverse_space(const graph::Operation& operation) {
  graph::IterationSpace space = elementwise_space(operation);
  for (size_t d = 0; d < space.dims.size(); ++d)
    if (is_reversed(operation, d)) space.dims[d].maps = {reverse_map(operation.results[0].dims[d].size)};
  return space;
}

void reverse_kernel(graph::KernelCall& call) {
  const kernels::Block& from = call.operands[0];
  const kernels::Block& to = call.results[0];
  if (to.size() == 0) return;
  std::vector<Run> box;
  for (size_t d = 0; d < to.dims.size(); ++d)
    box.push_back(is_reversed(call.operation, d) ? runs_of(reverse_map(to.dims[d].whole), to.dims[d], from.dims[d])[0]
                                                 : Run{.count = to.dims[d].size});
  copy_box(call.threads, from, to, in_order(to.dims.size()), box);
}

}  // namespace

graph::Value shift(Builder& builder, const graph::Value& x, int dim, int64_t by, bool wrap) {
  const int64_t size = x.dims()[dim].size;
  // A shift by more than the size shifts everything out, or goes around several times.
  by = wrap ? by % std::max<int64_t>(1, size) : std::clamp(by, -size, size);
  if (by == 0) return x;
  return builder.add(kShift, {x}, ShiftAttributes{x.dims()[dim].name, by, wrap});
}

graph::AccessMap pad_map(const PadAttributes& pad, int64_t from, int64_t to) {
  return {.offset = -pad.before, .from = to, .to = from};
}

std::vector<Run> spread_runs(const SpreadAttributes& spread, const kernels::BlockDim& from,
                             const kernels::BlockDim& to) {
  const int64_t first = spread.first, stride = spread.stride;
  // Position i of the operand goes to first + i * stride. Takes the positions that fall into the block.
  const int64_t start = std::max<int64_t>(0, to.first <= first ? 0 : ceil_div(to.first - first, stride));
  const int64_t end =
      to.first + to.size <= first ? 0 : std::min(from.whole, ceil_div(to.first + to.size - first, stride));
  if (start >= end) return {};
  return {
      {.to = first + start * stride - to.first, .from = start - from.first, .count = end - start, .to_step = stride}};
}

graph::Value slice_dim(Builder& builder, const graph::Value& x, int dim, int64_t first, int64_t last, int64_t stride,
                       Span span) {
  const Dim& whole = x.dims()[dim];
  if (first < 0 || last > whole.size || first > whole.size || last < 0)
    fail(Diagnostic(Kind::index_out_of_range, span,
                    fmt::format("expected bounds from 0 to {} for {}, found {}..{}", whole.size, to_string(whole),
                                first, last))
             .related(x.operation().span, describe(x))
             .help(first < 0 || last < 0
                       ? fmt::format("places are counted from the start: size({}) - 1 is the last", whole.name.text())
                       : ""));
  if (first >= last)
    fail(Kind::bad_size, span, "expected at least one element of {}, found {}..{}", to_string(whole), first, last);
  if (first == 0 && last == whole.size && stride == 1) return builder.add(kCopy, {x});
  return builder.slice(x, dim, first, ceil_div(last - first, stride), stride);
}

constexpr graph::Op kSlice = complete(
    {.name = "slice",
     .signature = "slice(x: tensor, DIM: pair..., stride: int = 1)",
     .family = "Moving elements",
     .doc = "The elements from the first bound to the one before the second, every `stride`-th of them: "
            "`slice(x, rows: (2, 8), stride: 2)`. `x[rows: 2..8]` is the same with stride 1. The dimension keeps its "
            "name. Bounds lie "
            "in the dimension (negative ones do not count from the end), and at least one element is taken.",
     .example = "dim a = 6\n"
                "let x = tensor([0, 1, 2, 3, 4, 5], [a])\n"
                "print(x[a: 2..4])\n"
                "print(slice(x, a: (1, 6), stride: 2))\n"
                "#> [2, 3]\n"
                "#> [1, 3, 5]\n",
     .samples = "x: [a, b] => x[a: 1..]\nx: [a, b] => x[a: 0..2] * x[a: 1..3]\nx: [a, b] => slice(x, a: (0, 2), "
                "stride: 2) * slice(x, a: (1, 3), stride: 2)\n"
                "x: [a, b] => x[a: 0..2, b: 1..2]\n"
                "x: [a, b] => x[a: 0..2, b: 0..2] * x[a: 1..3, b: 1..3] + x[a: 0..2, b: 1..3] * x[a: 1..3, b: 0..2]\n"
                "x: [a, b] => slice(x, a: (0, size(a)), stride: 2)\n"
                "x: [a] => slice(x, a: (1, size(a)), stride: 2)",
     .build = build_slice,
     .attributes = &graph::kFormOf<SliceAttributes>,
     .infer =
         [](const graph::Operation& operation) {
           return resized(operation, dim_of<SliceAttributes>(operation),
                          operation.attributes.get<SliceAttributes>().count);
         },
     .space = space_by_map<SliceAttributes, slice_map>,
     .kernel = [](graph::KernelCall& call) { copy_by_map<SliceAttributes, slice_map>(call); },
     .gradient = slice_gradient,
     .role = graph::Role::kWindow,
     .linear = graph::Linear::kEach});

constexpr graph::Op kSpread = complete({.name = "spread",
                                        .family = "Moving elements",
                                        .doc = "The opposite of a slice with a stride: element i goes to place first + "
                                               "i * stride of a dimension of a given size, "
                                               "zeros elsewhere.",
                                        .attributes = &graph::kFormOf<SpreadAttributes>,
                                        .infer =
                                            [](const graph::Operation& operation) {
                                              return resized(operation, dim_of<SpreadAttributes>(operation),
                                                             operation.attributes.get<SpreadAttributes>().size);
                                            },
                                        .space = spread_space,
                                        .kernel = spread_kernel,
                                        .gradient = [](graph::GradientCall& call) -> graph::Values {
                                          const SpreadAttributes& spread =
                                              call.operation.attributes.get<SpreadAttributes>();
                                          const int dim = dim_of<SpreadAttributes>(call.operation);
                                          return {call.builder.slice(call.d_results[0], dim, spread.first,
                                                                     call.operands[0].dims()[dim].size, spread.stride)};
                                        },
                                        .accumulate = &kAddSpread});

constexpr graph::Op kPad = complete(
    {.name = "pad",
     .signature = "pad(x: tensor, DIM: pair..., value: number = 0, reflect: bool = false, edge: bool = false, wrap: "
                  "bool = false)",
     .family = "Moving elements",
     .doc =
         "Adds elements before and after those of a dimension, which keeps its name: `pad(x, rows: (1, 1))`. They are "
         "`value`; with `reflect` those next to the first and the last, in the opposite order; with `edge` the "
         "first and the last; with `wrap` those of the other end.",
     .example = "dim a = 3\nlet x = tensor([1, 2, 3], [a])\nprint(pad(x, a: (2, 1)))\nprint(pad(x, a: (2, 1), "
                "reflect: true))\nprint(pad(x, a: (2, 1), edge: true))\nprint(pad(x, a: (2, 1), wrap: true))\n"
                "#> [0, 0, 1, 2, 3, 0]\n#> [3, 2, 1, 2, 3, 2]\n#> [1, 1, 1, 2, 3, 3]\n#> [2, 3, 1, 2, 3, 1]\n",
     .samples = "x: [a, b] => pad(x, a: (2, 1))\n"
                "x: [a, b] => pad(x, a: (0, 1), b: (1, 2), value: 1.5)\n"
                "x: [a, b] => pad(x, a: (1, 1), b: (0, 1), reflect: true)\n"
                "x: [a, b] => pad(x, a: (2, 3), b: (0, 1), edge: true)\n"
                "x: [a, b] => pad(x, a: (1, 2), wrap: true)",
     .build = build_pad,
     .attributes = &graph::kFormOf<PadAttributes>,
     .infer = infer_pad,
     .space = space_by_map<PadAttributes, map_of_pad>,
     .kernel = [](graph::KernelCall& call) { copy_by_map<PadAttributes, map_of_pad>(call); },
     .gradient = pad_gradient,
     .role = graph::Role::kWindow,
     .linear = graph::Linear::kEach,
     .accumulate = &kAddPadded});

constexpr graph::Op kPadWith =
    complete({.name = "pad_with",
              .family = "Moving elements",
              .doc = "`pad` with a value that is not 0.",
              .attributes = &graph::kFormOf<PadAttributes>,
              .infer = infer_pad,
              .space = space_by_map<PadAttributes, map_of_pad>,
              .kernel = [](graph::KernelCall& call) { copy_by_map<PadAttributes, map_of_pad>(call, call.inputs[0]); },
              .gradient = pad_gradient,
              .role = graph::Role::kWindow});

constexpr graph::Op kShift = complete(
    {.name = "shift",
     .signature = "shift(x: tensor, DIM: int..., wrap: bool = false)",
     .family = "Moving elements",
     .doc = "Moves every element by so many places along a dimension, towards the end or, if negative, the start. "
            "Zeros come in at "
            "the other end, or with `wrap` what goes out. A shift by more than the size leaves zeros, or goes around "
            "several times.",
     .example = "dim a = 4\n"
                "let x = tensor([1, 2, 3, 4], [a])\n"
                "print(shift(x, a: 1))\n"
                "print(shift(x, a: -1, wrap: true))\n"
                "#> [0, 1, 2, 3]\n"
                "#> [2, 3, 4, 1]\n",
     .samples = "x: [a, b] => shift(x, a: 1)\n"
                "x: [a, b] => shift(x, a: -2)\n"
                "x: [a, b] => shift(x, a: 1, b: -1, wrap: true)\n"
                "x: [a, b] => shift(x, a: 1) + shift(x, a: -1) * shift(x, a: 1, b: 1) - shift(x, b: 1, a: -1) * "
                "shift(x, b: -1)\n"
                "x: [a, b] => shift(x, a: 1, b: 1, wrap: true) * shift(x, a: -1, b: 1, wrap: true) + shift(x, b: -1, "
                "wrap: true)\n"
                "x: [a] => shift(x, a: 100)\n"
                "x: [a] => shift(x, a: 7, wrap: true)",
     .build = build_shift,
     .attributes = &graph::kFormOf<ShiftAttributes>,
     .infer = same_type,
     .space = space_by_map<ShiftAttributes, shift_map>,
     .kernel = [](graph::KernelCall& call) { copy_by_map<ShiftAttributes, shift_map>(call); },
     .gradient = [](graph::GradientCall& call) -> graph::Values {
       const ShiftAttributes& moved = call.operation.attributes.get<ShiftAttributes>();
       return {shift(call.builder, call.d_results[0], dim_of<ShiftAttributes>(call.operation), -moved.by, moved.wrap)};
     },
     .role = graph::Role::kWindow});

constexpr graph::Op kReverse =
    complete({.name = "reverse",
              .signature = "reverse(x: tensor, over: dims)",
              .family = "Moving elements",
              .doc = "The elements in the opposite order along one or several dimensions.",
              .example = "dim a = 3\nprint(reverse(tensor([1, 2, 3], [a]), over: a))\n#> [3, 2, 1]\n",
              .samples = "x: [a, b] => reverse(x, over: a)\n"
                         "x: [a, b] => reverse(x, over: [a, b])",
              .build = [](Call& call) -> graph::Values {
                const graph::Value& x = call.tensor("x");
                const Dims over = dims_over(call, "x");
                return {over.empty() ? own_value(call.builder, x, x)
                                     : call.builder.add(kReverse, {x}, ReverseAttributes{names_of(over)})};
              },
              .attributes = &graph::kFormOf<ReverseAttributes>,
              .infer = same_type,
              .space = reverse_space,
              .kernel = reverse_kernel,
              .gradient = [](graph::GradientCall& call) -> graph::Values {
                return {call.builder.add(kReverse, {call.d_results[0]}, call.operation.attributes)};
              }});

}  // namespace mtf::ops
