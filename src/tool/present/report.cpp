#include "tool/present/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "support/text.h"

namespace mtf::tool {
namespace {

constexpr std::string_view kBegin =
    "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"generator\" content=\"mtf plan\">";

constexpr std::string_view kStyle = R"(<style>
body { font: 14px sans-serif; margin: 2em auto; max-width: 1200px; color: #222 }
pre, code, .source td { font: 12px monospace }
details { margin-left: 1.2em }
summary { padding: 1px 0; white-space: nowrap }
.bar { display: inline-block; height: 9px; background: #4a7fb5; vertical-align: middle }
.back { background: #b58a4a }
.box { display: inline-block; width: 124px; background: #eee; line-height: 9px; margin-right: 8px }
.figure { display: inline-block; width: 11em; text-align: right; margin-right: 8px; font-variant-numeric: tabular-nums }
.place { color: #777; margin-right: 8px }
.callee { color: #24702a; margin-left: 1em }
.source { border-collapse: collapse; width: 100% }
.source td { padding: 0 8px; white-space: pre; vertical-align: top }
.source td.number { color: #999; text-align: right }
</style>
)";

double share(std::int64_t part, std::int64_t all) {
  return all <= 0 ? 0 : std::min(1.0, static_cast<double>(part) / static_cast<double>(all));
}

/// Draws forward and backward work as a share of `all`.
std::string bar(const PartCost& cost, double times, std::int64_t all) {
  const double forward = 120 * share(cost.flops - cost.backward_flops, all) * times,
               backward = 120 * share(cost.backward_flops, all) * times;
  return fmt::format(
      "<span class=\"box\"><span class=\"bar\" style=\"width:{:.1f}px\"></span><span class=\"bar back\" "
      "style=\"width:{:.1f}px\"></span></span>",
      forward, backward);
}

std::string figures(const PartCost& cost) {
  std::string out =
      fmt::format("<span class=\"figure\">{}</span>", cost.flops == 0 ? "" : count_text(cost.flops, "flop"));
  std::string moved = cost.collectives == 0
                          ? ""
                          : fmt::format("{} in {}", bytes_text(cost.bytes), count_text(cost.collectives, "collective"));
  return out + fmt::format("<span class=\"figure\" style=\"width:15em\">{}</span>", moved);
}

void add_part(std::string& out, const PlanPart& part, int level, std::int64_t times, std::int64_t all) {
  const auto& parts = parts_of(part);
  std::string row =
      bar(part.cost, static_cast<double>(times), all) + figures(part.cost) +
      fmt::format("<span class=\"place\">{}</span><code>{}</code>", xml_text(place_of(part.span)), xml_text(part.text));
  if (!part.callee.name.empty()) row += fmt::format("<span class=\"callee\">{}</span>", xml_text(callee_text(part)));
  if (part.calls > 1) row += " ×" + thousands(part.calls);
  if (const std::string often = how_often(part); !often.empty()) row += " " + often;
  if (part.is_estimate && !part.is_plan) row += " (an estimate)";
  if (parts.empty()) {
    out += "<details><summary style=\"list-style:none\">" + row + "</summary></details>\n";
    return;
  }
  const bool open = level < 3 && share(part.cost.flops, all) * static_cast<double>(times) > 0.05;
  out += fmt::format("<details{}><summary>{}</summary>\n", open ? " open" : "", row);
  const std::int64_t below = times_below(part, times);
  for (const auto& each : parts)
    add_part(out, *each, level + 1, each->is_plan ? std::max<std::int64_t>(each->turns, 1) : below, all);
  out += "</details>\n";
}

/// Returns the total cost of each line of a file, including the calls on it.
std::map<std::size_t, PartCost> costs_of_lines(const PlanTree& tree, const std::string& file) {
  std::map<std::size_t, PartCost> lines;
  each_cost(tree, [&](const spmd::StatementCost& cost, std::int64_t times,
                      const std::vector<const graph::CallFrame*>& frames) {
    std::set<std::size_t> here;
    const auto add = [&](Span span) {
      if (span.is_known() && span.file->name() == file) here.insert(span.position().line);
    };
    add(source_of(cost));
    for (const graph::CallFrame* frame : frames) add(frame->span);
    for (const std::size_t line : here) lines[line].add(cost, times);
  });
  return lines;
}

std::string listing_of(const ReportParts& parts) {
  const std::map<std::size_t, PartCost> lines = costs_of_lines(*parts.tree, parts.title);
  std::int64_t most = 1;
  for (const auto& [line, cost] : lines) most = std::max(most, cost.flops);
  std::string out = "<table class=\"source\">\n";
  std::size_t number = 0;
  for (const std::string& line : split(parts.source, '\n')) {
    const auto found = lines.find(++number);
    out += fmt::format("<tr><td class=\"number\">{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n", number,
                       found == lines.end() ? "" : bar(found->second, 1, most),
                       found == lines.end() ? "" : count_text(found->second.flops, "flop"), xml_text(line));
  }
  return out + "</table>\n";
}

/// Draws the estimated time of each layout as a share of the longest: computing, and communication that does not
/// overlap with computing.
std::string bars_of_layouts(const std::vector<CostColumn>& layouts) {
  double longest = 0;
  for (const CostColumn& each : layouts) longest = std::max(longest, each.cost.time.total());
  std::string out = "<table class=\"source\">\n";
  for (const CostColumn& each : layouts) {
    const cost::StepTime& time = each.cost.time;
    std::int64_t sent = 0;
    for (const auto& kind : each.cost.counters.collectives)
      for (const auto& [axes, count] : kind) sent += count.wire_bytes;
    const auto width = [&](double seconds) { return longest > 0 ? 400 * seconds / longest : 0; };
    out += fmt::format(
        "<tr><td>{}</td><td><span class=\"bar\" style=\"width:{:.1f}px\"></span><span class=\"bar back\" "
        "style=\"width:{:.1f}px\"></span></td><td>{}, {} on the wire</td></tr>\n",
        xml_text(each.layout), width(time.compute), width(time.communication() - time.hidden),
        seconds_text(time.total()), bytes_text(sent));
  }
  return out + "</table>\n";
}

}  // namespace

bool is_report(std::string_view text) { return text.starts_with(kBegin); }

std::string html_report(const ReportParts& parts) {
  std::string out =
      std::string(kBegin) + "<title>" + xml_text(parts.title) + "</title>\n" + std::string(kStyle) + "</head><body>\n";
  out += "<h1>What " + xml_text(parts.title) + " costs</h1>\n<pre>" + xml_text(parts.totals) + "</pre>\n";
  out +=
      "<h2>Where</h2>\n<p>Of a statement all its turns, below it one turn, of the largest processor. <span "
      "class=\"bar\" style=\"width:20px\"></span> forward "
      "<span class=\"bar back\" style=\"width:20px\"></span> backward, as a part of the whole program.</p>\n";
  for (const auto& statement : parts.tree->root().parts) add_part(out, *statement, 1, 1, parts.tree->root().cost.flops);
  out += "<h2>The source</h2>\n<p>A line with all that is called on it, in all its turns.</p>\n" + listing_of(parts);
  if (!parts.layouts.empty()) {
    out += "<h2>Under other layouts</h2>\n<p>Estimated time by " + xml_text(parts.machine) +
           ": <span class=\"bar\" style=\"width:20px\"></span> computing <span class=\"bar back\" " +
           "style=\"width:20px\"></span> communicating.</p>\n" + bars_of_layouts(parts.layouts);
  }
  if (!parts.pictures.empty()) out += "<h2>Where tensors lie</h2>\n" + svg_of(parts.pictures);
  return out + "</body></html>\n";
}

}  // namespace mtf::tool
