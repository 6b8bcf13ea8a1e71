#pragma once
// Where processors have nothing to do, or do what others do as well.
#include <map>
#include <string>
#include <vector>

#include "plan/program_record.h"

namespace mtf {

struct IdleWork {
  /// A dim that is split over more processors than it has elements.
  struct Short {
    int64_t size = 0;
    int64_t processors = 0;  ///< along the axes
    double flops = 0;        ///< of the operations that have it
  };
  double flops = 0;                                             ///< of all operations, of the largest processor
  std::map<std::pair<std::string, std::string>, Short> shorts;  ///< by the dim and its axes
  std::map<std::string, double> repeated;                       ///< flops that nothing splits over an axis, by the axis
};

/// Of a planned script, as it lays out what it computes.
IdleWork idle_work(const ProgramRecord& record);

/// A sentence for each dim and axis that concerns more than a tenth of the work.
std::vector<std::string> sentences(const IdleWork& work);

}  // namespace mtf
