#pragma once
// What `first_not_finite` tells of a tensor.
#include <cstdint>
#include <optional>
#include <vector>

#include "graph/operation.h"
#include "types/dim.h"

namespace mtf::ops {

/// An element that is not finite: NaN, inf or -inf, and its index along each dim.
struct NotFinite {
  double number = 0;
  std::vector<int64_t> place;
};

/// What the result of `first_not_finite` says of a tensor of these dims; nothing if all of its elements are finite.
std::optional<NotFinite> not_finite(double code, const Dims& dims);

/// True if `--check-finite` looks at this result: it holds floats, it is no view of what is looked at already, and no
/// loop has saved it for its gradient alone.
bool is_looked_at(const graph::LaidOutOperation& operation, int result);
/// True if the result is what a loop has stacked of the values of its turns: the numbers that `first_not_finite` gives,
/// of a loop in it those that the inner loop has stacked.
bool is_of_turns(const graph::LaidOutOperation& operation, int result);

}  // namespace mtf::ops
