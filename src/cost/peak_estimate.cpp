#include "cost/peak_estimate.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>

#include "cost/recorded_schedules.h"
#include "kernels/element_type.h"

namespace mtf::cost {
namespace {

/// Bytes of values, by the names of their dims.
using Bytes = std::map<std::set<Name>, double>;

double total_of(const Bytes& bytes) {
  double total = 0;
  for (const auto& [names, of_these] : bytes) total += of_these;
  return total;
}

void add(Bytes& bytes, const spmd::LocalValue& value) {
  std::set<Name> names;
  for (const spmd::LocalDim& dim : value.dims) names.insert(dim.dim.name.plain());
  bytes[names] += static_cast<double>(schedule::largest_block(value)) * static_cast<double>(size_of(value.element));
}

/// The live bytes of a schedule at its peak, and the inputs among them.
struct Live {
  Bytes all, inputs;
  explicit Live(const schedule::Schedule& schedule) {
    const spmd::LocalProgram& program = schedule.program;
    std::vector<double> change(schedule.steps.size() + 2);
    auto steps_of = [&](const schedule::Buffer& buffer) -> std::pair<size_t, size_t> {
      if (buffer.kind == schedule::BufferKind::kInput) return {0, schedule.steps.size()};
      if (buffer.kind == schedule::BufferKind::kOutput)
        return {static_cast<size_t>(buffer.first), schedule.steps.size()};
      return {static_cast<size_t>(buffer.first), static_cast<size_t>(buffer.last)};
    };
    for (const schedule::Buffer& buffer : schedule.buffers) {
      if (buffer.kind == schedule::BufferKind::kStaging) continue;
      const spmd::LocalValue& value = program.values[static_cast<size_t>(buffer.value)];
      const double bytes =
          static_cast<double>(schedule::largest_block(value)) * static_cast<double>(size_of(value.element));
      const auto [first, last] = steps_of(buffer);
      change[first] += bytes;
      change[std::min(last, schedule.steps.size()) + 1] -= bytes;
    }
    size_t peak = 0;
    double live = 0, most = 0;
    for (size_t step = 0; step < change.size(); ++step) {
      live += change[step];
      if (live <= most) continue;
      most = live;
      peak = step;
    }
    for (const schedule::Buffer& buffer : schedule.buffers) {
      const auto [first, last] = steps_of(buffer);
      if (buffer.kind == schedule::BufferKind::kStaging || first > peak || last < peak) continue;
      const spmd::LocalValue& value = program.values[static_cast<size_t>(buffer.value)];
      add(all, value);
      if (buffer.kind == schedule::BufferKind::kInput) add(inputs, value);
    }
  }
};

/// Returns the dims with these names, and whether params or states with exactly these dims may be stored by rules.
WorkBound::Dividing own(const std::set<Name>& names, const WorkBound& bound) {
  WorkBound::Dividing own;
  for (size_t d = 0; d < bound.dims().size(); ++d)
    if (names.contains(bound.dims()[d].name)) own.dims.push_back(d);
  own.stored = std::any_of(bound.stored().begin(), bound.stored().end(), [&](const WorkBound::Stored& of) {
    std::set<Name> dims;
    for (size_t d : of.dims) dims.insert(bound.dims()[d].name);
    return dims == names;
  });
  return own;
}

}  // namespace

PeakEstimate::PeakEstimate(const LayoutCosts& costs, const WorkBound& bound, const std::vector<Name>& axes) {
  std::vector<Axis> of_one;
  for (Name axis : axes) of_one.push_back({axis, 1});
  graph::Relayout relayout(*costs.record().layouts(), std::make_shared<const Mesh>(Name("alone"), std::move(of_one)),
                           std::make_shared<const Layout>());
  Bytes all, inputs;
  each_schedule(
      costs.record(), relayout,
      [&](size_t, const schedule::Schedule& schedule, int64_t) {
        Live live(schedule);
        if (total_of(live.all) <= total_of(all)) return;
        all = std::move(live.all);
        inputs = std::move(live.inputs);
      },
      costs.before(), plan::Decides::kMemory);
  for (const auto& [from, to] : {std::pair{&all, &values_}, std::pair{&inputs, &inputs_}})
    for (const auto& [names, bytes] : *from) to->push_back({bytes, bound.dividing(names), own(names, bound)});
}

double PeakEstimate::bytes_of(const std::vector<Part>& parts, WorkBound::Dividing Part::*by, const Mesh& mesh,
                              const WorkBound::Decided& decided) {
  double total = 0;
  for (const Part& part : parts) total += part.bytes / WorkBound::parts(part.*by, mesh, decided);
  return total;
}

}  // namespace mtf::cost
