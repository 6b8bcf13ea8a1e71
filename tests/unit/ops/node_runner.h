// Runs the kernel of one node on host data: whole, or in blocks along one dim of its iteration space as the splitter
// does, but without the splitter's code.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "graph/gradient_call.h"
#include "graph/kernel_call.h"
#include "graph/op.h"
#include "kernels/threads.h"
#include "ops/blocks.h"
#include "ops/builder.h"
#include "ops/registry.h"
#include "ops/spaces.h"
#include "support/diagnostics.h"
#include "support/integers.h"

namespace mtf::test {

/// A global tensor: its elements row-major, as doubles.
struct Array {
  TensorType type;
  std::vector<double> numbers;
};

/// A block in memory, with its dims in the opposite order if `transposed`, or in any order.
class Memory {
 public:
  Memory(ElementType element, std::vector<kernels::BlockDim> dims, bool transposed)
      : Memory(element, dims, transposed ? ops::in_order(dims.size()) : backwards(dims.size())) {}
  /// `order`: the dims, the innermost first.
  Memory(ElementType element, std::vector<kernels::BlockDim> dims, const std::vector<int>& order) {
    block.element = element;
    block.dims = std::move(dims);
    int64_t stride = 1;
    for (const int d : order) {
      block.dims[d].stride = stride;
      stride *= block.dims[d].size;
    }
    bytes_.resize(static_cast<size_t>(stride * size_of(element)) + 64, std::byte{0x5a});
    block.data = bytes_.data() + (64 - reinterpret_cast<uintptr_t>(bytes_.data()) % 64) % 64;
  }
  Memory(Memory&&) = default;

  /// Calls `fn(position in the global tensor, element)`; positions wrap around.
  template <typename Fn>
  void each(Fn fn) {
    ops::Walk<1> walk;
    for (const kernels::BlockDim& dim : block.dims) walk.add(dim.size, {dim.stride});
    ops::by_element(block.element, [&](auto zero) {
      using T = decltype(zero);
      for (int64_t n = 0; n < walk.count(); ++n, walk.next()) {
        int64_t position = 0;
        for (size_t d = 0; d < block.dims.size(); ++d) {
          const kernels::BlockDim& dim = block.dims[d];
          position = position * dim.whole + ((dim.first + walk.position(d)) % dim.whole + dim.whole) % dim.whole;
        }
        fn(position, block.as<T>()[walk.offset(0)]);
      }
    });
  }
  void load(const Array& array) {
    each([&](int64_t position, auto& element) {
      element = ops::to_element<std::decay_t<decltype(element)>>(array.numbers[position]);
    });
  }

  kernels::Block block;

 private:
  static std::vector<int> backwards(size_t dims) {
    std::vector<int> order = ops::in_order(dims);
    std::reverse(order.begin(), order.end());
    return order;
  }

  std::vector<std::byte> bytes_;
};

inline Array array_of(const Dims& dims, std::vector<double> numbers, ElementType element = ElementType::kF32) {
  return {{element, dims}, std::move(numbers)};
}

/// Numbers from -2 to 2, or integers in [low, high).
inline Array random_array(const Dims& dims, int seed, ElementType element = ElementType::kF32, int low = 0,
                          int high = 0) {
  std::mt19937 generator(seed);
  Array array{{element, dims}, {}};
  for (int64_t i = 0; i < size_of(dims); ++i) {
    double number = low < high ? low + static_cast<int>(generator() % (high - low))
                               : static_cast<double>(generator()) / 4294967296.0 * 4 - 2;
    ops::by_element(element, [&](auto zero) { number = ops::to_number(ops::to_element<decltype(zero)>(number)); });
    array.numbers.push_back(number);
  }
  return array;
}

/// A graph with inputs, and the arrays of the inputs.
class Graph {
 public:
  Graph() {
    builder.context.mesh = std::make_shared<Mesh>(Name("m"), std::vector<Axis>{{Name("all"), 1}});
    builder.written = false;
  }
  graph::Value input(Array array) {
    graph::Value value = builder.add(ops::kConstant, {}, ops::TypeAttributes{array.type});
    computed_[value.node.get()] = {std::move(array)};
    kept_.push_back(value.node);
    return value;
  }
  /// Returns the global value.
  const Array& run(const graph::Value& value) { return run_node(value.node)[value.result]; }

