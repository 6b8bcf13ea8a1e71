#include "tool/present/search_text.h"

#include <map>
#include <set>
#include <utility>

#include "support/blocked_signals.h"
#include "support/diagnostics.h"
#include "support/text.h"
#include "tool/present/compare_text.h"

namespace mtf::tool {
namespace {

std::string declared(const cost::Candidate& candidate) {
  return fmt::format("mesh   found = {}\nlayout best  = {}\n", to_string(*candidate.mesh), to_string(*candidate.rules));
}

CostColumn column_of(const cost::Candidate& candidate) {
  CostColumn column{to_string(*candidate.mesh), to_string(*candidate.rules), candidate.cost};
  if (candidate.cost.counters.peak_bytes > 0) column.peak_bytes = candidate.cost.counters.peak_bytes;
  return column;
}

/// True if the program itself calls `recompute`.
bool recomputes(const plan::ProgramRecord& record) {
  for (const plan::ProgramRecord::Entry& entry : record.programs())
    for (const graph::ProgramOperation& operation : entry.recorded.program.operations)
      if (operation.operation->region > 0) return true;
  return false;
}

/// Explains part by part why the best candidate takes less time.
std::string explained(const cost::Candidate& best, const cost::Candidate& second) {
  std::string text;
  auto add = [&](const std::string& what, double a, double b) {
    if (b - a > 1e-12) text += fmt::format("  {} takes {} instead of {}\n", what, seconds_text(a), seconds_text(b));
  };
  add("computing", best.cost.time.compute, second.cost.time.compute);
  std::set<std::pair<spmd::CollectiveKind, std::vector<Name>>> all;
  for (const auto& [what, seconds] : best.cost.time.collectives) all.insert(what);
  for (const auto& [what, seconds] : second.cost.time.collectives) all.insert(what);
  auto of = [](const cost::Candidate& candidate, const auto& what) {
    const auto at = candidate.cost.time.collectives.find(what);
    return at == candidate.cost.time.collectives.end() ? 0.0 : at->second;
  };
  for (const auto& what : all)
    add(fmt::format("{} over {}", name(what.first), axes_text(what.second)), of(best, what), of(second, what));
  if (const double a = best.cost.time.hidden, b = second.cost.time.hidden; a - b > 1e-12)
    text += fmt::format("  {} of communication goes on beside computing, instead of {}\n", seconds_text(a),
                        seconds_text(b));
  return text;
}

/// Fails with advice if no candidate fits into memory.
[[noreturn]] void fail_too_large(const cost::SearchResult& result, const cost::SearchQuestion& question,
                                 const cost::LayoutCosts& costs) {
  if (!result.least)
    fail(Diagnostic(Kind::limit_exceeded, {}, "no layout fits")
             .help("more processors, more memory, or fewer pinned dims"));
  const cost::SearchResult::Least& least = *result.least;
  const int64_t peak = least.candidate.cost.counters.peak_bytes;
  Diagnostic diagnostic(
      Kind::limit_exceeded, {},
      fmt::format("no layout fits {}: the smallest peak found is {}", bytes_text(*question.memory), bytes_text(peak)));
  diagnostic.note(
      fmt::format("mesh {}, layout {}", to_string(*least.candidate.mesh), to_string(*least.candidate.rules)));
  const double stored = least.stored * static_cast<double>(peak);
  diagnostic.note(
      fmt::format("about {} of it are params, states and what else is there before the step; {} are made by it",
                  bytes_text(static_cast<int64_t>(stored)), bytes_text(peak - static_cast<int64_t>(stored))));
  if (least.processors) diagnostic.help(fmt::format("more processors: with {} one would fit", *least.processors));
  diagnostic.help(fmt::format("more memory: `--memory {}MB`", (peak + 999'999) / 1'000'000));
  if (least.in_parts)
    diagnostic.help(fmt::format("`--stored`, which stores params and states in parts: about {}",
                                bytes_text(static_cast<int64_t>(*least.in_parts))));
  if (least.stored < 0.5 && !recomputes(costs.record()))
    diagnostic.help(
        "`recompute(f, x)` around a layer, which keeps nothing of it for the backward pass, or a smaller batch");
  if (!question.pinned.rules.empty() || !question.pinned.by_path.empty()) diagnostic.help("fewer dims that are pinned");
  fail(std::move(diagnostic));
}

std::string fewer_text(const cost::Candidate& best, const cost::Candidate& fewer) {
  return fmt::format("\n{} do the work {:.3g} times: {} would take {} instead of {}, with\n  mesh {}, layout {}\n",
                     count_text(best.mesh->size(), "processor"), session::repeated_work(best.cost.counters),
                     fewer.mesh->size(), seconds_text(fewer.cost.time.total()), seconds_text(best.cost.time.total()),
                     to_string(*fewer.mesh), to_string(*fewer.rules));
}

}  // namespace

std::string search_text(const session::SearchAnswer& answer, std::size_t width) {
  const auto& [question, result, costs, layers, fewer] = answer;
  if (!result.best()) fail_too_large(result, question, costs);
  std::vector<CostColumn> columns;
  for (const cost::Candidate& each : result.found) columns.push_back(column_of(each));
  const std::string which = columns.size() == 1   ? "the best"
                            : columns.size() == 2 ? "the best and the second"
                                                  : fmt::format("the best {}", columns.size());
  const std::string looked_at = layers.empty()
                                    ? count_text(result.costed, "candidate") + " costed"
                                    : fmt::format("{} ranked by a few {} and {} costed whole",
                                                  count_text(result.ranked, "candidate"), code(layers), result.costed);
  const std::string_view others =
      result.is_complete ? "" : "others were not costed, because their estimated times are longer\n";
  const std::string_view ended = result.is_ended ? "the search was interrupted; the best so far\n" : "";
  std::string text = fmt::format("{}{}\n{}, of {}, by {}\n{}{}", ended, declared(*result.best()), which, looked_at,
                                 costs.machine()->name, others, compare_text(columns, true, width));
  if (result.second()) text += "\nthe best is quicker, because\n" + explained(*result.best(), *result.second());
  if (fewer) text += fewer_text(*result.best(), *fewer);
  return text + estimate_note(costs.doubts(), width);
}

SearchStatus::SearchStatus(bool at_terminal, std::function<void(const std::string&)> show) : show_(std::move(show)) {
  const BlockedSignals blocked;  // signals are for the thread of the search
  thread_ = std::thread([this, at_terminal] { run(at_terminal); });
}

SearchStatus::~SearchStatus() {
  {
    const std::lock_guard lock(mutex_);
    has_ended_ = true;
  }
  ends_.notify_one();
  thread_.join();
}

void SearchStatus::set(const cost::SearchProgress& progress) {
  const std::lock_guard lock(mutex_);
  progress_ = progress;
}

void SearchStatus::run(bool at_terminal) {
  const std::chrono::milliseconds first(at_terminal ? 1000 : 4000), every(at_terminal ? 100 : 10'000);
  std::unique_lock lock(mutex_);
  for (auto wait = first; !ends_.wait_for(lock, wait, [this] { return has_ended_; }); wait = every) show_(text());
}

std::string SearchStatus::text() const {
  const std::string best = progress_.best ? fmt::format(", the best takes {}", seconds_text(*progress_.best)) : "";
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - began_;
  return fmt::format("searching: {}{}, {:.0f} s", count_text(progress_.looked_at, "candidate"), best, seconds.count());
}

}  // namespace mtf::tool
