// Positions of extremes along one dim.
#include <cmath>

#include "kernels/kernel_table.h"
#include "ops/blocks.h"
#include "ops/record.h"

namespace mtf::ops {
namespace {

graph::Values build_extreme(Call& call) {
  const graph::Value& x = call.tensor("x");
  const Dim over = dim_over(call, "x");
  if (over.size > INT32_MAX) fail(Kind::size_overflow, call.span, "{} is too large for places in i32", to_string(over));
  return call.builder.add_node(call.op, {x}, OverAttributes{over.name});
}

std::vector<TensorType> infer_positions(const graph::Operation& operation) {
  Dims dims = operation.operands[0].dims;
  dims.erase(dims.begin() + dim_of<OverAttributes>(operation));
  return {{ElementType::kI32, dims}};
}

graph::IterationSpace extreme_space(const graph::Operation& operation) {
  graph::IterationSpace space = ruled_space(operation, graph::SplitKind::kFree, {});
  space.dims[dim_of<OverAttributes>(operation)].kind = graph::SplitKind::kExpand;
  return space;
}

/// min(where(x == extreme or x is NaN, position, n)): the first of equal elements, or the first NaN.
template <bool largest>
graph::Values expand_extreme(graph::ExpandCall& call) {
  Builder& b = call.builder;
  const graph::Operation& operation = call.operation;
  const graph::Value& x = call.operands[0];
  const graph::Value extreme = b.reduce(largest ? kMax : kMin, x, operation.results[0].dims);
  return {b.add(kFirstPlace, {x, extreme}, operation.attributes)};
}

/// The position of the extreme in a line whose elements are `stride` apart.
template <bool largest, typename T>
int64_t position_apart(const T* x, int64_t stride, int64_t count) {
  int64_t position = 0;
  auto champion = to_number(x[0]);
  for (int64_t i = 1; i < count && !is_nan(champion); ++i) {
    const auto value = to_number(x[i * stride]);
    if ((largest ? value > champion : value < champion) || is_nan(value)) {
      champion = value;
      position = i;
    }
  }
  return position;
}

/// Lines of up to kShort elements are copied so that several lines are neighbours in memory, and compared together.
constexpr int64_t kShort = 32, kShortLines = 128, kManyLines = 16;

template <bool largest>
void extreme_kernel(graph::KernelCall& call) {
  const kernels::Block& x = call.operands[0];
  const int dim = dim_of<OverAttributes>(call.operation);
  const kernels::BlockDim& along = x.dims[dim];
  kernels::Block positions = call.results[0];
  positions.dims.insert(positions.dims.begin() + dim, {0, 1, 1, 0});
  const auto first = static_cast<int32_t>(along.first);
  by_element(x.element, [&](auto zero) {
    using T = decltype(zero);
    const auto find = [&](int64_t from, int64_t to, int64_t lines, int64_t x_apart, int64_t apart) {
      const T* line = x.as<T>() + from;
      int32_t* position = positions.as<int32_t>() + to;
      if (x_apart == 1)
        return kernels::table().positions_of_extremes(x.element, largest, line, along.stride, along.size, lines, first,
                                                      position, apart);
      if (lines >= kManyLines) {
        std::array<T, kShort * kShortLines> side_by_side;
        kernels::table().copy_matrix(lines, along.size, sizeof(T), line, x_apart, along.stride, side_by_side.data(), 1,
                                     lines);
        return kernels::table().positions_of_extremes(x.element, largest, side_by_side.data(), lines, along.size, lines,
                                                      first, position, apart);
      }
      for (int64_t k = 0; k < lines; ++k, line += x_apart) {
        const int64_t found = along.size == 0 ? 0
                              : along.stride == 1
                                  ? kernels::table().position_of_extreme(x.element, largest, line, along.size)
                                  : position_apart<largest>(line, along.stride, along.size);
        position[k * apart] = first + static_cast<int32_t>(found);
      }
    };
    for_each_line(call.threads, x, positions, dim, along.size <= kShort ? kShortLines : 1, find);
  });
  call.flops += x.size();
}

void first_place_kernel(graph::KernelCall& call) {
  const kernels::Block& x = call.operands[0];
  const kernels::Block& extreme = call.operands[1];
  const kernels::Block& position = call.results[0];
  const int dim = dim_of<OverAttributes>(call.operation);
  const kernels::BlockDim& along = x.dims[dim];
  Walk<3> walk;  // x, extreme, position
  for (int i = 0; i < static_cast<int>(x.dims.size()); ++i) {
    const int kept = i < dim ? i : i - 1;
    if (i != dim) walk.add(x.dims[i].size, {x.dims[i].stride, extreme.dims[kept].stride, position.dims[kept].stride});
  }
  by_element(x.element, [&](auto zero) {
    using T = decltype(zero);
    for_each_position(call.threads, walk, along.size, [&](const Walk<3>& at) {
      const T* row = x.as<T>() + at.offset(0);
      const T wanted = extreme.as<T>()[at.offset(1)];
      const auto number = to_number(wanted);
      int64_t i = 0;
      if (along.stride == 1) i = kernels::table().position_of(x.element, row, along.size, &wanted);
      else
        while (i < along.size && to_number(row[i * along.stride]) != number &&
               !is_nan(to_number(row[i * along.stride])))
          ++i;
      position.as<int32_t>()[at.offset(2)] = static_cast<int32_t>(i < along.size ? along.first + i : along.whole);
    });
  });
}

consteval graph::Op extreme(graph::Op op) {
  op.family = "Reductions";
  op.build = build_extreme;
  op.attributes = &graph::kFormOf<OverAttributes>;
  op.infer = infer_positions;
  op.space = extreme_space;
  op.work = graph::Work::kExpansion;
  op.no_gradient = "a place does not change smoothly";
  return complete(op);
}

}  // namespace

constexpr graph::Op kArgmax = extreme({
    .name = "argmax",
    .signature = "argmax(x: tensor, over: dim = the only one)",
    .doc = "The place of the largest element along a dim, as i32: the first of equal ones, and that of the first NaN "
           "if there is one.",
    .example =
        "dim a = 2, b = 3\nlet x = tensor([[1, 5, 5], [4, 2, 6]], [a, b])\nprint(argmax(x, over: b))\n#> [1, 2]\n",
    .samples = "x: [a, b] => argmax(x, over: b)\nx: [a, b, c] => argmax(x, over: b)\nx: i32[a, b] in 0..3 => argmax(x, "
               "over: a)",
    .kernel = extreme_kernel<true>,
    .expand = expand_extreme<true>,
});

constexpr graph::Op kArgmin = extreme({
    .name = "argmin",
    .signature = "argmin(x: tensor, over: dim = the only one)",
    .doc = "The place of the smallest element along a dim, as i32: the first of equal ones, and that of the first NaN "
           "if there is one.",
    .example =
        "dim a = 2, b = 3\nlet x = tensor([[1, 5, 1], [4, 2, 6]], [a, b])\nprint(argmin(x, over: b))\n#> [0, 1]\n",
    .samples = "x: [a, b] => argmin(x, over: b)\nx: i32[a, b] in 0..3 => argmin(x, over: a)",
    .kernel = extreme_kernel<false>,
    .expand = expand_extreme<false>,
});

constexpr graph::Op kFirstPlace = complete({
    .name = "first_place",
    .family = "Reductions",
    .doc = "The first place along a dim where the first operand equals the second or is NaN; the dim's whole size "
           "where it never does. "
           "What argmax and argmin are where their dim is split; counted with the extreme.",
    .attributes = &graph::kFormOf<OverAttributes>,
    .infer = infer_positions,
    .space = [](const graph::Operation& operation) -> graph::IterationSpace {
      graph::IterationSpace space = ruled_space(operation, graph::SplitKind::kReduce,
                                                {operation.operands[0].dims[dim_of<OverAttributes>(operation)]});
      for (graph::IterationDim& dim : space.dims) dim.reduce = kernels::Reduction::kMin;
      return space;
    },
    .kernel = first_place_kernel,
    .no_gradient = "a place does not change smoothly",
});

}  // namespace mtf::ops
