#include "cost/repeated_costs.h"

namespace mtf::cost {
namespace {

double operations_of(const LayoutCosts& costs) {
  double operations = 0;
  for (size_t i = 0; i < costs.record().programs().size(); ++i)
    operations += static_cast<double>(costs.times(i)) *
                  static_cast<double>(costs.record().programs()[i].recorded.program.operations.size());
  return operations;
}

double variables_of(const LayoutCosts& costs) {
  return static_cast<double>(costs.record().layouts()->variables().size());
}

}  // namespace

double RepeatedCosts::operations() const { return operations_of(few_) + operations_of(more_); }

bool RepeatedCosts::stand_for(const LayoutCosts& whole) const {
  return operations_of(more_) > operations_of(few_) &&
         extended(operations_of(few_), operations_of(more_)) == operations_of(whole) &&
         extended(variables_of(few_), variables_of(more_)) == variables_of(whole);
}

RepeatedCosts::About RepeatedCosts::in(const MeshPtr& mesh, const LayoutPtr& rules) const {
  const ScriptCost few = few_.in(mesh, rules), more = more_.in(mesh, rules);
  auto bytes_of = [](const ScriptCost& cost) {
    return static_cast<double>(cost.parameter_bytes) + static_cast<double>(cost.state_bytes);
  };
  return {extended(few.time.total(), more.time.total()), extended(few.time.communication(), more.time.communication()),
          extended(bytes_of(few), bytes_of(more))};
}

}  // namespace mtf::cost
