#include "tool/present/timeline_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>
#include <tuple>

#include "graph/op.h"
#include "plan/predict.h"
#include "run/hosting.h"
#include "schedule/passes.h"
#include "spmd/statement_costs.h"
#include "support/text.h"
#include "tool/present/picture.h"
#include "tool/present/plan_text.h"
#include "types/saturating.h"

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
  std::string what = step.kind == schedule::StepKind::kFusion && step.instructions.size() > 1
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
  if (const Span span = spmd::source_of(first); span.is_known()) {
    json["args"]["place"] = place_of(span);
    json["args"]["line"] = line_of(span);
  }
  if (flops > 0) json["args"]["flops"] = flops;
  if (bytes > 0) json["args"]["wire_bytes"] = bytes;
  return json;
}

/// Returns for each step the bytes that the schedule's own buffers hold on the largest processor.
std::vector<std::int64_t> live_bytes(const schedule::Schedule& schedule) {
  const auto bytes_of = [](const spmd::LocalProgram& program, int value) {
    return saturating_multiply(schedule::largest_block(program.values[value]), size_of(program.values[value].element));
  };
  std::vector<std::int64_t> change(schedule.steps.size() + 1);
  for (const schedule::Buffer& buffer : schedule.buffers) {
    if (buffer.kind == schedule::BufferKind::kInput) continue;
    const std::int64_t bytes = buffer.kind == schedule::BufferKind::kStaging
                                   ? staging_bytes(schedule, schedule.steps[buffer.first], bytes_of)
                                   : bytes_of(schedule.program, buffer.value);
    change[buffer.first] += bytes;
    if (buffer.kind == schedule::BufferKind::kOutput) continue;
    change[std::min<std::size_t>(static_cast<std::size_t>(buffer.last), schedule.steps.size() - 1) + 1] -= bytes;
  }
  std::partial_sum(change.begin(), change.end(), change.begin());
  change.pop_back();
  return change;
}

/// Returns the memory of the largest processor whenever it changes: pairs of microseconds and bytes.
Json memory_of(const run::Timeline& timeline) {
  Json points = Json::array();
  std::map<const schedule::Schedule*, std::vector<std::int64_t>> live;
  std::int64_t last = -1;
  const auto add = [&](double seconds, std::int64_t bytes) {
    if (bytes == last) return;
    points.push_back({1e6 * seconds, bytes});
    last = bytes;
  };
  auto run = timeline.runs().begin();
  for (const run::Timeline::Event& event : timeline.events()) {
    while (run != timeline.runs().end() && run->end < event.begin) ++run;
    if (run == timeline.runs().end()) break;
    if (event.schedule != run->schedule) continue;  // a loop's iteration
    std::vector<std::int64_t>& of = live[event.schedule.get()];
    if (of.empty()) of = live_bytes(*event.schedule);
    add(event.begin, saturating_add(run->memory, of[static_cast<std::size_t>(event.step)]));
  }
  return points;
}

/// Returns the runs of plans, each with the line that needed it and how often it has run before: `labels` and `runs`.
void add_runs(Json& json, const run::Timeline& timeline) {
  std::map<std::pair<const SourceFile*, std::size_t>, std::pair<std::size_t, std::int64_t>> known;
  json["labels"] = Json::array();
  json["runs"] = Json::array();
  for (const run::Timeline::Run& run : timeline.runs()) {
    const std::pair line(run.place.file, run.place.is_known() ? run.place.position().line : 0);
    const auto [at, fresh] = known.try_emplace(line, json["labels"].size(), 0);
    if (fresh)
      json["labels"].push_back(run.place.is_known() ? place_of(run.place) + "  " + line_of(run.place) : "the script");
    json["runs"].push_back({at->second.first, 1e6 * run.begin, 1e6 * (run.end - run.begin), at->second.second++});
  }
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
    for (const char* what : {"events", "runs"})
      if (!rank[what].empty())
        first = std::min(first, rank["started"].get<double>() - clock + rank[what][0][1].get<double>());
  return std::isfinite(first) ? first : 0;
}

std::vector<Json> parsed(const std::vector<std::string>& told) {
  std::vector<Json> ranks;
  for (const std::string& text : told) ranks.push_back(Json::parse(text));
  return ranks;
}

