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
  std::vector<int64_t> position;
};

/// What the result of `first_not_finite` says of a tensor of these dims; nothing if all of its elements are finite.
std::optional<NotFinite> not_finite(double code, const Dims& dims);

/// True if `--check-finite` looks at this result: a tensor of floats that is no view of another checked tensor. A
/// loop's values that only its gradient reads are not checked.
bool is_looked_at(const graph::LaidOutOperation& operation, int result);
/// True if the result is a loop's stack of the numbers that `first_not_finite` gives in each iteration. An inner loop's
/// stack is stacked again by the outer loop.
bool is_of_iterations(const graph::LaidOutOperation& operation, int result);

}  // namespace mtf::ops
