#include "spmd/reasons.h"

#include "graph/op.h"
#include "spmd/iteration_split.h"
#include "spmd/local_program.h"
#include "support/own_names.h"

namespace mtf::spmd {
namespace {

std::string reduced_text(const Reason& reason) {
  std::string text;
  for (const Reason::Part& part : reason.parts)
    text += (text.empty() ? "" : "; ") + part.dim.str() +
            (part.is_sum ? " is summed, and split over " : " is reduced, and split over ") +
            axes_text(part.split, *reason.mesh);
  return text;
}

std::string moved_text(const Reason& reason) {
  const auto how = [&](const AxisList& axes) {
    return axes.empty() ? std::string("whole") : "split over " + axes_text(axes, *reason.mesh);
  };
  std::string text;
  for (const Reason::Part& part : reason.parts)
    text += (text.empty() ? "" : ", ") + part.dim.str() + " is " + how(part.split) + " and needed " + how(part.needed);
  if (!reason.micro.empty()) text += "; a stage keeps the result for all places of " + reason.micro.str();
  return text;
}

std::string owned_text(const Reason& reason, const char* goes) {
  const Reason::Part& part = reason.parts[0];
  return part.dim.str() + " is split over " + axes_text(part.split, *reason.mesh) + ", and the place of a turn " +
         goes + " the processor that stores it";
}

}  // namespace

std::vector<Name> Reason::dims() const {
  std::vector<Name> names;
  for (const Part& part : parts)
    if (!part.dim.empty()) names.push_back(part.dim);
  for (const Dims* shape : {&from, &to})
    for (const Dim& dim : *shape) names.push_back(dim.name);
  return names;
}

namespace {

std::string unsettled_text(const Reason& reason) {
  const auto across = [&](const char* does) {
    const Reason::Part& part = reason.parts[0];
    return part.dim.str() + " is split over " + axes_text(part.split, *reason.mesh) + ", and " +
           std::string(reason.op->name) + does;
  };
  switch (reason.kind) {
    case Reason::Kind::kReduced: return reduced_text(reason);
    case Reason::Kind::kCompleted: return "a sum over " + reason.mesh->axes_to_string(reason.axes) + " is completed";
    case Reason::Kind::kNeeded:
      return reason.value + " is a sum over " + reason.mesh->axes_to_string(reason.axes) + " that " +
             std::string(reason.op->name) + " needs complete";
    case Reason::Kind::kMoved: return moved_text(reason);
    case Reason::Kind::kFetched: return across(" reads across blocks");
    case Reason::Kind::kAddedBack: return across(" adds across blocks");
    case Reason::Kind::kApart:
      return "blocks of " + to_string(reason.from) + " and " + to_string(reason.to) + " do not coincide over " +
             axes_text(reason.parts[0].split, *reason.mesh);
    case Reason::Kind::kScanned:
      return "a running sum needs the totals of the other blocks over " +
             axes_text(reason.parts[0].split, *reason.mesh);
    case Reason::Kind::kRemeshed: return "it is read on another mesh";
    case Reason::Kind::kHandedOn:
      return "each place of " + reason.parts[0].dim.str() + " goes from stage to stage over " +
             axes_text(reason.parts[0].split, *reason.mesh);
    case Reason::Kind::kFromOwner: return owned_text(reason, "comes from");
    case Reason::Kind::kFromLastStage:
      return "the last stage over " + reason.mesh->axes_to_string(reason.axes) +
             " sends what it has made to the others";
    case Reason::Kind::kToOwner: return owned_text(reason, "goes to");
  }
  return {};
}

}  // namespace

std::string to_string(const Reason& reason) { return settled(unsettled_text(reason)); }

ReasonRef reduce_reason(const graph::LaidOutOperation& operation, const graph::IterationSpace& space,
                        const IterationSplit& split) {
  std::vector<Reason::Part> parts;
  for (size_t j = 0; j < space.dims.size(); ++j) {
    const graph::IterationDim& dim = space.dims[j];
    if (dim.kind != graph::SplitKind::kReduce || split.dims[j].empty()) continue;
    for (size_t k = 0; k < operation.operands.size(); ++k) {
      if (dim.operands[k] < 0) continue;
      parts.push_back({operation.operands[k].dims[dim.operands[k]].name,
                       split.dims[j],
                       {},
                       dim.reduce == kernels::Reduction::kSum});
      break;
    }
  }
  if (parts.empty()) return split.carried ? sum_reason(split.carried, operation.mesh) : nullptr;
  return std::make_shared<const Reason>(
      Reason{.kind = Reason::Kind::kReduced, .mesh = operation.mesh, .parts = std::move(parts)});
}

ReasonRef sum_reason(AxisSet axes, const MeshPtr& mesh) {
  return std::make_shared<const Reason>(Reason{.kind = Reason::Kind::kCompleted, .mesh = mesh, .axes = axes});
}

ReasonRef summed_reason(const LocalValue& operand, const graph::LaidOutOperation& operation) {
  if (!operand.partial) return nullptr;
  return std::make_shared<const Reason>(Reason{.kind = Reason::Kind::kNeeded,
                                               .mesh = operation.mesh,
                                               .axes = operand.partial,
                                               .value = operand.name,
                                               .op = operation.op});
}

}  // namespace mtf::spmd
