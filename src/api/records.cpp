#include "api/records.h"

#include <algorithm>
#include <map>
#include <utility>

#include "plan/doubt.h"
#include "support/text.h"
#include "types/saturating.h"

namespace mtf {
namespace {

DoubtRecord::Kind kind_of(plan::Doubt::Kind kind) {
  switch (kind) {
    case plan::Doubt::Kind::kWays: return DoubtRecord::Kind::kWays;
    case plan::Doubt::Kind::kTurns: return DoubtRecord::Kind::kTurns;
    case plan::Doubt::Kind::kRest: return DoubtRecord::Kind::kRest;
    case plan::Doubt::Kind::kUnknown: return DoubtRecord::Kind::kUnknown;
    case plan::Doubt::Kind::kSkipped: break;
  }
  return DoubtRecord::Kind::kSkipped;
}

LineRecord line_record(Span span) {
  LineRecord record;
  if (!span.is_known()) return record;
  record.file = span.file->name();
  record.line = span.file->line_of(span.begin);
  record.text = std::string(trim(span.file->line(record.line)));
  return record;
}

std::vector<std::string> names_of(const std::vector<Name>& axes) {
  std::vector<std::string> names;
  for (const Name axis : axes) names.push_back(axis.str());
  return names;
}

void add_cost(LineRecord& line, const spmd::StatementCost& cost, std::int64_t times) {
  const auto add = [&](std::int64_t& sum, std::int64_t figure) {
    sum = saturating_add(sum, saturating_multiply(figure, times));
  };
  add(line.flops, cost.flops);
  if (cost.frame && cost.frame->backward) add(line.backward_flops, cost.flops);
  if (!cost.collective) return;
  add(line.collectives, 1);
  add(line.bytes, cost.bytes);
  add(line.wire_bytes, cost.wire_bytes);
}

std::vector<DoubtRecord> doubt_records(const plan::Doubts& doubts) {
  std::vector<DoubtRecord> records;
  for (const plan::Doubt& doubt : doubts) records.push_back({kind_of(doubt.kind), place_record(doubt.place)});
  return records;
}

LayoutCost layout_cost(const session::Explanation::Total& total, std::int64_t held_bytes) {
  return {{}, total.flops, total.wire_bytes, total.collectives, held_bytes};
}

}  // namespace

PlaceRecord place_record(Span span) {
  PlaceRecord record;
  if (!span.is_known()) return record;
  const Position begin = span.position(), end = span.file->position(span.end);
  record.file = span.file->name();
  record.line = begin.line;
  record.column = begin.column;
  record.end_line = end.line;
  record.end_column = end.column;
  return record;
}

DiagnosticRecord diagnostic_record(const Diagnostic& diagnostic) {
  const KindRecord& kind = record(diagnostic.kind());
  DiagnosticRecord made;
  made.kind = kind.name;
  made.is_error = kind.severity == Severity::kError;
  made.message = kind.headline;
  made.found = diagnostic.label();
  made.place = place_record(diagnostic.span());
  for (std::size_t i = 1; i < diagnostic.places().size(); ++i)
    made.related.push_back({place_record(diagnostic.places()[i].span), diagnostic.places()[i].label});
  made.notes = diagnostic.notes();
  made.helps = diagnostic.helps();
  for (const Help& help : diagnostic.fixes()) {
    DiagnosticRecord::Fix& fix = made.fixes.emplace_back();
    fix.title = help.text;
    for (const Edit& edit : help.edits) fix.edits.push_back({place_record(edit.span), edit.text});
  }
  made.text = diagnostic.render();
  return made;
}

CountersRecord counters_record(const plan::Counters& counters) {
  CountersRecord made;
  made.flops = counters.flops;
  made.unique_flops = counters.unique_flops;
  made.processors = counters.processors;
  made.peak_bytes = counters.peak_bytes;
  for (int kind = 0; kind < spmd::kCollectiveKinds; ++kind) {
    const std::string called(name(static_cast<spmd::CollectiveKind>(kind)));
    for (const auto& [axes, all] : counters.collectives[kind])
      made.collectives.push_back({called, names_of(axes), all.count, all.calls, all.values, all.bytes, all.wire_bytes});
  }
  return made;
}

std::vector<ProgressRecord> progress_records(const eval::Progress& loops) {
  std::vector<ProgressRecord> records;
  for (const eval::LoopProgress& each : loops) records.push_back({each.variable, each.turn, each.turns, each.seconds});
  return records;
}

PlanRecord plan_record(const session::Planned& planned) {
  PlanRecord made;
  plan::Counters totals;
  plan::Doubts doubts;
  std::map<std::pair<const SourceFile*, std::size_t>, std::size_t> known;
  for (const eval::StatementReport& statement : planned.statements) {
    const std::int64_t turns = std::max<std::int64_t>(statement.turns, 1);
    add_times(totals, statement.counters, turns);
    for (const plan::Doubt& doubt : statement.doubts) add_doubt(doubts, doubt);
    for (const spmd::StatementCost& cost : statement.costs) {
      if (cost.flops == 0 && !cost.collective) continue;
      const Span span = source_of(cost);
      const std::size_t line = span.is_known() ? span.file->line_of(span.begin) : 0;
      const auto [at, fresh] = known.try_emplace({span.file, line}, made.lines.size());
      if (fresh) made.lines.push_back(line_record(span));
      add_cost(made.lines[at->second], cost, saturating_multiply(turns, cost.times));
    }
  }
  totals.processors = planned.mesh->size();
  totals.peak_bytes = planned.counters.peak_bytes;
  made.totals = counters_record(totals);
  made.doubts = doubt_records(doubts);
  return made;
}

ExplanationRecord explanation_record(const session::Explanation& explanation) {
  ExplanationRecord made;
  for (const session::Explanation::Collective& each : explanation.collectives) {
    const spmd::StatementCost& cost = each.cost;
    CollectiveReason& record = made.collectives.emplace_back();
    record.kind = name(*cost.collective);
    record.axes = names_of(cost.axes);
    record.result = to_string(cost.value);
    if (cost.reason) record.reason = to_string(*cost.reason);
    for (const LayoutRule& rule : each.rules)
      record.rules.push_back(rule.dim.str() + " -> " + join(names_of(rule.axes), ", "));
    record.place = place_record(cost.span);
    record.times = cost.times;
    record.values = cost.values;
    record.bytes = cost.bytes;
    record.wire_bytes = cost.wire_bytes;
  }
  made.now = layout_cost(explanation.now, explanation.held_bytes);
  for (const session::Explanation::Better& each : explanation.better) {
    made.better.push_back(layout_cost(each.total, each.held_bytes));
    made.better.back().layout = to_string(each.layout);
  }
  made.doubts = doubt_records(explanation.doubts);
  return made;
}

FoundLayout found_layout(const cost::Candidate& candidate) {
  std::vector<std::string> axes;
  for (const Axis& axis : candidate.mesh->axes()) axes.push_back(axis.name.str() + ": " + std::to_string(axis.size));
  return {"[" + join(axes, ", ") + "]", to_string(*candidate.rules), candidate.cost.time.total(),
          counters_record(candidate.cost.counters)};
}

}  // namespace mtf
