#pragma once
// The results of a script by the kernels of its operations alone: node by node on global tensors, each result in memory
// of its own. No splitter, schedule or executor is involved. So this finds errors that whole and split runs have in
// common.
#include <string>
#include <vector>

#include "compare.h"
#include "script.h"

namespace mtf::properties {

/// Describes the difference between a whole run and the kernels; empty if there is none.
std::string differs_from_kernels(const Script& script, const Outcome& whole, const std::vector<Tolerance>& tolerances);

}  // namespace mtf::properties
