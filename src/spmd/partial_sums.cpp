#include "spmd/partial_sums.h"

#include <algorithm>

#include "graph/op.h"
#include "graph/region.h"
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

/// Returns the axes that split a dim of the operand and the same dim of the result.
AxisSet kept_axes(const graph::LaidOutOperation& reader, size_t operand, const Sharding& lies) {
  AxisSet kept = 0;
  for (const graph::IterationDim& dim : reader.space().dims) {
    if (!dim.is_free() || dim.operands[operand] < 0 || dim.results[0] < 0) continue;
    const AxisList& axes = lies.dims[dim.operands[operand]];
    if (axes == reader.shardings[0].dims[dim.results[0]]) kept |= axes.set();
  }
  return kept;
}

/// Returns the axes over which a value is likely to be partial. Carries of a loop are complete.
AxisSet parts_of(const graph::Program& program, const std::vector<AxisSet>& partial, graph::ProgramValue value) {
  if (value.is_input()) return 0;
  const std::shared_ptr<const graph::Region>& region = program.operations[value.source].operation->region;
  return region && value.result < region->carried ? 0 : partial[value.source];
}

}  // namespace

std::vector<AxisSet> partial_sums(const graph::Program& program, const ProgramReaders& readers, SumsOf of) {
  std::vector<AxisSet> partial(program.operations.size());
  for (size_t i = 0; i < partial.size(); ++i) {
    const graph::LaidOutOperation& operation = *program.operations[i].operation;
    if (operation.region) {
      const std::vector<AxisSet> roots = partial_roots(operation.region->iteration, of);
      for (auto r = static_cast<size_t>(operation.region->carried); r < roots.size(); ++r) partial[i] |= roots[r];
      continue;
    }
    const std::span<const graph::ProgramValue> operands = program.operands_of(i);
    for (size_t k = 0; k < operands.size(); ++k) {
      if (!same_mesh(program.mesh(operands[k]), operation.mesh)) continue;
      const Sharding& lies = program.sharding(operands[k]);
      // Asks only for the spaces that matter: an operation keeps its space as long as it lives.
      if (lies.split() != 0 && (of == SumsOf::kAll || operation.op->role == graph::Role::kContraction)) {
        for (const graph::IterationDim& dim : operation.space().dims)
          if (dim.kind == graph::SplitKind::kReduce && dim.reduce == kernels::Reduction::kSum && dim.operands[k] >= 0)
            partial[i] |= lies.dims[dim.operands[k]].set();
      }
      if (operands[k].is_input() || !readers.only(operands[k]) || !is_linear_in(operation, k)) continue;
      if (size_of(operation.results[0].dims) <= size_of(program.type(operands[k]).dims))
        partial[i] |= parts_of(program, partial, operands[k]);
    }
  }
  return partial;
}

std::vector<AxisSet> partial_roots(const graph::Program& program, SumsOf of) {
  const std::vector<AxisSet> partial = partial_sums(program, ProgramReaders(program), of);
  std::vector<AxisSet> roots;
  for (const graph::ProgramValue& root : program.roots) roots.push_back(parts_of(program, partial, root));
  return roots;
}

AxisSet joined_sum_of(const graph::Program& program, const ProgramReaders& readers, const std::vector<AxisSet>& partial,
                      const std::vector<AxisSet>& joined, graph::ProgramValue value) {
  const ProgramReaders::Read* read = readers.only(value);
  if (!read) return 0;
  const graph::LaidOutOperation& reader = *program.operations[read->operation].operation;
  const auto operand = static_cast<size_t>(read->operand);
  if (reader.region || !same_mesh(program.mesh(value), reader.mesh) || !is_linear_in(reader, operand) ||
      reader.op->role == graph::Role::kContraction ||
      size_of(reader.results[0].dims) > size_of(program.type(value).dims))
    return 0;
  AxisSet axes = joined[read->operation];
  if (reader.op->linear == graph::Linear::kJoint) {
    const std::span<const graph::ProgramValue> operands = program.operands_of(read->operation);
    for (size_t k = 0; k < operands.size(); ++k)
      if (k != operand) axes |= parts_of(program, partial, operands[k]);
  }
  const Sharding& lies = program.sharding(value);
  return axes & (kept_axes(reader, operand, lies) | ~lies.split());
}

std::vector<AxisSet> joined_sums(const graph::Program& program, const ProgramReaders& readers,
                                 const std::vector<AxisSet>& partial) {
  std::vector<AxisSet> joined(program.operations.size());
  for (size_t i = joined.size(); i-- > 0;)
    if (program.operations[i].operation->results.size() == 1)
      joined[i] = joined_sum_of(program, readers, partial, joined, {static_cast<int32_t>(i), 0});
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
