#pragma once
// The choice of the steps that `rematerialize` copies.
#include <cstdint>
#include <vector>

#include "schedule/repeat_facts.h"

namespace mtf::schedule {

/// Returns, for each step, whether it is chosen: the cheapest choice that was found with at most `limit` bytes in use
/// at any time, or else the choice with the smallest peak. Marks the candidates in `facts`. rematerialize (passes.h)
/// says which choices are compared.
std::vector<char> choose_repeated(StepFacts& facts, int64_t limit);

}  // namespace mtf::schedule
