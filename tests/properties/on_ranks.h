#pragma once
// Work of this executable on several ranks under mpirun.
#include <string>
#include <vector>

#include "in_child.h"

namespace mtf::properties {

/// Runs this executable on `ranks` ranks with these arguments. `said` is the standard output of rank 0.
ChildResult on_ranks(int ranks, const std::vector<std::string>& arguments);

/// True in a process that mpirun has started.
bool under_mpi();

/// Ends this rank, and so all others, unless it is called again within `seconds`. `what` describes the current work.
void watch(unsigned seconds, const std::string& what);

}  // namespace mtf::properties
