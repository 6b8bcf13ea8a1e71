#pragma once
// Measuring the machine that this is: what `mtf calibrate` does.
//
// Each figure comes from the statements that a script would run, through every stage: the least processor time of many turns that
// the timeline of the runtime has for the step in question, so that what else the machine does falls out. On several ranks
// all of them compute at once, as they do in a step of training, and share the memory's bandwidth as they do there.
#include "cost/machine.h"
#include "run/mpi_runtime.h"

namespace mtf::tool {

/// A model of this machine, on one thread of each rank. All ranks come here; links and `overlap` are measured if there are several.
MachineModel calibrate(const MpiRuntimeOptions& options);

}  // namespace mtf::tool
