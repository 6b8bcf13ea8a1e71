#pragma once
// How far a plan can be given up.
#include <cstddef>

#include "schedule/schedule.h"

namespace mtf {

/// The first step that writes over an input: from there on what the plan began with is lost. The number of steps if none does.
size_t writes_over_input(const Schedule& schedule);

}  // namespace mtf
