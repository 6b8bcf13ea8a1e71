#pragma once
// Work of this executable on several ranks, which mpirun starts.
#include <string>
#include <vector>

#include "in_child.h"

namespace mtf::properties {

/// Runs this executable on `ranks` ranks with these arguments; `said` is what rank 0 writes to its standard output.
ChildResult on_ranks(int ranks, const std::vector<std::string>& arguments);

/// True in a process that mpirun has started.
bool under_mpi();

/// Ends this rank, and with it all others, if it is not called again within `seconds`; `what` is being run.
void watch(unsigned seconds, const std::string& what);

}  // namespace mtf::properties
