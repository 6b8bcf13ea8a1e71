#include "cost/recorded_schedules.h"

#include <map>

#include "plan/compilation.h"
#include "support/interrupt.h"

namespace mtf::cost {
namespace {

/// Returns the programs that may leave copies for `program`, directly or through other programs; also `program` itself.
std::vector<bool> leaving_copies_for(size_t program, const plan::ProgramRecord& record) {
  std::vector<bool> leaving(record.programs().size());
  leaving[program] = true;
  for (size_t i = program + 1; i-- > 0;)
    if (leaving[i])
      for (const auto& sources : record.programs()[i].recorded.copied_by)
        for (const auto& [source, place] : sources) leaving[static_cast<size_t>(source)] = true;
  return leaving;
}

}  // namespace

void each_schedule(const plan::ProgramRecord& record, graph::Relayout& relayout,
                   const std::function<void(size_t, const schedule::Schedule&, int64_t)>& visit,
                   const std::vector<int64_t>& before, plan::Decides until, std::optional<size_t> only) {
  const plan::PassOptions options{.until = until};
  std::map<std::pair<int32_t, int32_t>, std::vector<Sharding>>
      left;  // copies, by program and index in its for_gradients
  const size_t end = only ? *only + 1 : record.programs().size();
  const std::vector<bool> wanted = only ? leaving_copies_for(*only, record) : std::vector<bool>(end, true);
  for (size_t i = 0; i < end; ++i) {
    const plan::ProgramRecord::Entry& entry = record.programs()[i];
    plan::Compilation compilation(relayout.program(entry.recorded), options);
    check_interrupt();
    compilation.run("carry_splits");
    graph::Program& program = compilation.program();
    relayout.computed(static_cast<int32_t>(i), program);
    for (size_t k = 0; k < program.inputs.size(); ++k)
      for (const auto& source : entry.recorded.copied_by[k])
        for (const Sharding& sharding : left[source]) program.inputs[k].copies.push_back({sharding, {}});
    const int64_t times = entry.times - (i < before.size() ? before[i] : 0);
    if (!wanted[i] || (times <= 0 && program.for_gradients.empty())) continue;
    compilation.run("split");
    const spmd::LocalProgram& local = compilation.local();
    const size_t roots = compilation.program().roots.size();
    for (size_t c = 0; c < local.copied.size(); ++c)
      left[{static_cast<int32_t>(i), local.copied[c]}].push_back(local.values[local.outputs[roots + c][0]].sharding());
    if (times <= 0 || (only && i != *only)) continue;
    compilation.run();
    visit(i, compilation.schedule, times);
  }
}

}  // namespace mtf::cost
