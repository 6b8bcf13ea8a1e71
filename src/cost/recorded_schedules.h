#pragma once
// The programs of a planned script, scheduled under another mesh and rules, one after another.
#include <functional>
#include <optional>

#include "plan/passes.h"
#include "plan/program_record.h"
#include "schedule/schedule.h"

namespace mtf::cost {

/// Calls `visit` for each program that the script runs. Its arguments are the program's number in the record, its
/// schedule up to `until`, and the number of its runs without those in `before`. `relayout` belongs to the record's
/// layouts. Afterwards it knows the shardings of all computed values. If `only` is the number of a program, no other
/// program is scheduled, and later programs are skipped. An interrupt ends the function (check_interrupt).
void each_schedule(const plan::ProgramRecord& record, graph::Relayout& relayout,
                   const std::function<void(size_t, const schedule::Schedule&, int64_t)>& visit,
                   const std::vector<int64_t>& before = {}, plan::Decides until = plan::Decides::kCosts,
                   std::optional<size_t> only = std::nullopt);

}  // namespace mtf::cost
