#include "tool/repl_text.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "support/text.h"
#include "tool/plan_text.h"

namespace mtf::tool {
namespace {

std::string collective_line(const StatementCost& cost) {
  std::string line = fmt::format("{} over {}: {}, {}", name(*cost.collective), cost.axes, count_text(cost.values, "value"), bytes_text(cost.bytes));
  if (!cost.reason.empty()) line += "   " + cost.reason;
  return line;
}

// The lines in the order of their first appearance, with how often each stands there.
std::vector<std::pair<std::string, std::int64_t>> collective_lines(const StatementReport& report) {
  std::vector<std::pair<std::string, std::int64_t>> lines;
  for (const StatementCost& cost : report.costs) {
    if (!cost.collective) continue;
    std::string line = collective_line(cost);
    bool known = false;
    for (auto& [text, count] : lines) {
      if (text != line) continue;
      ++count;
      known = true;
    }
    if (!known) lines.emplace_back(std::move(line), 1);
  }
  return lines;
}

}  // namespace

std::string repl_text(const StatementReport& report) {
  const auto collectives = collective_lines(report);
  std::string out;
  for (const StatementReport::Binding& binding : report.bindings) {
    const std::string& what = binding.name.empty() ? binding.value : binding.name;
    out += what;
    if (!binding.type.empty()) out += (what.find('\n') == std::string::npos ? ": " : "\n: ") + binding.type;
    const bool is_tensor = binding.type.find('[') != std::string::npos;
    if (is_tensor) out += fmt::format("   {} per processor{}", bytes_text(binding.bytes), collectives.empty() ? ", no communication" : "");
    out += "\n";
  }
  for (const auto& [line, count] : collectives) out += "   " + (count == 1 ? "" : thousands(count) + " × ") + line + "\n";
  return out;
}

}  // namespace mtf::tool
