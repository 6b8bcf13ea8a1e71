#include "spmd/reshard.h"

#include "spmd/reasons.h"

namespace mtf {
namespace {

/// Why a move is made, in words.
std::string reason_of(const TensorType& type, const Sharding& from, const ReshardMove& move, const Mesh& mesh, const std::string& reason) {
  if (from.partial & move.axes) return reason;
  std::string text;
  for (size_t d = 0; d < from.dims.size(); ++d) {
    if (from.dims[d] == move.to.dims[d]) continue;
    auto how = [&](const AxisList& axes) { return axes.empty() ? std::string("whole") : "split over " + axes_text(axes, mesh); };
    text += (text.empty() ? "" : ", ") + type.dims[d].name.str() + " is " + how(from.dims[d]) + " and needed " + how(move.to.dims[d]);
  }
  return text;
}

}  // namespace

int reshard(LocalProgram& program, ReshardWays& ways, int value, const Sharding& wanted, const OperationRef& node, const std::string& reason) {
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
    if (is_collective(move.kind)) instruction.reason = reason_of(type, here, move, *mesh, reason);
    value = static_cast<int>(program.values.size());
    instruction.results = {value};
    program.values.push_back(std::move(result));
    program.instructions.push_back(std::move(instruction));
    here = move.to;
  }
  return value;
}

}  // namespace mtf
