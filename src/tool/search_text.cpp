#include "tool/search_text.h"

#include <cmath>
#include <map>
#include <set>

#include "support/diagnostics.h"
#include "support/text.h"
#include "tool/compare_text.h"

namespace mtf::tool {
namespace {

/// `{.., io -> rows}`
std::string asked_text(const AskedLayout& asked) {
  std::string rules = to_string(asked.rules);
  return "{.., " + rules.substr(1);
}

/// The declarations of params and states with the `@` that was found, each once, by its place.
std::string annotated(const Candidate& candidate, const ProgramRecord& record) {
  if (!candidate.stored) return {};
  std::map<std::string, std::string> lines;
  for (const LayoutRecord::Variable& variable : record.layouts()->variables()) {
    const LaidOutOperation& operation = *record.layouts()->decisions()[variable.decision].operation;
    const auto asked = is_annotatable(operation) ? candidate.stored->find(operation.results[0].dims) : nullptr;
    if (asked)
      lines[to_text(variable.declared)] = fmt::format("{} {} @ {} = {}", variable.trainable ? "param" : "state", variable.declared.text(), asked_text(*asked), variable.value.text());
  }
  std::string text;
  for (const auto& [place, line] : lines) text += fmt::format("{}   # {}\n", line, place);
  return text;
}

std::string declared(const Candidate& candidate, const ProgramRecord& record) {
  return fmt::format("mesh   found = {}\nlayout best  = {}\n{}", to_string(*candidate.mesh), to_string(*candidate.rules), annotated(candidate, record));
}

Compared column_of(const Candidate& candidate) {
  std::string layout = to_string(*candidate.rules);
  if (candidate.stored)
    for (const StoredLayouts::Of& of : candidate.stored->all()) {
      std::string dims;
      for (Name dim : of.dims) dims += (dims.empty() ? "" : ", ") + dim.str();
      layout += fmt::format(" [{}] @ {}", dims, asked_text(*of.asked));
    }
  Compared column{candidate.mesh, std::move(layout), candidate.cost, std::nullopt};
  if (candidate.cost.counters.peak_bytes > 0) column.peak_bytes = candidate.cost.counters.peak_bytes;
  return column;
}

/// Where the time of the two differs, part by part.
std::string explained(const Candidate& best, const Candidate& second) {
  std::string text;
  auto add = [&](const std::string& what, double a, double b) {
    if (std::abs(a - b) > 1e-12) text += fmt::format("  {} takes {} instead of {}\n", what, seconds_text(a), seconds_text(b));
  };
  add("computing", best.cost.time.compute, second.cost.time.compute);
  std::set<std::pair<CollectiveKind, std::string>> all;
  for (const auto& [what, seconds] : best.cost.time.collectives) all.insert(what);
  for (const auto& [what, seconds] : second.cost.time.collectives) all.insert(what);
  auto of = [](const Candidate& candidate, const auto& what) {
    const auto at = candidate.cost.time.collectives.find(what);
    return at == candidate.cost.time.collectives.end() ? 0.0 : at->second;
  };
  for (const auto& what : all) add(fmt::format("{} over {}", name(what.first), what.second), of(best, what), of(second, what));
  return text;
}

}  // namespace

std::string found_text(const SearchResult& result, const LayoutCosts& costs, const std::string& repeated) {
  if (!result.best) {
    fail(Diagnostic(Kind::limit_exceeded, {}, fmt::format("no layout fits: {} looked at need more memory", count_text(result.too_large, "candidate")))
             .help("more processors, more memory, or fewer pinned dims"));
  }
  std::vector<Compared> columns = {column_of(*result.best)};
  if (result.second) columns.push_back(column_of(*result.second));
  const std::string looked_at = repeated.empty() ? count_text(result.costed, "candidate") + " costed"
                                                 : fmt::format("{} ranked by a few {} and {} costed whole", count_text(result.ranked, "candidate"), code(repeated), result.costed);
  std::string text = fmt::format("{}\nthe best{}, of {}, by {}\n{}", declared(*result.best, costs.record()), result.second ? " and the second" : "", looked_at, costs.machine()->name,
                                 compare_text(columns, true));
  if (result.second) text += "\nthe best is quicker, because\n" + explained(*result.best, *result.second);
  return text;
}

}  // namespace mtf::tool
