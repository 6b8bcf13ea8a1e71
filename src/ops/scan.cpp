// The running sum, and what it is made of where its dim is split (scan.h).
#include "ops/scan.h"

#include "kernels/kernel_table.h"
#include "ops/blocks.h"
#include "ops/record.h"
#include "ops/shape.h"

namespace mtf::ops {
namespace {

/// What a running sum of elements of type T is carried in: f64 for floats, so that it is rounded only where it is
/// written and millions of small elements are not lost.
template <typename T>
using Carry = std::conditional_t<std::is_floating_point_v<Number<T>>, double, Number<T>>;

/// Lines that do not lie side by side are given to the kernel so many at once.
constexpr int64_t kLinesApart = 8;

void cumsum_kernel(graph::KernelCall& call) {
  const kernels::Block& x = call.operands[0];
  const kernels::Block& y = call.results[0];
  const int dim = dim_of<CumsumAttributes>(call.operation);
  const bool exclusive = call.operation.attributes.get<CumsumAttributes>().exclusive,
             backwards = call.operation.attributes.get<CumsumAttributes>().reverse;
  call.flops += x.size();
  const int64_t count = x.dims[dim].size;
  const int64_t x_step = backwards ? -x.dims[dim].stride : x.dims[dim].stride,
                y_step = backwards ? -y.dims[dim].stride : y.dims[dim].stride;
  const int64_t x_first = backwards ? (count - 1) * x.dims[dim].stride : 0,
                y_first = backwards ? (count - 1) * y.dims[dim].stride : 0;
  by_element(x.element, [&](auto zero) {
    using T = decltype(zero);
    for_each_line(call.threads, x, y, dim, kLinesApart,
                  [&](int64_t from, int64_t to, int64_t lines, int64_t x_apart, int64_t y_apart) {
                    const T* source = x.as<T>() + from + x_first;
                    T* target = y.as<T>() + to + y_first;
                    kernels::table().running_sums(x.element, exclusive, source, {x_step, x_apart}, target,
                                                  {y_step, y_apart}, count, lines);
                  });
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
    using Sum = Number<T>;
    for_each_line(call.threads, x, total, dim, kLinesApart,
                  [&](int64_t from, int64_t to, int64_t lines, int64_t x_apart, int64_t y_apart) {
                    kernels::table().line_sums(x.element, x.as<T>() + from, {x.dims[dim].stride, x_apart},
                                               x.dims[dim].size, lines, total.as<Sum>() + to, y_apart);
                  });
  });
}

void add_totals_kernel(graph::KernelCall& call) {
  const kernels::Block& local = call.operands[0];
  const kernels::Block& totals = call.operands[1];
  const kernels::Block& y = call.results[0];
  const int dim = dim_of<AddTotalsAttributes>(call.operation);
  const bool backwards = call.operation.attributes.get<AddTotalsAttributes>().reverse;
  const int64_t own = call.operands[2].dims[dim].first, blocks = totals.dims[dim].size;
  const int64_t first = backwards ? own + 1 : 0, last = backwards ? blocks : own;
  if (y.size() == 0) return;
  by_element(local.element, [&](auto zero) {
    using T = decltype(zero);
    using Sum = Number<T>;
    Walk<3> walk;
    for (size_t d = 0; d < y.dims.size(); ++d)
      if (static_cast<int>(d) != dim)
        walk.add(y.dims[d].size, {local.dims[d].stride, totals.dims[d].stride, y.dims[d].stride});
    for_each_place(call.threads, walk, y.dims[dim].size, [&](const Walk<3>& at) {
      Carry<T> before{};
      for (int64_t k = first; k < last; ++k)
        before = plus(before, Carry<T>(totals.as<Sum>()[at.offset(1) + k * totals.dims[dim].stride]));
      for (int64_t i = 0; i < y.dims[dim].size; ++i) {
        const Carry<T> mine = to_number(local.as<T>()[at.offset(0) + i * local.dims[dim].stride]);
        y.as<T>()[at.offset(2) + i * y.dims[dim].stride] = from_number<T>(static_cast<Sum>(plus(before, mine)));
      }
    });
  });
}

graph::Values build_cumsum(Call& call) {
  const int dim = place_of(call.tensor("x"), dim_over(call, "x"), call.span_of("over"));
  const graph::Value x = call.builder.cast(call.tensor("x"), number_element(call.tensor("x").element()));
  if (call.tensor("x").element() == ElementType::kBool && x.dims()[dim].size > INT32_MAX)
    fail(Kind::size_overflow, call.span, "a count of {} elements may not fit in i32", x.dims()[dim].size);
  return {call.builder.add(
      kCumsum, {x}, CumsumAttributes{x.dims()[dim].name, call.flag("exclusive", false), call.flag("reverse", false)})};
}

}  // namespace

constexpr graph::Op kCumsum = complete(
    {.name = "cumsum",
     .signature = "cumsum(x: tensor, over: dim = the only one, exclusive: bool = false, reverse: bool = false)",
     .family = "Reductions",
     .doc = "The running sum along a dimension: of the elements up to each one, or before it (`exclusive`), or from it "
            "to the end "
            "(`reverse`). bool counts as i32; floats are summed in f64 and each result rounded.",
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
                "x: [a] => cumsum(x, over: a, exclusive: true, reverse: true)",
     .build = build_cumsum,
     .attributes = &graph::kFormOf<CumsumAttributes>,
     .infer = [](const graph::Operation& operation) -> std::vector<TensorType> { return {operation.operands[0]}; },
     .space =
         [](const graph::Operation& operation) {
           return space_by_place(operation, dim_of<CumsumAttributes>(operation), graph::SplitKind::kScan);
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
     .infer = infer_of_blocks,
     .space = [](const graph::Operation& operation) { return space_by_place(operation, -1, graph::SplitKind::kFree); },
     .kernel = block_total_kernel,
     .no_gradient = "it stands for a part of cumsum, after gradients are made"});

constexpr graph::Op kAddTotals = complete(
    {.name = "add_totals",
     .family = "Reductions",
     .doc = "Of a running sum over a split dimension: adds the totals of the blocks before each one's own.",
     .attributes = &graph::kFormOf<AddTotalsAttributes>,
     .infer = [](const graph::Operation& operation) -> std::vector<TensorType> { return {operation.operands[0]}; },
     // `local` and `own` run with the result's blocks; the totals are whole along the blocks.
     .space =
         [](const graph::Operation& operation) {
           const int dim = dim_of<AddTotalsAttributes>(operation);
           graph::IterationSpace space = space_by_place(operation, -1, graph::SplitKind::kFree);
           space.dims[dim].operands[1] = -1;
           return space;
         },
     .kernel = add_totals_kernel,
     .no_gradient = "it stands for a part of cumsum, after gradients are made"});

}  // namespace mtf::ops
