#include "notebook/html.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "plan/tensor.h"
#include "tool/present/picture.h"

namespace mtf::notebook {
namespace {

/// The indices of rows or columns that are shown; nothing in the place of those between.
std::vector<std::optional<int64_t>> shown(int64_t count) {
  constexpr int64_t kMost = 12;
  std::vector<std::optional<int64_t>> all;
  for (int64_t i = 0; i < count; ++i) {
    if (count > kMost && i == kMost / 2) {
      all.emplace_back();
      i = count - kMost / 2;
    }
    all.emplace_back(i);
  }
  return all;
}

/// A table of the last two dims; the other dims give rows too.
std::string table_of(const plan::HostTensor& tensor) {
  const Dims& dims = tensor.type.dims;
  const int64_t columns = dims.back().size, rows = size_of(dims) / columns;
  std::string head, body;
  for (const std::optional<int64_t> c : shown(columns))
    head += c ? fmt::format("<th>{}</th>", *c) : std::string("<th>…</th>");
  for (const std::optional<int64_t> r : shown(rows)) {
    body += r ? fmt::format("<tr><th>{}</th>", *r) : std::string("<tr><th>…</th>");
    for (const std::optional<int64_t> c : shown(columns))
      body += r && c ? fmt::format("<td>{:.6g}</td>", tensor.number(*r * columns + *c)) : std::string("<td>…</td>");
    body += "</tr>";
  }
  return fmt::format("<table><caption>{}</caption><tr><th>{}</th>{}</tr>{}</table>",
                     tool::xml_text(to_string(tensor.type)), tool::xml_text(dims.back().name.text()), head, body);
}

// ---- records --------------------------------------------------------------------------------------------------------

using Json = nlohmann::ordered_json;

std::string cell_of(const Json& value) {
  if (value.is_null()) return "";
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_float()) return fmt::format("{:.4g}", value.get<double>());
  if (!value.is_array()) return value.dump();
  std::string text;
  for (const Json& each : value) text += (text.empty() ? "" : ", ") + cell_of(each);
  return text;
}

bool is_list_of_objects(const Json& value) { return value.is_array() && !value.empty() && value[0].is_object(); }

/// The rows of one list of objects.
struct RecordTable {
  std::string name;
  std::vector<std::string> columns;
  std::vector<std::map<std::string, std::string>> rows;

  /// Adds the members of an object to the last row. Members of an inner object get columns of their own.
  void add(const Json& object) {
    for (const auto& [key, value] : object.items()) {
      if (is_list_of_objects(value) || key == "place") continue;
      if (value.is_object()) {
        add(value);
        continue;
      }
      const std::string cell = cell_of(value);
      if (cell.empty() || cell == "0" || cell == "false") continue;
      if (std::find(columns.begin(), columns.end(), key) == columns.end()) columns.push_back(key);
      rows.back()[key] = cell;
    }
  }

  std::string html() const {
    std::string text = fmt::format("<table><caption>{}</caption><tr>", tool::xml_text(name));
    for (const std::string& column : columns) text += fmt::format("<th>{}</th>", tool::xml_text(column));
    text += "</tr>";
    for (const std::map<std::string, std::string>& row : rows) {
      text += "<tr>";
      for (const std::string& column : columns) {
        const auto cell = row.find(column);
        text += fmt::format("<td>{}</td>", cell == row.end() ? "" : tool::xml_text(cell->second));
      }
      text += "</tr>";
    }
    return text + "</table>";
  }
};

/// Collects the lists of objects in `object`, equal names in one table. The layouts that a search found are not
/// entered: their lists would lose the layout that they belong to.
void collect(const Json& object, std::vector<RecordTable>& tables) {
  for (const auto& [key, value] : object.items()) {
    if (value.is_object()) collect(value, tables);
    if (!is_list_of_objects(value)) continue;
    for (const Json& each : value) {
      auto table = std::find_if(tables.begin(), tables.end(), [&](const RecordTable& t) { return t.name == key; });
      if (table == tables.end()) table = tables.insert(tables.end(), RecordTable{key, {}, {}});
      table->rows.emplace_back();
      table->add(each);
      if (key != "found") collect(each, tables);
    }
  }
}

}  // namespace

std::string html_of_record(const std::string& json) {
  std::vector<RecordTable> tables;
  collect(Json::parse(json), tables);
  std::string text;
  for (const RecordTable& table : tables) text += table.html();
  return text;
}

std::string html_of(const session::EntryReport& report, const std::string& text) {
  std::string html;
  const plan::HostTensor* tensor = report.bindings.empty() ? nullptr : report.bindings.back().tensor.get();
  if (tensor != nullptr && !tensor->type.dims.empty() && !tensor->bytes.empty()) {
    html = table_of(*tensor);
    // The text below the value: its type and layout, and the collectives.
    const std::size_t line = text.find('\n');
    const std::string first = text.substr(0, line), rest = line == std::string::npos ? "" : text.substr(line + 1);
    std::string notes = first + "\n";
    for (std::size_t at = 0; at < rest.size();) {
      const std::size_t end = std::min(rest.find('\n', at), rest.size());
      if (rest.compare(at, 6, "      ") != 0 || rest.find(" over ", at) < end)
        notes += rest.substr(at, end - at) + "\n";
      at = end + 1;
    }
    return html + "<details><summary>communication</summary><pre>" + tool::xml_text(notes) + "</pre></details>";
  }
  return "<pre>" + tool::xml_text(text) + "</pre>";
}

}  // namespace mtf::notebook
