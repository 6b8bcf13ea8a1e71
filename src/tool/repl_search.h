#pragma once
// How long a statement of the session would take by a machine model.
#include <string>

#include "cost/machine.h"
#include "tool/repl.h"
#include "tool/what_if.h"

namespace mtf::tool {

/// As a line a part. Computes nothing.
std::string planned_time(Repl& repl, const std::string& statement, const Assumption& assumption, const MachineModel& machine);

}  // namespace mtf::tool
