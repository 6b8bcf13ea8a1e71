#pragma once
// Reasons why the figures of a plan are an estimate: the program's work may depend on numbers that only a run knows.
#include <cstdint>
#include <string>
#include <vector>

#include "support/source.h"

namespace mtf::plan {

struct Doubt {
  enum class Kind : std::uint8_t {
    kWays,        ///< the branch that a condition selects is unknown: every branch is counted
    kIterations,  ///< the number of iterations of a loop is unknown: one iteration is counted
    kRest,        ///< a loop or function may end here: the rest is counted
    kUnknown,     ///< the operand of an operation is unknown: the operation is not counted
    kSkipped,     ///< the plan skipped iterations: each counts as much as a walked iteration
  };
  Span place;  ///< the condition, the sequence of the loop, or the operation
  Kind kind = Kind::kWays;
};
using Doubts = std::vector<Doubt>;

/// Returns a clause that says why a doubt makes numbers an estimate.
std::string reason_of(const Doubt& doubt);

/// Adds a doubt, unless there is one for the same line of a file with the same name. A file that is planned twice is
/// read twice.
void add_doubt(Doubts& doubts, const Doubt& doubt);

}  // namespace mtf::plan
