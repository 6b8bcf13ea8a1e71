// The running sum, and its expansion over a sharded dim (scan.h).
#include "ops/scan.h"

#include "kernels/kernel_table.h"
#include "ops/blocks.h"
#include "ops/interval.h"
#include "ops/record.h"
#include "ops/shape.h"

namespace mtf::ops {
namespace {

/// The number of lines that the kernel gets together if they are not adjacent.
constexpr int64_t kLinesApart = 8;

/// How to walk the lines of two blocks along a dim, from the first summed element on.
struct SummedDim {
  SummedDim(const graph::Operation& operation, const kernels::Block& from, const kernels::Block& to)
      : attributes(operation.attributes.get<CumsumAttributes>()),
        dim(dim_of<CumsumAttributes>(operation)),
        x(direction(from.dims[dim])),
        y(direction(to.dims[dim])),
        count(from.dims[dim].size) {}
  struct Direction {
    int64_t first, step;
  };
  /// Sums some lines, which begin with `before`. Offsets are those of the lines' first positions in memory.
  void run(const kernels::Block& from, const kernels::Block& to, double before, kernels::SummedLines from_lines,
           kernels::SummedLines to_lines, int64_t lines) const {
    by_element(from.element, [&](auto zero) {
      using T = decltype(zero);
      const T* const source = from.as<T>() + from_lines.step + x.first;
      T* const target = to.as<T>() + to_lines.step + y.first;
      if (!kernels::table().running_sums(from.element, attributes.exclusive, before, source, {x.step, from_lines.apart},
                                         target, {y.step, to_lines.apart}, count, lines))
        refuse_sum();
    });
  }

  const CumsumAttributes& attributes;
  int dim;
  Direction x, y;
  int64_t count;

