// Pooling: the maximum or the mean of each window, and the gradients.
#include "kernels/kernel_table.h"

#include <algorithm>
#include <limits>

#include "ops/blocks.h"
#include "ops/interval.h"
#include "ops/record.h"
#include "ops/windows.h"

namespace mtf::ops {
namespace {

/// Each list has an entry for each spatial dim. Positions outside the input are left out, or count as 0 in a mean.
struct PoolingAttributes {
  Names over;
  Integers taps, size, stride, low, dilation;  ///< size: the spatial dims of the result
  bool counts_padding = false;
  static constexpr auto members() {
    using A = PoolingAttributes;
    return std::array{graph::member<&A::over>("over"),
                      graph::member<&A::taps>("taps"),
                      graph::member<&A::size>("size"),
                      graph::member<&A::stride>("stride"),
                      graph::member<&A::low>("low"),
                      graph::member<&A::dilation>("dilation"),
                      graph::member<&A::counts_padding>("counts_padding")};
  }
  Window along(size_t d) const { return {taps[d], stride[d], low[d], 0, dilation[d], 1}; }
  /// The index of a dim in the lists, or their size if it is not spatial.
  size_t position(Name name) const {
    return static_cast<size_t>(std::find(over.begin(), over.end(), name) - over.begin());
  }
};

const PoolingAttributes& pooling_of(const graph::Operation& operation) {
  return operation.attributes.get<PoolingAttributes>();
}

graph::Values build_pool(Call& call) {
  Builder& b = call.builder;
  graph::Value x = call.tensor("x");
  const Dims space = dims_of_space(call, x);
  const ElementType element = x.element();
  const bool is_max = call.op.name == kMaxPool.name;
  // The maximum of integers is computed in f64, which holds them exactly.
  x = as_element(b, x, is_max ? added_element(number_element(element)) : real_element(element), call.span);
  std::vector<int64_t> taps;
  for (const DimLabel& label : call.labels) {
    if (label.numbers[0] < 1 || label.numbers[0] > int64_t{1} << 30)
      fail(Kind::bad_value, label.span, "expected a window of one element or more, found {}", label.numbers[0]);
    taps.push_back(label.numbers[0]);
  }
  const std::vector<Window> windows = windows_of(call, taps, taps);
  PoolingAttributes made;
  made.over = names_of(space);
  if (call.op.name == kMeanPool.name) made.counts_padding = call.flag("counts_padding", false);
  for (size_t d = 0; d < windows.size(); ++d) {
    const int64_t size = output_size(windows[d], space[d].size);
    if (size < 1) refuse_size(call, d, space[d], windows[d]);
    made.taps.push_back(windows[d].taps);
    made.size.push_back(size);
    made.stride.push_back(windows[d].stride);
    made.low.push_back(windows[d].low);
    made.dilation.push_back(windows[d].dilation);
  }
  const graph::Value pooled = b.add_node(call.op, {x}, made)[0];
  return {is_max ? b.cast(pooled, element) : pooled};
}

/// The first operand's type with other sizes along the spatial dims.
TensorType pooled_type(const graph::Operation& operation) {
  const PoolingAttributes& pool = pooling_of(operation);
  for (const Integers* list : {&pool.taps, &pool.size, &pool.stride, &pool.low, &pool.dilation})
    MTF_CHECK(list->size() == pool.over.size(), "{} numbers for {} dims of {}", list->size(), pool.over.size(),
              operation.op->name);
  TensorType type = operation.operands[0];
  for (Dim& dim : type.dims)
    if (const size_t d = pool.position(dim.name); d < pool.over.size()) dim.size = pool.size[d];
  return type;
}

/// Every dim is free. Along spatial dims, operands of another size than the result are read in windows.
graph::IterationSpace pooling_space(const graph::Operation& operation, bool of_input) {
  const PoolingAttributes& pool = pooling_of(operation);
  graph::IterationSpace space = space_by_position(operation, -1, graph::SplitKind::kFree);
  for (graph::IterationDim& dim : space.dims) {
    const Dim& result = operation.results[0].dims[dim.results[0]];
    const size_t d = pool.position(result.name);
    if (d == pool.over.size()) continue;
    for (size_t k = 0; k < operation.operands.size(); ++k) {
      const int64_t size = operation.operands[k].dims[dim.operands[k]].size;
      const bool by_position = of_input && k == 0 && operation.operands.size() > 1;  // the input itself
      dim.maps.push_back(by_position ? graph::AccessMap{.from = result.size, .to = size}
                         : of_input  ? map_of_input(pool.along(d), result.size, size)
                                     : map_of_output(pool.along(d), size, result.size));
    }
  }
  for (graph::IterationDim& dim : space.dims) dim.results.resize(operation.results.size(), dim.results[0]);
  return space;
}

graph::IterationSpace space_of_output(const graph::Operation& operation) { return pooling_space(operation, false); }
graph::IterationSpace space_of_input(const graph::Operation& operation) { return pooling_space(operation, true); }

// ---- Kernels --------------------------------------------------------------------------------------------------------

/// The blocks of a call. Some have the shape of the input, some that of the output. Dims that are not spatial become
/// the kernel's batch and channels if they are adjacent in all blocks. The others are walked.
class BlockPooling {
 public:
  static constexpr int kMostBlocks = 5;

