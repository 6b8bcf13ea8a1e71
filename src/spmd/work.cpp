#include "spmd/work.h"

#include <algorithm>
#include <unordered_set>

#include "ops/op.h"
#include "spmd/merge.h"

namespace mtf {
namespace {

using FactorOf = std::function<BlockSize(const Dim&)>;

Product product_of(const Dims& dims, const FactorOf& factor) {
  Product product;
  for (const Dim& dim : dims) product.factors.push_back(factor(dim));
  return product;
}

/// The nodes that an expansion of `node` added, in order; nothing of what stands below `node` is looked at.
std::vector<NodePtr> parts_of(const Values& expansion, const Node& node) {
  std::vector<NodePtr> parts;
  std::unordered_set<const Node*> seen;
  auto add = [&](const Values& values) {
    for (const Value& value : values)
      if (value.node->id > node.id && seen.insert(value.node.get()).second) parts.push_back(value.node);
  };
  add(expansion);
  for (size_t i = 0; i < parts.size(); ++i) add(Values(parts[i]->operands));
  std::sort(parts.begin(), parts.end(), [](const NodePtr& a, const NodePtr& b) { return a->id < b->id; });
  return parts;
}

/// `operands`, `results`: the factor of each dim of an operand or result.
Cost work(const Node& node, const FactorOf& of_operand, const FactorOf& of_result) {
  switch (node.op->work) {
    case Work::kNone: return Cost();
    case Work::kPerResult: return Cost(product_of(node.types[0].dims, of_result));
    case Work::kPerOperand: return Cost(product_of(node.operands[0].dims(), of_operand));
    case Work::kContraction: {
      Dims space;
      for (const Value& operand : node.operands)
        for (const Dim& dim : operand.dims())
          if (!has_dim(space, dim.name)) space.push_back(dim);
      Product product = product_of(space, of_operand);
      product.numerator = 2;
      return Cost(product);
    }
    case Work::kExpansion: {
      Cost total;
      for (const NodePtr& part : parts_of(expansion_of(node), node)) total.add(work(*part, of_operand, of_operand));
      return total;
    }
  }
  return Cost();
}

}  // namespace

Cost work_of_whole(const Node& node) {
  FactorOf whole = [](const Dim& dim) { return BlockSize{dim, {}}; };
  return work(node, whole, whole);
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
  auto find = [&](const std::vector<int>& values, const Dim& dim) -> std::optional<BlockSize> {
    for (int index : values)
      for (const LocalDim& local : program.values[index].dims)
        if (local.dim.name == dim.name) return block_factor(local, *program.values[index].mesh);
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

}  // namespace mtf
