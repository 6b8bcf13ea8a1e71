#include "tool/present/profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "cost/step_time.h"
#include "plan/predict.h"
#include "session/plan_tree.h"
#include "spmd/statement_costs.h"
#include "support/text.h"
#include "tool/present/plan_text.h"
#include "tool/present/table.h"

namespace mtf::tool {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostProfiled = 30;
constexpr std::size_t kWidestProfiled = 76;

struct LineTime {
  std::string place, text;
  double computing = 0, collectives = 0, predicted = 0, host = 0;
  double flops = 0;
  double all() const { return computing + collectives + host; }
};

/// The time of the lines of a run.
class LineTimes {
 public:
  LineTime& at(Span span) {
    const std::pair key(span.file, span.is_known() ? span.position().line : 0);
    const auto [line, fresh] = lines_.try_emplace(key);
    if (fresh && span.is_known()) line->second = {place_of(span), line_of(span)};
    return line->second;
  }
  const std::map<std::pair<const SourceFile*, std::size_t>, LineTime>& all() const { return lines_; }

 private:
  std::map<std::pair<const SourceFile*, std::size_t>, LineTime> lines_;
};

/// Adds the measured and predicted time of the steps of one schedule.
void add_sums(LineTimes& lines, const run::Timeline::Sums& sums, const std::optional<cost::MachineModel>& machine) {
  const schedule::Schedule& schedule = *sums.schedule;
  const std::vector<spmd::InstructionCost> costs = plan::predict_without_memory(schedule).costs;
  const cost::MachineModel model = machine.value_or(cost::MachineModel());
  const std::vector<cost::StepTime> predicted = cost::times_of_steps(schedule, costs, model);
  for (std::size_t s = 0; s < sums.steps.size(); ++s) {
    const schedule::Step& step = schedule.steps[s];
    const auto runs = static_cast<double>(sums.steps[s].runs);
    if (runs == 0) continue;
    const std::vector<double> shares = cost::shares_of_step(schedule, step, costs, model);
    for (std::size_t i = 0; i < shares.size(); ++i) {
      const spmd::Instruction& instruction = schedule.program.instructions[step.instructions[i]];
      LineTime& line = lines.at(spmd::source_of(instruction));
      (is_collective(instruction.kind) ? line.collectives : line.computing) += sums.steps[s].seconds * shares[i];
      if (step.iteration) continue;  // the iterations have sums of their own
      if (machine) line.predicted += runs * predicted[s].total() * shares[i];
      line.flops += runs * static_cast<double>(costs[step.instructions[i]].flops.value());
    }
  }
}

std::string percent_text(double part, double all) {
  if (part <= 0 || all <= 0) return {};
  const double share = 100 * part / all;
  return share < 0.1 ? "<0.1%" : fmt::format("{:.{}f}%", share, share < 9.95 ? 1 : 0);
}

/// `12 G`, `3.4 M`
std::string rate_text(double flops) {
  const bool is_large = flops >= 1e9;
  return fmt::format("{:.{}f} {}", flops / (is_large ? 1e9 : 1e6), flops < (is_large ? 1e10 : 1e7) ? 1 : 0,
                     is_large ? "G" : "M");
}

std::string time_or_nothing(double seconds) { return seconds > 0 ? seconds_text(seconds) : ""; }

}  // namespace

std::string told_profile(const run::Timeline& timeline, int rank, const std::optional<cost::MachineModel>& machine,
                         double planning) {
  LineTimes lines;
  for (const run::Timeline::Sums* sums : timeline.sums()) add_sums(lines, *sums, machine);
  for (const run::Timeline::Gap& gap : timeline.gaps()) lines.at(gap.place).host += gap.seconds;
  Json json{{"rank", rank}, {"wall", timeline.now()}, {"planning", planning}, {"lines", Json::array()}};
  if (machine) json["machine"] = machine->name;
  for (const auto& [key, line] : lines.all())
    json["lines"].push_back(
        {line.place, line.text, line.computing, line.collectives, line.predicted, line.host, line.flops});
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string profile_text(const std::vector<std::string>& told, std::size_t width) {
  struct OfRank {
    int rank = 0;
    double wall = 0, planning = 0, computing = 0, collectives = 0, predicted = 0;
    std::vector<LineTime> lines;
  };
  std::vector<OfRank> ranks;
  std::string machine;
  for (const std::string& text : told) {
    const Json json = Json::parse(text);
    OfRank& rank = ranks.emplace_back();
    rank.rank = json["rank"];
    rank.wall = json["wall"];
    rank.planning = json["planning"];
    machine = json.value("machine", "");
    for (const Json& line : json["lines"]) {
      rank.lines.push_back({line[0], line[1], line[2], line[3], line[4], line[5], line[6]});
      rank.computing += rank.lines.back().computing;
      rank.collectives += rank.lines.back().collectives;
      rank.predicted += rank.lines.back().predicted;
    }
  }
  if (ranks.empty()) return {};
  const auto by_computing = [](const OfRank& a, const OfRank& b) { return a.computing < b.computing; };
  const auto [least, most] = std::minmax_element(ranks.begin(), ranks.end(), by_computing);
  OfRank& slowest = *most;
  std::stable_sort(slowest.lines.begin(), slowest.lines.end(),
                   [](const LineTime& a, const LineTime& b) { return a.all() > b.all(); });
  // share | computing | collectives | predicted | host | rate | place | line
  Table table("rrrrrrll");
  table.row({"share", "computing", "collectives", machine.empty() ? "" : "predicted", "host", "flops/s", "", "line"});
  double rest = 0;
  for (std::size_t i = 0; i < slowest.lines.size(); ++i) {
    const LineTime& line = slowest.lines[i];
    if (i >= kMostProfiled) {
      rest += line.all();
      continue;
    }
    table.row({percent_text(line.all(), slowest.wall), time_or_nothing(line.computing),
               time_or_nothing(line.collectives), machine.empty() ? "" : time_or_nothing(line.predicted),
               time_or_nothing(line.host),
               line.flops > 0 && line.computing > 0 ? rate_text(line.flops / line.computing) : "", line.place,
               cut_off(line.text, kWidestProfiled)});
  }
  std::string out = table.text("", "  ", width);
  if (rest > 0)
    out += fmt::format("… and {}, {}\n",
                       count_text(static_cast<std::int64_t>(slowest.lines.size() - kMostProfiled), "line"),
                       seconds_text(rest));
  out += fmt::format("\n{} in all", seconds_text(slowest.wall));
  if (ranks.size() > 1)
    out += fmt::format(", on rank {} of {}, which computes longest: {} times as long as rank {}", slowest.rank,
                       ranks.size(), fmt::format("{:.2f}", slowest.computing / std::max(least->computing, 1e-9)),
                       least->rank);
  out += "\n";
  const double host = std::max(0.0, slowest.wall - slowest.computing - slowest.collectives);
  Table totals("lrrl");
  const auto add = [&](const char* what, double seconds, const std::string& said) {
    totals.row({what, seconds_text(seconds), percent_text(seconds, slowest.wall), said});
  };
  add("computing", slowest.computing, "");
  if (slowest.collectives > 0) add("collectives", slowest.collectives, "with waiting for other ranks");
  add("host", host, fmt::format("{} of it planning", seconds_text(std::min(slowest.planning, host))));
  out += totals.text("    ");
  if (!machine.empty())
    out += fmt::format("predicted by {}: {} for one processor's computing and collectives\n", machine,
                       seconds_text(slowest.predicted));
  return out;
}

}  // namespace mtf::tool
