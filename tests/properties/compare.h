#pragma once
// How equal two results are to be, and in what they differ.
#include <string>

#include "graph/graph.h"
#include "plan/counters.h"
#include "plan/tensor.h"

namespace mtf::properties {

/// What two ways of computing the same value may differ by.
struct Tolerance {
  enum class Kind {
    kBits,      ///< the same bits
    kNumbers,   ///< the same numbers: 0 and -0 are one
    kRelative,  ///< at most `distance` times (1 + the largest element) apart
    kDistance,  ///< at most `distance` apart
  };
  Kind kind = Kind::kBits;
  double distance = 0;
};

/// What can be expected of these values, which are not computed yet, from the records of what they are made by: the
/// same bits if everything before them is element-wise, random or moved, the same numbers if no float is summed, and
/// otherwise a relative distance: the rounding errors of a sum of `terms` numbers as large as the result.
Tolerance expected_of(const graph::Values& values, int64_t terms);

/// The first place where `found` is not what is expected, in words; empty if there is none.
std::string tensor_difference(const plan::HostTensor& expected, const plan::HostTensor& found,
                              const Tolerance& tolerance);

/// How two counts differ, line by line; empty if they do not. `peak`: compare peak_bytes too.
std::string counter_difference(const plan::Counters& expected, const plan::Counters& found, bool peak = true);

/// The largest magnitude of any element.
double largest(const plan::HostTensor& tensor);

/// The distance of 1 and the next number of this type.
double epsilon(ElementType element);

}  // namespace mtf::properties