  BlockPooling(graph::KernelCall& call, const kernels::Block& input, const kernels::Block& output)
      : call_(call), pool_(pooling_of(call.operation)) {
    for (const kernels::Block& block : call.operands) blocks_.push_back(&block);
    for (const kernels::Block& block : call.results) blocks_.push_back(&block);
    const Dims& dims = call.operation.results[0].dims;
    space_.resize(pool_.over.size());
    for (size_t i = 0; i < dims.size(); ++i)
      if (const size_t d = pool_.position(dims[i].name); d < pool_.over.size()) {
        dims_[d] = static_cast<int>(i);
        space_[d] = convolution_dim(pool_.along(d), input.dims[i], output.dims[i], 0);
      }
  }

  /// Calls fn(pooling, tensors) with the operands and then the results.
  template <typename Fn>
  void run(Fn fn) {
    call_.flops += points_read(call_);
    const std::vector<Group> groups = this->groups();
    const Group batch = groups.size() > 1 ? groups[groups.size() - 2] : Group{},
                channels = groups.empty() ? Group{} : groups.back();
    Walk<kMostBlocks> walk;
    for (size_t g = 0; g + 2 < groups.size(); ++g) walk.add(groups[g].size, groups[g].strides);
    walk.seek(0);
    const kernels::Pooling pooling{batch.size, channels.size, space_, pool_.counts_padding};
    std::vector<kernels::PoolingTensor> tensors(blocks_.size());
    for (int64_t position = 0; position < walk.count(); ++position, walk.next()) {
      for (size_t k = 0; k < blocks_.size(); ++k) {
        const kernels::Block& block = *blocks_[k];
        tensors[k] = {block.element, block.as<char>() + walk.offset(static_cast<int>(k)) * size_of(block.element),
                      batch.strides[k], channels.strides[k]};
        for (size_t d = 0; d < space_.size(); ++d) tensors[k].strides[d] = block.dims[dims_[d]].stride;
      }
      fn(pooling, tensors);
    }
  }

 private:
  struct Group {
    int64_t size = 1;
    std::array<int64_t, kMostBlocks> strides{};
  };

  /// The joined dims, the smallest first.
  std::vector<Group> groups() const {
    std::vector<Group> list;
    for (size_t i = 0; i < blocks_[0]->dims.size(); ++i) {
      if (std::find(dims_.begin(), dims_.end(), static_cast<int>(i)) != dims_.end()) continue;
      Group group{blocks_[0]->dims[i].size, {}};
      if (group.size == 1) continue;
      for (size_t k = 0; k < blocks_.size(); ++k) group.strides[k] = blocks_[k]->dims[i].stride;
      list.push_back(group);
    }
    std::stable_sort(list.begin(), list.end(),
                     [](const Group& a, const Group& b) { return a.strides[0] > b.strides[0]; });
    std::vector<Group> joined;
    for (const Group& group : list) {
      bool together = !joined.empty();
      for (size_t k = 0; together && k < blocks_.size(); ++k)
        together = joined.back().strides[k] == group.strides[k] * group.size;
      if (together) joined.back() = {joined.back().size * group.size, group.strides};
      else joined.push_back(group);
    }
    std::stable_sort(joined.begin(), joined.end(), [](const Group& a, const Group& b) { return a.size < b.size; });
    return joined;
  }

