#pragma once
// About the least memory that a script can need under rules of which some are still open.
//
// The program that needs most on one processor is scheduled there. What is live where that is most, is live under other
// layouts too. At least, each value is in as many parts as the axes make that split its dims, or dims that are related
// to them; about, in those that the rules for its own dims make. That leaves out what layouts change: buffers of
// collectives, copies that are gathered, loops that are fused otherwise. So a peak may be a little below what it is at
// least, and is mostly above.
#include <utility>
#include <vector>

#include "cost/layout_costs.h"
#include "cost/work_bound.h"

namespace mtf::cost {

/// A peak is taken to be below what is estimated by no more than this, as a part of it.
inline constexpr double kPeakError = 0.4;

class PeakEstimate {
 public:
  /// `bound` is of the same script, and lives longer; `axes` are those that a mesh may have.
  PeakEstimate(const LayoutCosts& costs, const WorkBound& bound, const std::vector<Name>& axes);

  /// Bytes of one processor, at least.
  double least_bytes(const Mesh& mesh, const WorkBound::Decided& decided) const {
    return bytes_of(values_, &Part::dividing, mesh, decided);
  }
  /// About.
  double bytes(const Mesh& mesh, const WorkBound::Decided& decided) const {
    return bytes_of(values_, &Part::own, mesh, decided);
  }
  /// Of these, what params and states take, and what else is there before.
  double stored_bytes(const Mesh& mesh, const WorkBound::Decided& decided) const {
    return bytes_of(inputs_, &Part::own, mesh, decided);
  }

 private:
  struct Part {
    double bytes = 0;  ///< of all on one processor
    WorkBound::Dividing dividing;
    WorkBound::Dividing own;
  };
  static double bytes_of(const std::vector<Part>& parts, WorkBound::Dividing Part::*by, const Mesh& mesh,
                         const WorkBound::Decided& decided);

  std::vector<Part> values_;  ///< all
  std::vector<Part> inputs_;  ///< of them, what is there before the program
};

}  // namespace mtf::cost
