#include "spmd/reasons.h"

#include "graph/op.h"

namespace mtf {

std::string axes_text(const AxisList& axes, const Mesh& mesh) {
  std::string text;
  for (int axis : axes) text += (text.empty() ? "" : "+") + mesh.axes()[axis].name.str();
  return text;
}

std::string reduce_reason(const LaidOutOperation& operation, const IterationSpace& space, const IterationSplit& split) {
  std::string text;
  for (size_t j = 0; j < space.dims.size(); ++j) {
    const IterationDim& dim = space.dims[j];
    if (dim.kind != SplitKind::kReduce || split.dims[j].empty()) continue;
    for (size_t k = 0; k < operation.operands.size(); ++k) {
      if (dim.operands[k] < 0) continue;
      const char* how = dim.reduce == Reduction::kSum ? " is summed, and split over " : " is reduced, and split over ";
      text += (text.empty() ? "" : "; ") + operation.operands[k].dims[dim.operands[k]].name.str() + how + axes_text(split.dims[j], *operation.mesh);
      break;
    }
  }
  return text.empty() && split.carried ? sum_reason(split.carried, *operation.mesh) : text;
}

std::string sum_reason(AxisSet axes, const Mesh& mesh) { return "a sum over " + mesh.axes_to_string(axes) + " is completed"; }

std::string summed_reason(const LocalValue& operand, const LaidOutOperation& operation) {
  if (!operand.partial) return "";
  return operand.name + " is a sum over " + operation.mesh->axes_to_string(operand.partial) + " that " + std::string(operation.op->name) + " needs complete";
}

}  // namespace mtf
