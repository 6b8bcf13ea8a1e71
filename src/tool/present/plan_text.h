#pragma once
// What `mtf plan` says of statements, and of a program in all.
#include <string>
#include <utility>
#include <vector>

#include "eval/reports.h"
#include "eval/stored_variables.h"

namespace mtf::tool {

/// A statement: its place and first line, then a line for each value computed and each collective, aligned and not
/// wider than `width` (0: as wide as they are). Nothing for a statement that costs nothing. With `formulas` a formula
/// stands behind each figure.
std::string plan_text(const eval::StatementReport& report, bool formulas, std::size_t width = 0);

/// Adds up statements, each as often as it runs; one whose turns are unknown counts once.
class PlanTotals {
 public:
  void add(const eval::StatementReport& report);
  /// But for what is not a sum: processors and the peak.
  const plan::Counters& counters() const { return sum_; }
  /// Why the sums are an estimate; nothing if they are exact.
  const plan::Doubts& doubts() const { return doubts_; }

 private:
  plan::Counters sum_;
  plan::Doubts doubts_;
};

/// What a plan says in all, in whatever form.
struct PlanSummary {
  plan::Counters counters;
  MeshPtr mesh;  ///< in force at the program's end, if it is as large as the largest; else null
  eval::StoredVariables stored;
  plan::Doubts doubts;
  std::vector<eval::Unread> unread;  ///< lines that cost nothing, because nobody reads what they make
  std::vector<std::string> warnings;
  std::vector<std::pair<std::string, double>> seconds =
      {};                    ///< how long it takes, `in all` last; nothing without a machine
  std::string machine = {};  ///< whose model says so
};

/// Flops, what variables take, the collectives by kind and axes, and the peak; then what the summary has besides.
std::string summary_text(const PlanSummary& summary, std::size_t width = 0);
/// The same without what it has besides.
std::string totals_text(const plan::Counters& counters, const eval::StoredVariables& stored = {},
                        const Mesh* mesh = nullptr);

/// Lines that say so, and why, where figures are an estimate; nothing where they are not.
std::string estimate_note(const plan::Doubts& doubts, std::size_t width = 0);
/// Why a doubt makes figures an estimate, in a clause.
std::string reason_of(const plan::Doubt& doubt);

/// `all_reduce over rows+cols`, of a collective.
std::string collective_text(const spmd::StatementCost& cost);
/// Why it is there; nothing where nobody knows.
std::string reason_text(const spmd::StatementCost& cost);

/// Seconds in a unit that suits them: `1.23 ms`.
std::string seconds_text(double seconds);
/// Lines of the totals: how long a program takes by a machine model, and its parts.
std::string time_text(const std::vector<std::pair<std::string, double>>& seconds, const std::string& machine);

/// `×200`, `per turn`, or nothing for a statement that runs once.
std::string turns_text(std::int64_t turns);

}  // namespace mtf::tool
