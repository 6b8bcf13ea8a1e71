#include "tool/present/compare_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>

#include "support/text.h"
#include "tool/present/table.h"
#include "types/saturating.h"

namespace mtf::tool {
namespace {

/// A row for each number: its name, and its text in each column.
class Rows {
 public:
  explicit Rows(const std::vector<CostColumn>& columns) : columns_(columns) {}

  void add(const std::string& name, const std::function<std::string(const CostColumn&)>& cell) {
    std::vector<std::string> cells = {name};
    bool any = false;
    for (const CostColumn& column : columns_) {
      cells.push_back(cell(column));
      any = any || !cells.back().empty();
    }
    if (any) rows_.push_back(std::move(cells));
  }

  /// Prints as many columns side by side as fit.
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

  /// Returns the columns from `first` to before `last`. A single column is cut to the width.
  Table table(std::size_t first, std::size_t last, std::size_t width) const {
    std::size_t names = 0;
    for (const std::vector<std::string>& row : rows_)
      names = std::max(names, count_code_points(row[0]) + std::string_view(kGap).size());
    const std::size_t room = width == 0 || last - first > 1 ? std::string::npos
                             : width > names + 12           ? width - names
                                                            : 12;
    Table table("l" + std::string(last - first, 'r'));
    for (const std::vector<std::string>& row : rows_) {
      std::vector<std::string> cells = {row[0]};
      for (std::size_t i = first; i < last; ++i) cells.push_back(cut_off(row[i], room));
      table.row(std::move(cells));
    }
    return table;
  }

  const std::vector<CostColumn>& columns_;
  std::vector<std::vector<std::string>> rows_;
};

plan::CollectiveCount all_of(const plan::Counters& counters) {
  plan::CollectiveCount all;
  for (int kind = 0; kind < spmd::kCollectiveKinds; ++kind)
    all += counters.total(static_cast<spmd::CollectiveKind>(kind));
  return all;
}

}  // namespace

std::string compare_text(const std::vector<CostColumn>& columns, bool timed, std::size_t width) {
  Rows rows(columns);
  rows.add("mesh", [](const CostColumn& of) { return of.mesh; });
  rows.add("layout", [](const CostColumn& of) { return of.layout; });
  rows.add("flops", [](const CostColumn& of) { return thousands(of.cost.counters.flops); });
  rows.add("work done more than once", [](const CostColumn& of) {
    const plan::Counters& counters = of.cost.counters;
    return counters.unique_flops == kMost ? "-" : fmt::format("×{:.3g}", duplication(counters));
  });
  for (int kind = 0; kind < spmd::kCollectiveKinds; ++kind) {
    std::set<std::vector<Name>> groups;
    for (const CostColumn& of : columns)
      for (const auto& [axes, count] : of.cost.counters.collectives[kind])
        if (count.count > 0) groups.insert(axes);
    for (const std::vector<Name>& axes : groups) {
      rows.add(fmt::format("{} over {}", name(static_cast<spmd::CollectiveKind>(kind)), axes_text(axes)),
               [&](const CostColumn& of) {
                 const auto at = of.cost.counters.collectives[kind].find(axes);
                 if (at == of.cost.counters.collectives[kind].end() || at->second.count == 0) return std::string("-");
                 return fmt::format("{} of {}", thousands(at->second.count), bytes_text(at->second.bytes));
               });
    }
  }
  rows.add("communicated", [](const CostColumn& of) { return bytes_text(all_of(of.cost.counters).bytes); });
  rows.add("on the wire", [](const CostColumn& of) { return bytes_text(all_of(of.cost.counters).wire_bytes); });
  const bool stores = std::any_of(columns.begin(), columns.end(), [](const CostColumn& of) {
    return of.cost.parameter_bytes + of.cost.state_bytes > 0;
  });
  if (stores) {
    rows.add("params", [](const CostColumn& of) { return bytes_text(of.cost.parameter_bytes); });
    rows.add("states", [](const CostColumn& of) { return bytes_text(of.cost.state_bytes); });
  }
  rows.add("peak memory",
           [](const CostColumn& of) { return of.peak_bytes ? bytes_text(*of.peak_bytes) : std::string(); });
  if (timed) {
    rows.add("computing", [](const CostColumn& of) { return seconds_text(of.cost.time.compute); });
    rows.add("communicating", [](const CostColumn& of) { return seconds_text(of.cost.time.communication()); });
    if (std::any_of(columns.begin(), columns.end(), [](const CostColumn& of) { return of.cost.time.hidden > 0; }))
      rows.add("of it beside computing", [](const CostColumn& of) { return seconds_text(of.cost.time.hidden); });
    rows.add("estimated time", [](const CostColumn& of) { return seconds_text(of.cost.time.total()); });
  }
  return rows.text(width);
}

ComparedLayouts compared_layouts(const std::vector<std::vector<Axis>>& meshes,
                                 const std::vector<std::pair<std::string, Layout>>& layouts, const std::string& as_is) {
  ComparedLayouts compared;
  for (size_t m = 0; m < std::max<size_t>(1, meshes.size()); ++m) {
    for (size_t l = 0; l < std::max<size_t>(1, layouts.size()); ++l) {
      session::Assumption& assumption = compared.assumptions.emplace_back();
      CostColumn& column = compared.columns.emplace_back(CostColumn{as_is, as_is, {}});
      if (m < meshes.size()) {
        assumption.mesh = meshes[m];
        column.mesh = to_string(Mesh(Name("mesh"), meshes[m]));
      }
      if (l < layouts.size()) {
        assumption.layout = layouts[l].second;
        column.layout = trim(layouts[l].first).empty() ? "replicated" : layouts[l].first;
      }
    }
  }
  return compared;
}

std::string comparison_text(ComparedLayouts layouts, const session::Comparison& comparison, bool timed,
                            std::size_t width) {
  for (size_t i = 0; i < layouts.columns.size(); ++i) {
    layouts.columns[i].cost = comparison.under[i].cost;
    layouts.columns[i].peak_bytes = comparison.under[i].peak_bytes;
  }
  return compare_text(layouts.columns, timed, width) + estimate_note(comparison.doubts, width);
}

}  // namespace mtf::tool
