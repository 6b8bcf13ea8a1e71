#include "tool/present/combinations_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "support/text.h"
#include "tool/present/fitted_text.h"
#include "tool/present/picture.h"
#include "tool/present/plan_text.h"
#include "tool/present/table.h"

namespace mtf::tool {
namespace {

using session::OptionSet;
using session::OptionSets;

std::string headline(const OptionSets& found) {
  std::string text = count_text(found.planned, "combination");
  if (found.processors > 0) text += " on " + count_text(found.processors, "processor");
  text += fmt::format(" of {}", found.machine);
  if (found.memory)
    text += fmt::format(": {} fit in {}, {} do not", thousands(found.planned - found.too_large),
                        bytes_text(*found.memory), thousands(found.too_large));
  return text;
}

/// Returns where a combination loses time, or what it needs less.
std::string reason_against(const OptionSet& best, const OptionSet& other) {
  std::string text;
  const auto more = more_time(best, other);
  for (std::size_t i = 0; i < more.size() && i < 2; ++i)
    text += (i == 0 ? "" : ", ") + seconds_text(more[i].second) + " more in " + more[i].first;
  return text;
}

std::vector<std::string> cells_of(const OptionSet& each) {
  std::vector<std::string> cells;
  for (const auto& [option, value] : each.set) cells.push_back(value);
  cells.push_back(seconds_text(each.seconds));
  cells.push_back(with_prefix(each.parts.flops_per_second()) + "FLOP/s");
  cells.push_back(bytes_text(each.peak_bytes));
  return cells;
}

std::vector<std::string> heads_of(const OptionSets& found, const std::string& last) {
  std::vector<std::string> heads;
  for (const auto& [option, value] : found.all.front().set) heads.push_back(option);
  heads.insert(heads.end(), {"time", "on a processor", "peak", last});
  return heads;
}

/// The two tables of an answer: their title, heads and rows.
struct Section {
  std::string title;
  std::vector<std::string> heads;
  std::vector<std::vector<std::string>> rows;
};

std::vector<Section> parts_of(const OptionSets& found) {
  if (found.all.empty()) return {};
  std::vector<Section> parts;
  if (!found.best.empty()) {
    Section& best = parts.emplace_back(Section{"the fastest:", heads_of(found, "than the first"), {}});
    for (const OptionSet& each : found.best) {
      best.rows.push_back(cells_of(each));
      best.rows.back().push_back(&each == &found.best.front() ? "" : reason_against(found.best.front(), each));
    }
  }
  Section& front = parts.emplace_back(Section{"less memory for more time:", heads_of(found, ""), {}});
  for (const OptionSet& each : found.front) {
    front.rows.push_back(cells_of(each));
    front.rows.back().push_back(found.memory && each.peak_bytes > *found.memory ? "does not fit" : "");
  }
  return parts;
}

/// Returns a picture: each combination by its memory and its time, the front as a line.
std::string picture(const OptionSets& found) {
  constexpr double kWidth = 640, kHeight = 360, kMargin = 56;
  double most = 0, longest = 0, least = 1e300, shortest = 1e300;
  for (const OptionSet& each : found.all) {
    const auto bytes = static_cast<double>(each.peak_bytes);
    most = std::max(most, bytes), least = std::min(least, bytes);
    longest = std::max(longest, each.seconds), shortest = std::min(shortest, each.seconds);
  }
  const auto place = [](double value, double from, double to, double size) {
    return size * (to > from ? std::log(value / from) / std::log(to / from) : 0.5);
  };
  const auto x = [&](double bytes) { return kMargin + place(bytes, least, most, kWidth - 2 * kMargin); };
  const auto y = [&](double seconds) {
    return kHeight - kMargin - place(seconds, shortest, longest, kHeight - 2 * kMargin);
  };
  std::string svg = svg_begin("mtf-combinations", kWidth, kHeight), line;
  for (const OptionSet& each : found.all) {
    std::string said;
    for (const auto& [option, value] : each.set) said += option + "=" + value + " ";
    svg += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\" fill=\"{}\"><title>{}{}, {}</title></circle>\n",
                       x(static_cast<double>(each.peak_bytes)), y(each.seconds),
                       found.memory && each.peak_bytes > *found.memory ? "#ccc" : "#4a7fb5", xml_text(said),
                       seconds_text(each.seconds), bytes_text(each.peak_bytes));
  }
  for (const OptionSet& each : found.front)
    line += fmt::format("{:.1f},{:.1f} ", x(static_cast<double>(each.peak_bytes)), y(each.seconds));
  svg += fmt::format("<polyline points=\"{}\" fill=\"none\" stroke=\"#b5564a\"/>\n", line);
  const auto label = [&](double at_x, double at_y, std::string_view anchor, const std::string& text) {
    svg += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" font-size=\"12\">{}</text>\n", at_x, at_y,
                       anchor, xml_text(text));
  };
  if (found.memory && static_cast<double>(*found.memory) > least && static_cast<double>(*found.memory) < most) {
    const double at = x(static_cast<double>(*found.memory));
    svg += fmt::format("<line x1=\"{0:.1f}\" y1=\"{1:.1f}\" x2=\"{0:.1f}\" y2=\"{2:.1f}\" stroke=\"#999\"/>\n", at,
                       kMargin, kHeight - kMargin);
    label(at, kMargin - 8, "middle", bytes_text(*found.memory));
  }
  label(kMargin, kHeight - 20, "start", bytes_text(static_cast<int64_t>(least)));
  label(kWidth - kMargin, kHeight - 20, "end", bytes_text(static_cast<int64_t>(most)) + " a processor");
  label(kMargin - 6, kHeight - kMargin, "end", seconds_text(shortest));
  label(kMargin - 6, kMargin, "end", seconds_text(longest));
  return svg + "</svg>\n";
}

