#include "tool/search_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

#include "support/diagnostics.h"
#include "support/text.h"
#include "tool/compare_text.h"

namespace mtf::tool {
namespace {

std::string declared(const Candidate& candidate) {
  return fmt::format("mesh   found = {}\nlayout best  = {}\n", to_string(*candidate.mesh), to_string(*candidate.rules));
}

Compared column_of(const Candidate& candidate) {
  Compared column{candidate.mesh, to_string(*candidate.rules), candidate.cost, std::nullopt};
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

int64_t number_of_processors(const std::string& text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 1 || number > 1'000'000)
    fail(Kind::bad_option_value, {}, "--processors {}: expected a number from 1 to 1,000,000", quote(text));
  return number;
}

std::vector<Name> axis_names(const ProgramRecord& record, int count) {
  std::vector<Name> names;
  auto add = [&](Name name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  };
  for (const LayoutRecord::Decision& decision : record.layouts()->decisions())
    if (decision.operation->why.asked)
      for (const LayoutRule& rule : decision.operation->why.asked->rules.rules)
        for (Name axis : rule.axes) add(axis);
  for (const char* name : {"rows", "cols", "planes", "tubes"}) add(Name(name));
  names.resize(static_cast<size_t>(count), Name("more"));
  return names;
}

std::string found_text(const SearchResult& result, const MachineModel& machine, const std::string& repeated) {
  if (!result.best) {
    fail(Diagnostic(Kind::limit_exceeded, {}, fmt::format("no layout fits: {} looked at need more memory", count_text(result.too_large, "candidate")))
             .help("more processors, more memory, or fewer pinned dims"));
  }
  std::vector<Compared> columns = {column_of(*result.best)};
  if (result.second) columns.push_back(column_of(*result.second));
  const std::string looked_at = repeated.empty() ? count_text(result.costed, "candidate") + " costed"
                                                 : fmt::format("{} ranked by a few {} and {} costed whole", count_text(result.ranked, "candidate"), code(repeated), result.costed);
  std::string text = fmt::format("{}\nthe best{}, of {}, by {}\n{}", declared(*result.best), result.second ? " and the second" : "", looked_at, machine.name,
                                 compare_text(columns, true));
  if (result.second) text += "\nthe best is quicker, because\n" + explained(*result.best, *result.second);
  return text;
}

}  // namespace mtf::tool
