#include "tool/plan_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "support/text.h"
#include "tool/table.h"

namespace mtf::tool {
namespace {

std::string kind_text(CollectiveKind kind) { return std::string(name(kind)); }

std::string place_text(const StatementReport& report) {
  return report.span.is_known() ? fmt::format("{}:{}", report.span.file->name(), report.span.position().line) : "";
}

// `(a is b)` behind what it explains; nothing for nothing.
std::string behind(const std::string& formula, bool formulas) { return formulas && !formula.empty() ? "= " + formula : ""; }

}  // namespace

std::string turns_text(std::int64_t turns) {
  if (turns == 1) return {};
  return turns == 0 ? "per turn" : "×" + thousands(turns);
}

std::string plan_text(const StatementReport& report, bool formulas) {
  if (report.costs.empty()) return {};
  // what | flops or values | formula | bytes | wire bytes | reason
  Table table("lrlrrl");
  for (const StatementCost& cost : report.costs) {
    if (!cost.collective) {
      table.row({cost.value, cost.flops == 0 ? "" : count_text(cost.flops, "flop"), behind(cost.formula, formulas), "", "", cost.reason});
      continue;
    }
    table.row({fmt::format("  {} over {}", kind_text(*cost.collective), cost.axes), count_text(cost.values, "value"),
               behind(cost.formula, formulas), bytes_text(cost.bytes), bytes_text(cost.wire_bytes) + " on the wire", cost.reason});
  }
  std::string head = place_text(report) + "  " + report.text;
  if (const std::string turns = turns_text(report.turns); !turns.empty()) head += "   (" + std::string(report.is_estimate ? "about " : "") + turns + ")";
  return head + "\n" + table.text("    ");
}

void PlanTotals::add(const StatementReport& report) {
  const std::int64_t turns = std::max<std::int64_t>(report.turns, 1);
  if (report.turns == 0 && !report.costs.empty()) turns_unknown_ = true;
  if (report.is_estimate) estimated_ = true;
  add_times(sum_, report.counters, turns);
}

std::string PlanTotals::text(const Counters& all, const StoredVariables& stored) const {
  Counters counters = sum_;
  counters.processors = all.processors;
  counters.peak_bytes = all.peak_bytes;
  return totals_text(counters, stored) + notes();
}

std::string PlanTotals::notes() const {
  std::string text;
  if (estimated_) text += "    (an estimate: not every turn of the loops was walked)\n";
  if (turns_unknown_) text += "    (what is shown per turn is counted once)\n";
  return text;
}

std::string totals_text(const Counters& counters, const StoredVariables& stored) {
  std::string out = fmt::format("total for each of {}\n", count_text(counters.processors, "processor"));
  Table table("lrrrrr");
  table.row({"flops", thousands(counters.flops)});
  table.row({"flops of one processor alone", thousands(counters.unique_flops)});
  table.row({"work done more than once", fmt::format("×{:.3g}", duplication(counters))});
  table.row({"peak memory", bytes_text(counters.peak_bytes)});
  const auto variables = [&](const std::string& what, std::int64_t elements, std::int64_t bytes) {
    if (elements > 0) table.row({what, thousands(elements), bytes_text(bytes) + " on a processor"});
  };
  variables("parameters", stored.parameters, stored.parameter_bytes);
  variables("states", stored.states, stored.state_bytes);
  out += table.text("    ");
  Table collectives("lrrrr");
  bool any = false;
  for (int i = 0; i < kCollectiveKinds; ++i) {
    for (const auto& [axes, count] : counters.collectives[i]) {
      if (count.count == 0) continue;
      any = true;
      collectives.row({fmt::format("{} over {}", kind_text(static_cast<CollectiveKind>(i)), axes),
                       fmt::format("{} in {}", thousands(count.count), count_text(count.calls, "call")), count_text(count.values, "value"),
                       bytes_text(count.bytes), bytes_text(count.wire_bytes) + " on the wire"});
    }
  }
  return out + (any ? collectives.text("    ") : "    no communication\n");
}

}  // namespace mtf::tool
