#include "cost/idle_work.h"

#include <set>

#include "cost/recorded_schedules.h"
#include "graph/region.h"
#include "ops/loop.h"
#include "spmd/pipeline.h"

namespace mtf::cost {
namespace {

/// Adds the idle work of one instruction. `splitting`: the axes that split the iterations of the enclosing loops.
void add(IdleWork& work, const spmd::LocalProgram& program, const spmd::Instruction& instruction, double flops,
         AxisSet splitting) {
  const Mesh* mesh = nullptr;
  std::set<std::pair<Name, std::vector<Name>>> seen;
  for (const std::vector<int>* values : {&instruction.operands, &instruction.results}) {
    for (int v : *values) {
      const spmd::LocalValue& value = program.values[v];
      if (!value.mesh) continue;
      mesh = value.mesh.get();
      splitting |= value.varies();
      for (const spmd::LocalDim& dim : value.dims) {
        const int64_t processors = mesh->group_size(dim.axes.set());
        if (dim.mapped || dim.dim.size >= processors) continue;
        const std::pair<Name, std::vector<Name>> key{dim.dim.name.plain(), mesh->names_of(dim.axes.set())};
        IdleWork::Short& found = work.shorts[key];
        found.size = dim.dim.size;
        found.processors = processors;
        if (seen.insert(key).second) found.flops += flops;
      }
    }
  }
  work.flops += flops;
  for (int axis = 0; mesh && axis < mesh->order(); ++axis)
    if (spmd::processors_along(*mesh, axis) > 1 && !(splitting & axis_bit(axis)))
      work.repeated[mesh->axes()[axis].name] += flops;
}

void add_all(IdleWork& work, const spmd::LocalProgram& program, double times, AxisSet splitting) {
  for (const spmd::Instruction& instruction : program.instructions) {
    if (instruction.iteration) {
      const graph::LaidOutOperation& loop = *instruction.node;
      const AxisSet stages = loop.region->stages.set();
      if (loop.region->hands_on)
        work.pipelines.insert({loop.mesh->names_of(stages), loop.region->iterations, loop.region->idle,
                               !loop.region->joined.empty(), loop.attributes.get<ops::ScanAttributes>().alternates});
      add_all(work, *instruction.iteration, times * static_cast<double>(most_iterations(loop)), splitting | stages);
      continue;
    }
    const double flops = static_cast<double>(cost_of(program, instruction).flops.value()) * times;
    if (flops > 0) add(work, program, instruction, flops, splitting);
  }
}

}  // namespace

IdleWork idle_work(const plan::ProgramRecord& record) {
  IdleWork work;
  graph::Relayout relayout(*record.layouts(), nullptr, nullptr);
  each_schedule(record, relayout, [&](size_t, const schedule::Schedule& schedule, int64_t times) {
    add_all(work, schedule.program, static_cast<double>(times), 0);
  });
  return work;
}

}  // namespace mtf::cost
