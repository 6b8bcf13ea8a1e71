#pragma once
// `mtf plan --symbolic`: what each statement costs, as formulas in the script's dim and axis names.
#include <map>
#include <string>
#include <vector>

#include "eval/reports.h"
#include "exec/program_record.h"
#include "tool/plan_text.h"

namespace mtf::tool {

class SymbolicPlan {
 public:
  explicit SymbolicPlan(const ProgramRecord& record) : record_(record) {}
  /// A statement has ended: which programs it ran follows from the record.
  void add(const StatementReport& report);

  /// For each statement that costs something: computation, communication by kind and axes, their ratio in terms of the
  /// highest order, and the elements of all that it reads and makes; then the sums.
  std::string text() const;

 private:
  struct Statement {
    std::string place, text;
    std::map<size_t, int64_t> programs;  ///< how often it runs each program of the record
    PlanTotals totals;                   ///< for what its sums are not exact about
  };
  const ProgramRecord& record_;
  std::vector<int64_t> before_;
  std::vector<Statement> statements_;
  PlanTotals totals_;
};

}  // namespace mtf::tool
