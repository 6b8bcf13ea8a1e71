#include "notebook/html.h"

#include <fmt/format.h>

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

}  // namespace

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