constexpr std::string_view kPageBegin =
    "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"generator\" content=\"mtf search\">";

}  // namespace

std::string ways_out_text(std::vector<OptionSet> ways, int64_t memory, double seconds, bool has_times) {
  constexpr std::size_t kMost = 3;
  std::erase_if(ways, [&](const OptionSet& way) { return !way.refused.empty() || way.peak_bytes > memory; });
  std::stable_sort(ways.begin(), ways.end(),
                   [](const OptionSet& a, const OptionSet& b) { return a.seconds < b.seconds; });
  if (ways.empty()) return "none of the usual ways out fits: more processors, or smaller sequences\n";
  Table table(has_times ? "lrr" : "lr");
  for (std::size_t i = 0; i < ways.size() && i < kMost; ++i) {
    std::string set;
    for (const auto& [option, value] : ways[i].set) set += (set.empty() ? "--set " : " --set ") + option + "=" + value;
    std::vector<std::string> cells = {set, bytes_text(memory - ways[i].peak_bytes) + " left"};
    if (has_times)
      cells.push_back(fmt::format("{} instead of {}", seconds_text(ways[i].seconds), seconds_text(seconds)));
    table.row(std::move(cells));
  }
  return "it would fit with\n" + table.text("    ");
}

std::string combinations_text(const OptionSets& found, std::size_t width) {
  std::string text = fitted_line(headline(found), width);
  for (const Section& part : parts_of(found)) {
    Table table(std::string(part.heads.size() - 1, 'r') + "l");
    table.row(part.heads);
    for (const std::vector<std::string>& row : part.rows) table.row(row);
    text += part.title + "\n" + table.text("    ", "  ", width);
  }
  if (!found.refused.empty()) text += "refused:\n";
  for (const auto& [why, count] : found.refused)
    text += fitted_line(fmt::format("    {:>5}  {}", thousands(count), why), width, 11);
  return text;
}

std::string combinations_page(const OptionSets& found, const std::string& script) {
  std::string page = std::string(kPageBegin) +
                     fmt::format(
                         "<title>{0}</title><style>body {{ font: 14px sans-serif; margin: 2em auto; max-width: "
                         "1100px }} td, th {{ padding: 2px 8px; text-align: right }} td:last-child {{ "
                         "text-align: left }}</style></head><body><h1>{0}</h1>\n<p>{1}</p>\n",
                         xml_text(script), xml_text(headline(found)));
  if (!found.all.empty()) page += picture(found);
  for (const Section& part : parts_of(found)) {
    page += fmt::format("<h2>{}</h2>\n<table><tr>", xml_text(part.title));
    for (const std::string& head : part.heads) page += "<th>" + xml_text(head) + "</th>";
    for (const std::vector<std::string>& row : part.rows) {
      page += "</tr>\n<tr>";
      for (const std::string& cell : row) page += "<td>" + xml_text(cell) + "</td>";
    }
    page += "</tr></table>\n";
  }
  for (const auto& [why, count] : found.refused)
    page += fmt::format("<p>{} refused: {}</p>\n", thousands(count), xml_text(why));
  return page + "</body></html>\n";
}

bool is_combinations_page(std::string_view text) { return text.starts_with(kPageBegin); }

}  // namespace mtf::tool
