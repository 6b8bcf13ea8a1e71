#pragma once
// Why the figures of a plan are an estimate: what a program computes may depend on numbers that only the run knows.
#include <cstdint>
#include <vector>

#include "support/source.h"

namespace mtf::plan {

struct Doubt {
  enum class Kind : std::uint8_t {
    kWays,     ///< which way a condition takes: each is counted
    kTurns,    ///< how many turns a loop has: one is counted
    kRest,     ///< whether a loop or function ends there: what follows is counted
    kUnknown,  ///< on what an operation works: it is not counted
    kSkipped,  ///< how much the turns cost that a plan did not walk: as much as those that it did
  };
  Span place;  ///< the condition, what a loop walks over, or the operation
  Kind kind = Kind::kWays;
};
using Doubts = std::vector<Doubt>;

/// Adds a doubt unless there is one of the same line, by the name of its file: what is planned twice is read twice.
void add_doubt(Doubts& doubts, const Doubt& doubt);

}  // namespace mtf::plan