  /// The node's results, computed as `blocks` blocks along dim `j` of its iteration space.
  std::vector<Array> run_split(const graph::NodePtr& node, size_t j, int64_t blocks, bool transposed) {
    const graph::IterationDim dim = node->operation->op->space(*node->operation).dims[j];
    std::vector<Array> arrays;
    for (const TensorType& type : node->operation->results)
      arrays.push_back({type, std::vector<double>(size_of(type.dims), 0.0)});
    for (int64_t b = 0; b < blocks; ++b) {
      std::vector<Memory> operands, results;
      Interval of_result;
      for (size_t r = 0; r < node->operation->results.size(); ++r) {
        std::vector<kernels::BlockDim> dims = whole_dims(node->operation->results[r]);
        if (dim.results[r] >= 0) of_result = cut(dims[dim.results[r]], b, blocks);
        results.emplace_back(node->operation->results[r].element, dims, transposed);
      }
      for (size_t k = 0; k < node->operands().size(); ++k) {
        const graph::Value& operand = node->operands()[k];
        std::vector<kernels::BlockDim> dims = whole_dims(operand.type());
        if (dim.operands[k] >= 0) {
          kernels::BlockDim& along = dims[dim.operands[k]];
          if (!dim.maps.empty()) {
            const Interval interval = wanted(dim.maps[k], of_result);
            along.first = interval.first;
            along.size = interval.size();
          } else {
            cut(along, b, blocks);
          }
        }
        operands.emplace_back(operand.element(), dims, transposed);
        operands.back().load(run(operand));
      }
      call(*node->operation, operands, results);
      for (size_t r = 0; r < results.size(); ++r)
        results[r].each([&](int64_t position, auto element) {
          double& number = arrays[r].numbers[position];
          if (dim.kind == graph::SplitKind::kReduce) number += static_cast<double>(ops::to_number(element));
          else number = static_cast<double>(ops::to_number(element));
        });
    }
    return arrays;
  }

  /// Checks that every way to split the node gives the same as the whole.
  void check_splits(const graph::Value& value, double tolerance = 0) {
    const std::vector<Array> whole = run_node(value.node);
    const graph::IterationSpace space = value.node->operation->op->space(*value.node->operation);
    for (size_t j = 0; j < space.dims.size(); ++j) {
      const graph::SplitKind kind = space.dims[j].kind;
      if (kind == graph::SplitKind::kWhole || kind == graph::SplitKind::kExpand || kind == graph::SplitKind::kScan)
        continue;
      for (int64_t blocks : {1, 2, 3, 4, 7}) {
        if (kind == graph::SplitKind::kFactors && !divides(*value.node->operation, space.dims[j], blocks)) continue;
        for (bool transposed : {false, true}) {
          const std::vector<Array> split = run_split(value.node, j, blocks, transposed);
          for (size_t r = 0; r < whole.size(); ++r)
            for (size_t i = 0; i < whole[r].numbers.size(); ++i)
              ASSERT_NEAR(whole[r].numbers[i], split[r].numbers[i], tolerance)
                  << value.node->operation->op->name << " split along dim " << j << " in " << blocks
                  << " blocks, result " << r << ", element " << i;
        }
      }
    }
  }

  /// Checks that the gradient rule of sum(value * weights) equals finite differences, for f64 inputs.
  void check_gradient(const graph::Value& value, const graph::Values& inputs) {
    const graph::Value weights = input(random_array(value.dims(), 77, value.element()));
    graph::Values d_results(value.node->operation->results.size());
    d_results[value.result] = weights;
    graph::Values results;
    for (size_t r = 0; r < value.node->operation->results.size(); ++r)
      results.push_back({value.node, static_cast<int>(r)});
    graph::GradientCall call{builder,
                             *value.node->operation,
                             value.node->operands(),
                             results,
                             d_results,
                             std::vector<bool>(value.node->operands().size(), true)};
    const graph::Values gradients = value.node->operation->op->gradient(call);
    for (const graph::Value& input : inputs) {
      const size_t k = std::find(value.node->operands().begin(), value.node->operands().end(), input) -
                       value.node->operands().begin();
      ASSERT_LT(k, gradients.size());
      ASSERT_TRUE(same_set(gradients[k].dims(), input.dims())) << to_string(gradients[k].type());
      const Array d = run(builder.broadcast(gradients[k], input.dims()));
      for (size_t i = 0; i < d.numbers.size(); ++i) {
        const double before = weighted(value, weights, input, i, -1e-4),
                     after = weighted(value, weights, input, i, 1e-4);
        ASSERT_NEAR(d.numbers[i], (after - before) / 2e-4, 1e-6)
            << value.node->operation->op->name << ", element " << i;
      }
    }
  }

  ops::Builder builder;
  int64_t flops = 0;

