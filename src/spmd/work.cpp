#include "spmd/work.h"

#include <algorithm>

#include "graph/op.h"
#include "spmd/expand.h"

namespace mtf::spmd {
namespace {

using FactorOf = std::function<BlockSize(const Dim&)>;

Product product_of(const Dims& dims, const FactorOf& factor) {
  Product product;
  for (const Dim& dim : dims) product.factors.push_back(factor(dim));
  return product;
}

/// Returns the number of reads through a map for the positions of a dim.
using ReadsOf = std::function<BlockSize(const Dim&, const graph::AccessMap&)>;

/// Returns the points of the iteration space, times the elements that each reads if there are windows.
Product points_read(const graph::LaidOutOperation& operation, const FactorOf& of_operand, const FactorOf& of_result,
                    const ReadsOf& reads_of) {
  Product product;
  for (const graph::IterationDim& dim : operation.space().dims) {
    if (dim.kind == graph::SplitKind::kWhole) continue;  // the windows' own dims, which their maps include
    const graph::AccessMap* const window = dim.window();
    const bool of_a_result = dim.results[0] >= 0;
    size_t own = 0;  // the operand that is not read through the window
    while (!of_a_result && (dim.operands[own] < 0 || (window != nullptr && &dim.maps[own] == window))) ++own;
    const Dim& here =
        of_a_result ? operation.results[0].dims[dim.results[0]] : operation.operands[own].dims[dim.operands[own]];
    if (window == nullptr || window->base_dilation == 1)
      product.factors.push_back(of_a_result ? of_result(here) : of_operand(here));
    if (window == nullptr) continue;
    static const Name kWindow("window");
    product.factors.push_back(window->base_dilation == 1 ? BlockSize{{kWindow, window->window}, {}}
                                                         : reads_of(here, *window));
  }
  return product;
}

/// `of_operand`, `of_result`: the factor of each dim of an operand or result.
Cost work(const graph::LaidOutOperation& operation, const FactorOf& of_operand, const FactorOf& of_result,
          const ReadsOf& reads_of) {
  switch (operation.op->work) {
    case graph::Work::kNone: return Cost();
    case graph::Work::kPerResult: return Cost(product_of(operation.results[0].dims, of_result));
    case graph::Work::kPerOperand: return Cost(product_of(operation.operands[0].dims, of_operand));
    case graph::Work::kPerPart: return Cost(product_of(operation.operands[1].dims, of_operand));
    case graph::Work::kContraction: {
      Dims space;
      for (const TensorType& operand : operation.operands)
        for (const Dim& dim : operand.dims)
          if (!has_dim(space, dim.name)) space.push_back(dim);
      Product product = product_of(space, of_operand);
      product.numerator = 2;
      return Cost(product);
    }
    case graph::Work::kReads: return Cost(points_read(operation, of_operand, of_result, reads_of));
    case graph::Work::kProducts: return Cost(points_read(operation, of_operand, of_result, reads_of)).times(2);
    case graph::Work::kExpansion: {
      Cost total;
      const auto counted = operation.op->counted ? operation.op->counted(operation) : std::nullopt;
      const FactorOf factor = [&](const Dim& dim) {
        return counted && dim == counted->first ? BlockSize{counted->second, {}} : of_operand(dim);
      };
      const graph::Program parts = expansion_of(operation);
      for (const graph::ProgramOperation& part : parts.operations)
        total.add(work(*part.operation, factor, factor, reads_of));
      return total;
    }
  }
  return Cost();
}

}  // namespace

Cost work_of_whole(const graph::LaidOutOperation& operation) {
  FactorOf whole = [](const Dim& dim) { return BlockSize{dim, {}}; };
  return work(operation, whole, whole, [](const Dim& dim, const graph::AccessMap& map) {
    return BlockSize{{dim.name, graph::count_reads(map, {0, dim.size})}, {}};
  });
}

BlockSize block_factor(const LocalDim& dim, const Mesh& mesh) {
  if (dim.mapped) return {{dim.dim.name, largest_block(dim, mesh)}, {}};
  BlockSize size{dim.dim, {}};
  for (int axis : dim.axes) size.axes.push_back(mesh.axes()[axis]);
  return size;
}

Product block_elements(const LocalValue& value) {
  Product product;
  for (const LocalDim& dim : value.dims) product.factors.push_back(block_factor(dim, *value.mesh));
  return product;
}

Cost work_of(const LocalProgram& program, const Instruction& instruction) {
  if (instruction.kind != InstructionKind::kCompute || instruction.is_repeated) return Cost();
  // An interval of a dim keeps the dim's name. If operands have two sizes, the operand with the dim's own size is
  // meant.
  auto find = [&](const std::vector<int>& values, const Dim& dim) -> std::pair<const LocalDim*, const Mesh*> {
    for (bool by_size : {true, false})
      for (int index : values)
        for (const LocalDim& local : program.values[index].dims)
          if (local.dim.name == dim.name && (!by_size || local.dim.size == dim.size))
            return {&local, program.values[index].mesh.get()};
    return {nullptr, nullptr};
  };
  FactorOf of_operand = [&](const Dim& dim) {
    if (const auto [local, mesh] = find(instruction.operands, dim); local) return block_factor(*local, *mesh);
    if (const auto [local, mesh] = find(instruction.results, dim); local) return block_factor(*local, *mesh);
    return BlockSize{dim, {}};
  };
  FactorOf of_result = [&](const Dim& dim) {
    if (const auto [local, mesh] = find(instruction.results, dim); local) return block_factor(*local, *mesh);
    return BlockSize{dim, {}};
  };
  ReadsOf reads_of = [&](const Dim& dim, const graph::AccessMap& map) {
    const bool of_a_result = has_dim(instruction.node->results[0].dims, dim.name);
    const auto [local, mesh] = find(of_a_result ? instruction.results : instruction.operands, dim);
    return BlockSize{{dim.name, most_reads(*local, map, *mesh)}, {}};
  };
  return work(*instruction.node, of_operand, of_result, reads_of);
}

}  // namespace mtf::spmd
