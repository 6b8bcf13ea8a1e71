#pragma once
// The time of a planned program by its parts: the answer to "what limits it".
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "cost/machine.h"
#include "eval/reports.h"

namespace mtf::session {

/// Seconds of the processor with most work. They add up to the time of the program.
struct TimeParts {
  double products = 0;                        ///< of matrices
  double attention = 0;                       ///< kernels of attention
  double optimizer = 0;                       ///< lines of the module `optim`
  double other = 0;                           ///< other kernels
  double idle = 0;                            ///< waiting for other stages of a pipeline
  std::map<std::string, double> collectives;  ///< `all_reduce over rows`: the time that no kernel hides
  std::map<ElementType, double> flops;        ///< of products and attention, by what they compute

  /// Adds a report as often as it runs.
  void add(const eval::StatementReport& report);
  double total() const;
  double flops_per_second() const;
  /// Returns the share of the time that products and attention would take at the peak of the machine.
  double share_of_peak(const cost::MachineModel& machine) const;
  /// The parts that take time, in the order above.
  std::vector<std::pair<std::string, double>> named() const;
};

}  // namespace mtf::session
