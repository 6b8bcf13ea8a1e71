#include "tool/symbolic_plan.h"

#include <fmt/format.h>

#include <cmath>

#include "cost/symbolic_costs.h"
#include "support/text.h"
#include "tool/plan_tree.h"
#include "tool/table.h"

namespace mtf::tool {
namespace {

std::string with_value(const Formula& formula) { return fmt::format("{} = {}", formula.text(), thousands(std::llround(formula.value()))); }

std::string lines_of(const SymbolicCost& cost) {
  Table table("ll");
  table.row({"computation", with_value(cost.flops)});
  for (const auto& [what, formula] : cost.values) table.row({fmt::format("{} over {}", name(what.first), what.second), with_value(formula)});
  const Formula most = cost.flops.leading(), moved = cost.communication().leading();
  if (moved.is_zero()) table.row({"communication", "0"});
  else if (most.terms() == 1) table.row({"communication / computation", moved.over(most).text()});
  table.row({"elements", cost.elements.leading().text()});
  return table.text("    ");
}

}  // namespace

void SymbolicPlan::add(const StatementReport& report) {
  const std::vector<int64_t> times = record_.times();
  before_.resize(times.size(), 0);
  Statement statement{place_of(report.span), report.text, {}};
  for (size_t i = 0; i < times.size(); ++i)
    if (times[i] != before_[i]) statement.programs[i] = times[i] - before_[i];
  before_ = times;
  if (!statement.programs.empty()) statements_.push_back(std::move(statement));
}

std::string SymbolicPlan::text() const {
  const std::vector<SymbolicCost> costs = symbolic_costs(record_);
  std::string out;
  SymbolicCost total;
  for (const Statement& statement : statements_) {
    SymbolicCost sum;
    for (const auto& [program, times] : statement.programs) sum.add(costs[program], times);
    total.add(sum, 1);
    if (!sum.flops.is_zero() || !sum.values.empty()) out += fmt::format("{}  {}\n{}", statement.place, statement.text, lines_of(sum));
  }
  out += "in all\n" + lines_of(total);
  Formula all = total.flops;
  all.add(total.communication());
  std::vector<std::string> sizes;
  for (const auto& [symbol, value] : all.symbols()) sizes.push_back(fmt::format("{} = {}", symbol, std::llround(value)));
  return out + "where " + join(sizes, ", ") + "\n";
}

}  // namespace mtf::tool
