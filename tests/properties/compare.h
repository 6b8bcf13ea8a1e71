#pragma once
// The tolerance between two results, and their differences.
#include <string>

#include "graph/graph.h"
#include "plan/counters.h"
#include "plan/tensor.h"

namespace mtf::properties {

/// The allowed difference between two computations of the same value.
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

/// Returns the tolerance of these values, which are not computed yet, from the records of their operations. It is the
/// same bits if everything before them is element-wise, random or moved. It is the same numbers if no float is summed.
/// Otherwise it is a relative distance: the rounding errors of a sum of `terms` numbers as large as the result.
Tolerance expected_of(const graph::Values& values, int64_t terms);

/// Describes the first position where `found` differs from `expected`; empty if there is none.
std::string tensor_difference(const plan::HostTensor& expected, const plan::HostTensor& found,
                              const Tolerance& tolerance);

/// Describes the differences of two counts, line by line; empty if there are none. `peak`: compare peak_bytes too.
std::string counter_difference(const plan::Counters& expected, const plan::Counters& found, bool peak = true);

/// The largest magnitude of any element.
double largest(const plan::HostTensor& tensor);

/// The distance between 1 and the next number of this type.
double epsilon(ElementType element);

}  // namespace mtf::properties
