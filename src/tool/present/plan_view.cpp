#include "tool/present/plan_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <queue>
#include <set>
#include <tuple>

#include "support/diagnostics.h"
#include "support/text.h"
#include "tool/present/table.h"

namespace mtf::tool {
namespace {

constexpr std::size_t kWidestText = 76;

std::string share_text(double part, double all) {
  if (part == 0 || all == 0) return {};
  const double share = 100 * part / all;
  return share < 0.1 ? "<0.1%" : fmt::format("{:.{}f}%", share, share < 9.95 ? 1 : 0);
}

std::string shown(std::int64_t number) { return number == 0 ? "" : thousands(number); }

/// Returns the numbers of a row, in the columns of heading(). The share is that of the time if it is known, else that
/// of the flops.
std::vector<std::string> figures(const PartCost& cost, std::int64_t times, const PartCost& all) {
  const bool has_time = all.seconds > 0;
  const double count = static_cast<double>(times);
  return {share_text(count * (has_time ? cost.seconds : static_cast<double>(cost.flops)),
                     has_time ? all.seconds : static_cast<double>(all.flops)),
          cost.seconds > 0 ? seconds_text(cost.seconds) : "",
          shown(cost.flops),
          shown(cost.backward_flops),
          shown(cost.collectives),
          cost.bytes == 0 ? "" : bytes_text(cost.bytes)};
}

std::vector<std::string> heading(const PartCost& all, const std::string& last) {
  return {"share", all.seconds > 0 ? "time" : "", "flops", "backward", "collectives", "bytes", "", last};
}

/// The figure by which parts are sorted, the largest first.
double sorted_by(const PartCost& cost, PlanSort sort) {
  return sort == PlanSort::kTime    ? cost.seconds
         : sort == PlanSort::kBytes ? static_cast<double>(cost.bytes)
                                    : static_cast<double>(cost.flops);
}

void add_row(Table& table, std::vector<std::string> cells, std::string place, std::string text, std::string tail = {}) {
  cells.push_back(std::move(place));
  cells.push_back(std::move(text));
  table.row(std::move(cells), std::move(tail));
}

// ---- the tree -------------------------------------------------------------------------------------------------------

class TreeText {
 public:
  TreeText(const PlanTree& tree, const PlanView& view) : view_(view), all_(tree.root().cost) {
    table_.row(heading(all_, ""));
    open(tree.root());
    rows(tree.root(), 0, 1);
  }

  std::string text() const { return table_.text("", "  ", view_.width); }

 private:
  /// Chooses the parts that are shown with their contents.
  void open(const PlanPart& root) {
    struct Closed {
      double weight;
      const PlanPart* part;
      int level;
      std::int64_t times;
      bool operator<(const Closed& other) const { return weight < other.weight; }
    };
    std::priority_queue<Closed> closed;
    auto add = [&](const PlanPart& part, int level, std::int64_t times) {
      if (parts_of(part).empty()) return;
      const double weight = all_.seconds > 0
                                ? part.cost.seconds
                                : static_cast<double>(part.cost.flops) / 1024 + static_cast<double>(part.cost.bytes);
      closed.push({weight * static_cast<double>(times), &part, level, times});
    };
    int lines = static_cast<int>(root.parts.size());
    for (const auto& statement : root.parts) add(*statement, 1, 1);
    while (!closed.empty()) {
      const Closed next = closed.top();
      closed.pop();
      const auto& parts = parts_of(*next.part);
      if (view_.depth ? next.level > *view_.depth : lines + static_cast<int>(parts.size()) > view_.lines) continue;
      opened_.insert(next.part);
      lines += static_cast<int>(parts.size());
      const std::int64_t times = times_below(*next.part, next.times);
      for (const auto& part : parts) add(*part, next.level + 1, times_of(*part, times));
    }
  }

  /// Adds rows for the parts of `part`, which runs `times` times.
  void rows(const PlanPart& part, int level, std::int64_t times) {
    std::vector<const PlanPart*> parts;
    for (const auto& each : parts_of(part)) parts.push_back(each.get());
    if (view_.sort && *view_.sort != PlanSort::kSource)
      std::stable_sort(parts.begin(), parts.end(), [&](const PlanPart* a, const PlanPart* b) {
        return sorted_by(a->cost, *view_.sort) > sorted_by(b->cost, *view_.sort);
      });
    const std::string indent(2 * static_cast<std::size_t>(level), ' ');
    for (const PlanPart* each : parts) {
      const std::int64_t all = times_of(*each, times);
      add_row(table_, figures(each->cost, all, all_), place_of(each->span), indent + cut_off(each->text, kWidestText),
              tail_of(*each, part));
      if (opened_.count(each)) rows(*each, level + 1, times_below(*each, all));
    }
  }

