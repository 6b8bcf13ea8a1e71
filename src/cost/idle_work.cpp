#include "cost/idle_work.h"

#include <fmt/format.h>

#include <set>

#include "cost/recorded_schedules.h"
#include "support/text.h"

namespace mtf {
namespace {

constexpr double kWorthSaying = 0.1;

void add(IdleWork& work, const LocalProgram& program, const Instruction& instruction, double flops) {
  AxisSet splitting = 0;
  const Mesh* mesh = nullptr;
  std::set<std::pair<std::string, std::string>> seen;
  for (const std::vector<int>* values : {&instruction.operands, &instruction.results}) {
    for (int v : *values) {
      const LocalValue& value = program.values[v];
      if (!value.mesh) continue;
      mesh = value.mesh.get();
      splitting |= value.varies();
      for (const LocalDim& dim : value.dims) {
        AxisSet axes = 0;
        for (int axis : dim.axes) axes |= axis_bit(axis);
        const int64_t processors = mesh->group_size(axes);
        if (dim.mapped || dim.dim.size >= processors) continue;
        const std::pair<std::string, std::string> key{dim.dim.name.str(), mesh->axes_to_string(axes)};
        IdleWork::Short& found = work.shorts[key];
        found.size = dim.dim.size;
        found.processors = processors;
        if (seen.insert(key).second) found.flops += flops;
      }
    }
  }
  work.flops += flops;
  for (int axis = 0; mesh && axis < mesh->order(); ++axis)
    if (mesh->axis_size(axis) > 1 && !(splitting & axis_bit(axis))) work.repeated[mesh->axes()[axis].name.str()] += flops;
}

}  // namespace

IdleWork idle_work(const ProgramRecord& record) {
  IdleWork work;
  Relayout relayout(*record.layouts(), nullptr, nullptr);
  each_schedule(record, relayout, [&](size_t, const Schedule& schedule, int64_t times) {
    for (const Instruction& instruction : schedule.program.instructions) {
      const double flops = static_cast<double>(cost_of(schedule.program, instruction).flops.value()) * static_cast<double>(times);
      if (flops > 0) add(work, schedule.program, instruction, flops);
    }
  });
  return work;
}

std::vector<std::string> sentences(const IdleWork& work) {
  std::vector<std::string> all;
  const auto share = [&](double flops) { return flops / std::max(work.flops, 1.0); };
  for (const auto& [names, found] : work.shorts)
    if (share(found.flops) > kWorthSaying)
      all.push_back(fmt::format("{} has {} and is split over {}, {}: {} of them idle in {:.0f}% of the work", code(names.first), count_text(found.size, "element"), names.second,
                                count_text(found.processors, "processor"), found.processors - found.size, 100 * share(found.flops)));
  for (const auto& [axis, flops] : work.repeated)
    if (share(flops) > kWorthSaying) all.push_back(fmt::format("all processors along {} do the same in {:.0f}% of the work: no dim of it is split over {}", code(axis), 100 * share(flops), code(axis)));
  return all;
}

}  // namespace mtf
