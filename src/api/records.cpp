#include "api/records.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "cost/layout_costs.h"
#include "plan/doubt.h"
#include "session/time_parts.h"
#include "session/what_if.h"
#include "support/source_line.h"
#include "support/text.h"
#include "types/saturating.h"

namespace mtf {
namespace {

DoubtRecord::Kind kind_of(plan::Doubt::Kind kind) {
  switch (kind) {
    case plan::Doubt::Kind::kWays: return DoubtRecord::Kind::kWays;
    case plan::Doubt::Kind::kIterations: return DoubtRecord::Kind::kTurns;
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
  line.seconds += cost.seconds * static_cast<double>(times);
  add(line.flops, cost.flops);
  if (cost.frame && cost.frame->backward) add(line.backward_flops, cost.flops);
  if (!cost.collective) return;
  add(line.collectives, 1);
  add(line.bytes, cost.bytes);
  add(line.wire_bytes, cost.wire_bytes);
}

std::vector<DoubtRecord> doubt_records(const plan::Doubts& doubts) {
  std::vector<DoubtRecord> records;
  for (const plan::Doubt& doubt : doubts)
    records.push_back({kind_of(doubt.kind), place_record(doubt.place), reason_of(doubt)});
  return records;
}

ValueCost value_cost(const spmd::StatementCost& cost) {
  ValueCost record;
  record.value = to_string(cost.value);
  record.seconds = cost.seconds;
  if (!cost.collective) {
    record.flops = cost.flops;
    return record;
  }
  record.collective = name(*cost.collective);
  record.axes = names_of(cost.axes);
  if (cost.reason) record.reason = to_string(*cost.reason);
  record.values = cost.values;
  record.bytes = cost.bytes;
  record.wire_bytes = cost.wire_bytes;
  return record;
}

PartRecord part_record(const session::PlanPart& part) {
  PartRecord record;
  record.place = place_record(part.span);
  record.text = part.text;
  record.callee = part.callee.name + (part.callee.path.empty() ? "" : " " + part.callee.path);
  record.calls = part.calls;
  record.turns = part.iterations;
  record.is_estimate = part.is_estimate;
  record.flops = part.cost.flops;
  record.backward_flops = part.cost.backward_flops;
  record.collectives = part.cost.collectives;
  record.bytes = part.cost.bytes;
  record.wire_bytes = part.cost.wire_bytes;
  record.seconds = part.cost.seconds;
  for (const spmd::StatementCost* cost : part.own) record.values.push_back(value_cost(*cost));
  for (const auto& each : part.parts) record.parts.push_back(part_record(*each));
  return record;
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
  for (const eval::LoopProgress& each : loops)
    records.push_back({each.variable, each.iteration, each.iterations, each.seconds});
  return records;
}

namespace {

PlanRecord record_of(const session::PlanSummary& summary, const session::PlanTree& tree) {
  PlanRecord made;
  std::map<std::pair<const SourceFile*, std::size_t>, std::size_t> known;
  for (const auto& statement : tree.reports()) {
    const std::int64_t iterations = std::max<std::int64_t>(statement->iterations, 1);
    for (const spmd::StatementCost& cost : statement->costs) {
      if (cost.flops == 0 && !cost.collective && cost.seconds == 0) continue;
      const Span span = source_of(cost);
      const std::size_t line = span.is_known() ? span.file->line_of(span.begin) : 0;
      const auto [at, fresh] = known.try_emplace({span.file, line}, made.lines.size());
      if (fresh) made.lines.push_back(line_record(span));
      add_cost(made.lines[at->second], cost, saturating_multiply(iterations, cost.times));
    }
  }
  made.totals = counters_record(summary.counters);
  made.doubts = doubt_records(summary.doubts);
  for (const auto& part : tree.root().parts) made.parts.push_back(part_record(*part));
  if (summary.mesh) made.mesh = to_string(*summary.mesh);
  if (const auto& peak = summary.peak)
    made.peak = {peak->held, peak->copies, peak->saved, peak->gradients, peak->temporary, peak->buffers};
  const eval::StoredVariables& stored = summary.stored;
  made.stored = {stored.parameters, stored.parameter_bytes, stored.states, stored.state_bytes};
  for (const eval::Unread& unread : summary.unread)
    made.not_read.push_back({place_record(unread.place), line_of(unread.place), unread.name.str()});
  made.warnings = summary.warnings;
  made.machine = summary.machine;
  made.seconds = summary.seconds;
  made.flops_per_second = summary.flops_per_second;
  made.share_of_peak = summary.share_of_peak;
  return made;
}

/// True if processors idle or repeat so much work that a plan says why.
bool has_idle_work(const plan::Counters& counters, const session::PlanTree& tree) {
  constexpr double kWorthExplaining = 1.1;  // from this factor of repeated work on
  return duplication(counters) > kWorthExplaining || has_pipelines(tree);
}

/// Returns a sentence for each dim and axis that concerns much of the work.
std::vector<std::string> idle_sentences(const cost::IdleWork& work) {
  std::vector<std::string> all;
  const auto percent = [&](double flops) { return fmt::format("{:.0f}%", 100 * flops / std::max(work.flops, 1.0)); };
  for (const auto& [names, found] : work.shorts) {
    if (!work.is_much(found.flops)) continue;
    all.push_back(fmt::format("{} has {} and is split over {}, {}: {} of them idle in {} of the work",
                              code(names.first.str()), count_text(found.size, "element"), axes_text(names.second),
                              count_text(found.processors, "processor"), found.processors - found.size,
                              percent(found.flops)));
  }
  for (const cost::IdleWork::Pipeline& each : work.pipelines) {
    const int64_t turns = each.micro_batches * each.chunks + each.idle;
    all.push_back(fmt::format(
        "each stage of a pipeline over {} idles in {} of {} turns, {:.0f}% of its time; the schedule is {}{}",
        axes_text(each.axes), each.idle, turns, 100.0 * static_cast<double>(each.idle) / static_cast<double>(turns),
        each.alternates ? "1f1b" : "gpipe",
        each.chunks > 1 ? fmt::format(", with {} chunks of layers", each.chunks) : ""));
    if (each.should_alternate && !each.alternates)
      all.push_back(fmt::format(
          "a pipeline over {} is to have the schedule 1f1b, and has gpipe: that needs a gradient through the pipeline "
          "in the same cut, and nothing between both that mixes micro-batches",
          axes_text(each.axes)));
    if (each.asked_chunks > each.chunks)
      all.push_back(fmt::format(
          "a pipeline over {} is to have {} chunks of layers on each stage, and has one: that needs the schedule 1f1b, "
          "chunks that divide the layers of each stage, and layers that nothing but the loop reads while the pipeline "
          "runs",
          axes_text(each.axes), each.asked_chunks));
  }
  for (const auto& [axis, flops] : work.repeated) {
    if (!work.is_much(flops)) continue;
    all.push_back(fmt::format("all processors along {} do the same in {} of the work: no dim of it is split over {}",
                              code(axis.str()), percent(flops), code(axis.str())));
    if (const auto cure = work.cure(axis); cure && work.is_much(cure->flops))
      all.back() +=
          fmt::format("; the rule {} can split {}", code(cure->dim.str() + " -> " + axis.str()), percent(cure->flops));
  }
  return all;
}

}  // namespace

PlanRecord plan_record(const session::Planned& planned) {
  session::PlanTree tree;
  for (const eval::StatementReport& statement : planned.statements) tree.add(statement);
  return record_of(summary_of(planned, tree), tree);
}

PlanRecord plan_of_program(const std::string& name, const std::string& text, const eval::Settings& settings,
                           const plan::Runtime& runtime, const std::optional<cost::MachineModel>& machine) {
  const auto planned_with = [&](const std::shared_ptr<plan::ProgramRecord>& record) {
    return session::plan_script(name, text, settings, runtime, record, machine ? &*machine : nullptr);
  };
  // A record grows with the iterations of loops, so it is kept only if it is needed.
  const session::Planned planned = planned_with(machine ? std::make_shared<plan::ProgramRecord>() : nullptr);
  session::PlanTree tree;
  for (const eval::StatementReport& statement : planned.statements) tree.add(statement);
  session::PlanSummary summary = summary_of(planned, tree);
  add_time(summary, tree, planned.record, machine,
           [&] { return planned_with(std::make_shared<plan::ProgramRecord>()).record; });
  return record_of(summary, tree);
}

void add_time(session::PlanSummary& summary, const session::PlanTree& tree, std::shared_ptr<plan::ProgramRecord> record,
              const std::optional<cost::MachineModel>& machine,
              const std::function<std::shared_ptr<plan::ProgramRecord>()>& recorded) {
  // Others wait for idle processors, so all processors together seem to do more work than one alone.
  if (has_idle_work(summary.counters, tree)) {
    if (!record) record = recorded();
    summary.warnings = idle_sentences(cost::idle_work(*record));
  }
  if (!machine) return;
  cost::StepTime time = cost::LayoutCosts(record, *machine).in(nullptr, nullptr).time;
  // The plans know best what overlaps: a recorded program that stands for several is scheduled once.
  time.hidden = std::max(0.0, time.compute + time.communication() - tree.root().cost.seconds);
  summary.machine = machine->name;
  summary.seconds = seconds_of(time);
  session::TimeParts parts;
  for (const auto& report : tree.reports()) parts.add(*report);
  summary.flops_per_second = parts.flops_per_second();
  summary.share_of_peak = parts.share_of_peak(*machine);
  std::vector<std::pair<std::string, double>> of_computing;
  for (const auto& [what, seconds] : parts.named())
    if (!parts.collectives.contains(what)) of_computing.emplace_back("computing: " + what, seconds);
  summary.seconds.insert(summary.seconds.begin() + 1, of_computing.begin(), of_computing.end());
}

std::vector<std::pair<std::string, double>> seconds_of(const cost::StepTime& time) {
  std::vector<std::pair<std::string, double>> parts = {{"computing", time.compute}};
  for (const auto& [what, seconds] : time.collectives)
    parts.emplace_back(fmt::format("{} over {}", name(what.first), axes_text(what.second)), seconds);
  constexpr double kLeast = 1e-9;  // less is a rounding error
  if (time.hidden > kLeast) parts.emplace_back("of it beside computing", time.hidden);
  if (time.host > kLeast) parts.emplace_back("host", time.host);
  parts.emplace_back("in all", time.total());
  return parts;
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

std::vector<FoundLayout> found_layouts(const cost::SearchResult& result) {
  std::vector<FoundLayout> found;
  for (const cost::Candidate& candidate : result.found) {
    std::vector<std::string> axes;
    for (const Axis& axis : candidate.mesh->axes()) axes.push_back(axis.name.str() + ": " + std::to_string(axis.size));
    found.push_back({"[" + join(axes, ", ") + "]", to_string(*candidate.rules), candidate.cost.time.total(),
                     counters_record(candidate.cost.counters)});
  }
  return found;
}

}  // namespace mtf
