#include "tool/present/message_json.h"

#include <nlohmann/json.hpp>

#include "api/records.h"

namespace mtf::tool {
namespace {

using MessageJson = nlohmann::ordered_json;

MessageJson json_of(const PlaceRecord& place, const std::string& label) {
  return {{"file", place.file},
          {"line", place.line},
          {"column", place.column},
          {"end_line", place.end_line},
          {"end_column", place.end_column},
          {"label", label}};
}

DiagnosticRecord::Related place_in(const MessageJson& json) {
  return {{json.at("file"), json.at("line"), json.at("column"), json.at("end_line"), json.at("end_column")},
          json.at("label")};
}

}  // namespace

std::string message_json(const Diagnostic& diagnostic) {
  const DiagnosticRecord record = diagnostic_record(diagnostic);
  MessageJson json{{"kind", record.kind}, {"is_error", record.is_error}, {"message", record.message}};
  json["place"] = json_of(record.place, record.found);
  json["related"] = MessageJson::array();
  for (const DiagnosticRecord::Related& related : record.related)
    json["related"].push_back(json_of(related.place, related.text));
  json["notes"] = record.notes;
  json["helps"] = record.helps;
  json["text"] = record.text;
  return json.dump(-1, ' ', false, MessageJson::error_handler_t::replace) + "\n";
}

std::optional<DiagnosticRecord> read_message_json(std::string_view line) {
  const MessageJson json = MessageJson::parse(line, nullptr, false);
  if (!json.is_object() || !json.contains("kind")) return std::nullopt;
  DiagnosticRecord record;
  record.kind = json.at("kind");
  record.is_error = json.at("is_error");
  record.message = json.at("message");
  DiagnosticRecord::Related place = place_in(json.at("place"));
  record.place = std::move(place.place);
  record.found = std::move(place.text);
  for (const MessageJson& related : json.at("related")) record.related.push_back(place_in(related));
  record.notes = json.at("notes");
  record.helps = json.at("helps");
  record.text = json.at("text");
  return record;
}

}  // namespace mtf::tool
