#include <algorithm>
#include <memory>
#include <unordered_map>
#include <utility>

#include "graph/region.h"
#include "spmd/passes.h"

namespace mtf::spmd {
namespace {

class WithoutAxes {
 public:
  bool change(graph::Program& program) {
    bool changed = false;
    for (graph::ProgramInput& input : program.inputs) {
      changed = change(input.operation) || changed;
      for (graph::InputCopy& copy : input.copies) changed = change(copy.sharding, *input.operation->mesh) || changed;
    }
    for (graph::ProgramOperation& entry : program.operations) changed = change(entry.operation) || changed;
    return changed;
  }

 private:
  /// Stages of a pipeline keep their axes: an executor of its own runs them, also a single one.
  static bool change(Sharding& sharding, const Mesh& mesh, AxisSet stages = 0) {
    const AxisSet axes = mesh.axes_of_one() & sharding.split() & ~stages;
    for (AxisList& dim : sharding.dims)
      if (dim.set() & axes) dim = dim.without(axes);
    return axes != 0;
  }

  /// An operation that stands in several positions stays one.
  bool change(graph::OperationRef& operation) {
    if (!operation || !operation->mesh) return false;  // a number of the host
    const auto [at, fresh] = changed_.try_emplace(operation.get(), operation);
    if (fresh) at->second = changed(operation);
    return std::exchange(operation, at->second) != at->second;
  }

  graph::OperationRef changed(const graph::OperationRef& operation) {
    const AxisSet of_one = operation->mesh->axes_of_one();
    const auto is_split = [&](const Sharding& sharding) { return (sharding.split() & of_one) != 0; };
    if (!operation->region && std::none_of(operation->shardings.begin(), operation->shardings.end(), is_split))
      return operation;
    auto now = std::make_shared<graph::LaidOutOperation>(*operation);
    bool changes = false;
    AxisSet stages = 0;
    if (operation->region) {
      graph::Region region = *operation->region;
      stages = region.stages.set();
      if (change(region.iteration)) {
        now->region = graph::with_form(std::move(region));
        changes = true;
      }
    }
    for (size_t r = 0; r < now->shardings.size(); ++r) {
      changes = change(now->shardings[r], *now->mesh, stages) || changes;
      now->inherited[r] &= now->shardings[r].split();
    }
    return changes ? now : operation;
  }

  std::unordered_map<const graph::LaidOutOperation*, graph::OperationRef> changed_;
};

}  // namespace

void leave_out_axes_of_one(graph::Program& program) {
  const Mesh* before = nullptr;
  for (const graph::ProgramOperation& entry : program.operations) {
    if (entry.operation->mesh.get() == before) continue;
    before = entry.operation->mesh.get();
    if (before->axes_of_one() == 0) continue;
    WithoutAxes().change(program);
    return;
  }
}

}  // namespace mtf::spmd
