#include "tool/present/symbolic_plan.h"

#include <fmt/format.h>

#include <cmath>

#include "cost/symbolic_costs.h"
#include "support/text.h"
#include "tool/present/plan_text.h"
#include "tool/present/table.h"

namespace mtf::tool {
namespace {

std::string with_value(const cost::Formula& formula) {
  return fmt::format("{} = {}", formula.text(), thousands(std::llround(formula.value())));
}

std::string lines_of(const cost::SymbolicCost& cost) {
  Table table("ll");
  table.row({"computation", with_value(cost.flops)});
  for (const auto& [what, formula] : cost.values)
    table.row({fmt::format("{} over {}", name(what.first), axes_text(what.second)), with_value(formula)});
  const cost::Formula most = cost.flops.leading(), moved = cost.communication().leading();
  if (moved.is_zero()) table.row({"communication", "0"});
  else if (most.terms() == 1) table.row({"communication / computation", moved.over(most).text()});
  table.row({"elements", cost.elements.leading().text()});
  return table.text("    ");
}

}  // namespace

void SymbolicPlan::add(const eval::StatementReport& report) {
  for (const plan::Doubt& doubt : report.doubts) add_doubt(doubts_, doubt);
  const std::vector<int64_t> times = record_.times();
  before_.resize(times.size(), 0);
  Statement statement{report.span, report.text, {}, {}};
  for (size_t i = 0; i < times.size(); ++i)
    if (times[i] != before_[i]) statement.programs[i] = times[i] - before_[i];
  before_ = times;
  // A statement has a report for each of its plans; the first report comes when all plans have run.
  if (!statement.programs.empty()) statements_.push_back(std::move(statement));
  if (!statements_.empty() && statements_.back().span == report.span) statements_.back().doubts = report.doubts;
}

std::string SymbolicPlan::text() const {
  const std::vector<cost::SymbolicCost> costs = cost::symbolic_costs(record_);
  std::vector<cost::SymbolicCost> sums(statements_.size());
  cost::SymbolicCost total;
  for (size_t s = 0; s < statements_.size(); ++s) {
    for (const auto& [program, times] : statements_[s].programs) sums[s].add(costs[program], times);
    total.add(sums[s], 1);
  }
  // A symbol has one value in the whole program.
  cost::Formula all = total.flops;
  all.add(total.communication());
  all.add(total.elements);
  std::string out;
  for (size_t s = 0; s < statements_.size(); ++s)
    if (!sums[s].flops.is_zero() || !sums[s].values.empty())
      out += fmt::format("{}  {}\n{}{}", place_of(statements_[s].span), statements_[s].text,
                         lines_of(sums[s].with_symbols_of(all)),
                         statements_[s].doubts.empty() ? "" : "    (an estimate)\n");
  out += "in all\n" + lines_of(total.with_symbols_of(all)) + estimate_note(doubts_);
  std::vector<std::string> sizes;
  for (const auto& [symbol, value] : all.symbols())
    sizes.push_back(fmt::format("{} = {}", symbol, std::llround(value)));
  return sizes.empty() ? out : out + "where " + join(sizes, ", ") + "\n";
}

}  // namespace mtf::tool
