#include "spmd/sink_layouts.h"

#include <map>
#include <optional>
#include <utility>

#include "graph/op.h"

namespace mtf {
namespace {

/// Where operand `k` lies so that it runs with a result in `sharding`, or nothing if a dim of it would have to be whole
/// for another reason than that it is.
std::optional<Sharding> operand_layout(const LaidOutOperation& reader, size_t k, const Sharding& sharding) {
  Sharding result = replicated(reader.operands[k].dims.size());
  for (const IterationDim& dim : reader.space().dims) {
    if (dim.kind != SplitKind::kFree) return std::nullopt;
    if (dim.operands[k] >= 0 && dim.results[0] >= 0) result.dims[dim.operands[k]] = sharding.dims[dim.results[0]];
  }
  return result;
}

}  // namespace

void sink_layouts(Program& program, Forms& forms) {
  const size_t count = program.operations.size();
  std::vector<int32_t> reader(count, -1), readers(count, 0);
  for (size_t i = 0; i < count; ++i)
    for (const ProgramValue& operand : program.operands_of(i))
      if (!operand.is_input()) {
        ++readers[operand.source];
        reader[operand.source] = static_cast<int32_t>(i);
      }
  for (const ProgramValue& root : program.roots)
    if (!root.is_input()) readers[root.source] += 2;
  std::vector<bool> asked(count, false);                                // its layout is what a later one asks for
  std::map<std::pair<int32_t, size_t>, std::optional<Sharding>> known;  // operand_layout, by the reader's form and the operand
  for (size_t i = count; i-- > 0;) {
    const LaidOutOperation& operation = *program.operations[i].operation;
    asked[i] = operation.origin != LayoutOrigin::kRules;
    if (operation.origin == LayoutOrigin::kGiven || readers[i] != 1 || operation.results.size() != 1 || operation.op->leaf) continue;
    const auto by = static_cast<size_t>(reader[i]);
    const LaidOutOperation& above = *program.operations[by].operation;
    if (!asked[by] || above.results.size() != 1 || !same_mesh(above.mesh, operation.mesh)) continue;
    size_t k = 0;
    for (const ProgramValue& operand : program.operands_of(by)) {
      if (operand == ProgramValue{static_cast<int32_t>(i), 0}) break;
      ++k;
    }
    const auto [at, fresh] = known.try_emplace({forms.of(program.operations[by].operation), k});
    if (fresh) at->second = operand_layout(above, k, above.shardings[0]);
    const std::optional<Sharding>& wanted = at->second;
    if (!wanted || *wanted == operation.shardings[0]) {
      asked[i] = asked[i] || wanted.has_value();
      continue;
    }
    if (operation.shardings[0].split() & ~wanted->split()) continue;  // work would be repeated
    auto moved = std::make_shared<LaidOutOperation>(operation);
    moved->shardings[0] = *wanted;
    program.operations[i].operation = std::move(moved);
    asked[i] = true;
  }
}

}  // namespace mtf
