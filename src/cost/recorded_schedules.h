#pragma once
// The programs of a planned script as they would be run under a mesh and rules, one after the other.
#include <functional>
#include <optional>

#include "plan/passes.h"
#include "plan/program_record.h"
#include "schedule/schedule.h"

namespace mtf::cost {

/// Calls `visit` with each program that the script runs: its number in the record, its schedule (as far as is asked),
/// and how often it is run, not counting how often each was `before`. `relayout` is of the record's layouts; afterwards
/// it knows where all that was computed lies. With `only`, the number of a program, no other is scheduled, and none
/// behind it looked at. `poll` is called every few hundredths of a second; what it throws ends this.
void each_schedule(const plan::ProgramRecord& record, graph::Relayout& relayout,
                   const std::function<void(size_t, const schedule::Schedule&, int64_t)>& visit,
                   const std::vector<int64_t>& before = {}, plan::Decides until = plan::Decides::kCosts,
                   std::optional<size_t> only = std::nullopt, const std::function<void()>& poll = nullptr);

}  // namespace mtf::cost
