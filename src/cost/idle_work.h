#pragma once
// Where processors have nothing to do, or do what others do as well.
#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "plan/program_record.h"

namespace mtf::cost {

struct IdleWork {
  /// A dim that is split over more processors than it has elements.
  struct Short {
    int64_t size = 0;
    int64_t processors = 0;  ///< along the axes
    double flops = 0;        ///< of the operations that have it
  };
  /// A pipeline in which each stage waits in some of the turns.
  struct Pipeline {
    std::vector<Name> axes;
    int64_t micro_batches = 0;
    int64_t idle = 0;  ///< turns, beside one for each micro-batch
    auto operator<=>(const Pipeline&) const = default;
  };
  std::set<Pipeline> pipelines;
  double flops = 0;                                            ///< of all operations, of the largest processor
  std::map<std::pair<Name, std::vector<Name>>, Short> shorts;  ///< by the dim and its axes
  std::map<Name, double> repeated;                             ///< flops that nothing splits over an axis, by the axis
  /// What is worth saying of so many flops: more than a tenth of the work.
  bool is_much(double of) const { return of > 0.1 * std::max(flops, 1.0); }
};

/// Of a planned script, as it lays out what it computes.
IdleWork idle_work(const plan::ProgramRecord& record);

}  // namespace mtf::cost