/// Writes the events of a Chrome trace as text, one a line, with times of 10 ns.
class TraceWriter {
 public:
  void meta(std::int64_t process, int track, const char* what, const Json& args) {
    add(fmt::format("{{\"name\":\"{}\",\"ph\":\"M\",\"pid\":{},\"tid\":{},\"args\":{}}}", what, process, track,
                    args.dump()));
  }
  void span(const std::string& head, double at, double length, std::int64_t process, int track,
            const std::string& args) {
    add(fmt::format("{{{},\"ph\":\"X\",\"ts\":{},\"dur\":{},\"pid\":{},\"tid\":{}{}}}", head, time(at), time(length),
                    process, track, args));
  }
  void counter(double at, std::int64_t process, std::int64_t bytes) {
    add(fmt::format("{{\"name\":\"memory\",\"ph\":\"C\",\"ts\":{},\"pid\":{},\"args\":{{\"bytes\":{}}}}}", time(at),
                    process, bytes));
  }
  /// Draws an arrow between two collectives.
  void arrow(std::int64_t id, double from_at, std::int64_t from, double to_at, std::int64_t to) {
    const char* form =
        "{{\"name\":\"waits\",\"cat\":\"collective\",\"ph\":\"{}\",\"id\":{},\"ts\":{},\"pid\":{},"
        "\"tid\":1{}}}";
    add(fmt::format(fmt::runtime(form), "s", id, time(from_at), from, ""));
    add(fmt::format(fmt::runtime(form), "f", id, time(to_at), to, ",\"bp\":\"e\""));
  }
  std::string text() const { return "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[" + events_ + "]}\n"; }

 private:
  static std::string time(double microseconds) {
    std::string text = fmt::format("{:.2f}", std::max(0.0, microseconds));
    while (text.ends_with('0')) text.pop_back();
    if (text.ends_with('.')) text.pop_back();
    return text;
  }
  void add(const std::string& event) { events_ += (events_.empty() ? "\n" : ",\n") + event; }
  std::string events_;
};

/// A processor's part in a collective.
struct Participant {
  int rank;
  std::int64_t processor;
  double begin, end;
};

/// Draws arrows from the participant that begins last to those on other ranks, which have waited for it.
void add_arrows(TraceWriter& out, std::int64_t& id, const std::vector<Participant>& participants) {
  const auto last = std::max_element(participants.begin(), participants.end(),
                                     [](const auto& a, const auto& b) { return a.begin < b.begin; });
  std::set<int> drawn = {last->rank};
  for (const Participant& each : participants)
    if (drawn.insert(each.rank).second)
      out.arrow(id++, last->begin, last->processor, std::max(each.begin, each.end - 0.01), each.processor);
}

constexpr int kIterationsTrack = 2;

}  // namespace

std::string told_of(const run::Timeline& timeline, int rank, int ranks, const Placement& placement) {
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
      const spmd::Instruction& first = schedule.program.instructions[step.instructions[0]];
      if (is_collective(first.kind) && mesh && !event.processors)
        for (const std::int64_t processor : processors)
          described_step["groups"].push_back(mesh->group(processor, first.axes)[0]);
      described_step["processors"] = std::move(processors);
      json["steps"].push_back(std::move(described_step));
    }
    json["events"].push_back({at->second, 1e6 * event.begin, 1e6 * (event.end - event.begin), event.collective});
  }
  add_runs(json, timeline);
  json["memory"] = memory_of(timeline);
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string chrome_trace(const std::vector<std::string>& told) {
  const std::vector<Json> ranks = parsed(told);
  const double clock = earliest_clock(ranks), first = earliest_event(ranks, clock);
  TraceWriter out;
  std::set<std::int64_t> named;
  std::map<std::pair<std::int64_t, std::int64_t>, std::vector<Participant>> collectives;  // by number and group
  const auto name_processor = [&](std::int64_t processor, int rank) {
    if (!named.insert(processor).second) return;
    out.meta(processor, 0, "process_name", {{"name", fmt::format("processor {}, on rank {}", processor, rank)}});
    for (const auto& [track, name] : {std::pair{0, "compute"}, {1, "collectives"}})
      out.meta(processor, track, "thread_name", {{"name", name}});
  };
  for (const Json& rank : ranks) {
    const int number = rank["rank"];
    const double shift = rank["started"].get<double>() - clock - first;
    std::vector<std::string> heads, args;
    for (const Json& step : rank["steps"]) {
      heads.push_back("\"name\":" + step["name"].dump());
      Json of_step = step.value("args", Json::object());
      of_step.erase("line");
      args.push_back(of_step.empty() ? "" : ",\"args\":" + of_step.dump());
    }
    std::int64_t first_processor = -1;
    for (const Json& event : rank["events"]) {
      const std::size_t of = event[0];
      const Json& step = rank["steps"][of];
      const bool is_collective = step["cat"] == "collective";
      const double begin = event[1].get<double>() + shift, length = event[2];
      const Json& processors = step["processors"];
      for (std::size_t i = 0; i < processors.size(); ++i) {
        const std::int64_t processor = processors[i];
        if (first_processor < 0) first_processor = processor;
        name_processor(processor, number);
        out.span(heads[of], begin, length, processor, is_collective ? 1 : 0, args[of]);
        if (is_collective && ranks.size() > 1 && step.contains("groups"))
          collectives[{event[3], step["groups"][i]}].push_back({number, processor, begin, begin + length});
      }
    }
    if (first_processor < 0) continue;
    if (!rank["runs"].empty())
      out.meta(first_processor, kIterationsTrack, "thread_name", {{"name", "lines and iterations"}});
    for (const Json& run : rank["runs"])
      out.span(fmt::format("\"name\":{}", Json(fmt::format("{}, iteration {}",
                                                           rank["labels"][run[0].get<std::size_t>()].get<std::string>(),
                                                           run[3].get<std::int64_t>()))
                                              .dump()),
               run[1].get<double>() + shift, run[2], first_processor, kIterationsTrack, "");
    for (const Json& point : rank["memory"]) out.counter(point[0].get<double>() + shift, first_processor, point[1]);
  }
  std::int64_t id = 0;
  for (const auto& [which, participants] : collectives) add_arrows(out, id, participants);
  return out.text();
}

