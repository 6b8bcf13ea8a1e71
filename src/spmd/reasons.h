#pragma once
// Why a collective is there, in the script's words.
#include <string>

#include "spmd/iteration.h"

namespace mtf {

/// `rows+cols`, in the list's order.
std::string axes_text(const AxisList& axes, const Mesh& mesh);

/// Of the reduction of what an operation gives: `hidden is summed, and split over cols`.
std::string reduce_reason(const LaidOutOperation& operation, const IterationSpace& space, const IterationSplit& split);

/// Of the reduction of what has been carried: `a sum over cols is completed`.
std::string sum_reason(AxisSet axes, const Mesh& mesh);

/// Of the reduction of an operand that is partial: `h is a sum over cols that relu needs complete`; empty if it is not.
std::string summed_reason(const LocalValue& operand, const LaidOutOperation& operation);

}  // namespace mtf
