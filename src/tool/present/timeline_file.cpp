#include "tool/present/timeline_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

#include "graph/op.h"
#include "plan/predict.h"
#include "run/hosting.h"
#include "support/text.h"
#include "tool/present/picture.h"
#include "tool/present/plan_tree.h"

namespace mtf::tool {
namespace {

using Json = nlohmann::ordered_json;

std::string names_of(const spmd::LocalProgram& program, const std::vector<int>& values) {
  std::vector<std::string> names;
  for (int v : values) names.push_back(program.values[v].name);
  return join(names, ", ");
}

/// Returns the name of a step: `all_reduce over cols: y`, `einsum: h`, `loop: h, d_h`.
std::string name_of(const spmd::LocalProgram& program, const schedule::Step& step) {
  const spmd::Instruction& first = program.instructions[step.instructions[0]];
  std::string what = step.kind == schedule::StepKind::kLoop && step.instructions.size() > 1
                         ? "loop"
                         : std::string(first.node->op->name);
  if (is_collective(first.kind))
    what = fmt::format("{} over {}", name(counted_as(first.kind)),
                       program.values[first.operands[0]].mesh->axes_to_string(first.axes));
  else if (step.kind == schedule::StepKind::kSlice) what = "slice";
  return what + ": " + names_of(program, step.writes);
}

/// Returns the data that all runs of a step share.
Json described(const schedule::Schedule& schedule, const schedule::Step& step,
               const std::vector<spmd::InstructionCost>& costs) {
  const spmd::Instruction& first = schedule.program.instructions[step.instructions[0]];
  std::int64_t flops = 0, bytes = 0;
  for (int i : step.instructions) {
    flops += costs[i].flops.value();
    bytes += costs[i].wire_bytes;
  }
  Json json{{"name", name_of(schedule.program, step)}, {"cat", is_collective(first.kind) ? "collective" : "compute"}};
  if (first.node->span.is_known()) json["args"]["place"] = place_of(first.node->span);
  if (flops > 0) json["args"]["flops"] = flops;
  if (bytes > 0) json["args"]["wire_bytes"] = bytes;
  return json;
}

/// Returns the earliest of the ranks' clocks, each as it was when the rank began. Times are counted from it, because
/// large numbers have no room for fractions of a microsecond.
double earliest_clock(const std::vector<Json>& ranks) {
  double first = INFINITY;
  for (const Json& rank : ranks) first = std::min(first, rank["started"].get<double>());
  return first;
}

/// Returns the microseconds from `clock` to the earliest event.
double earliest_event(const std::vector<Json>& ranks, double clock) {
  double first = INFINITY;
  for (const Json& rank : ranks)
    if (!rank["events"].empty())
      first = std::min(first, rank["started"].get<double>() - clock + rank["events"][0][1].get<double>());
  return first;
}

std::vector<Json> parsed(const std::vector<std::string>& told) {
  std::vector<Json> ranks;
  for (const std::string& text : told) ranks.push_back(Json::parse(text));
  return ranks;
}

}  // namespace

std::string told_of(const run::Timeline& timeline, int rank, int ranks, const std::vector<std::int64_t>& placement) {
  const double age = timeline.now();
  const double wall = std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  run::Hostings hostings(rank, ranks, placement);
  std::map<const schedule::Schedule*, std::vector<spmd::InstructionCost>> costs;
  std::map<std::tuple<const schedule::Schedule*, int, const void*>, std::size_t> known;
  Json json{{"rank", rank}, {"started", 1e6 * (wall - age)}, {"steps", Json::array()}, {"events", Json::array()}};
  for (const run::Timeline::Event& event : timeline.events()) {
    const schedule::Schedule& schedule = *event.schedule;
    const auto [at, fresh] = known.try_emplace({&schedule, event.step, event.processors.get()}, known.size());
    if (fresh) {
      const schedule::Step& step = schedule.steps[event.step];
      auto& of = costs[&schedule];
      if (of.empty()) of = plan::predict_without_memory(schedule).costs;
      Json described_step = described(schedule, step, of);
      const MeshPtr& mesh = schedule.program.values[step.writes.empty() ? step.reads[0] : step.writes[0]].mesh;
      std::vector<std::int64_t> processors = event.processors ? *event.processors : hostings.of(mesh).processors();
      processors.resize(std::min(processors.size(), kMostTracks));
      described_step["processors"] = processors;
      json["steps"].push_back(std::move(described_step));
    }
    json["events"].push_back({at->second, 1e6 * event.begin, 1e6 * (event.end - event.begin)});
  }
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string chrome_trace(const std::vector<std::string>& told) {
  const std::vector<Json> ranks = parsed(told);
  const double clock = earliest_clock(ranks), first = earliest_event(ranks, clock);
  Json events = Json::array();
  std::set<std::int64_t> named;
  for (const Json& rank : ranks) {
    for (const Json& event : rank["events"]) {
      const Json& step = rank["steps"][event[0].get<std::size_t>()];
      const bool is_collective = step["cat"] == "collective";
      for (const Json& processor : step["processors"]) {
        if (named.insert(processor.get<std::int64_t>()).second) {
          events.push_back({{"name", "process_name"},
                            {"ph", "M"},
                            {"pid", processor},
                            {"args",
                             {{"name", fmt::format("processor {}, on rank {}", processor.get<std::int64_t>(),
                                                   rank["rank"].get<int>())}}}});
          for (int track : {0, 1})
            events.push_back({{"name", "thread_name"},
                              {"ph", "M"},
                              {"pid", processor},
                              {"tid", track},
                              {"args", {{"name", track == 0 ? "compute" : "collectives"}}}});
        }
        Json out{{"name", step["name"]},
                 {"cat", step["cat"]},
                 {"ph", "X"},
                 {"ts", rank["started"].get<double>() - clock + event[1].get<double>() - first},
                 {"dur", event[2]},
                 {"pid", processor},
                 {"tid", is_collective ? 1 : 0}};
        if (step.contains("args")) out["args"] = step["args"];
        events.push_back(std::move(out));
      }
    }
  }
  return Json{{"displayTimeUnit", "ms"}, {"traceEvents", std::move(events)}}.dump() + "\n";
}

bool is_timeline(std::string_view text) {
  return text.starts_with("{\"displayTimeUnit\":\"ms\",\"traceEvents\":[") || is_svg_of("timeline", text);
}

std::string timeline_svg(const std::vector<std::string>& told) {
  struct Drawn {
    std::int64_t processor;
    bool is_collective;
    double begin, length;
    std::string name;
  };
  std::vector<Drawn> drawn;
  double first = INFINITY, last = 0;
  std::set<std::int64_t> processors;
  for (const Json& rank : parsed(told)) {
    const Json& events = rank["events"];
    for (std::size_t e = events.size() - std::min(events.size(), kMostDrawn); e < events.size(); ++e) {
      const Json& step = rank["steps"][events[e][0].get<std::size_t>()];
      for (const Json& processor : step["processors"]) {
        drawn.push_back({processor, step["cat"] == "collective",
                         rank["started"].get<double>() + events[e][1].get<double>(), events[e][2], step["name"]});
        processors.insert(drawn.back().processor);
        first = std::min(first, drawn.back().begin);
        last = std::max(last, drawn.back().begin + drawn.back().length);
      }
    }
  }
  constexpr double kLeft = 110, kWidth = 1080, kRow = 34;
  const double height = 40 + kRow * static_cast<double>(processors.size()) + 24,
               scale = last > first ? kWidth / (last - first) : 0;
  std::string out =
      svg_begin("timeline", kLeft + kWidth + 10, height) +
      fmt::format(
          "<rect x=\"{}\" y=\"10\" width=\"12\" height=\"10\" fill=\"#4a7fb5\"/><text x=\"{}\" y=\"19\">computes</text>"
          "<rect x=\"{}\" y=\"10\" width=\"12\" height=\"10\" fill=\"#b5564a\"/><text x=\"{}\" "
          "y=\"19\">collective</text>\n",
          kLeft, kLeft + 16, kLeft + 90, kLeft + 106);
  std::map<std::int64_t, double> row;
  for (const std::int64_t processor : processors) {
    const double y = 36 + kRow * static_cast<double>(row.size());
    row[processor] = y;
    out += fmt::format("<text x=\"8\" y=\"{}\">processor {}</text>\n", y + 18, processor);
  }
  for (const Drawn& each : drawn)
    out += fmt::format(
        "<rect x=\"{:.2f}\" y=\"{}\" width=\"{:.2f}\" height=\"12\" fill=\"{}\"><title>{}: {:.1f} µs</title></rect>\n",
        kLeft + (each.begin - first) * scale, row[each.processor] + (each.is_collective ? 14 : 0),
        std::max(0.1, each.length * scale), each.is_collective ? "#b5564a" : "#4a7fb5", xml_text(each.name),
        each.length);
  out += fmt::format("<text x=\"{}\" y=\"{}\">0</text><text x=\"{}\" y=\"{}\" text-anchor=\"end\">{:.3g} ms</text>\n",
                     kLeft, height - 8, kLeft + kWidth, height - 8, (last > first ? last - first : 0) / 1e3);
  return out + "</svg>\n";
}

}  // namespace mtf::tool
