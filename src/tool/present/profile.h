#pragma once
// The profile of a run: the time of each line beside its predicted time, and the host's share.
//
// Each rank sends its sums to rank 0 as JSON (told_profile). Rank 0 shows those of the rank that computes longest, for
// which the others wait. A line has the time of the steps that compute its expressions, with their gradients. A
// fusion's time is divided among its operations by their arithmetic.
#include <optional>
#include <string>
#include <vector>

#include "cost/machine.h"
#include "run/timeline.h"

namespace mtf::tool {

/// Returns the profile of this rank, for rank 0. `planning`: the seconds of the compiler. Without a machine there are
/// no predicted times.
std::string told_profile(const run::Timeline& timeline, int rank, const std::optional<cost::MachineModel>& machine,
                         double planning);

/// Returns a table of the lines that took longest, and the totals. `width`: wider lines are cut off; 0: no limit.
std::string profile_text(const std::vector<std::string>& told, std::size_t width);

}  // namespace mtf::tool
