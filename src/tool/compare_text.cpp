#include "tool/compare_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>

#include "support/text.h"
#include "tool/table.h"

namespace mtf::tool {
namespace {

/// A row for each figure: its name, and what each column shows.
class Rows {
 public:
  explicit Rows(const std::vector<Compared>& columns) : columns_(columns) {}

  void add(const std::string& name, const std::function<std::string(const Compared&)>& cell) {
    std::vector<std::string> cells = {name};
    bool any = false;
    for (const Compared& column : columns_) {
      cells.push_back(cell(column));
      any = any || !cells.back().empty();
    }
    if (any) rows_.push_back(std::move(cells));
  }

  /// As many columns side by side as fit.
  std::string text(std::size_t width) const {
    std::string out;
    for (std::size_t first = 1, last; first <= columns_.size(); first = last) {
      last = first + 1;
      while (last <= columns_.size() && (width == 0 || table(first, last + 1, 0).width("", kGap) <= width)) ++last;
      out += (out.empty() ? "" : "\n") + table(first, last, width).text("", kGap, width);
    }
    return out;
  }

 private:
  static constexpr const char* kGap = "   ";

  /// Those from `first` on before `last`. One alone is cut to the width.
  Table table(std::size_t first, std::size_t last, std::size_t width) const {
    std::size_t names = 0;
    for (const std::vector<std::string>& row : rows_) names = std::max(names, count_code_points(row[0]) + std::string_view(kGap).size());
    const std::size_t room = width == 0 || last - first > 1 ? std::string::npos : width > names + 12 ? width - names : 12;
    Table table("l" + std::string(last - first, 'r'));
    for (const std::vector<std::string>& row : rows_) {
      std::vector<std::string> cells = {row[0]};
      for (std::size_t i = first; i < last; ++i) cells.push_back(cut_off(row[i], room));
      table.row(std::move(cells));
    }
    return table;
  }

  const std::vector<Compared>& columns_;
  std::vector<std::vector<std::string>> rows_;
};

CollectiveCount all_of(const Counters& counters) {
  CollectiveCount all;
  for (int kind = 0; kind < kCollectiveKinds; ++kind) all += counters.total(static_cast<CollectiveKind>(kind));
  return all;
}

}  // namespace

std::string compare_text(const std::vector<Compared>& columns, bool timed, std::size_t width) {
  Rows rows(columns);
  rows.add("mesh", [](const Compared& of) { return of.mesh ? to_string(*of.mesh) : std::string("the script's"); });
  rows.add("layout", [](const Compared& of) { return of.layout; });
  rows.add("flops", [](const Compared& of) { return thousands(of.cost.counters.flops); });
  rows.add("work done more than once", [](const Compared& of) { return fmt::format("×{:.3g}", duplication(of.cost.counters)); });
  for (int kind = 0; kind < kCollectiveKinds; ++kind) {
    std::set<std::string> groups;
    for (const Compared& of : columns)
      for (const auto& [axes, count] : of.cost.counters.collectives[kind])
        if (count.count > 0) groups.insert(axes);
    for (const std::string& axes : groups) {
      rows.add(fmt::format("{} over {}", name(static_cast<CollectiveKind>(kind)), axes), [&](const Compared& of) {
        const auto at = of.cost.counters.collectives[kind].find(axes);
        if (at == of.cost.counters.collectives[kind].end() || at->second.count == 0) return std::string("-");
        return fmt::format("{} of {}", thousands(at->second.count), bytes_text(at->second.bytes));
      });
    }
  }
  rows.add("communicated", [](const Compared& of) { return bytes_text(all_of(of.cost.counters).bytes); });
  rows.add("on the wire", [](const Compared& of) { return bytes_text(all_of(of.cost.counters).wire_bytes); });
  const bool stores = std::any_of(columns.begin(), columns.end(), [](const Compared& of) { return of.cost.parameter_bytes + of.cost.state_bytes > 0; });
  if (stores) {
    rows.add("params", [](const Compared& of) { return bytes_text(of.cost.parameter_bytes); });
    rows.add("states", [](const Compared& of) { return bytes_text(of.cost.state_bytes); });
  }
  rows.add("peak memory", [](const Compared& of) { return of.peak_bytes ? bytes_text(*of.peak_bytes) : std::string(); });
  if (timed) {
    rows.add("computing", [](const Compared& of) { return seconds_text(of.cost.time.compute); });
    rows.add("communicating", [](const Compared& of) { return seconds_text(of.cost.time.communication()); });
    if (std::any_of(columns.begin(), columns.end(), [](const Compared& of) { return of.cost.time.hidden > 0; }))
      rows.add("of it beside computing", [](const Compared& of) { return seconds_text(of.cost.time.hidden); });
    rows.add("estimated time", [](const Compared& of) { return seconds_text(of.cost.time.total()); });
  }
  return rows.text(width);
}

std::vector<std::pair<std::string, double>> seconds_of(const StepTime& time) {
  std::vector<std::pair<std::string, double>> parts = {{"computing", time.compute}};
  for (const auto& [what, seconds] : time.collectives) parts.emplace_back(fmt::format("{} over {}", name(what.first), what.second), seconds);
  if (time.hidden > 0) parts.emplace_back("of it beside computing", time.hidden);
  parts.emplace_back("in all", time.total());
  return parts;
}

}  // namespace mtf::tool
