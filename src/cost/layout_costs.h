#pragma once
// What a script that has been planned would cost under another mesh or other rules, without evaluating it again.
//
//     record = planned once           LayoutCosts costs(record)
//     costs.in(mesh, rules)           what `mtf plan --mesh … --layout …` counts in all, but for the peak
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "cost/machine.h"
#include "cost/step_time.h"
#include "plan/counters.h"
#include "plan/passes.h"
#include "plan/program_record.h"

namespace mtf::cost {

/// All that a script costs the largest processor.
struct ScriptCost {
  plan::Counters counters;      ///< peak_bytes is 0
  StepTime time;                ///< by the machine model; nothing without one
  int64_t parameter_bytes = 0;  ///< of its params
  int64_t state_bytes = 0;      ///< of its states
};

class LayoutCosts {
 public:
  /// `before`: what had been recorded before what is costed began (ProgramRecord::so_far).
  explicit LayoutCosts(std::shared_ptr<const plan::ProgramRecord> record,
                       std::optional<MachineModel> machine = std::nullopt, plan::ProgramRecord::Before before = {})
      : record_(std::move(record)), machine_(std::move(machine)), before_(std::move(before)) {}

  /// `mesh`, `rules`: null: the script's own. Throws a UserError where planning the script would.
  ScriptCost in(const MeshPtr& mesh, const LayoutPtr& rules) const;

  /// Of these, the seconds of all runs of one program, by its number. There is a machine.
  double seconds_of(size_t program, const MeshPtr& mesh, const LayoutPtr& rules) const;

  /// Whoever waits may end it: `poll` is called every few hundredths of a second, and what it throws ends what is
  /// asked.
  void heed(std::function<void()> poll) { poll_ = std::move(poll); }

  /// Why it is an estimate, as a plan would say; nothing if it is none.
  plan::Doubts doubts() const;
  const plan::ProgramRecord& record() const { return *record_; }
  const std::shared_ptr<const plan::ProgramRecord>& shared_record() const { return record_; }
  /// How often what is costed runs a program of the record.
  int64_t times(size_t program) const {
    return record_->programs()[program].times - (program < before_.times.size() ? before_.times[program] : 0);
  }
  const std::vector<int64_t>& before() const { return before_.times; }
  const std::optional<MachineModel>& machine() const { return machine_; }

 private:
  /// How far a program must be scheduled for its time.
  plan::Decides decides() const;

  std::shared_ptr<const plan::ProgramRecord> record_;
  std::optional<MachineModel> machine_;
  plan::ProgramRecord::Before before_;
  std::function<void()> poll_;
};

}  // namespace mtf::cost
