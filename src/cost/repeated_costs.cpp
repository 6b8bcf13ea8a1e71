#include "cost/repeated_costs.h"

namespace mtf {
namespace {

double operations_of(const ProgramRecord& record) {
  double operations = 0;
  for (const ProgramRecord::Entry& entry : record.programs())
    operations += static_cast<double>(entry.times) * static_cast<double>(entry.recorded.program.operations.size());
  return operations;
}

double variables_of(const ProgramRecord& record) { return static_cast<double>(record.layouts()->variables().size()); }

}  // namespace

bool RepeatedCosts::stand_for(const ProgramRecord& whole) const {
  const ProgramRecord &few = few_.record(), &more = more_.record();
  return operations_of(more) > operations_of(few) && extended(operations_of(few), operations_of(more)) == operations_of(whole) &&
         extended(variables_of(few), variables_of(more)) == variables_of(whole);
}

RepeatedCosts::About RepeatedCosts::in(const MeshPtr& mesh, const LayoutPtr& rules) const {
  const ScriptCost few = few_.in(mesh, rules), more = more_.in(mesh, rules);
  auto stored = [](const ScriptCost& cost) { return static_cast<double>(cost.parameter_bytes) + static_cast<double>(cost.state_bytes); };
  return {extended(few.time.total(), more.time.total()), extended(stored(few), stored(more))};
}

}  // namespace mtf
