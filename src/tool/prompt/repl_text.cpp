#include "tool/prompt/repl_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "support/printable.h"
#include "support/text.h"
#include "tool/present/plan_text.h"
#include "tool/present/table.h"
#include "tool/prompt/message_colours.h"
#include "types/saturating.h"

namespace mtf::tool {
namespace {

std::string collective_line(const spmd::StatementCost& cost) {
  std::string line =
      fmt::format("{}: {}, {}", collective_text(cost), count_text(cost.values, "value"), bytes_text(cost.bytes));
  if (cost.reason) line += "   " + to_string(*cost.reason);
  return line;
}

// Returns the lines in the order of their first occurrence, with their number of occurrences.
std::vector<std::pair<std::string, std::int64_t>> collective_lines(const session::EntryReport& report) {
  std::vector<std::pair<std::string, std::int64_t>> lines;
  for (const spmd::StatementCost& cost : report.costs) {
    if (!cost.collective) continue;
    std::string line = collective_line(cost);
    bool known = false;
    for (auto& [text, count] : lines) {
      if (text != line) continue;
      ++count;
      known = true;
    }
    if (!known) lines.emplace_back(std::move(line), 1);
  }
  return lines;
}

// More lines than these are added up.
constexpr std::size_t kMostCollectiveLines = 8;

// Returns a line for each kind of collective and its axes.
std::vector<std::pair<std::string, std::int64_t>> added_up(const session::EntryReport& report) {
  struct Sum {
    std::string what;
    std::int64_t times = 0, values = 0, bytes = 0;
  };
  std::vector<Sum> sums;
  for (const spmd::StatementCost& cost : report.costs) {
    if (!cost.collective) continue;
    const std::string what = collective_text(cost);
    auto sum = std::find_if(sums.begin(), sums.end(), [&](const Sum& each) { return each.what == what; });
    if (sum == sums.end()) sum = sums.insert(sum, {what});
    sum->times = saturating_add(sum->times, cost.times);
    sum->values = saturating_add(sum->values, saturating_multiply(cost.times, cost.values));
    sum->bytes = saturating_add(sum->bytes, saturating_multiply(cost.times, cost.bytes));
  }
  std::vector<std::pair<std::string, std::int64_t>> lines;
  for (const Sum& sum : sums)
    lines.emplace_back(
        fmt::format("{}: {}, {} in all", sum.what, count_text(sum.values, "value"), bytes_text(sum.bytes)), sum.times);
  return lines;
}

std::string without_line_end(std::string text) {
  if (text.ends_with('\n')) text.pop_back();
  return text;
}

// The longest value that is written on one line with its type.
constexpr std::size_t kShortValue = 60;

// The most parts that are shown; a value that is only bound shows fewer.
constexpr std::size_t kMostParts = 60, kMostPartsOfBound = 12;

std::string parts_text(const std::vector<session::HeldPart>& parts, std::size_t most) {
  Table table("ll");
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i == most) {
      table.line(fmt::format("… and {} more", thousands(static_cast<std::int64_t>(parts.size() - i))));
      break;
    }
    table.row(
        {std::string(2 * static_cast<std::size_t>(parts[i].depth), ' ') + (parts[i].are_left_out ? "…" : parts[i].name),
         to_string(parts[i].type)});
  }
  return table.text("  ");
}

std::string binding_text(const session::EntryReport::Binding& binding, bool silent, const Room& room, bool colours) {
  const std::string name = colours ? in_style("1", binding.name) : binding.name;
  if (!binding.parts.empty())
    return (name.empty() ? "" : name + ": ") + to_string(binding.type) + "\n" +
           without_line_end(parts_text(binding.parts, name.empty() ? kMostParts : kMostPartsOfBound));
  // A string may come from a file.
  if (!binding.type.tensor()) return (name.empty() ? "" : name + " = ") + printable(binding.value, true);
  const std::string note = silent ? ", no communication" : "";
  const std::string type = fmt::format("{}   {} per processor{}", to_string(binding.type), bytes_text(binding.bytes),
                                       colours ? in_style("2", note) : note);
  if (!name.empty()) return name + ": " + type;
  // Rows of a tensor with one dim would look like columns.
  const bool is_matrix = binding.tensor && binding.tensor->type.dims.size() > 1;
  const bool is_short =
      !is_matrix && binding.value.size() <= kShortValue && binding.value.find('\n') == std::string::npos;
  if (is_short) return binding.value + ": " + type;
  return type + "\n" + (binding.tensor ? without_line_end(tensor_table(*binding.tensor, room)) : binding.value);
}

}  // namespace

std::string text_of(const session::KnownName& known) {
  if (known.signature.text.empty()) return to_string(known.type);
  return (known.type.kind == eval::ValueType::Kind::kModel ? "model " : "") + known.signature.text;
}

std::string repl_text(const session::EntryReport& report, const Room& room, bool colours) {
  auto collectives = collective_lines(report);
  const bool are_many = collectives.size() > kMostCollectiveLines;
  if (are_many) collectives = added_up(report);
  std::string out;
  for (const session::EntryReport::Binding& binding : report.bindings)
    out += binding_text(binding, collectives.empty(), room, colours) + "\n";
  for (const auto& [line, count] : collectives) {
    const std::string text = "   " + (count == 1 ? "" : thousands(count) + " × ") + line;
    out += (colours ? in_style("33", text) : text) + "\n";
  }
  if (are_many) out += "   `:explain` before the statement tells each of them\n";
  return out;
}

}  // namespace mtf::tool
