#include "api/json.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "mtf/interpreter.h"
#include "session/combinations.h"

namespace mtf {
namespace {

using AnswerJson = nlohmann::ordered_json;

AnswerJson json_of(const PlaceRecord& record);
AnswerJson json_of(const CollectiveCounts& record);
AnswerJson json_of(const CountersRecord& record);
AnswerJson json_of(const DoubtRecord& record);
AnswerJson json_of(const LineRecord& record);
AnswerJson json_of(const ValueCost& record);
AnswerJson json_of(const PartRecord& record);
AnswerJson json_of(const UnreadRecord& record);
AnswerJson json_of(const CollectiveReason& record);
AnswerJson json_of(const LayoutCost& record);
AnswerJson json_of(const FoundLayout& record);
AnswerJson json_of(const session::OptionSet& record);
AnswerJson json_of(const DiagnosticRecord::Related& record);
AnswerJson json_of(const DiagnosticRecord::Fix::Edit& record);
AnswerJson json_of(const DiagnosticRecord::Fix& record);

template <typename Record>
AnswerJson list_of(const std::vector<Record>& records) {
  AnswerJson list = AnswerJson::array();
  for (const Record& each : records) list.push_back(json_of(each));
  return list;
}

AnswerJson json_of(const PlaceRecord& place) {
  return {{"file", place.file},
          {"line", place.line},
          {"column", place.column},
          {"end_line", place.end_line},
          {"end_column", place.end_column}};
}

AnswerJson json_of(const CollectiveCounts& counts) {
  return {{"kind", counts.kind},     {"axes", counts.axes},   {"count", counts.count},          {"calls", counts.calls},
          {"values", counts.values}, {"bytes", counts.bytes}, {"wire_bytes", counts.wire_bytes}};
}

AnswerJson json_of(const CountersRecord& counters) {
  return {{"flops", counters.flops},
          {"unique_flops", counters.unique_flops},
          {"processors", counters.processors},
          {"peak_bytes", counters.peak_bytes},
          {"collectives", list_of(counters.collectives)}};
}

AnswerJson json_of(const DoubtRecord& doubt) {
  static constexpr const char* kKinds[] = {"ways", "turns", "rest", "unknown", "skipped"};
  return {{"kind", kKinds[static_cast<int>(doubt.kind)]}, {"why", doubt.why}, {"place", json_of(doubt.place)}};
}

AnswerJson json_of(const LineRecord& line) {
  return {{"file", line.file},
          {"line", line.line},
          {"text", line.text},
          {"flops", line.flops},
          {"backward_flops", line.backward_flops},
          {"collectives", line.collectives},
          {"bytes", line.bytes},
          {"wire_bytes", line.wire_bytes},
          {"seconds", line.seconds}};
}

AnswerJson json_of(const ValueCost& value) {
  return {{"value", value.value}, {"flops", value.flops},           {"collective", value.collective},
          {"axes", value.axes},   {"reason", value.reason},         {"values", value.values},
          {"bytes", value.bytes}, {"wire_bytes", value.wire_bytes}, {"seconds", value.seconds}};
}

AnswerJson json_of(const PartRecord& part) {
  return {{"place", json_of(part.place)},
          {"text", part.text},
          {"callee", part.callee},
          {"calls", part.calls},
          {"turns", part.turns},
          {"is_estimate", part.is_estimate},
          {"flops", part.flops},
          {"backward_flops", part.backward_flops},
          {"collectives", part.collectives},
          {"bytes", part.bytes},
          {"wire_bytes", part.wire_bytes},
          {"seconds", part.seconds},
          {"values", list_of(part.values)},
          {"parts", list_of(part.parts)}};
}

AnswerJson json_of(const UnreadRecord& unread) {
  return {{"place", json_of(unread.place)}, {"text", unread.text}, {"name", unread.name}};
}

AnswerJson json_of(const CollectiveReason& reason) {
  return {{"kind", reason.kind},     {"axes", reason.axes},
          {"result", reason.result}, {"reason", reason.reason},
          {"rules", reason.rules},   {"place", json_of(reason.place)},
          {"times", reason.times},   {"values", reason.values},
          {"bytes", reason.bytes},   {"wire_bytes", reason.wire_bytes}};
}

AnswerJson json_of(const LayoutCost& cost) {
  return {{"layout", cost.layout},
          {"flops", cost.flops},
          {"wire_bytes", cost.wire_bytes},
          {"collectives", cost.collectives},
          {"held_bytes", cost.held_bytes}};
}

AnswerJson json_of(const FoundLayout& found) {
  return {{"mesh", found.mesh},
          {"layout", found.layout},
          {"seconds", found.seconds},
          {"counters", json_of(found.counters)}};
}

AnswerJson json_of(const session::OptionSet& each) {
  AnswerJson json{{"set", AnswerJson::object()},
                  {"seconds", each.seconds},
                  {"peak_bytes", each.peak_bytes},
                  {"flops_per_second", each.parts.flops_per_second()},
                  {"parts", AnswerJson::object()}};
  for (const auto& [option, value] : each.set) json["set"][option] = value;
  for (const auto& [part, seconds] : each.parts.named()) json["parts"][part] = seconds;
  return json;
}

AnswerJson labelled(const PlaceRecord& place, const std::string& label) {
  AnswerJson json = json_of(place);
  json["label"] = label;
  return json;
}

AnswerJson json_of(const DiagnosticRecord::Related& related) { return labelled(related.place, related.text); }

AnswerJson json_of(const DiagnosticRecord::Fix::Edit& edit) {
  AnswerJson json = json_of(edit.place);
  json["text"] = edit.text;
  return json;
}

AnswerJson json_of(const DiagnosticRecord::Fix& fix) { return {{"title", fix.title}, {"edits", list_of(fix.edits)}}; }

AnswerJson headed(const char* record) { return {{"schema", kJsonSchema}, {"record", record}}; }

std::string text_of(const AnswerJson& json, int indent) {
  return json.dump(indent, ' ', false, AnswerJson::error_handler_t::replace) + "\n";
}

constexpr int kIndent = 2;

}  // namespace

std::string to_json(const PlanRecord& plan) {
  AnswerJson json = headed("plan");
  json["mesh"] = plan.mesh;
  json["totals"] = json_of(plan.totals);
  json["peak"] = {{"held", plan.peak.held},           {"copies", plan.peak.copies},
                  {"saved", plan.peak.saved},         {"gradients", plan.peak.gradients},
                  {"temporary", plan.peak.temporary}, {"buffers", plan.peak.buffers}};
  json["is_estimate"] = plan.is_estimate();
  json["doubts"] = list_of(plan.doubts);
  json["stored"] = {{"parameters", plan.stored.parameters},
                    {"parameter_bytes", plan.stored.parameter_bytes},
                    {"states", plan.stored.states},
                    {"state_bytes", plan.stored.state_bytes}};
  json["not_read"] = list_of(plan.not_read);
  json["warnings"] = plan.warnings;
  json["machine"] = plan.machine;
  json["seconds"] = AnswerJson::object();
  for (const auto& [of, seconds] : plan.seconds) json["seconds"][of] = seconds;
  json["flops_per_second"] = plan.flops_per_second;
  json["share_of_peak"] = plan.share_of_peak;
  json["lines"] = list_of(plan.lines);
  json["parts"] = list_of(plan.parts);
  return text_of(json, kIndent);
}

std::string to_json(const ExplanationRecord& explanation) {
  AnswerJson json = headed("explanation");
  json["collectives"] = list_of(explanation.collectives);
  json["now"] = json_of(explanation.now);
  json["better"] = list_of(explanation.better);
  json["doubts"] = list_of(explanation.doubts);
  return text_of(json, kIndent);
}

std::string to_json(const std::vector<FoundLayout>& found) {
  AnswerJson json = headed("search");
  json["found"] = list_of(found);
  return text_of(json, kIndent);
}

std::string to_json(const session::OptionSets& found) {
  AnswerJson json = headed("combinations");
  json["machine"] = found.machine;
  json["processors"] = found.processors;
  json["planned"] = found.planned;
  json["too_large"] = found.too_large;
  json["best"] = list_of(found.best);
  json["front"] = list_of(found.front);
  json["refused"] = AnswerJson::array();
  for (const auto& [why, count] : found.refused) json["refused"].push_back({{"why", why}, {"count", count}});
  return text_of(json, kIndent);
}

std::string to_json(const DiagnosticRecord& diagnostic) {
  AnswerJson json = headed("diagnostic");
  json["kind"] = diagnostic.kind;
  json["is_error"] = diagnostic.is_error;
  json["message"] = diagnostic.message;
  json["place"] = labelled(diagnostic.place, diagnostic.found);
  json["related"] = list_of(diagnostic.related);
  json["notes"] = diagnostic.notes;
  json["helps"] = diagnostic.helps;
  json["fixes"] = list_of(diagnostic.fixes);
  json["text"] = diagnostic.text;
  return text_of(json, -1);
}

const std::vector<JsonObject>& json_objects() {
  static const std::vector<JsonObject> objects = [] {
    std::vector<JsonObject> all;
#define MTF_JSON_OBJECT(name, doc) all.push_back({#name, doc, {}});
#define MTF_JSON_FIELD(name, type, doc) all.back().fields.push_back({#name, type, doc});
#include "api/json_fields.def"
#undef MTF_JSON_FIELD
#undef MTF_JSON_OBJECT
    return all;
  }();
  return objects;
}

}  // namespace mtf
