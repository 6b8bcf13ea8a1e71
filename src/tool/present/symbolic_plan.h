#pragma once
// `mtf plan --symbolic`: what each statement costs, as formulas in the script's dim and axis names.
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
  /// `before`: how often each program had run before the first statement.
  explicit SymbolicPlan(const plan::ProgramRecord& record, std::vector<int64_t> before = {})
      : record_(record), before_(std::move(before)) {}
  /// A statement has ended: which programs it ran follows from the record.
  void add(const eval::StatementReport& report);

  /// For each statement that costs something: computation, communication by kind and axes, their ratio in terms of the
  /// highest order, and the elements of all that it reads and makes; then the sums.
  std::string text() const;

 private:
  struct Statement {
    Span span;
    std::string text;
    std::map<size_t, int64_t> programs;  ///< how often it runs each program of the record
    plan::Doubts doubts;                 ///< why its sums are an estimate
  };
  const plan::ProgramRecord& record_;
  std::vector<int64_t> before_;
  std::vector<Statement> statements_;
  plan::Doubts doubts_;
};

}  // namespace mtf::tool
