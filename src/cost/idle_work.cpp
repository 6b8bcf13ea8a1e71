#include "cost/idle_work.h"

#include <set>

#include "cost/recorded_schedules.h"
#include "graph/region.h"
#include "ops/loop.h"
#include "spmd/pipeline.h"

namespace mtf::cost {
namespace {

/// Returns the dims of an instruction's values that nothing splits, and that so many processors could split evenly.
std::set<Name> whole_dims(const spmd::LocalProgram& program, const spmd::Instruction& instruction, int64_t processors) {
  std::set<Name> found;
  for (const std::vector<int>* values : {&instruction.operands, &instruction.results})
    for (const int v : *values)
      for (const spmd::LocalDim& dim : program.values[v].dims)
        if (!dim.mapped && dim.axes.empty() && dim.dim.size % processors == 0) found.insert(dim.dim.name.plain());
  return found;
}

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
  for (int axis = 0; mesh && axis < mesh->order(); ++axis) {
    const int64_t processors = spmd::processors_along(*mesh, axis);
    if (processors <= 1 || (splitting & axis_bit(axis))) continue;
    const Name name = mesh->axes()[axis].name;
    work.repeated[name] += flops;
    for (const Name dim : whole_dims(program, instruction, processors)) work.whole[{name, dim}] += flops;
  }
}

/// Notes which dims are in tensors in which an axis splits another dim, and which dims the program's inputs have.
void note_dims(IdleWork& work, const spmd::LocalProgram& program) {
  for (const spmd::LocalValue& value : program.values) {
    if (!value.mesh) continue;
    for (const spmd::LocalDim& split : value.dims)
      for (const Name axis : value.mesh->names_of(split.axes.set()))
        for (const spmd::LocalDim& other : value.dims)
          if (&other != &split) work.beside.emplace(axis, other.dim.name.plain());
  }
  for (const int input : program.inputs)
    for (const spmd::LocalDim& dim : program.values[input].dims) work.stored.insert(dim.dim.name.plain());
}

/// The number of chunks that a script asks for in a pipeline, given one of its iterations.
int64_t asked_chunks(const spmd::LocalProgram& iteration) {
  int64_t chunks = 1;
  for (const spmd::Instruction& each : iteration.instructions)
    if (each.iteration) chunks = std::max(chunks, each.node->attributes.get<ops::ScanAttributes>().chunks);
  return chunks;
}

void add_all(IdleWork& work, const spmd::LocalProgram& program, double times, AxisSet splitting) {
  note_dims(work, program);
  for (const spmd::Instruction& instruction : program.instructions) {
    if (instruction.iteration) {
      const graph::LaidOutOperation& loop = *instruction.node;
      const AxisSet stages = loop.region->stages.set();
      if (loop.region->hands_on)
        work.pipelines.insert({loop.mesh->names_of(stages), loop.region->iterations, spmd::chunks_of(loop),
                               loop.region->idle, !spmd::turned_back(*instruction.iteration).empty(),
                               loop.attributes.get<ops::ScanAttributes>().alternates,
                               asked_chunks(*instruction.iteration)});
      add_all(work, *instruction.iteration, times * static_cast<double>(most_iterations(loop)), splitting | stages);
      continue;
    }
    const double flops = static_cast<double>(cost_of(program, instruction).flops.value()) * times;
    if (flops > 0) add(work, program, instruction, flops, splitting);
  }
}

}  // namespace

std::optional<IdleWork::Cure> IdleWork::cure(Name axis) const {
  std::optional<Cure> best;
  const auto rank = [&](const Cure& cure) { return std::pair(cure.flops, stored.contains(cure.dim)); };
  for (const auto& [names, of] : whole) {
    if (names.first != axis || beside.contains(names)) continue;
    const Cure cure{names.second, of};
    if (!best || rank(cure) > rank(*best)) best = cure;
  }
  return best;
}

IdleWork idle_work(const plan::ProgramRecord& record) {
  IdleWork work;
  graph::Relayout relayout(*record.layouts(), nullptr, nullptr);
  each_schedule(record, relayout, [&](size_t, const schedule::Schedule& schedule, int64_t times) {
    add_all(work, schedule.program, static_cast<double>(times), 0);
  });
  return work;
}

}  // namespace mtf::cost
