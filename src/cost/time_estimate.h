#pragma once
// A quick estimate of a script's time under complete rules, from the whole tensors alone.
//
// Each operation of the merged programs takes the time of its arithmetic or of its memory traffic, divided by the axes
// that split its dims. Three things send:
//
// - a sum over a split dim is reduced
// - an operand whose dim is split in another way than the result's dim is gathered
// - an operand along a dim that an operation needs gathered is gathered; a norm reduces one number a row instead
//
// The estimate ignores what the compiler does better: it knows no merged collectives, no fusions and no sunk layouts.
// It takes microseconds. A search with many candidates uses it to choose those that it costs (search.h).
#include <map>
#include <vector>

#include "cost/layout_costs.h"

namespace mtf::cost {

class TimeEstimate {
 public:
  /// `costs` has a machine. `dims`: the dims that rules can split. `axes`: the axes that a mesh may have.
  TimeEstimate(const LayoutCosts& costs, const std::vector<Dim>& dims, const std::vector<Name>& axes);

  /// Returns the seconds under rules that split each dim over these axes.
  double seconds(const Mesh& mesh, const std::vector<AxisSet>& axes) const;

 private:
  using Which = std::vector<size_t>;  ///< dims, ascending
  /// Work that some dims divide.
  struct Work {
    double arithmetic = 0, traffic = 0;  ///< seconds on one processor
  };
  /// Bytes that are sent if `sent` dims are split, but for those axes that split `same` dims too. `own` dims divide
  /// them.
  struct Sending {
    Which own, sent, same;
    double times = 1;  ///< 2: a reduction, whose result all processors get
    auto operator<=>(const Sending&) const = default;
  };

  void add(const graph::Program& program, double times);
  void add_sums(const graph::LaidOutOperation& operation, double times);
  void add_gathers(const graph::LaidOutOperation& operation, double times);
  void add(Sending sending, double bytes, double times);
  size_t place(const Dim& dim) const;
  Which which(const Dims& dims) const;
  static AxisSet axes_of(const Which& which, const std::vector<AxisSet>& axes);

  const MachineModel& machine_;
  std::map<Name, size_t> place_;
  std::map<Which, Work> works_;
  struct Sent {
    double bytes = 0, messages = 0;
  };
  std::map<Sending, Sent> sent_;
};

}  // namespace mtf::cost
