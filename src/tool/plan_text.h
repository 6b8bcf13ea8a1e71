#pragma once
// What `mtf plan` prints: the cost of each statement on the largest processor, and of the whole.
#include <string>
#include <vector>

#include "eval/session.h"

namespace mtf::tool {

/// A statement: its place and first line, then a line for each value computed and each collective, aligned. Nothing
/// for a statement that costs nothing. With `formulas` a formula stands behind each figure.
std::string plan_text(const StatementReport& report, bool formulas);

/// The sum over statements, the collectives by kind and axes, and the peak.
std::string totals_text(const Counters& counters);

/// `×200`, `per turn`, or nothing for a statement that runs once.
std::string turns_text(std::int64_t turns);

}  // namespace mtf::tool