 private:
  Direction direction(const kernels::BlockDim& along) const {
    if (!attributes.reverse) return {0, along.stride};
    return {(along.size - 1) * along.stride, -along.stride};
  }
};

void cumsum_kernel(graph::KernelCall& call) {
  const kernels::Block& x = call.operands[0];
  const kernels::Block& y = call.results[0];
  const SummedDim along(call.operation, x, y);
  call.flops += x.size();
  for_each_line(call.threads, x, y, along.dim, kLinesApart,
                [&](int64_t from, int64_t to, int64_t lines, int64_t x_apart, int64_t y_apart) {
                  along.run(x, y, 0, {from, x_apart}, {to, y_apart}, lines);
                });
}

void block_total_kernel(graph::KernelCall& call) {
  const kernels::Block& x = call.operands[0];
  const kernels::Block& total = call.results[0];
  const int dim = dim_of<BlocksAttributes>(call.operation);
  MTF_CHECK(total.dims[dim].size <= 1, "a total of {} blocks", total.dims[dim].size);
  if (total.size() == 0) return;
  by_element(x.element, [&](auto zero) {
    using T = decltype(zero);
    for_each_line(call.threads, x, total, dim, kLinesApart,
                  [&](int64_t from, int64_t to, int64_t lines, int64_t x_apart, int64_t y_apart) {
                    kernels::table().line_sums(x.element, x.as<T>() + from, {x.dims[dim].stride, x_apart},
                                               x.dims[dim].size, lines, total.as<double>() + to, y_apart);
                  });
  });
}

void add_totals_kernel(graph::KernelCall& call) {
  const kernels::Block& x = call.operands[0];
  const kernels::Block& totals = call.operands[1];
  const kernels::Block& y = call.results[0];
  const SummedDim along(call.operation, x, y);
  call.flops += x.size();
  const int64_t own = call.operands[2].dims[along.dim].first, blocks = totals.dims[along.dim].size;
  const int64_t first = along.attributes.reverse ? own + 1 : 0, last = along.attributes.reverse ? blocks : own;
  if (y.size() == 0) return;
  Walk<3> walk;
  for (size_t d = 0; d < y.dims.size(); ++d)
    if (static_cast<int>(d) != along.dim)
      walk.add(y.dims[d].size, {x.dims[d].stride, totals.dims[d].stride, y.dims[d].stride});
  for_each_position(call.threads, walk, along.count, [&](const Walk<3>& at) {
    double before = 0;
    for (int64_t k = first; k < last; ++k)
      before += totals.as<double>()[at.offset(1) + k * totals.dims[along.dim].stride];
    along.run(x, y, before, {at.offset(0), 0}, {at.offset(2), 0}, 1);
  });
}

graph::Values build_cumsum(Call& call) {
  const int dim = position_of(call.tensor("x"), dim_over(call, "x"), call.span_of("over"));
  const graph::Value x = call.builder.cast(call.tensor("x"), number_element(call.tensor("x").element()));
  if (call.tensor("x").element() == ElementType::kBool && x.dims()[dim].size > INT32_MAX)
    fail(Kind::size_overflow, call.span, "a count of {} elements may not fit in i32", x.dims()[dim].size);
  return {call.builder.add(
      kCumsum, {x}, CumsumAttributes{x.dims()[dim].name, call.flag("exclusive", false), call.flag("reverse", false)})};
}

/// Multiplies each element by the element `distance` before it, then doubles the distance, and so on.
graph::Values build_cumprod(Call& call) {
  Builder& b = call.builder;
  const graph::Value& given = call.tensor("x");
  const int dim = position_of(given, dim_over(call, "x"), call.span_of("over"));
  const ElementType element = number_element(given.element());
  const Name over = given.dims()[dim].name;
  const int64_t size = given.dims()[dim].size;
  const bool reverse = call.flag("reverse", false);
  const auto moved = [&](const graph::Value& x, int64_t by) {
    const graph::Value kept = b.slice(x, dim, reverse ? by : 0, size - by);
    return b.add(kPadWith, {kept}, PadAttributes{over, reverse ? 0 : by, reverse ? by : 0}, {1});
  };
  graph::Value product = b.cast(given, element == ElementType::kBf16 ? ElementType::kF32 : element);
  if (call.flag("exclusive", false)) product = size == 1 ? filled(b, 1, product.type()) : moved(product, 1);
  for (int64_t distance = 1; distance < size; distance *= 2) product = b.map(kMul, product, moved(product, distance));
  return {own_value(b, b.cast(product, element), given)};
}

}  // namespace

constexpr graph::Op kCumprod = complete(
    {.name = "cumprod",
     .signature = "cumprod(x: tensor, over: dim = the only one, exclusive: bool = false, reverse: bool = false)",
     .family = "Reductions",
     .doc =
         "The running product along a dimension: of the elements up to each one, or before it (`exclusive`), or from "
         "it to the end (`reverse`). bool counts as i32, which wraps around; bf16 is multiplied in f32. Its "
         "gradients are right where elements are 0.",
     .example = "dim a = 4\n"
                "let x = tensor([1, 2, 3, 4], [a])\n"
                "print(cumprod(x, over: a))\n"
                "print(cumprod(x, over: a, exclusive: true))\n"
                "print(cumprod(x, over: a, reverse: true))\n"
                "#> [1, 2, 6, 24]\n"
                "#> [1, 1, 2, 6]\n"
                "#> [24, 24, 12, 4]\n",
     .samples = "x: [a, b] => cumprod(x, over: a)\n"
                "x: [a, b] => cumprod(x, over: b, exclusive: true)\n"
                "x: [a, b] => cumprod(x, over: a, reverse: true)\n"
                "x: i32[a, b] in -3..3 => cumprod(x, over: a, exclusive: true, reverse: true)",
     .build = build_cumprod});

constexpr graph::Op kCumsum = complete(
    {.name = "cumsum",
     .signature = "cumsum(x: tensor, over: dim = the only one, exclusive: bool = false, reverse: bool = false)",
     .family = "Reductions",
     .doc = "The running sum along a dimension: of the elements up to each one, or before it (`exclusive`), or from it "
            "to the end "
            "(`reverse`). bool counts as i32; floats are summed in f64 and each result rounded. A sum of i32 that does "
            "not fit in i32 is an error.",
     .example = "dim a = 4\n"
                "let x = tensor([1, 2, 3, 4], [a])\n"
                "print(cumsum(x, over: a))\n"
                "print(cumsum(x, over: a, exclusive: true))\n"
                "print(cumsum(x, over: a, reverse: true))\n"
                "#> [1, 3, 6, 10]\n"
                "#> [0, 1, 3, 6]\n"
                "#> [10, 9, 7, 4]\n",
     .samples = "x: [a, b] => cumsum(x, over: a)\n"
                "x: [a, b] => cumsum(x, over: b, exclusive: true)\n"
                "x: [a, b] => cumsum(x, over: a, reverse: true)\n"
                "x: [a] => cumsum(x, over: a, exclusive: true, reverse: true)\n"
                "x: i32[a, b] in -9..9 => cumsum(x, over: a, reverse: true)\n"
                "x: bf16[a, b] => cumsum(x, over: b)",
     .build = build_cumsum,
     .attributes = &graph::kFormOf<CumsumAttributes>,
     .infer = [](const graph::Operation& operation) -> std::vector<TensorType> { return {operation.operands[0]}; },
     .space =
         [](const graph::Operation& operation) {
           return space_by_position(operation, dim_of<CumsumAttributes>(operation), graph::SplitKind::kScan);
         },
     .kernel = cumsum_kernel,
     .work = graph::Work::kPerOperand,
     .gradient = [](graph::GradientCall& call) -> graph::Values {
       CumsumAttributes opposite = call.operation.attributes.get<CumsumAttributes>();
       opposite.reverse = !opposite.reverse;
       return {call.builder.add(kCumsum, {call.d_results[0]}, opposite)};
     }});

constexpr graph::Op kBlockTotal = complete(
    {.name = "block_total",
     .family = "Reductions",
     .doc = "Of a running sum over a split dimension: the sum of each block.",
     .attributes = &graph::kFormOf<BlocksAttributes>,
     .infer = [](const graph::Operation& operation) -> std::vector<TensorType> {
       std::vector<TensorType> types = infer_of_blocks(operation);
       types[0].element = ElementType::kF64;
       return types;
     },
     .space =
         [](const graph::Operation& operation) { return space_by_position(operation, -1, graph::SplitKind::kFree); },
     .kernel = block_total_kernel,
     .no_gradient = "it stands for a part of cumsum, after gradients are made"});

constexpr graph::Op kAddTotals = complete(
    {.name = "add_totals",
     .family = "Reductions",
     .doc = "The running sum of a block of a split dimension, from the totals of the blocks before it on.",
     .attributes = &graph::kFormOf<CumsumAttributes>,
     .infer = [](const graph::Operation& operation) -> std::vector<TensorType> { return {operation.operands[0]}; },
     // `x` and `own` correspond to the result's blocks. Each block needs the totals of all blocks.
     .space =
         [](const graph::Operation& operation) {
           const int dim = dim_of<CumsumAttributes>(operation);
           graph::IterationSpace space = space_by_position(operation, -1, graph::SplitKind::kFree);
           space.dims[dim].operands[1] = -1;
           return space;
         },
     .kernel = add_totals_kernel,
     .work = graph::Work::kPerOperand,
     .no_gradient = "it stands for a part of cumsum, after gradients are made"});

}  // namespace mtf::ops