 private:
  static std::vector<kernels::BlockDim> whole_dims(const TensorType& type) {
    std::vector<kernels::BlockDim> dims;
    for (const Dim& dim : type.dims) dims.push_back({0, dim.size, dim.size, 0});
    return dims;
  }
  static Interval cut(kernels::BlockDim& dim, int64_t b, int64_t blocks) {
    const int64_t step = ceil_div(dim.whole, blocks);
    dim.first = std::min(b * step, dim.whole);
    dim.size = std::min(step, dim.whole - dim.first);
    return {dim.first, dim.first + dim.size};
  }
  /// Returns the interval that a result's interval reads, position by position.
  static Interval wanted(const graph::AccessMap& map, Interval result) {
    int64_t first = INT64_MAX, last = INT64_MIN;
    for (int64_t p = result.first; p < result.last; ++p) {
      const int64_t q = map.reversed ? map.from - 1 - p + map.offset : p * map.stride + map.offset;
      if (!map.wrap && (q < 0 || q >= map.to)) continue;
      first = std::min(first, q);
      last = std::max(last, q + map.window);
    }
    return first > last ? Interval{0, 0} : Interval{first, last};
  }
  static bool divides(const graph::Operation& node, const graph::IterationDim& dim, int64_t blocks) {
    return node.operands[0].dims[dim.operands[0]].size % blocks == 0 &&
           node.results[0].dims[dim.results[0]].size % blocks == 0;
  }

  void call(const graph::Operation& node, std::vector<Memory>& operands, std::vector<Memory>& results) {
    std::vector<kernels::Block> from, to;
    for (Memory& memory : operands) from.push_back(memory.block);
    for (Memory& memory : results) to.push_back(memory.block);
    graph::KernelCall call{node, from, to, node.inputs, threads_};
    node.op->kernel(call);
    flops += call.flops;
  }

  double weighted(const graph::Value& value, const graph::Value& weights, const graph::Value& input, size_t element,
                  double by) {
    const auto saved = computed_;
    Array changed = run(input);
    changed.numbers[element] += by;
    computed_[input.node.get()] = {changed};
    computed_.erase(value.node.get());
    const Array y = run(value), w = run(weights);
    double sum = 0;
    for (size_t i = 0; i < y.numbers.size(); ++i) sum += y.numbers[i] * w.numbers[i];
    computed_ = saved;
    return sum;
  }

  const std::vector<Array>& run_node(const graph::NodePtr& node) {
    auto known = computed_.find(node.get());
    if (known != computed_.end()) return known->second;
    kept_.push_back(node);
    std::vector<Array> arrays;
    for (const TensorType& type : node->operation->results)
      arrays.push_back({type, std::vector<double>(size_of(type.dims))});
    if (node->operation->op->name == "number") {
      arrays[0].numbers = {node->operation->inputs[0]};
    } else if (node->operation->op->name == "copy") {
      arrays[0] = run(node->operands()[0]);
    } else if (node->operation->op->reduction) {
      const Array& x = run(node->operands()[0]);
      ops::Walk<1> walk;
      std::vector<int64_t> strides(x.type.dims.size(), 0);
      int64_t stride = 1;
      for (size_t d = node->operation->results[0].dims.size(); d-- > 0;) {
        strides[find_dim(x.type.dims, node->operation->results[0].dims[d].name)] = stride;
        stride *= node->operation->results[0].dims[d].size;
      }
      for (size_t d = 0; d < x.type.dims.size(); ++d) walk.add(x.type.dims[d].size, {strides[d]});
      for (int64_t n = 0; n < walk.count(); ++n, walk.next()) arrays[0].numbers[walk.offset(0)] += x.numbers[n];
    } else {
      std::vector<Memory> operands, results;
      for (const graph::Value& operand : node->operands()) {
        operands.emplace_back(operand.element(), whole_dims(operand.type()), false);
        operands.back().load(run(operand));
      }
      for (const TensorType& type : node->operation->results)
        results.emplace_back(type.element, whole_dims(type), false);
      call(*node->operation, operands, results);
      for (size_t r = 0; r < results.size(); ++r)
        results[r].each([&](int64_t position, auto element) {
          arrays[r].numbers[position] = static_cast<double>(ops::to_number(element));
        });
    }
    return computed_[node.get()] = std::move(arrays);
  }

  kernels::Threads threads_{2};
  std::unordered_map<const graph::Node*, std::vector<Array>> computed_;
  std::vector<graph::NodePtr> kept_;
};

}  // namespace mtf::test
