#pragma once
// Estimates of the least peak of a script under rules, some of which are still undecided.
//
// The program with the largest peak is scheduled on one processor. The values that are live at its peak are assumed to
// be live under other layouts too.
//
// - The lower bound divides each value by every axis that could split one of its dims or a related dim.
// - The estimate divides it only by the axes that the rules give to its own dims.
//
// Both ignore effects of layouts: buffers of collectives, gathered copies, other fusions. So a real peak may be
// slightly below the lower bound, and is usually above it.
#include <utility>
#include <vector>

#include "cost/layout_costs.h"
#include "cost/work_bound.h"

namespace mtf::cost {

/// A real peak is assumed to be at most this fraction below its lower bound.
inline constexpr double kPeakError = 0.4;

class PeakEstimate {
 public:
  /// `bound` belongs to the same script and must outlive the estimate. `axes` are the axes that a mesh may have.
  PeakEstimate(const LayoutCosts& costs, const WorkBound& bound, const std::vector<Name>& axes);

  /// Returns the lower bound, in bytes of one processor.
  double least_bytes(const Mesh& mesh, const WorkBound::Decided& decided) const {
    return bytes_of(values_, &Part::dividing, mesh, decided);
  }
  /// Returns the estimate, in bytes of one processor.
  double bytes(const Mesh& mesh, const WorkBound::Decided& decided) const {
    return bytes_of(values_, &Part::own, mesh, decided);
  }
  /// Returns the part of the estimate for params, states and other inputs of the program.
  double stored_bytes(const Mesh& mesh, const WorkBound::Decided& decided) const {
    return bytes_of(inputs_, &Part::own, mesh, decided);
  }

 private:
  struct Part {
    double bytes = 0;  ///< of the whole values on one processor
    WorkBound::Dividing dividing;
    WorkBound::Dividing own;
  };
  static double bytes_of(const std::vector<Part>& parts, WorkBound::Dividing Part::*by, const Mesh& mesh,
                         const WorkBound::Decided& decided);

  std::vector<Part> values_;  ///< all values that are live at the peak
  std::vector<Part> inputs_;  ///< the inputs of the program among them
};

}  // namespace mtf::cost
