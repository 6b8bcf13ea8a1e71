#include "tool/present/plan_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "support/text.h"
#include "tool/present/fitted_text.h"
#include "tool/present/table.h"
#include "types/saturating.h"

namespace mtf::tool {
namespace {

std::string kind_text(spmd::CollectiveKind kind) { return std::string(name(kind)); }

constexpr std::size_t kMostLines = 12;  // of a list of positions

/// A list of positions, each with its line and a remark: on one line, or below the position if that is too long.
class Places {
 public:
  /// Lines have at most `width` columns; 0: no limit.
  explicit Places(std::size_t width) : width_(width) {}
  void add(Span span, const std::string& said) {
    if (++count_ > kMostLines) return;
    const std::string place = place_of(span), line = line_of(span);
    table_.row({place, line, said});
    lines_ += cut_off(fmt::format("    {}  {}", place, line), width_) + "\n" +
              (said.empty() ? "" : fitted_line("        " + said, width_, 12));
  }
  std::string text() const {
    const bool fits = width_ == 0 || table_.width("    ") <= width_;
    return (fits ? table_.text("    ") : lines_) +
           (count_ > kMostLines ? fmt::format("    … and {} more\n", count_ - kMostLines) : "");
  }

 private:
  std::size_t width_;
  Table table_{"lll"};
  std::string lines_;
  std::size_t count_ = 0;
};

bool costs_nothing(const plan::Counters& counters) {
  return counters.flops == 0 && std::all_of(std::begin(counters.collectives), std::end(counters.collectives),
                                            [](const auto& kind) { return kind.empty(); });
}

std::string unread_text(const PlanSummary& summary, std::size_t width) {
  if (summary.unread.empty()) return {};
  Places places(width);
  for (const eval::Unread& each : summary.unread) places.add(each.place, each.name.empty() ? "" : each.name.str());
  const std::string head =
      costs_nothing(summary.counters)
          ? "nothing is computed, because nobody reads what these lines make (`print` it, or bind it in `counters`):"
          : "not computed, because nobody reads it:";
  return fitted_line(head, width) + places.text();
}

// The formula after the number that it explains.
std::string behind(const Cost& formula, bool formulas) { return formulas ? "= " + to_string(formula) : ""; }

}  // namespace

std::string collective_text(const spmd::StatementCost& cost) {
  return fmt::format("{} over {}", name(*cost.collective), axes_text(cost.axes));
}

std::string reason_text(const spmd::StatementCost& cost) { return cost.reason ? to_string(*cost.reason) : ""; }

std::string seconds_text(double seconds) {
  if (seconds < 1e-3) return fmt::format("{:.3g} µs", seconds * 1e6);
  if (seconds < 1) return fmt::format("{:.3g} ms", seconds * 1e3);
  return seconds < 100 ? fmt::format("{:.3g} s", seconds) : fmt::format("{:.0f} s", seconds);
}

std::string with_prefix(double number) {
  static constexpr std::pair<double, std::string_view> prefixes[] = {{1e15, "P"}, {1e12, "T"}, {1e9, "G"}, {1e6, "M"}};
  for (const auto& [unit, letter] : prefixes)
    if (number >= unit) return fmt::format("{:.3g} {}", number / unit, letter);
  return fmt::format("{:.3g} ", number);
}

std::string time_text(const std::vector<std::pair<std::string, double>>& seconds, const std::string& machine) {
  Table table("lr");
  constexpr std::string_view kPart = "computing: ";
  for (const auto& [what, each] : seconds)
    table.row({what.starts_with(kPart) ? "  " + what.substr(kPart.size()) : what, seconds_text(each)});
  return fmt::format("estimated time by {}\n", machine) + table.text("    ");
}

std::string iterations_text(std::int64_t iterations) {
  if (iterations == 1) return {};
  return iterations == 0 ? "per turn" : "×" + thousands(iterations);
}

std::string callee_text(const PlanPart& part) {
  const eval::Callee &first = part.callee, &last = part.last_callee;
  std::string text = first.name + (first.path.empty() ? "" : " " + first.path);
  if (!last.name.empty() && (last.name != first.name || last.path != first.path))
    text += " … " + (last.path.empty() ? last.name : last.path);
  return text;
}

std::string how_often(const PlanPart& part) {
  const PlanPart* const plan = part.is_plan ? &part : only_plan(part);
  if (!plan) return {};
  std::string text = iterations_text(plan->iterations);
  if (plan->is_estimate && !text.empty()) text = "about " + text;
  return text + (plan->variants > 1 ? fmt::format(" in {} variants", plan->variants) : "");
}

std::string place_of(Span span) {
  if (!span.is_known()) return {};
  const std::string& name = span.file->name();
  const std::size_t slash = name.rfind('/');
  return fmt::format("{}:{}", slash == std::string::npos ? name : name.substr(slash + 1), span.position().line);
}

std::string plan_text(const eval::StatementReport& report, bool formulas, std::size_t width) {
  if (report.costs.empty()) return {};
  // what | time | flops or values | formula | bytes | wire bytes | reason
  Table table("lrrlrrl");
  for (const spmd::StatementCost& cost : report.costs) {
    const std::string time = cost.seconds > 0 ? seconds_text(cost.seconds) : "";
    if (!cost.collective) {
      table.row({to_string(cost.value), time, cost.flops == 0 ? "" : count_text(cost.flops, "flop"),
                 behind(cost.formula, formulas), "", "", ""});
      continue;
    }
    table.row({"  " + collective_text(cost), time, count_text(cost.values, "value"), behind(cost.formula, formulas),
               bytes_text(cost.bytes), bytes_text(cost.wire_bytes) + " on the wire", reason_text(cost)});
  }
  Table head("l");
  std::string tail;
  if (const std::string iterations = iterations_text(report.iterations); !iterations.empty())
    tail = "   (" + std::string(report.is_estimate ? "about " : "") + iterations + ")";
  const std::string place =
      report.span.is_known() ? fmt::format("{}:{}", report.span.file->name(), report.span.position().line) : "";
  head.row({place + "  " + report.text}, tail);
  return head.text("", "", width) + table.text("    ", "  ", width);
}

std::string estimate_note(const plan::Doubts& doubts, std::size_t width) {
  if (doubts.empty()) return {};
  Places places(width);
  for (const plan::Doubt& doubt : doubts) places.add(doubt.place, reason_of(doubt));
  return "an estimate:\n" + places.text();
}

std::string again_text(const plan::Rematerialized& again) {
  if (again.values == 0) return {};
  std::string out = fmt::format("computed again to fit: {} of {}, with {} FLOPs", count_text(again.values, "value"),
                                bytes_text(again.bytes), thousands(again.flops));
  if (again.sent_bytes > 0) out += fmt::format(" and {} sent again", bytes_text(again.sent_bytes));
  out += "\n";
  Table table("lrrrr");
  for (const plan::Remade& each : again.largest())
    table.row({each.name, count_text(each.values, "value"), bytes_text(each.bytes), thousands(each.flops) + " FLOPs",
               each.sent_bytes > 0 ? bytes_text(each.sent_bytes) + " sent" : ""});
  return out + table.text("    ");
}

std::string holders_text(const plan::PeakMemory& peak) {
  if (peak.holders.empty()) return {};
  Table table("lrrr");
  for (const plan::Holder& holder : peak.holders)
    table.row({holder.name, holder.values > 1 ? count_text(holder.values, "value") : "", bytes_text(holder.bytes)});
  return "the largest values at the peak:\n" + table.text("    ");
}

std::string missing_text(const plan::PeakMemory& peak, std::int64_t memory, bool remat) {
  const std::int64_t most = peak.total();
  if (most <= memory) return {};
  return fmt::format("it does not fit in {}: {} are missing{}\n", bytes_text(memory), bytes_text(most - memory),
                     remat ? ", whatever is computed again" : "");
}

namespace {

/// Returns whether the program fits the memory of a processor, and what its peak consists of.
std::string memory_text(const PlanSummary& summary) {
  const plan::PeakMemory& peak = *summary.peak;
  const std::int64_t memory = *summary.memory, most = peak.total();
  std::string out = most <= memory
                        ? fmt::format("it fits in {}: {} are left\n", bytes_text(memory), bytes_text(memory - most))
                        : missing_text(peak, memory, summary.remat);
  Table table("lrr");
  const auto row = [&](const char* what, std::int64_t bytes) {
    if (bytes > 0)
      table.row({what, bytes_text(bytes),
                 fmt::format("{:.0f}%", 100 * static_cast<double>(bytes) / static_cast<double>(most))});
  };
  const std::int64_t variables = summary.stored.parameter_bytes + summary.stored.state_bytes;
  if (variables <= peak.held) {
    row("params", summary.stored.parameter_bytes);
    row("states", summary.stored.state_bytes);
    row("data and other tensors", peak.held - variables);
  } else {
    row("params, states and data", peak.held);
  }
  row("copies of them in another type, or gathered", peak.copies);
  row("values that the backward pass reads", peak.saved);
  row("gradients", peak.gradients);
  row("other values", peak.temporary);
  row("buffers of collectives", peak.buffers);
  return out + table.text("    ") + (most > memory ? holders_text(peak) : "") + again_text(summary.again);
}

}  // namespace

std::string summary_text(const PlanSummary& summary, std::size_t width) {
  std::string text = totals_text(summary.counters, summary.stored, summary.mesh.get()) +
                     (summary.memory && summary.peak ? memory_text(summary) : "") +
                     estimate_note(summary.doubts, width) + unread_text(summary, width);
  for (const std::string& warning : summary.warnings) text += fitted_line("warning: " + warning, width);
  if (summary.seconds.empty()) return text;
  text += time_text(summary.seconds, summary.machine);
  if (summary.flops_per_second > 0)
    text += fmt::format("    products and attention: {}FLOP/s on a processor, {:.0f}% of its peak\n",
                        with_prefix(summary.flops_per_second), 100 * summary.share_of_peak);
  return text;
}

std::string totals_text(const plan::Counters& counters, const eval::StoredVariables& stored, const Mesh* mesh) {
  std::string out = fmt::format("total for each of {}{}\n", count_text(counters.processors, "processor"),
                                mesh == nullptr ? "" : " of " + to_string(*mesh));
  Table table("lrrrrr");
  table.row({"flops", thousands(counters.flops)});
  table.row({"flops of one processor alone", thousands(counters.unique_flops)});
  if (counters.unique_flops != kMost)
    table.row({"work done more than once", fmt::format("×{:.3g}", duplication(counters))});
  table.row({"peak memory", bytes_text(counters.peak_bytes)});
  const auto variables = [&](const std::string& what, std::int64_t elements, std::int64_t bytes) {
    if (elements > 0) table.row({what, thousands(elements), bytes_text(bytes) + " on a processor"});
  };
  variables("parameters", stored.parameters, stored.parameter_bytes);
  variables("states", stored.states, stored.state_bytes);
  out += table.text("    ");
  Table collectives("lrrrr");
  bool any = false;
  for (int i = 0; i < spmd::kCollectiveKinds; ++i) {
    for (const auto& [axes, count] : counters.collectives[i]) {
      if (count.count == 0) continue;
      any = true;
      collectives.row({fmt::format("{} over {}", kind_text(static_cast<spmd::CollectiveKind>(i)), axes_text(axes)),
                       fmt::format("{} in {}", thousands(count.count), count_text(count.calls, "call")),
                       count_text(count.values, "value"), bytes_text(count.bytes),
                       bytes_text(count.wire_bytes) + " on the wire"});
    }
  }
  return out + (any ? collectives.text("    ") : "    no communication\n");
}

}  // namespace mtf::tool
