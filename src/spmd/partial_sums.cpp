#include "spmd/partial_sums.h"

#include <algorithm>

#include "graph/op.h"
#include "ops/ops.h"

namespace mtf::spmd {
namespace {

bool is_linear_in(const graph::LaidOutOperation& operation, size_t operand) {
  switch (operation.op->linear) {
    case graph::Linear::kNo: return false;
    case graph::Linear::kEach:
    case graph::Linear::kJoint: return true;
    case graph::Linear::kFirst: return operand == 0;
  }
  return false;
}

/// The axes that split the operand and split the same dims of the result.
AxisSet kept_axes(const graph::LaidOutOperation& reader, size_t operand, const Sharding& lies) {
  AxisSet kept = 0;
  for (const graph::IterationDim& dim : reader.space().dims) {
    if (!dim.is_free() || dim.operands[operand] < 0 || dim.results[0] < 0) continue;
    const AxisList& axes = lies.dims[dim.operands[operand]];
    if (axes == reader.shardings[0].dims[dim.results[0]]) kept |= axes.set();
  }
  return kept;
}

}  // namespace

std::vector<AxisSet> partial_sums(const graph::Program& program, const ProgramReaders& readers) {
  std::vector<AxisSet> partial(program.operations.size());
  for (size_t i = 0; i < partial.size(); ++i) {
    const graph::LaidOutOperation& operation = *program.operations[i].operation;
    const std::span<const graph::ProgramValue> operands = program.operands_of(i);
    for (size_t k = 0; k < operands.size(); ++k) {
      if (!same_mesh(program.mesh(operands[k]), operation.mesh)) continue;
      for (const graph::IterationDim& dim : operation.space().dims)
        if (dim.kind == graph::SplitKind::kReduce && dim.reduce == kernels::Reduction::kSum && dim.operands[k] >= 0)
          partial[i] |= program.sharding(operands[k]).dims[dim.operands[k]].set();
      if (operands[k].is_input() || !readers.only(operands[k]) || !is_linear_in(operation, k)) continue;
      if (size_of(operation.results[0].dims) <= size_of(program.type(operands[k]).dims))
        partial[i] |= partial[operands[k].source];
    }
  }
  return partial;
}

std::vector<AxisSet> joined_sums(const graph::Program& program, const ProgramReaders& readers,
                                 const std::vector<AxisSet>& partial) {
  std::vector<AxisSet> joined(program.operations.size());
  for (size_t i = joined.size(); i-- > 0;) {
    const graph::LaidOutOperation& operation = *program.operations[i].operation;
    const ProgramReaders::Read* read = readers.only({static_cast<int32_t>(i), 0});
    if (!read || operation.results.size() != 1) continue;
    const graph::LaidOutOperation& reader = *program.operations[read->operation].operation;
    const auto operand = static_cast<size_t>(read->operand);
    if (!same_mesh(operation.mesh, reader.mesh) || !is_linear_in(reader, operand) ||
        reader.op->role == graph::Role::kContraction)
      continue;
    AxisSet axes = joined[read->operation];
    if (reader.op->linear == graph::Linear::kJoint) {
      const std::span<const graph::ProgramValue> operands = program.operands_of(read->operation);
      for (size_t k = 0; k < operands.size(); ++k)
        if (k != operand && !operands[k].is_input()) axes |= partial[operands[k].source];
    }
    joined[i] = axes & (kept_axes(reader, operand, operation.shardings[0]) | ~operation.shardings[0].split());
  }
  return joined;
}

bool is_in_sum(const graph::LaidOutOperation& operation) {
  if (operation.op != &ops::kAdd &&
      !(operation.op->role == graph::Role::kView && operation.op->linear == graph::Linear::kEach))
    return false;
  const TensorType& sum = operation.results[0];
  return is_float(sum.element) && std::all_of(operation.operands.begin(), operation.operands.end(),
                                              [&](const TensorType& type) { return type == sum; });
}

std::vector<bool> links_of_sums(const graph::Program& program, const ProgramReaders& readers) {
  std::vector<bool> links(program.operations.size());
  for (size_t i = links.size(); i-- > 0;) {
    const graph::LaidOutOperation& operation = *program.operations[i].operation;
    const std::span<const ProgramReaders::Read> reads = readers.of({static_cast<int32_t>(i), 0});
    if (reads.size() != 1 || readers.is_root({static_cast<int32_t>(i), 0}) || !is_in_sum(operation)) continue;
    const graph::LaidOutOperation& reader = *program.operations[reads[0].operation].operation;
    links[i] = is_in_sum(reader) && (reader.op == &ops::kAdd || links[reads[0].operation]) &&
               same_mesh(operation.mesh, reader.mesh);
  }
  return links;
}

}  // namespace mtf::spmd
