#pragma once
// The copier of `rematerialize`.
#include "schedule/repeat_facts.h"
#include "schedule/schedule.h"

namespace mtf::schedule {

/// Writes the copies of a trial into the schedule: new values, instructions and steps, which late readers read instead
/// of the originals. A copy of a fusion has only the instructions that its needed results depend on. Notes each new
/// value in Schedule::remade. `facts` are those of the schedule before the call, and invalid after it.
void write_copies(Schedule& schedule, const StepFacts& facts, const Trial& trial);

}  // namespace mtf::schedule