  graph::KernelCall& call_;
  const PoolingAttributes& pool_;
  std::vector<const kernels::Block*> blocks_;
  std::array<int, kernels::kConvolutionDims> dims_{-1, -1, -1};  ///< the indices of the spatial dims
  std::vector<kernels::ConvolutionDim> space_;
};

using Tensors = std::span<const kernels::PoolingTensor>;

void max_kernel(graph::KernelCall& call) {
  BlockPooling(call, call.operands[0], call.results[0]).run([&](const kernels::Pooling& pooling, Tensors t) {
    kernels::table().max_pool(pooling, t[0], t[1], t[2], call.threads);
  });
}

void max_gradient_kernel(graph::KernelCall& call) {
  BlockPooling(call, call.results[0], call.operands[1]).run([&](const kernels::Pooling& pooling, Tensors t) {
    kernels::table().max_pool_gradient(pooling, t[0], t[1], t[2], t[3], t[4], call.threads);
  });
}

void mean_kernel(graph::KernelCall& call) {
  BlockPooling(call, call.operands[0], call.results[0]).run([&](const kernels::Pooling& pooling, Tensors t) {
    kernels::table().mean_pool(pooling, t[0], t[1], call.threads);
  });
}

void mean_gradient_kernel(graph::KernelCall& call) {
  BlockPooling(call, call.results[0], call.operands[0]).run([&](const kernels::Pooling& pooling, Tensors t) {
    kernels::table().mean_pool_gradient(pooling, t[0], t[1], call.threads);
  });
}

// ---- Gradients ------------------------------------------------------------------------------------------------------

/// The same windows, for a result of the shape of `like`.
PoolingAttributes pooling_to(const graph::Operation& operation, const graph::Value& like) {
  PoolingAttributes made = pooling_of(operation);
  for (size_t d = 0; d < made.over.size(); ++d) made.size[d] = like.dims()[find_dim(like.dims(), made.over[d])].size;
  return made;
}

graph::Values max_pool_gradient_of(graph::GradientCall& call) {
  const graph::Value& x = call.operands[0];
  return {call.builder.add(kMaxPoolGradient,
                           {x, call.results[0], call.results[1], call.builder.cast(call.d_results[0], x.element())},
                           pooling_to(call.operation, x))};
}

/// For each window, the element of `x` at the tap `tap` (an index along each dim), or `outside` if it is not in x.
graph::Value at_tap(Builder& b, graph::Value x, const PoolingAttributes& pool, const graph::Value& output,
                    const std::vector<int64_t>& tap, double outside) {
  for (size_t d = 0; d < tap.size(); ++d) {
    const int dim = find_dim(x.dims(), pool.over[d]);
    const int64_t count = output.dims()[dim].size, first = tap[d] * pool.dilation[d] - pool.low[d],
                  last = first + (count - 1) * pool.stride[d], size = x.dims()[dim].size;
    const PadAttributes pad{pool.over[d], std::max<int64_t>(0, -first), std::max<int64_t>(0, last + 1 - size)};
    if (pad.before + pad.after > 0) x = outside == 0 ? b.add(kPad, {x}, pad) : b.add(kPadWith, {x}, pad, {outside});
    x = b.slice(x, dim, first + pad.before, count, pool.stride[d]);
  }
  return x;
}

/// The gradient of max_pool_gradient with respect to d: for each window, the mean of the incoming gradient over the
/// window's maximal elements.
graph::Values gradient_of_max_pool_gradient(graph::GradientCall& call) {
  graph::Values gradients(4);
  if (!call.wants(3)) return gradients;
  Builder& b = call.builder;
  const PoolingAttributes& pool = pooling_of(call.operation);
  const graph::Value &x = call.operands[0], &y = call.operands[1], &ties = call.operands[2], &d = call.d_results[0];
  graph::Value sum;
  std::vector<int64_t> tap(pool.over.size(), 0);
  for (bool more = true; more;) {
    const graph::Value greatest = b.map(kEq, at_tap(b, x, pool, y, tap, -std::numeric_limits<double>::infinity()), y);
    const graph::Value term = b.where(greatest, at_tap(b, d, pool, y, tap, 0), b.zeros({d.element(), y.dims()}));
    sum = sum ? b.map(kAdd, sum, term) : term;
    more = false;
    for (size_t k = tap.size(); !more && k-- > 0;)
      if (++tap[k] < pool.taps[k]) more = true;
      else tap[k] = 0;
  }
  gradients[3] = b.map(kDiv, sum, ties);
  return gradients;
}

graph::Values mean_gradient(graph::GradientCall& call) {
  const graph::Value& x = call.operands[0];
  return {call.builder.add(kMeanPoolGradient, {call.builder.cast(call.d_results[0], x.element())},
                           pooling_to(call.operation, x))};
}

graph::Values gradient_of_mean_gradient(graph::GradientCall& call) {
  const graph::Value& d = call.operands[0];
  return {
      call.builder.add(kMeanPool, {call.builder.cast(call.d_results[0], d.element())}, pooling_to(call.operation, d))};
}

}  // namespace

constexpr graph::Op kMaxPool = complete({
    .name = "max_pool",
    .signature = "max_pool(x: tensor, DIM: int..., stride: ints = window, pad: ints = 0, dilation: ints = 1)",
    .family = "Reductions",
    .doc = "The greatest element of each window over one to three dimensions; each label names one with the size of "
           "the window along it: `max_pool(x, height: 2, width: 2)`. Windows stand side by side unless `stride` says "
           "how far apart; `stride`, `pad` and `dilation` are as in `conv`. What lies outside of x is left out. Of a "
           "window without elements it is -inf, of i32 the least. Elements that are equally great share the gradient "
           "equally.",
    .example = "dim length = 5\nlet x = tensor([1, 4, 2, 3, 0], [length])\n"
               "print(max_pool(x, length: 2))\n#> [4, 3]\n"
               "print(max_pool(x, length: 3, stride: 2, pad: 1))\n#> [4, 4, 3]\n",
    .samples = "x: [a, b] => max_pool(x, a: 2)\n"
               "x: [a, b] => max_pool(x, a: 3, b: 2, stride: [2, 1], pad: 1)\n"
               "x: [c, a, b] => max_pool(x, a: 3, stride: 1, pad: [(4, 0)], dilation: 2)\n"
               "x: i32[a, b] in -2..2 => max_pool(x, b: 3, a: 2, stride: 3, pad: [2, 1])\n"
               "x: bf16[a, b] => max_pool(x, a: 2, b: 3, stride: 1, pad: 1)\n"
               "x: bool[a, b] => max_pool(x, b: 2)",
    .build = build_pool,
    .attributes = &graph::kFormOf<PoolingAttributes>,
    .infer = [](const graph::Operation& operation) -> std::vector<TensorType> {
      return {pooled_type(operation), pooled_type(operation)};
    },
    .space = space_of_output,
    .kernel = max_kernel,
    .work = graph::Work::kReads,
    .gradient = max_pool_gradient_of,
    .saved_results = 1,
});

constexpr graph::Op kMaxPoolGradient = complete({
    .name = "max_pool_gradient",
    .family = "Reductions",
    .doc = "The gradient of max_pool's operand: of each window the greatest elements share what comes to it.",
    .attributes = &graph::kFormOf<PoolingAttributes>,
    .infer = [](const graph::Operation& operation) -> std::vector<TensorType> {
      MTF_CHECK(operation.operands.size() == 4, "a gradient of {} operands", operation.operands.size());
      return {pooled_type(operation)};
    },
    .space = space_of_input,
    .kernel = max_gradient_kernel,
    .work = graph::Work::kReads,
    .gradient = gradient_of_max_pool_gradient,
});

constexpr graph::Op kMeanPool = complete({
    .name = "mean_pool",
    .signature = "mean_pool(x: tensor, DIM: int..., stride: ints = window, pad: ints = 0, dilation: ints = 1, "
                 "counts_padding: bool = false)",
    .family = "Reductions",
    .doc = "The mean of each window, as `max_pool` has its greatest element. It is the mean of the elements that are "
           "in x, 0 where there are none; with `counts_padding` what lies outside counts as 0.",
    .example = "dim length = 4\nlet x = tensor([1, 3, 5, 7], [length])\n"
               "print(mean_pool(x, length: 2))\n#> [2, 6]\n"
               "print(mean_pool(x, length: 2, stride: 3, pad: 1))\n#> [1, 6]\n"
               "print(mean_pool(x, length: 2, stride: 3, pad: 1, counts_padding: true))\n#> [0.5, 6]\n",
    .samples = "x: [a, b] => mean_pool(x, a: 2)\n"
               "x: [a, b] => mean_pool(x, a: 3, b: 2, stride: [2, 1], pad: 1)\n"
               "x: [c, a, b] => mean_pool(x, a: 3, stride: 1, pad: [(4, 0)], dilation: 2, counts_padding: true)\n"
               "x: bf16[a, b] => mean_pool(x, a: 2, b: 3, stride: 1, pad: 1)",
    .build = build_pool,
    .attributes = &graph::kFormOf<PoolingAttributes>,
    .infer = [](const graph::Operation& operation) -> std::vector<TensorType> { return {pooled_type(operation)}; },
    .space = space_of_output,
    .kernel = mean_kernel,
    .work = graph::Work::kReads,
    .gradient = mean_gradient,
    .linear = graph::Linear::kEach,
});

constexpr graph::Op kMeanPoolGradient = complete({
    .name = "mean_pool_gradient",
    .family = "Reductions",
    .doc = "The gradient of mean_pool's operand: each element gets its part of what comes to the windows that have it.",
    .attributes = &graph::kFormOf<PoolingAttributes>,
    .infer = [](const graph::Operation& operation) -> std::vector<TensorType> { return {pooled_type(operation)}; },
    .space = space_of_input,
    .kernel = mean_gradient_kernel,
    .work = graph::Work::kReads,
    .gradient = gradient_of_mean_gradient,
    .linear = graph::Linear::kEach,
});

}  // namespace mtf::ops
