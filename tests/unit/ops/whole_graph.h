// Computes values of a global graph on whole tensors, node by node: lanes and reductions as fused loops of one step,
// all other operations by their kernels. No splitter, schedule or executor is involved.
#pragma once

#include "graph/kernel_call.h"
#include "graph/op.h"
#include "kernels/kernel_table.h"
#include "node_runner.h"
#include "ops/gradients.h"
#include "ops/spaces.h"

namespace mtf::test {

class WholeGraph {
 public:
  WholeGraph() {
    builder.context.mesh = std::make_shared<Mesh>(Name("m"), std::vector<Axis>{{Name("all"), 1}});
    builder.written = false;
  }

  graph::Value input(Array array) {
    graph::Value value = builder.add(ops::kConstant, {}, ops::TypeAttributes{array.type});
    given_[value.node.get()] = std::move(array);
    kept_.push_back(value);
    return value;
  }

  /// Returns the global value. Adds to `flops` the counts of kernels and the work of lanes and reductions.
  Array run(const graph::Value& value) {
    std::map<const graph::Node*, std::vector<Array>> computed;
    for (const graph::NodePtr& node : graph::pending({value})) computed[node.get()] = compute(*node, computed);
    return computed.at(value.node.get())[value.result];
  }
  std::vector<double> numbers(const graph::Value& value) { return run(value).numbers; }

  void change(const graph::Value& input, size_t element, double by) {
    given_.at(input.node.get()).numbers[element] += by;
  }

  /// Returns all results of the expansion of a node.
  graph::Values expansion(const graph::Value& value) {
    graph::ExpandCall call{builder, value.operation(), value.node->operands()};
    return value.operation().op->expand(call);
  }

  ops::Builder builder;
  int64_t flops = 0;
  bool transposed = false;  ///< the storage order of the kernels' operands and results

 private:
  static std::vector<kernels::BlockDim> whole_dims(const TensorType& type) {
    std::vector<kernels::BlockDim> dims;
    for (const Dim& dim : type.dims) dims.push_back({0, dim.size, dim.size, 0});
    return dims;
  }

  std::vector<Array> compute(const graph::Node& of, const std::map<const graph::Node*, std::vector<Array>>& computed) {
    if (auto known = given_.find(&of); known != given_.end()) return {known->second};
    const graph::Operation& node = *of.operation;
    if (node.op->is_leaf()) return {Array{node.results[0], {node.inputs[0]}}};
    std::vector<Memory> operands, results;
    for (const graph::Value& operand : of.operands()) {
      operands.emplace_back(operand.element(), whole_dims(operand.type()), transposed);
      operands.back().load(computed.at(operand.node.get())[operand.result]);
    }
    for (const TensorType& type : node.results) results.emplace_back(type.element, whole_dims(type), transposed);
    if (node.op->role == graph::Role::kView && node.results[0].dims == node.operands[0].dims) {
      results[0].load(computed.at(of.operands()[0].node.get())[of.operands()[0].result]);
    } else if (node.op->lane || node.op->reduction) {
      run_loop(node, operands, results);
    } else {
      std::vector<kernels::Block> from, to;
      for (Memory& memory : operands) from.push_back(memory.block);
      for (Memory& memory : results) to.push_back(memory.block);
      graph::KernelCall call{node, from, to, node.inputs, threads_};
      node.op->kernel(call);
      flops += call.flops;
    }
    std::vector<Array> arrays;
    for (size_t r = 0; r < results.size(); ++r) {
      arrays.push_back({node.results[r], std::vector<double>(size_of(node.results[r].dims))});
      results[r].each([&](int64_t position, auto element) {
        arrays[r].numbers[position] = static_cast<double>(ops::to_number(element));
      });
    }
    return arrays;
  }

  void run_loop(const graph::Operation& node, std::vector<Memory>& operands, std::vector<Memory>& results) {
    const Dims& dims = node.op->lane ? node.results[0].dims : node.operands[0].dims;
    kernels::FusionProgram program;
    std::vector<std::vector<int64_t>> strides;
    const auto add = [&](const kernels::Block& block, const Dims& own) {
      strides.emplace_back();
      for (const Dim& dim : dims)
        strides.back().push_back(has_dim(own, dim.name) ? block.dims[find_dim(own, dim.name)].stride : 0);
    };
    for (size_t k = 0; k < operands.size(); ++k) {
      program.operands.push_back({kernels::OperandKind::kArray, operands[k].block.element, 0});
      add(operands[k].block, node.operands[k].dims);
    }
    add(results[0].block, node.results[0].dims);
    int value = 0;
    if (node.op->lane) {
      const int count = static_cast<int>(operands.size());
      program.steps.push_back({*node.op->lane, 0, count > 1 ? 1 : -1, count > 2 ? 2 : -1, node.results[0].element});
      value = count;
    }
    program.outputs.push_back(
        {value, results[0].block.element, node.op->reduction.value_or(kernels::Reduction::kStore)});
    std::vector<kernels::FusionArgument> from,
        to{kernels::FusionArgument::array(results[0].block.data, strides.back())};
    for (size_t k = 0; k < operands.size(); ++k)
      from.push_back(kernels::FusionArgument::array(operands[k].block.data, strides[k]));
    std::vector<int64_t> sizes;
    for (const Dim& dim : dims) sizes.push_back(dim.size);
    kernels::table().compile(std::move(program)).run(sizes, from, to, threads_);
    if (node.op->work == graph::Work::kPerResult) flops += size_of(node.results[0].dims);
    if (node.op->work == graph::Work::kPerOperand) flops += size_of(node.operands[0].dims);
  }

  kernels::Threads threads_{2};
  std::map<const graph::Node*, Array> given_;
  graph::Values kept_;  ///< keeps nodes alive, so that no other node gets the address of an input
};

inline void expect_near(const std::vector<double>& found, const std::vector<double>& expected, double tolerance) {
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i) {
    if (std::isnan(expected[i])) EXPECT_TRUE(std::isnan(found[i])) << "element " << i << " is " << found[i];
    else if (std::isinf(expected[i])) EXPECT_EQ(found[i], expected[i]) << "element " << i;
    else EXPECT_NEAR(found[i], expected[i], tolerance) << "element " << i;
  }
}

}  // namespace mtf::test
