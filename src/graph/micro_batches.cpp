#include <algorithm>

#include "graph/op.h"
#include "graph/region.h"

namespace mtf::graph {
namespace {

/// Finds the relation of results to a dim of micro-batches.
class AlongDim {
 public:
  AlongDim(Name micro, bool may_sum) : micro_(micro), may_sum_(may_sum) {}

  const LaidOutOperation* mixing = nullptr;

  std::vector<AlongMicro> of(const LaidOutOperation& operation, const std::vector<AlongMicro>& operands) {
    return results(operation, operands);
  }

  /// Returns the relations of an iteration's roots, for tensors with the relations `given`. Sets `mixing` if an
  /// operation mixes positions.
  std::vector<AlongMicro> roots(const Region& region, std::vector<AlongMicro> given) {
    const Program& iteration = region.iteration;
    given.resize(iteration.inputs.size(), AlongMicro::kSame);  // numbers of the host
    std::vector<std::vector<AlongMicro>> made(iteration.operations.size());
    const auto at = [&](ProgramValue value) {
      return value.is_input() ? given[value.input()] : made[value.source][value.result];
    };
    for (size_t i = 0; i < iteration.operations.size() && !mixing; ++i) {
      std::vector<AlongMicro> operands;
      for (const ProgramValue& operand : iteration.operands_of(i)) operands.push_back(at(operand));
      made[i] = results(*iteration.operations[i].operation, operands);
    }
    std::vector<AlongMicro> all;
    for (const ProgramValue& root : iteration.roots)
      if (!mixing) all.push_back(at(root));
    for (int32_t c = 0; c < region.carried && !mixing; ++c)
      if (all[c] != given[c]) mixing = &iteration.maker(iteration.roots[c]);
    return all;
  }

 private:
  bool has_micro(const TensorType& type) const { return has_dim(type.dims, micro_); }

  std::vector<AlongMicro> results(const LaidOutOperation& operation, const std::vector<AlongMicro>& operands) {
    if (operation.region) {
      const Region& region = *operation.region;
      const auto is_over = [&](const TensorType& type) { return type.dims[0].name == micro_; };
      const auto placed = operation.operands.begin() + region.carried;
      const auto stacked = operation.results.begin() + region.carried;
      if (std::any_of(placed, placed + region.placed, is_over) ||
          std::any_of(stacked, stacked + region.stacked, is_over))
        mixing = &operation;
      return roots(region, operands);
    }
    const bool sums = along_dims(operation);
    const auto is_sum = [](AlongMicro each) { return each == AlongMicro::kSum; };
    const bool of_sums = std::any_of(operands.begin(), operands.end(), is_sum);
    const bool of_blocks = std::find(operands.begin(), operands.end(), AlongMicro::kBlock) != operands.end();
    std::vector<AlongMicro> all;
    for (const TensorType& type : operation.results) {
      if (has_micro(type)) {
        if (of_sums) mixing = &operation;
        all.push_back(AlongMicro::kBlock);
      } else if (of_blocks) {
        if (!sums || of_sums) mixing = &operation;
        all.push_back(AlongMicro::kSum);
      } else {
        if (of_sums && !is_linear(operation, operands)) mixing = &operation;
        all.push_back(of_sums ? AlongMicro::kSum : AlongMicro::kSame);
      }
    }
    return all;
  }

  /// True if the operation adds up along the dim. False if the operation lacks the dim or its blocks along the dim are
  /// independent. Any other use mixes positions of the dim, so `mixing` is set.
  bool along_dims(const LaidOutOperation& operation) {
    bool sums = false;
    size_t has = 0, found = 0;
    for (const std::vector<TensorType>* types : {&operation.operands, &operation.results})
      for (const TensorType& type : *types) has += has_micro(type) ? 1 : 0;
    if (has == 0) return false;
    for (const IterationDim& dim : operation.space().dims) {
      size_t named = 0, others = 0;
      const auto look = [&](const std::vector<int8_t>& at, const std::vector<TensorType>& types) {
        for (size_t k = 0; k < at.size(); ++k)
          if (at[k] >= 0) ++(types[k].dims[at[k]].name == micro_ ? named : others);
      };
      look(dim.operands, operation.operands);
      look(dim.results, operation.results);
      if (named == 0) continue;
      found += named;
      const bool adds = may_sum_ && dim.kind == SplitKind::kReduce && dim.reduce == kernels::Reduction::kSum;
      if (others > 0 || dim.window() || (dim.kind != SplitKind::kFree && !adds)) mixing = &operation;
      sums = sums || adds;
    }
    if (found != has) mixing = &operation;
    return sums;
  }

  /// True if the operation applied to a sum equals the sum of its results for the terms.
  static bool is_linear(const LaidOutOperation& operation, const std::vector<AlongMicro>& operands) {
    const auto sums = std::count(operands.begin(), operands.end(), AlongMicro::kSum);
    switch (operation.op->linear) {
      case Linear::kEach: return sums == 1;
      case Linear::kFirst: return sums == 1 && operands[0] == AlongMicro::kSum;
      case Linear::kJoint: return sums == static_cast<std::ptrdiff_t>(operands.size());
      case Linear::kNo:
        return operation.op->lane == kernels::LaneOp::kCast && is_float(operation.operands[0].element) &&
               is_float(operation.results[0].element);
    }
    return false;
  }

  const Name micro_;
  const bool may_sum_;
};

}  // namespace

std::optional<std::vector<AlongMicro>> along_micro(const LaidOutOperation& operation,
                                                   const std::vector<AlongMicro>& operands, Name micro) {
  AlongDim along(micro, true);
  std::vector<AlongMicro> results = along.of(operation, operands);
  if (along.mixing) return std::nullopt;
  return results;
}

MicroBatches along_micro(const Region& region, Name micro, bool may_sum) {
  AlongDim along(micro, may_sum);
  std::vector<AlongMicro> given;
  for (int32_t i = 0; i < region.tensors(); ++i)
    given.push_back(has_dim(region.iteration.type(ProgramValue::input(static_cast<size_t>(i))).dims, micro)
                        ? AlongMicro::kBlock
                        : AlongMicro::kSame);
  MicroBatches result;
  result.roots = along.roots(region, std::move(given));
  result.mixing = along.mixing;
  return result;
}

}  // namespace mtf::graph
