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

/// `operands`, `results`: the factor of each dim of an operand or result.
Cost work(const graph::LaidOutOperation& operation, const FactorOf& of_operand, const FactorOf& of_result) {
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
    case graph::Work::kExpansion: {
      Cost total;
      const auto counted = operation.op->counted ? operation.op->counted(operation) : std::nullopt;
      const FactorOf factor = [&](const Dim& dim) {
        return counted && dim == counted->first ? BlockSize{counted->second, {}} : of_operand(dim);
      };
      const graph::Program parts = expansion_of(operation);
      for (const graph::ProgramOperation& part : parts.operations) total.add(work(*part.operation, factor, factor));
      return total;
    }
  }
  return Cost();
}

}  // namespace

Cost work_of_whole(const graph::LaidOutOperation& operation) {
  FactorOf whole = [](const Dim& dim) { return BlockSize{dim, {}}; };
  return work(operation, whole, whole);
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
  if (instruction.kind != InstructionKind::kCompute) return Cost();
  // An interval of a dim keeps its name: of operands of two sizes the one that is meant is that of the dim's size.
  auto find = [&](const std::vector<int>& values, const Dim& dim) -> std::optional<BlockSize> {
    for (bool by_size : {true, false})
      for (int index : values)
        for (const LocalDim& local : program.values[index].dims)
          if (local.dim.name == dim.name && (!by_size || local.dim.size == dim.size))
            return block_factor(local, *program.values[index].mesh);
    return std::nullopt;
  };
  FactorOf of_operand = [&](const Dim& dim) {
    if (auto size = find(instruction.operands, dim)) return *size;
    if (auto size = find(instruction.results, dim)) return *size;
    return BlockSize{dim, {}};
  };
  FactorOf of_result = [&](const Dim& dim) {
    if (auto size = find(instruction.results, dim)) return *size;
    return BlockSize{dim, {}};
  };
  return work(*instruction.node, of_operand, of_result);
}

}  // namespace mtf::spmd
