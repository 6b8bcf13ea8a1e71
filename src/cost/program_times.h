#pragma once
// What each program of a script takes under the candidates of a search.
//
// A program takes the same wherever the dims are split alike that it has, or that anything has from which the layouts
// of its operations follow. So a program is costed once for all candidates that differ in other dims: a training step
// once, however many ways there are to split what only a beam search behind it has.
#include <map>
#include <optional>
#include <vector>

#include "cost/layout_costs.h"
#include "types/mesh.h"

namespace mtf::cost {

class ProgramTimes {
 public:
  /// `costs` has a machine, and lives longer. `dims`: those that rules can split.
  ProgramTimes(const LayoutCosts& costs, const std::vector<Dim>& dims);

  /// Of a program, by its number: on which of the dims its time depends, ascending.
  const std::vector<size_t>& dims(size_t program) const { return dims_[program]; }

  /// Seconds of all its runs under rules that split each of the dims over these axes; nothing where planning the script
  /// so is an error. Times are those of one mesh, until another is asked for.
  std::optional<double> seconds(size_t program, const MeshPtr& mesh, const LayoutPtr& rules,
                                const std::vector<AxisSet>& axes);

  /// How often a program was costed.
  int64_t costed() const { return costed_; }

 private:
  const LayoutCosts& costs_;
  std::vector<std::vector<size_t>> dims_;
  MeshPtr mesh_;
  std::vector<std::map<std::vector<AxisSet>, std::optional<double>>>
      known_;  ///< of each program, by what splits its dims
  int64_t costed_ = 0;
};

}  // namespace mtf::cost
