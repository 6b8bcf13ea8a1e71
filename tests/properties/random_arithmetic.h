#pragma once
// Random calls of operations that add, round, divide or draw, each made from a seed, with the numbers that their
// results may have.
//
// Other properties compare runs with each other. They do not find a fault that every run has, for instance a sum that
// drifts, or a type with too few digits. Here plain loops compute the results in a wider type.
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "script.h"

namespace mtf::properties {

/// The numbers that an element of a result may have: both ends and all numbers between.
struct NumberRange {
  double least, most;
};

struct RandomArithmetic {
  Script script;                      ///< binds `result`
  std::vector<std::string> operands;  ///< tensors that its inputs bind
  std::vector<std::string> dims;      ///< dims that a layout may split
  ElementType element;                ///< the promised type of the result
  /// Returns the range of each element of the result. Returns nothing if a sum of integers does not fit: then the run
  /// must end with integer_overflow.
  std::function<std::optional<std::vector<NumberRange>>(const std::vector<plan::HostTensor>& operands)> ranges;
};

RandomArithmetic random_arithmetic(uint64_t seed);

}  // namespace mtf::properties
