#pragma once
// What a script computes, by the kernels of its operations alone: node by node on whole tensors, each result in memory
// of its own. No splitter, schedule or executor is involved, so a mistake that they make whole and split alike shows.
#include <string>
#include <vector>

#include "compare.h"
#include "script.h"

namespace mtf::properties {

/// In what the results of a whole run differ from those of the kernels, in words; empty if in nothing.
std::string differs_from_kernels(const Script& script, const Outcome& whole, const std::vector<Tolerance>& tolerances);

}  // namespace mtf::properties
