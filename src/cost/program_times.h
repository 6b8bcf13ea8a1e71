#pragma once
// The time of each program of a script under the candidates of a search.
//
// The time of a program depends only on the splits of some dims: those of its operations, and those of values that
// decide its layouts. So a program is costed once for all candidates that differ in other dims. For instance, a
// training step is costed once for all splits of dims that only a later beam search has.
#include <map>
#include <optional>
#include <vector>

#include "cost/layout_costs.h"
#include "types/mesh.h"

namespace mtf::cost {

class ProgramTimes {
 public:
  /// `costs` has a machine and must outlive the times. `dims`: the dims that rules can split.
  ProgramTimes(const LayoutCosts& costs, const std::vector<Dim>& dims);

  /// Returns the dims on which a program's time depends, ascending.
  const std::vector<size_t>& dims(size_t program) const { return dims_[program]; }

  /// Returns the seconds of all runs of a program under rules that split each dim over these axes. Returns nothing if
  /// planning the script would fail. Times are kept until a call asks for another mesh.
  std::optional<double> seconds(size_t program, const MeshPtr& mesh, const LayoutPtr& rules,
                                const std::vector<AxisSet>& axes);

  /// The number of costed programs so far.
  int64_t costed() const { return costed_; }

 private:
  const LayoutCosts& costs_;
  std::vector<std::vector<size_t>> dims_;
  MeshPtr mesh_;
  std::vector<std::map<std::vector<AxisSet>, std::optional<double>>>
      known_;  ///< for each program, by the axes of its dims
  int64_t costed_ = 0;
};

}  // namespace mtf::cost