bool is_timeline(std::string_view text) {
  return text.starts_with("{\"displayTimeUnit\":\"ms\",\"traceEvents\":[") || is_svg_of("timeline", text);
}

namespace {

constexpr double kTimelineLeft = 110, kTimelineWidth = 1080, kTimelineRow = 34, kTimelineTop = 62;
/// Steps that are closer together than this are drawn as one, in pixels.
constexpr double kNarrowestGap = 0.4;

/// The steps of one track that are drawn as one rectangle.
struct DrawnSteps {
  double begin = 0, end = 0;         ///< microseconds
  std::string name = {}, line = {};  ///< of the longest step
  double longest = 0, busy = 0;
  std::int64_t steps = 0;
};

struct TrackKey {
  std::int64_t processor;
  bool is_collective;
  auto operator<=>(const TrackKey&) const = default;
};

/// Adds a step to the last rectangle of its track, or begins another one.
void draw_step(std::vector<DrawnSteps>& track, double begin, double length, const Json& step, double narrowest) {
  if (track.empty() || begin - track.back().end > narrowest) track.push_back({begin, begin});
  DrawnSteps& drawn = track.back();
  drawn.end = std::max(drawn.end, begin + length);
  drawn.busy += length;
  ++drawn.steps;
  if (drawn.steps > 1 && length <= drawn.longest) return;
  drawn.longest = length;
  drawn.name = step["name"];
  drawn.line = step.contains("args") && step["args"].contains("place")
                   ? step["args"]["place"].get<std::string>() + "  " + step["args"]["line"].get<std::string>()
                   : "";
}

std::string title_of(const DrawnSteps& drawn) {
  std::string text = drawn.name + ", " + seconds_text(drawn.longest / 1e6);
  if (drawn.steps > 1)
    text = fmt::format("{} steps, {}; the longest: {}", drawn.steps, seconds_text(drawn.busy / 1e6), text);
  return text + (drawn.line.empty() ? "" : "\n" + drawn.line);
}

/// Returns the largest distance of the form 1, 2 or 5 times a power of ten that gives at least `count` marks.
double distance_of_marks(double range, int count) {
  const double most = range / count, power = std::pow(10, std::floor(std::log10(most)));
  return power * (most >= 5 * power ? 5 : most >= 2 * power ? 2 : 1);
}

}  // namespace

/// Draws the runs of a rank's plans: the lines that need them, and their iterations. `first`: the time at the left
/// edge.
static std::string iterations_svg(const Json& rank, double first, double scale) {
  std::string out = fmt::format("<text x=\"8\" y=\"{}\">iteration</text>\n", kTimelineTop - 16);
  double drawn_to = -INFINITY;
  for (const Json& run : rank["runs"]) {
    const double begin = (rank["started"].get<double>() + run[1].get<double>() - first) * scale,
                 end = begin + run[2].get<double>() * scale;
    if (end < 0 || begin > kTimelineWidth || end < drawn_to + 2) continue;
    drawn_to = end;
    const std::int64_t iteration = run[3];
    const std::string label = rank["labels"][run[0].get<std::size_t>()];
    const double x = kTimelineLeft + std::max(0.0, begin), wide = std::min(end, kTimelineWidth) - std::max(0.0, begin);
    out += fmt::format(
        "<rect class=\"{}\" x=\"{:.1f}\" y=\"{}\" width=\"{:.1f}\" height=\"14\"><title>{}, iteration "
        "{}</title></rect>\n",
        iteration % 2 == 0 ? "i" : "j", x, kTimelineTop - 28, std::max(0.5, wide), xml_text(label), iteration);
    const std::string place = label.substr(0, label.find("  "));
    const std::string text = wide > 8.0 * static_cast<double>(place.size()) + 50
                                 ? fmt::format("{}, {}", place, iteration)
                                 : std::to_string(iteration);
    if (wide > 7.0 * static_cast<double>(text.size()))
      out +=
          fmt::format("<text class=\"s\" x=\"{:.1f}\" y=\"{}\">{}</text>\n", x + 3, kTimelineTop - 18, xml_text(text));
  }
  return out;
}

