#include "tool/present/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "support/text.h"
#include "types/saturating.h"

namespace mtf::tool {
namespace {

constexpr std::string_view kBegin =
    "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"generator\" content=\"mtf plan\">";

/// Colours have one meaning on the whole page: forward, backward, computing (both), communicating.
constexpr std::string_view kStyle = R"(<meta name="viewport" content="width=device-width, initial-scale=1">
<style>
:root { --paper: #fff; --ink: #222; --faint: #666; --line: #ddd; --box: #eee; --code: #24702a;
  --forward: #4a7fb5; --backward: #b58a4a; --computing: #6b7c8f; --communicating: #b5564a }
@media (prefers-color-scheme: dark) { :root { --paper: #16181c; --ink: #ddd; --faint: #9aa0a8; --line: #3a3f46;
  --box: #262a30; --code: #7fc48a; --forward: #6fa3d8; --backward: #d3a966; --computing: #94a4b6;
  --communicating: #dd7d70 } svg { filter: invert(0.9) hue-rotate(180deg) } }
body { font: 14px sans-serif; margin: 1.5em auto; padding: 0 12px; max-width: 1200px; color: var(--ink);
  background: var(--paper) }
h1 { font-size: 1.5em; overflow-wrap: anywhere }
pre, .wide { overflow-x: auto }
pre, code, .code { font: 12px monospace }
svg { max-width: 100%; height: auto }
.bar { display: inline-block; height: 9px; vertical-align: middle }
.forward { background: var(--forward) } .backward { background: var(--backward) }
.computing { background: var(--computing) } .communicating { background: var(--communicating) }
.box { display: inline-block; width: 100px; background: var(--box); line-height: 9px; white-space: nowrap;
  vertical-align: middle; overflow: hidden }
summary { list-style: none; display: grid; gap: 0 10px; padding: 2px 0; align-items: baseline;
  grid-template-columns: 100px 5em 9em 13em minmax(0, 1fr) }
summary.timed { grid-template-columns: 100px 5em 5.5em 9em 13em minmax(0, 1fr) }
summary::-webkit-details-marker { display: none }
summary > .what { padding-left: calc(var(--depth) * 14px); overflow: hidden; text-overflow: ellipsis;
  white-space: nowrap }
details.open-able > summary > .what::before { content: "▸ "; color: var(--faint) }
details.open-able[open] > summary > .what::before { content: "▾ " }
.figure { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap }
.place, .said { color: var(--faint) }
.callee { color: var(--code) }
table { border-collapse: collapse }
td, th { padding: 1px 8px; vertical-align: top; text-align: left }
th { border-bottom: 1px solid var(--line); white-space: nowrap }
th button { all: unset; cursor: pointer; font-weight: bold }
th button:focus-visible { outline: 2px solid var(--forward) }
th[aria-sort=ascending] button::after { content: " ▴" } th[aria-sort=descending] button::after { content: " ▾" }
td.code { white-space: pre-wrap; overflow-wrap: anywhere; min-width: 16em }
td .said { display: block; padding-left: 2em; white-space: normal }
@media (max-width: 700px) {
  summary { display: flex; flex-wrap: wrap; gap: 0 8px; border-top: 1px solid var(--line) }
  summary > .what { flex: 1 0 100%; box-sizing: border-box; white-space: normal; overflow-wrap: anywhere }
  .figure:empty { display: none }
  .box { width: 60px } .figure { text-align: left } td, th { padding: 1px 4px }
  .sortable tr { display: flex; flex-wrap: wrap; gap: 0 8px } .sortable td { order: 2 } .sortable td:empty { display: none }
  .sortable td.place { order: 0; width: 2em } .sortable td.code { order: 1; flex: 1 0 calc(100% - 5em); min-width: 0 }
}
</style>
)";

/// Sorts a table by a column, up and down in turn. Cells have a number to sort by, or their text.
constexpr std::string_view kScript = R"(<script>
for (const head of document.querySelectorAll("table.sortable th button")) head.onclick = () => {
  const th = head.parentElement, table = th.closest("table"), body = table.tBodies[0];
  const column = [...th.parentElement.children].indexOf(th), down = th.getAttribute("aria-sort") != "descending";
  const key = row => { const cell = row.children[column]; return Number(cell.dataset.by ?? 0) };
  for (const other of th.parentElement.children) other.removeAttribute("aria-sort");
  th.setAttribute("aria-sort", down ? "descending" : "ascending");
  for (const row of [...body.rows].sort((a, b) => (key(a) - key(b)) * (down ? -1 : 1))) body.append(row);
};
</script>
)";

double share_of(double part, double all) { return all <= 0 ? 0 : std::min(1.0, part / all); }

/// The work of a part by which bars are drawn: its time if that is known, else its flops.
double weight_of(const PartCost& cost) { return cost.seconds > 0 ? cost.seconds : static_cast<double>(cost.flops); }

std::string piece(const char* kind, double percent) {
  return percent < 0.05 ? "" : fmt::format("<span class=\"bar {}\" style=\"width:{:.1f}%\"></span>", kind, percent);
}

/// Draws forward, backward and, if the time is known, communicating as shares of `all`.
std::string bar(const PartCost& cost, double times, const PartCost& all) {
  const bool has_time = all.seconds > 0;
  const double whole = has_time ? all.seconds : static_cast<double>(all.flops);
  const double backward = has_time ? cost.backward_seconds : static_cast<double>(cost.backward_flops);
  const double communicating = has_time ? cost.communicating_seconds : 0;
  const double forward = (has_time ? cost.seconds : static_cast<double>(cost.flops)) - backward - communicating;
  const auto percent = [&](double part) { return 100 * share_of(part * times, whole); };
  return "<span class=\"box\">" + piece("forward", percent(forward)) + piece("backward", percent(backward)) +
         piece("communicating", percent(communicating)) + "</span>";
}

std::string percent_of(double part, double all) {
  const double share = 100 * share_of(part, all);
  return share == 0 ? "" : share < 0.1 ? "&lt;0.1%" : fmt::format("{:.{}f}%", share, share < 9.95 ? 1 : 0);
}

std::string moved_text(const PartCost& cost) {
  return cost.collectives == 0
             ? ""
             : fmt::format("{} in {}", bytes_text(cost.bytes), count_text(cost.collectives, "collective"));
}

std::string flops_text(const PartCost& cost) { return cost.flops == 0 ? "" : count_text(cost.flops, "flop"); }

void add_part(std::string& out, const PlanPart& part, int level, std::int64_t times, const PartCost& all) {
  const auto& parts = parts_of(part);
  const auto count = static_cast<double>(times);
  const bool has_time = all.seconds > 0;
  const auto figure = [](const std::string& text) { return "<span class=\"figure\">" + text + "</span>"; };
  std::string row =
      bar(part.cost, count, all) +
      figure(percent_of((has_time ? part.cost.seconds : static_cast<double>(part.cost.flops)) * count,
                        has_time ? all.seconds : static_cast<double>(all.flops))) +
      (has_time ? figure(part.cost.seconds > 0 ? seconds_text(part.cost.seconds) : "") : "") +
      figure(flops_text(part.cost)) + figure(moved_text(part.cost)) +
      fmt::format("<span class=\"what\" style=\"--depth:{}\"><span class=\"place\">{}</span> <code>{}</code>",
                  level - 1, xml_text(place_of(part.span)), xml_text(part.text));
  if (!part.callee.name.empty()) row += fmt::format(" <span class=\"callee\">{}</span>", xml_text(callee_text(part)));
  if (part.calls > 1) row += " ×" + thousands(part.calls);
  if (const std::string often = how_often(part); !often.empty()) row += " " + often;
  if (part.is_estimate && !part.is_plan) row += " (an estimate)";
  row += "</span>";
  const char* const kind = has_time ? " class=\"timed\"" : "";
  if (parts.empty()) {
    out += fmt::format("<details><summary{}>{}</summary></details>\n", kind, row);
    return;
  }
  const bool open = level < 3 && share_of(weight_of(part.cost) * count, weight_of(all)) > 0.05;
  out += fmt::format("<details class=\"open-able\"{}><summary{}>{}</summary>\n", open ? " open" : "", kind, row);
  const std::int64_t below = times_below(part, times);
  for (const auto& each : parts)
    add_part(out, *each, level + 1, each->is_plan ? std::max<std::int64_t>(each->iterations, 1) : below, all);
  out += "</details>\n";
}

/// What a line of the source costs, and the layouts that it makes.
struct LineCosts {
  PartCost cost;                     ///< with everything that is called on it
  std::vector<std::string> layouts;  ///< of the values that the line computes, in the script's names
  std::vector<std::pair<std::string, std::int64_t>> collectives;  ///< each with its bytes in all
};

constexpr std::size_t kMostSaid = 4;  // layouts and collectives of a line, each

/// Adds a value or a collective that the line itself asks for.
void add_said(LineCosts& line, const spmd::StatementCost& cost, std::int64_t times) {
  if (cost.collective) {
    const std::string text = collective_text(cost);
    const std::int64_t bytes = saturating_multiply(cost.bytes, saturating_multiply(cost.times, times));
    const auto known = std::find_if(line.collectives.begin(), line.collectives.end(),
                                    [&](const auto& each) { return each.first == text; });
    if (known == line.collectives.end()) line.collectives.emplace_back(text, bytes);
    else known->second = saturating_add(known->second, bytes);
    return;
  }
  const bool has_own_name = cost.value.name.find('.') == std::string::npos;
  if (!has_own_name || (cost.frame && cost.frame->backward) || line.layouts.size() >= kMostSaid) return;
  const std::string text = to_string(cost.value);
  if (std::find(line.layouts.begin(), line.layouts.end(), text) == line.layouts.end()) line.layouts.push_back(text);
}

/// Returns the costs of each line of a file.
std::map<std::size_t, LineCosts> costs_of_lines(const PlanTree& tree, const std::string& file) {
  std::map<std::size_t, LineCosts> lines;
  each_cost(tree, [&](const spmd::StatementCost& cost, std::int64_t times,
                      const std::vector<const graph::CallFrame*>& frames) {
    std::set<std::size_t> here;
    const auto add = [&](Span span) {
      if (span.is_known() && span.file->name() == file) here.insert(span.position().line);
    };
    const Span source = source_of(cost);
    add(source);
    if (!here.empty()) add_said(lines[*here.begin()], cost, times);
    for (const graph::CallFrame* frame : frames) add(frame->span);
    for (const std::size_t line : here) lines[line].cost.add(cost, times);
  });
  return lines;
}

std::string said_of(const LineCosts& line) {
  std::string out;
  for (const std::string& layout : line.layouts) out += fmt::format("<span class=\"said\">{}</span>", xml_text(layout));
  for (std::size_t i = 0; i < std::min(line.collectives.size(), kMostSaid); ++i)
    out += fmt::format("<span class=\"said\">{}, {}</span>", xml_text(line.collectives[i].first),
                       bytes_text(line.collectives[i].second));
  return out;
}

std::string listing_of(const ReportParts& parts) {
  const std::map<std::size_t, LineCosts> lines = costs_of_lines(*parts.tree, parts.title);
  const PartCost& all = parts.tree->root().cost;
  const bool has_time = all.seconds > 0;
  std::string out = "<div class=\"wide\"><table class=\"sortable\">\n<thead><tr>";
  for (const char* head : {"line", "share", "time", "flops", "bytes", "source"})
    if (has_time || std::string_view(head) != "time") out += fmt::format("<th><button>{}</button></th>", head);
  out += "</tr></thead>\n<tbody>\n";
  std::size_t number = 0;
  const auto cell = [](double by, const std::string& text) {
    return fmt::format("<td class=\"figure\" data-by=\"{:.6g}\">{}</td>", by, text);
  };
  for (const std::string& text : split(parts.source, '\n')) {
    const auto found = lines.find(++number);
    const LineCosts line = found == lines.end() ? LineCosts() : found->second;
    const PartCost& cost = line.cost;
    out += fmt::format("<tr><td class=\"figure place\" data-by=\"{0}\">{0}</td>", number);
    out +=
        fmt::format("<td data-by=\"{:.6g}\">{}</td>", weight_of(cost), found == lines.end() ? "" : bar(cost, 1, all));
    if (has_time) out += cell(cost.seconds, cost.seconds > 0 ? seconds_text(cost.seconds) : "");
    out += cell(static_cast<double>(cost.flops), flops_text(cost)) +
           cell(static_cast<double>(cost.bytes), cost.bytes == 0 ? "" : bytes_text(cost.bytes));
    out += fmt::format("<td class=\"code\" data-by=\"{}\">{}{}</td></tr>\n", number, xml_text(text), said_of(line));
  }
  return out + "</tbody></table></div>\n";
}

/// Draws the estimated time of each layout as a share of the longest: computing, and communication that does not
/// overlap with computing.
std::string bars_of_layouts(const std::vector<CostColumn>& layouts) {
  double longest = 0;
  for (const CostColumn& each : layouts) longest = std::max(longest, each.cost.time.total());
  std::string out = "<div class=\"wide\"><table>\n";
  for (const CostColumn& each : layouts) {
    const cost::StepTime& time = each.cost.time;
    std::int64_t sent = 0;
    for (const auto& kind : each.cost.counters.collectives)
      for (const auto& [axes, count] : kind) sent += count.wire_bytes;
    const auto percent = [&](double seconds) { return 100 * share_of(seconds, longest); };
    out += fmt::format(
        "<tr><td class=\"code\">{}</td><td><span class=\"box\" style=\"width:200px\">{}{}</span></td>"
        "<td class=\"figure\">{}</td><td class=\"figure\">{} on the wire</td></tr>\n",
        xml_text(each.layout), piece("computing", percent(time.compute)),
        piece("communicating", percent(time.communication() - time.hidden)), seconds_text(time.total()),
        bytes_text(sent));
  }
  return out + "</table></div>\n";
}

std::string key_of(const char* kind) {
  return fmt::format("<span class=\"bar {0}\" style=\"width:20px\"></span> {0} ", kind);
}

}  // namespace

bool is_report(std::string_view text) { return text.starts_with(kBegin); }

std::string html_report(const ReportParts& parts) {
  const PlanPart& root = parts.tree->root();
  std::string out =
      std::string(kBegin) + "<title>" + xml_text(parts.title) + "</title>\n" + std::string(kStyle) + "</head><body>\n";
  out += "<h1>What " + xml_text(parts.title) + " costs</h1>\n<pre>" + xml_text(parts.totals) + "</pre>\n";
  out += fmt::format(
      "<h2>Where</h2>\n<p>A statement has all its iterations, a part below it one iteration, of the "
      "largest processor. {}{}{}as a part of the whole program's {}.</p>\n",
      key_of("forward"), key_of("backward"), root.cost.seconds > 0 ? key_of("communicating") : "",
      root.cost.seconds > 0 ? "time" : "flops");
  for (const auto& statement : root.parts) add_part(out, *statement, 1, 1, root.cost);
  out +=
      "<h2>The source</h2>\n<p>A line has everything that is called on it, in all iterations. Below it stand the "
      "layouts of the values that it computes, and its collectives. A click on a heading sorts the lines.</p>\n" +
      listing_of(parts);
  if (!parts.layouts.empty()) {
    out += "<h2>Under other layouts</h2>\n<p>Estimated time by " + xml_text(parts.machine) + ": " +
           key_of("computing") + key_of("communicating") + "</p>\n" + bars_of_layouts(parts.layouts);
  }
  if (!parts.pictures.empty()) out += "<h2>Where tensors lie</h2>\n" + svg_of(parts.pictures);
  return out + std::string(kScript) + "</body></html>\n";
}

}  // namespace mtf::tool
