#include "spmd/reshard.h"

#include "spmd/reasons.h"

namespace mtf::spmd {
namespace {

/// Why a move is made: `reason` where it reduces.
ReasonRef reason_of(const TensorType& type, const Sharding& from, const ReshardMove& move, const MeshPtr& mesh,
                    const ReasonRef& reason) {
  if (from.partial & move.axes) return reason;
  std::vector<Reason::Part> parts;
  for (size_t d = 0; d < from.dims.size(); ++d)
    if (from.dims[d] != move.to.dims[d]) parts.push_back({type.dims[d].name, from.dims[d], move.to.dims[d]});
  return std::make_shared<const Reason>(Reason{.kind = Reason::Kind::kMoved, .mesh = mesh, .parts = std::move(parts)});
}

}  // namespace

int reshard(LocalProgram& program, ReshardWays& ways, int value, const Sharding& wanted,
            const graph::OperationRef& node, const ReasonRef& reason) {
  Sharding here = program.values[value].sharding();
  if (here == wanted) return value;
  const TensorType type = program.values[value].type();
  const MeshPtr mesh = program.values[value].mesh;
  for (const ReshardMove& move : ways.find(type, here, wanted, *mesh).moves) {
    LocalValue result = program.values[value];
    result.partial = move.to.partial;
    for (size_t d = 0; d < result.dims.size(); ++d) result.dims[d].axes = move.to.dims[d];
    Instruction instruction;
    instruction.kind = move.kind;
    instruction.node = node;
    instruction.operands = {value};
    instruction.axes = move.axes;
    if (is_collective(move.kind)) instruction.reason = reason_of(type, here, move, mesh, reason);
    value = static_cast<int>(program.values.size());
    instruction.results = {value};
    program.values.push_back(std::move(result));
    program.instructions.push_back(std::move(instruction));
    here = move.to;
  }
  return value;
}

}  // namespace mtf::spmd