  /// Returns how often a part runs whose neighbours run `times` times.
  static std::int64_t times_of(const PlanPart& part, std::int64_t times) {
    return part.is_plan ? std::max<std::int64_t>(part.iterations, 1) : times;
  }

  /// Returns the callee of a part, and how often it is called and run.
  static std::string tail_of(const PlanPart& part, const PlanPart& above) {
    std::string text;
    if (const std::string callee = callee_text(part); !callee.empty()) text += "   " + callee;
    const std::int64_t around = std::max<std::int64_t>(above.calls, 1);
    if (part.calls > around)
      text += part.calls % around == 0 ? "   ×" + thousands(part.calls / around)
                                       : "   ×" + thousands(part.calls) + " in all";
    if (const std::string iterations = how_often(part); !iterations.empty()) text += "   " + iterations;
    return text + (part.is_estimate && !part.is_plan ? "   (an estimate)" : "");
  }

  const PlanView& view_;
  const PartCost all_;
  std::set<const PlanPart*> opened_;
  Table table_{"rrrrrrll"};
};

// ---- flat lists -----------------------------------------------------------------------------------------------------

struct Group {
  Span span;
  std::string text;
  PartCost cost;
};

std::vector<Group> groups_of(const PlanTree& tree, PlanBy by) {
  std::vector<Group> groups;
  using Key = std::tuple<const SourceFile*, std::size_t, std::optional<spmd::CollectiveKind>,
                         std::string>;  // a line, and the other properties that distinguish groups
  std::map<Key, std::size_t> known;
  each_cost(tree, [&](const spmd::StatementCost& cost, std::int64_t times,
                      const std::vector<const graph::CallFrame*>& frames) {
    const auto call =
        std::find_if(frames.begin(), frames.end(), [](const graph::CallFrame* frame) { return !frame->backward; });
    const Span span = source_of(cost);
    const Key line{span.file, span.is_known() ? span.position().line : 0, {}, {}};
    Key key{};
    Group group{span, {}, {}};
    switch (by) {
      case PlanBy::kFunction:
        group.text = call == frames.end() ? "the script" : (*call)->callee;
        std::get<std::string>(key) = group.text;
        break;
      case PlanBy::kPath:
        group.text = call == frames.end() || (*call)->path.empty() ? "(no model)" : (*call)->path;
        std::get<std::string>(key) = group.text;
        break;
      case PlanBy::kCollective:
        if (!cost.collective) return;
        group.text = fmt::format("{}: {}", collective_text(cost), reason_text(cost));
        key = line;
        std::get<std::optional<spmd::CollectiveKind>>(key) = cost.collective;
        std::get<std::string>(key) = axes_text(cost.axes);
        break;
      default: key = line, group.text = cut_off(line_of(span), kWidestText);
    }
    const auto [at, fresh] = known.try_emplace(key, groups.size());
    if (fresh) groups.push_back(std::move(group));
    groups[at->second].cost.add(cost, times);
  });
  return groups;
}

std::string flat_text(const PlanTree& tree, const PlanView& view) {
  std::vector<Group> groups = groups_of(tree, view.by);
  const PartCost& all = tree.root().cost;
  const PlanSort sort = view.sort.value_or(all.seconds > 0                  ? PlanSort::kTime
                                           : view.by == PlanBy::kCollective ? PlanSort::kBytes
                                                                            : PlanSort::kFlops);
  std::stable_sort(groups.begin(), groups.end(), [&](const Group& a, const Group& b) {
    if (sort == PlanSort::kSource) return a.span.file == b.span.file && a.span.begin < b.span.begin;
    return sorted_by(a.cost, sort) > sorted_by(b.cost, sort);
  });
  Table table("rrrrrrll");
  table.row(heading(all, view.by == PlanBy::kFunction     ? "function"
                         : view.by == PlanBy::kPath       ? "part"
                         : view.by == PlanBy::kCollective ? "collective"
                                                          : "line"));
  for (const Group& group : groups)
    add_row(table, figures(group.cost, 1, all),
            view.by == PlanBy::kPath || view.by == PlanBy::kFunction ? "" : place_of(group.span), group.text);
  return table.text("", "  ", view.width);
}

/// Visits each number of a whole program, with its name and subject.
template <typename Visit>
void each_figure(const PlanSummary& summary, const Visit& visit) {
  const plan::Counters& counters = summary.counters;
  visit("processors", "", counters.processors);
  visit("flops", "", counters.flops);
  visit("unique_flops", "", counters.unique_flops);
  visit("peak_bytes", "", counters.peak_bytes);
  visit("parameters", "", summary.stored.parameters);
  visit("parameter_bytes", "", summary.stored.parameter_bytes);
  visit("states", "", summary.stored.states);
  visit("state_bytes", "", summary.stored.state_bytes);
  for (int kind = 0; kind < spmd::kCollectiveKinds; ++kind) {
    for (const auto& [axes, count] : counters.collectives[kind]) {
      if (count.count == 0) continue;
      const std::string of = fmt::format("{} over {}", name(static_cast<spmd::CollectiveKind>(kind)), axes_text(axes));
      visit("count", of, count.count);
      visit("calls", of, count.calls);
      visit("values", of, count.values);
      visit("bytes", of, count.bytes);
      visit("wire_bytes", of, count.wire_bytes);
    }
  }
  for (const auto& [of, seconds] : summary.seconds) visit("seconds", of, seconds);
}

/// A cell of CSV.
std::string quoted(std::string text) {
  for (std::size_t at = 0; (at = text.find('"', at)) != std::string::npos; at += 2) text.insert(at, 1, '"');
  return "\"" + text + "\"";
}

std::ptrdiff_t position_of(const std::string& option, const std::string& word, const std::vector<std::string>& words) {
  const auto at = std::find(words.begin(), words.end(), word);
  if (at == words.end())
    fail(Kind::bad_option_value, {}, "{}: expected {}, found {}", option, join_words(words, "or"), quote(word));
  return at - words.begin();
}

}  // namespace

PlanBy plan_by(const std::string& word) {
  static const std::vector<std::string> words = {"tree", "line", "function", "path", "collective", "value"};
  return static_cast<PlanBy>(position_of("--by", word, words));
}

PlanSort plan_sort(const std::string& word) {
  static const std::vector<std::string> words = {"source", "flops", "bytes", "time"};
  return static_cast<PlanSort>(position_of("--sort", word, words));
}

void refuse_unused(PlanBy by, const std::function<bool(std::string_view)>& is_given) {
  const auto apart = [&](const char* a, const char* b) {
    if (is_given(a) && is_given(b)) fail(Kind::bad_usage, {}, "{} and {} cannot be combined", code(a), code(b));
  };
  for (const char* option : {"--by", "--sort", "--depth", "--lines", "--machine"}) apart(option, "--symbolic");
  apart("--depth", "--lines");
  const auto only = [&](const char* option, bool is_of_use, const std::string& of) {
    if (is_given(option) && !is_of_use) fail(Kind::bad_usage, {}, "{} says something only {}", code(option), of);
  };
  only("--depth", by == PlanBy::kTree, "of the tree: `--by tree`");
  only("--lines", by == PlanBy::kTree, "of the tree: `--by tree`");
  only("--sort", by != PlanBy::kValue, "of the tree and of lists: values are in the program's order");
  only("--formula", by == PlanBy::kValue, "beside `--by value`");
}

std::string view_text(const PlanTree& tree, const PlanView& view) {
  return view.by == PlanBy::kTree ? TreeText(tree, view).text() : flat_text(tree, view);
}

std::string view_csv(const PlanTree& tree, const PlanSummary& summary) {
  const bool has_time = tree.root().cost.seconds > 0;
  std::string out =
      fmt::format("place,flops,backward_flops,collectives,bytes,wire_bytes{},line\n", has_time ? ",seconds" : "");
  for (const Group& group : groups_of(tree, PlanBy::kLine))
    out += fmt::format("{},{},{},{},{},{}{},{}\n", place_of(group.span), group.cost.flops, group.cost.backward_flops,
                       group.cost.collectives, group.cost.bytes, group.cost.wire_bytes,
                       has_time ? fmt::format(",{}", group.cost.seconds) : "", quoted(line_of(group.span)));
  out += "\nfigure,of,value\n";
  if (summary.mesh) out += fmt::format("mesh,,{}\n", quoted(to_string(*summary.mesh)));
  each_figure(summary, [&](const std::string& name, const std::string& of, auto figure) {
    out += fmt::format("{},{},{}\n", name, of, figure);
  });
  if (!summary.machine.empty()) out += fmt::format("machine,,{}\n", quoted(summary.machine));
  for (const plan::Doubt& doubt : summary.doubts)
    out += fmt::format("estimate,{},{}\n", place_of(doubt.place), quoted(reason_of(doubt)));
  for (const eval::Unread& unread : summary.unread)
    out += fmt::format("not_read,{},{}\n", place_of(unread.place), quoted(unread.name.str()));
  for (const std::string& warning : summary.warnings) out += fmt::format("warning,,{}\n", quoted(warning));
  return out;
}

}  // namespace mtf::tool
