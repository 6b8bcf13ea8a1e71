#include "spmd/partial_results.h"

#include <map>
#include <utility>

#include "graph/op.h"
#include "ops/elementwise.h"
#include "ops/ops.h"

namespace mtf::spmd {

bool sums_unrounded(const Lowering& of) {
  for (size_t j = 0; j < of.space.dims.size(); ++j) {
    const graph::IterationDim& dim = of.space.dims[j];
    if (dim.kind == graph::SplitKind::kReduce && dim.reduce == kernels::Reduction::kSum && !dim.rounds_parts &&
        (of.split.carried || !of.split.dims[j].empty()))
      return true;
  }
  return false;
}

int rounded(LocalBuilder& local, int value, const graph::OperationRef& node, int r) {
  if (local[value].element == node->results[r].element) return value;
  const graph::OperationRef cast = helper_operation(ops::kCast, {{local[value].element, node->results[r].dims}},
                                                    ops::CastAttributes{node->results[r].element}, *node);
  LocalValue result = local[value];
  result.element = node->results[r].element;
  const int index = local.add(std::move(result));
  local.compute(cast, {value}, {index});
  return index;
}

int reduce_others(LocalBuilder& local, const Lowering& of, int value, const ReasonRef& reason) {
  std::map<kernels::Reduction, AxisSet> axes;
  for (size_t j = 0; j < of.space.dims.size(); ++j) {
    const graph::IterationDim& dim = of.space.dims[j];
    if (dim.kind == graph::SplitKind::kReduce && dim.reduce != kernels::Reduction::kSum)
      axes[dim.reduce] |= of.split.dims[j].set();
  }
  for (const auto& [reduction, over] : axes) {
    if (!over) continue;
    LocalValue result = local[value];
    result.partial &= ~over;
    value = local.collective(InstructionKind::kAllReduce, of.node, value, std::move(result), over, reduction, reason);
  }
  return value;
}

int shared_out(LocalBuilder& local, const graph::OperationRef& node, const std::string& name, int value, AxisSet all) {
  const TensorType& type = node->results[0];
  const double share = 1.0 / static_cast<double>(node->mesh->group_size(all & ~local[value].partial));
  const graph::OperationRef number =
      helper_operation(ops::kTensor, {}, ops::TypeAttributes{{type.element, {}}}, *node, {share});
  const int factor = local.add(block_of_result(name + ".share", *number, 0, Sharding{}));
  local.compute(number, {}, {factor});
  const int result = local.add(block_of_result(name, *node, 0, Sharding{{}, all}));
  local.compute(helper_operation(ops::kScale, {type, type}, {}, *node), {value, factor}, {result});
  return result;
}

}  // namespace mtf::spmd
