#include "spmd/written_layouts.h"

#include <algorithm>

#include "graph/layouts.h"
#include "graph/op.h"

namespace mtf::spmd {
namespace {

/// True if an operation keeps the elements and changes only names or the element type.
bool is_same(const graph::LaidOutOperation& operation) {
  return operation.op->role == graph::Role::kView || operation.op->lane == kernels::LaneOp::kCast;
}

}  // namespace

WrittenLayouts::WrittenLayouts(const graph::Program& program, const ProgramReaders& readers)
    : program_(program), values_(program.operations.size()), gradients_(program.operations.size()) {
  for (size_t i = 0; i < values_.size(); ++i) {
    const graph::LaidOutOperation& operation = *program.operations[i].operation;
    if (is_written(operation)) values_[i] = operation.shardings[0];
    else if (is_same(operation)) {
      const Sharding* written = of(program.operands_of(i)[0]);
      if (!written) continue;
      values_[i] = replicated(operation.results[0].dims.size());
      for (const graph::IterationDim& dim : operation.space().dims)
        if (dim.operands[0] >= 0 && dim.results[0] >= 0)
          values_[i]->dims[dim.results[0]] = written->dims[dim.operands[0]];
    }
  }
  for (size_t i = gradients_.size(); i-- > 0;) {
    const graph::LaidOutOperation& operation = *program.operations[i].operation;
    if (follows_written(operation)) {
      gradients_[i] = layout_like(operation.results[0].dims, *operation.why.like, operation.why.like_result).sharding;
      continue;
    }
    const ProgramReaders::Read* read = readers.only({static_cast<int32_t>(i), 0});
    if (operation.results.size() != 1 || !read || !gradients_[read->operation]) continue;
    const graph::LaidOutOperation& reader = *program.operations[read->operation].operation;
    if (!reader.space().is_free()) continue;
    gradients_[i] = replicated(operation.results[0].dims.size());
    for (const graph::IterationDim& dim : reader.space().dims)
      if (dim.operands[read->operand] >= 0 && dim.results[0] >= 0)
        gradients_[i]->dims[dim.operands[read->operand]] = gradients_[read->operation]->dims[dim.results[0]];
  }
}

const Sharding* WrittenLayouts::of(graph::ProgramValue value) const {
  if (value.is_input()) return is_written(program_.maker(value)) ? &program_.sharding(value) : nullptr;
  return value.result == 0 && values_[value.source] ? &*values_[value.source] : nullptr;
}

const Sharding* WrittenLayouts::of_gradient(size_t operation) const {
  return gradients_[operation] ? &*gradients_[operation] : nullptr;
}

}  // namespace mtf::spmd
