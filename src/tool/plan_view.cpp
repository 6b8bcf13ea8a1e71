#include "tool/plan_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <queue>
#include <set>

#include "support/text.h"
#include "tool/table.h"

namespace mtf::tool {
namespace {

constexpr std::size_t kWidestText = 76;

std::string cut_off(const std::string& text, std::size_t width) {
  if (count_code_points(text) <= width) return text;
  std::size_t end = 0;
  for (std::size_t points = 0; end < text.size() && points + 1 < width; ++points)
    do ++end;
    while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80);
  return text.substr(0, end) + "…";
}

/// What a part that is computed so often has of all flops.
std::string share_text(std::int64_t flops, std::int64_t times, std::int64_t all) {
  if (flops == 0 || all == 0) return {};
  const double share = 100 * static_cast<double>(flops) * static_cast<double>(times) / static_cast<double>(all);
  return share < 0.1 ? "<0.1%" : fmt::format("{:.{}f}%", share, share < 9.95 ? 1 : 0);
}

std::string shown(std::int64_t number) { return number == 0 ? "" : thousands(number); }

/// The figures of a row, in the columns of heading().
std::vector<std::string> figures(const PartCost& cost, std::int64_t times, std::int64_t all_flops) {
  return {share_text(cost.flops, times, all_flops), shown(cost.flops), shown(cost.backward_flops), shown(cost.collectives),
          cost.bytes == 0 ? "" : bytes_text(cost.bytes)};
}

std::vector<std::string> heading(const std::string& last) { return {"share", "flops", "backward", "collectives", "bytes", "", last}; }

void add_row(Table& table, std::vector<std::string> cells, std::string place, std::string text) {
  cells.push_back(std::move(place));
  cells.push_back(std::move(text));
  table.row(std::move(cells));
}

// ---- the tree --------------------------------------------------------------------------------------------------------

class TreeText {
 public:
  TreeText(const PlanTree& tree, const PlanView& view) : view_(view), all_flops_(tree.root().cost.flops) {
    table_.row(heading(""));
    open(tree.root());
    rows(tree.root(), 0, 1);
  }

  std::string text() const { return table_.text(); }

 private:
  /// Chooses the parts that are shown opened.
  void open(const PlanPart& root) {
    struct Closed {
      std::int64_t weight;
      const PlanPart* part;
      int level;
      bool operator<(const Closed& other) const { return weight < other.weight; }
    };
    std::priority_queue<Closed> closed;
    auto add = [&](const PlanPart& part, int level, std::int64_t times) {
      if (parts_of(part, level == 1).empty()) return;
      closed.push({(part.cost.flops / 1024 + part.cost.bytes) * times, &part, level});
    };
    int lines = static_cast<int>(root.parts.size());
    for (const auto& statement : root.parts) add(*statement, 1, 1);
    while (!closed.empty()) {
      const Closed next = closed.top();
      closed.pop();
      const auto& parts = parts_of(*next.part, next.level == 1);
      if (view_.depth ? next.level > *view_.depth : lines + static_cast<int>(parts.size()) > view_.lines) continue;
      opened_.insert(next.part);
      lines += static_cast<int>(parts.size());
      const bool plans = next.level == 1 && next.part->parts.size() > 1;
      for (const auto& part : parts) add(*part, next.level + 1, std::max<std::int64_t>(plans ? part->turns : 1, 1));
    }
  }

  /// The parts of `part`, which is computed `times` times.
  void rows(const PlanPart& part, int level, std::int64_t times) {
    std::vector<const PlanPart*> parts;
    for (const auto& each : parts_of(part, level == 1)) parts.push_back(each.get());
    if (view_.sort != PlanSort::kSource)
      std::stable_sort(parts.begin(), parts.end(), [&](const PlanPart* a, const PlanPart* b) {
        return view_.sort == PlanSort::kFlops ? a->cost.flops > b->cost.flops : a->cost.bytes > b->cost.bytes;
      });
    const std::string indent(2 * static_cast<std::size_t>(level), ' ');
    for (const PlanPart* each : parts) {
      const bool is_plan = level == 1 && part.parts.size() > 1;
      const std::int64_t all = is_plan ? std::max<std::int64_t>(each->turns, 1) : times;
      add_row(table_, figures(each->cost, all, all_flops_), place_of(each->span), indent + label(*each, part, level + 1));
      if (opened_.count(each)) rows(*each, level + 1, level == 0 && each->parts.size() == 1 ? std::max<std::int64_t>(each->parts[0]->turns, 1) : all);
    }
  }

  static std::string label(const PlanPart& part, const PlanPart& above, int level) {
    std::string text = cut_off(part.text, kWidestText);
    if (const std::string callee = callee_text(part); !callee.empty()) text += "   " + callee;
    const std::int64_t around = std::max<std::int64_t>(above.calls, 1);
    if (part.calls > around) text += part.calls % around == 0 ? "   ×" + thousands(part.calls / around) : "   ×" + thousands(part.calls) + " in all";
    const PlanPart& plan = level == 1 && part.parts.size() == 1 ? *part.parts[0] : part;
    if (level > 2 || (level == 1 && part.parts.size() > 1)) return text;
    if (const std::string turns = how_often(plan); !turns.empty()) text += "   " + turns;
    return text + (plan.variants > 1 ? fmt::format(" in {} variants", plan.variants) : "");
  }

