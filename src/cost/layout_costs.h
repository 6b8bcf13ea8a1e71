#pragma once
// The cost of a planned script under another mesh or other rules, without evaluating the script again.
//
//     record = planned once           LayoutCosts costs(record)
//     costs.in(mesh, rules)           what `mtf plan --mesh … --layout …` counts in all, but for the peak
//
// There are two ways to such a cost (session/what_if.h). A new plan knows everything, the peak too, but needs an
// evaluation. These costs take a fraction of the time, so a search can ask for thousands.
#include <memory>
#include <optional>
#include <vector>

#include "cost/machine.h"
#include "cost/step_time.h"
#include "plan/counters.h"
#include "plan/passes.h"
#include "plan/program_record.h"

namespace mtf::cost {

/// The total cost of a script on the largest processor.
struct ScriptCost {
  plan::Counters counters;      ///< peak_bytes is 0
  StepTime time;                ///< by the machine model; 0 without one
  int64_t parameter_bytes = 0;  ///< of its params
  int64_t state_bytes = 0;      ///< of its states
};

class LayoutCosts {
 public:
  /// `before`: the state of the record before the part that is costed (ProgramRecord::so_far).
  explicit LayoutCosts(std::shared_ptr<const plan::ProgramRecord> record,
                       std::optional<MachineModel> machine = std::nullopt, plan::ProgramRecord::Before before = {})
      : record_(std::move(record)), machine_(std::move(machine)), before_(std::move(before)) {}

  /// Returns the cost under a mesh and rules; null means the script's own. Throws the UserError that planning the
  /// script would throw.
  ScriptCost in(const MeshPtr& mesh, const LayoutPtr& rules) const;

  /// Returns the seconds of all runs of one program, by its number. Needs a machine.
  double seconds_of(size_t program, const MeshPtr& mesh, const LayoutPtr& rules) const;

  /// The reasons why the costs are an estimate, as a plan would report them; empty if they are exact.
  plan::Doubts doubts() const;
  const plan::ProgramRecord& record() const { return *record_; }
  const std::shared_ptr<const plan::ProgramRecord>& shared_record() const { return record_; }
  /// The number of runs of a program in the costed part.
  int64_t times(size_t program) const {
    return record_->programs()[program].times - (program < before_.times.size() ? before_.times[program] : 0);
  }
  const std::vector<int64_t>& before() const { return before_.times; }
  const std::optional<MachineModel>& machine() const { return machine_; }

 private:
  /// How far a program must be scheduled to know its time.
  plan::Decides decides() const;

  std::shared_ptr<const plan::ProgramRecord> record_;
  std::optional<MachineModel> machine_;
  plan::ProgramRecord::Before before_;
};

}  // namespace mtf::cost
