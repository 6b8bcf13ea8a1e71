#pragma once
// What `mtf plan` prints: the cost of each statement on the largest processor, and of the whole.
#include <string>
#include <vector>

#include "eval/session.h"

namespace mtf::tool {

/// A statement: its place and first line, then a line for each value computed and each collective, aligned. Nothing
/// for a statement that costs nothing. With `formulas` a formula stands behind each figure.
std::string plan_text(const StatementReport& report, bool formulas);

/// The figures of a whole program: flops, what its variables take, the collectives by kind and axes, and the peak.
std::string totals_text(const Counters& counters, const StoredVariables& stored = {});

/// Adds up statements, each as often as it runs; one whose turns are unknown counts once.
class PlanTotals {
 public:
  void add(const StatementReport& report);
  /// `all` gives what is not a sum: processors and the peak.
  std::string text(const Counters& all, const StoredVariables& stored) const;
  /// What the sums are not exact about; nothing if they are.
  std::string notes() const;

 private:
  Counters sum_;
  bool turns_unknown_ = false;
  bool estimated_ = false;
};

/// `×200`, `per turn`, or nothing for a statement that runs once.
std::string turns_text(std::int64_t turns);

}  // namespace mtf::tool