std::string timeline_svg(const std::vector<std::string>& told) {
  const std::vector<Json> ranks = parsed(told);
  double first = INFINITY, last = 0;
  std::set<std::int64_t> processors;
  const auto first_drawn = [](const Json& events) { return events.size() - std::min(events.size(), kMostDrawn); };
  for (const Json& rank : ranks) {
    const Json& events = rank["events"];
    const double started = rank["started"];
    for (std::size_t e = first_drawn(events); e < events.size(); ++e) {
      first = std::min(first, started + events[e][1].get<double>());
      last = std::max(last, started + events[e][1].get<double>() + events[e][2].get<double>());
    }
  }
  const double range = last > first ? last - first : 1, scale = kTimelineWidth / range;
  std::map<TrackKey, std::vector<DrawnSteps>> tracks;
  for (const Json& rank : ranks) {
    const Json& events = rank["events"];
    for (std::size_t e = first_drawn(events); e < events.size(); ++e) {
      const Json& step = rank["steps"][events[e][0].get<std::size_t>()];
      for (const Json& processor : step["processors"]) {
        processors.insert(processor.get<std::int64_t>());
        draw_step(tracks[{processor, step["cat"] == "collective"}],
                  rank["started"].get<double>() + events[e][1].get<double>() - first, events[e][2], step,
                  kNarrowestGap / scale);
      }
    }
  }
  const double height = kTimelineTop + kTimelineRow * static_cast<double>(processors.size()) + 30;
  std::string out =
      svg_begin("timeline", kTimelineLeft + kTimelineWidth + 10, height) +
      fmt::format(
          "<style>.c {{ fill: #6b7c8f }} .m {{ fill: #b5564a }} .i {{ fill: #dfe6ee }} .j {{ fill: #c9d4e0 }} "
          ".t {{ stroke: #ddd }} .s {{ font-size: 10px }}</style>\n"
          "<rect class=\"c\" x=\"{}\" y=\"8\" width=\"12\" height=\"10\"/><text x=\"{}\" y=\"17\">computes</text>"
          "<rect class=\"m\" x=\"{}\" y=\"8\" width=\"12\" height=\"10\"/><text x=\"{}\" "
          "y=\"17\">collective</text>\n",
          kTimelineLeft, kTimelineLeft + 16, kTimelineLeft + 90, kTimelineLeft + 106);
  const double distance = distance_of_marks(range, 6);
  for (double mark = 0; mark <= range; mark += distance) {
    const double x = kTimelineLeft + mark * scale;
    out += fmt::format(
        "<line class=\"t\" x1=\"{0:.1f}\" y1=\"{1}\" x2=\"{0:.1f}\" y2=\"{2}\"/>"
        "<text x=\"{0:.1f}\" y=\"{3}\" text-anchor=\"{4}\">{5}</text>\n",
        x, kTimelineTop - 8, height - 24, height - 8, mark == 0 ? "start" : "middle",
        mark == 0 ? "0" : seconds_text(mark / 1e6));
  }
  out += iterations_svg(ranks[0], first, scale);
  double y = kTimelineTop;
  for (const std::int64_t processor : processors) {
    out += fmt::format("<text x=\"8\" y=\"{}\">processor {}</text>\n", y + 18, processor);
    for (const bool is_collective : {false, true})
      for (const DrawnSteps& drawn : tracks[{processor, is_collective}])
        out += fmt::format(
            "<rect class=\"{}\" x=\"{:.1f}\" y=\"{}\" width=\"{:.1f}\" height=\"12\"><title>{}</title></rect>\n",
            is_collective ? "m" : "c", kTimelineLeft + drawn.begin * scale, y + (is_collective ? 14 : 0),
            std::max(0.2, (drawn.end - drawn.begin) * scale), xml_text(title_of(drawn)));
    y += kTimelineRow;
  }
  return out + "</svg>\n";
}

}  // namespace mtf::tool