  const PlanView& view_;
  const std::int64_t all_flops_;
  std::set<const PlanPart*> opened_;
  Table table_{"rrrrrll"};
};

// ---- flat lists ------------------------------------------------------------------------------------------------------

struct Group {
  Span span;
  std::string text;
  PartCost cost;
};

std::vector<Group> groups_of(const PlanTree& tree, PlanBy by) {
  std::vector<Group> groups;
  std::map<std::string, std::size_t> known;
  each_cost(tree, [&](const StatementCost& cost, std::int64_t times, const std::vector<const CallFrame*>& frames) {
    const auto call = std::find_if(frames.begin(), frames.end(), [](const CallFrame* frame) { return !frame->backward; });
    const std::string callee = call == frames.end() ? "" : (*call)->callee;
    const Span span = source_of(cost, frames);
    std::string key;
    Group group{span, {}, {}};
    switch (by) {
      case PlanBy::kFunction: key = group.text = callee.empty() ? "the script" : callee.substr(0, callee.find(' ')); break;
      case PlanBy::kPath: key = group.text = callee.find(' ') == std::string::npos ? "(no model)" : callee.substr(callee.find(' ') + 1); break;
      case PlanBy::kCollective:
        if (!cost.collective) return;
        group.text = fmt::format("{} over {}: {}", name(*cost.collective), cost.axes, cost.reason);
        key = fmt::format("{} {} {}", place_of(span), name(*cost.collective), cost.axes);
        break;
      default: key = place_of(span), group.text = cut_off(line_of(span), kWidestText);
    }
    const auto [at, fresh] = known.try_emplace(key, groups.size());
    if (fresh) groups.push_back(std::move(group));
    groups[at->second].cost.add(cost, times);
  });
  return groups;
}

std::string flat_text(const PlanTree& tree, const PlanView& view) {
  std::vector<Group> groups = groups_of(tree, view.by);
  const bool bytes = view.sort == PlanSort::kBytes || (view.sort == PlanSort::kSource && view.by == PlanBy::kCollective);
  std::stable_sort(groups.begin(), groups.end(), [&](const Group& a, const Group& b) { return bytes ? a.cost.bytes > b.cost.bytes : a.cost.flops > b.cost.flops; });
  Table table("rrrrrll");
  table.row(heading(view.by == PlanBy::kFunction ? "function" : view.by == PlanBy::kPath ? "part" : view.by == PlanBy::kCollective ? "collective" : "line"));
  for (const Group& group : groups)
    add_row(table, figures(group.cost, 1, tree.root().cost.flops), view.by == PlanBy::kPath || view.by == PlanBy::kFunction ? "" : place_of(group.span), group.text);
  return table.text();
}

nlohmann::ordered_json json_of(const PlanPart& part) {
  nlohmann::ordered_json json;
  if (part.span.is_known()) {
    json["file"] = part.span.file->name();
    json["line"] = part.span.position().line;
    json["column"] = part.span.position().column;
    json["text"] = part.text;
  }
  if (!part.callee.empty()) json["callee"] = part.callee;
  if (part.calls > 0) json["calls"] = part.calls;
  if (part.turns != 1) json["turns"] = part.turns;
  if (part.is_estimate) json["is_estimate"] = true;
  json["flops"] = part.cost.flops;
  json["backward_flops"] = part.cost.backward_flops;
  json["collectives"] = part.cost.collectives;
  json["bytes"] = part.cost.bytes;
  json["wire_bytes"] = part.cost.wire_bytes;
  for (const StatementCost* cost : part.own) {
    nlohmann::ordered_json value{{"value", cost->value}};
    if (cost->collective) {
      value["collective"] = name(*cost->collective);
      value["over"] = cost->axes;
      value["values"] = cost->values;
      value["bytes"] = cost->bytes;
      value["wire_bytes"] = cost->wire_bytes;
      value["reason"] = cost->reason;
    } else {
      value["flops"] = cost->flops;
    }
    json["values"].push_back(std::move(value));
  }
  for (const auto& each : part.parts) json["parts"].push_back(json_of(*each));
  return json;
}

}  // namespace

std::string view_text(const PlanTree& tree, const PlanView& view) {
  return view.by == PlanBy::kTree ? TreeText(tree, view).text() : flat_text(tree, view);
}

std::string view_json(const PlanTree& tree) {
  return json_of(tree.root()).dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

std::string view_csv(const PlanTree& tree) {
  std::string out = "place,flops,backward_flops,collectives,bytes,wire_bytes,line\n";
  for (const Group& group : groups_of(tree, PlanBy::kLine)) {
    std::string text = line_of(group.span);
    for (std::size_t at = 0; (at = text.find('"', at)) != std::string::npos; at += 2) text.insert(at, 1, '"');
    out += fmt::format("{},{},{},{},{},{},\"{}\"\n", place_of(group.span), group.cost.flops, group.cost.backward_flops, group.cost.collectives, group.cost.bytes,
                       group.cost.wire_bytes, text);
  }
  return out;
}

}  // namespace mtf::tool
