#pragma once
// `mtf plan --symbolic`: the cost of each statement, as formulas in the script's dim and axis names.
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "eval/reports.h"
#include "plan/program_record.h"
#include "tool/present/plan_text.h"

namespace mtf::tool {

class SymbolicPlan {
 public:
  /// `before`: how often each program ran before the first statement.
  explicit SymbolicPlan(const plan::ProgramRecord& record, std::vector<int64_t> before = {})
      : record_(record), before_(std::move(before)) {}
  /// Adds a finished statement. The record tells which programs it ran.
  void add(const eval::StatementReport& report);

  /// Returns, for each statement with a cost, its computation, communication by kind and axes, their ratio in the terms
  /// of highest order, and the elements that it reads and writes; then the sums.
  std::string text() const;

 private:
  struct Statement {
    Span span;
    std::string text;
    std::map<size_t, int64_t> programs;  ///< how often it runs each program of the record
    plan::Doubts doubts;                 ///< why its sums are estimates
  };
  const plan::ProgramRecord& record_;
  std::vector<int64_t> before_;
  std::vector<Statement> statements_;
  plan::Doubts doubts_;
};

}  // namespace mtf::tool
