#include "tool/present/message_json.h"

#include <map>
#include <nlohmann/json.hpp>

#include "api/records.h"
#include "support/text.h"

namespace mtf::tool {
namespace {

using MessageJson = nlohmann::ordered_json;

DiagnosticRecord::Fix fix_in(const MessageJson& json) {
  DiagnosticRecord::Fix fix{json.at("title"), {}};
  for (const MessageJson& edit : json.at("edits"))
    fix.edits.push_back(
        {{edit.at("file"), edit.at("line"), edit.at("column"), edit.at("end_line"), edit.at("end_column")},
         edit.at("text")});
  return fix;
}

DiagnosticRecord::Related place_in(const MessageJson& json) {
  return {{json.at("file"), json.at("line"), json.at("column"), json.at("end_line"), json.at("end_column")},
          json.at("label")};
}

}  // namespace

std::string message_json(const Diagnostic& diagnostic) { return to_json(diagnostic_record(diagnostic)); }

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
  for (const MessageJson& fix : json.at("fixes")) record.fixes.push_back(fix_in(fix));
  record.text = json.at("text");
  return record;
}

namespace {

/// A file's path as a URI, relative or absolute as the path is: other bytes than those that have no meaning there as
MessageJson sarif_location(const PlaceRecord& place) {
  MessageJson location{{"artifactLocation", {{"uri", uri_path(place.file)}}}};
  if (place.line > 0)
    location["region"] = {{"startLine", place.line},
                          {"startColumn", place.column},
                          {"endLine", place.end_line},
                          {"endColumn", place.end_column}};
  return {{"physicalLocation", std::move(location)}};
}

/// The sentence, its cause, notes and helps: a rendered message without its source lines.
std::string sarif_message(const DiagnosticRecord& record) {
  std::string text = record.message;
  if (!record.found.empty()) text += ": " + record.found;
  for (const std::string& note : record.notes) text += "\n" + note;
  for (const std::string& help : record.helps) text += "\nhelp: " + help;
  return text;
}

MessageJson sarif_result(const DiagnosticRecord& record) {
  MessageJson result{{"ruleId", record.kind},
                     {"level", record.is_error ? "error" : "warning"},
                     {"message", {{"text", sarif_message(record)}}}};
  if (!record.place.file.empty()) result["locations"] = {sarif_location(record.place)};
  for (const DiagnosticRecord::Related& related : record.related) {
    MessageJson location = sarif_location(related.place);
    if (!related.text.empty()) location["message"] = {{"text", related.text}};
    result["relatedLocations"].push_back(std::move(location));
  }
  return result;
}

}  // namespace

std::string sarif(const std::vector<Diagnostic>& diagnostics) {
  std::map<std::string, std::string> sentences;  // of the kinds that occur
  MessageJson results = MessageJson::array(), rules = MessageJson::array();
  for (const Diagnostic& diagnostic : diagnostics) {
    const DiagnosticRecord record = diagnostic_record(diagnostic);
    sentences[record.kind] = record.message;
    results.push_back(sarif_result(record));
  }
  for (const auto& [kind, sentence] : sentences)
    rules.push_back({{"id", kind}, {"shortDescription", {{"text", sentence}}}});
  const MessageJson driver{{"name", "mtf"}, {"rules", std::move(rules)}};
  const MessageJson run{
      {"tool", {{"driver", driver}}}, {"columnKind", "unicodeCodePoints"}, {"results", std::move(results)}};
  const MessageJson document{{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                             {"version", "2.1.0"},
                             {"runs", MessageJson::array({run})}};
  return document.dump(2, ' ', false, MessageJson::error_handler_t::replace) + "\n";
}

}  // namespace mtf::tool
