// Cuts: where what has been collected in the global graph is computed (graph/value_table.h says what of it is kept).
#include "eval/evaluator.h"
#include "ops/op.h"

namespace mtf {
namespace {

/// A statement ends in a cut when more operations than this are pending.
constexpr int64_t kMostPending = 100'000;

bool holds_tensors(const HostValue& value) {
  return value.is<Handle>() || value.is<ListPtr>() || value.is<InstancePtr>() || value.is<PlacePtr>() || value.is<FunctionPtr>() ||
         value.is<SequencePtr>() || value.is<ObjectPtr>();
}

}  // namespace

void Evaluator::end_statement(const BlockInfo& info, size_t statement, Scope& scope, bool keep_all) {
  if (!engine_) return;
  if (!keep_all) {
    for (Name name : info.expires[statement]) {
      if (info.captured.count(name)) continue;
      for (Binding& binding : scope.bindings)
        if (binding.name == name && holds_tensors(binding.value)) binding.value = None{};
    }
  }
  if (builder.table->pending_count() > kMostPending) cut({}, builder.span);
}

void Evaluator::cut(const Values& needed, Span span) {
  if (!engine_) return;
  ValueTable& table = *builder.table;
  if (places_changed_) {
    places_changed_ = false;
    table.end_histories();
  }
  const Counters before = collect_costs ? engine_->counters() : Counters{};
  if (!engine_->materialize(table, needed, [this] { return gradients_may_come(); }, span)) return;
  for (WatchedBlock& block : watched_) block.values.clear();
  if (collect_costs) report_costs(before);
  if (on_cut) on_cut(span);
}

void Evaluator::report_costs(const Counters& before) {
  if (reports.empty() || reports.back().turns != turns) reports.emplace_back().turns = turns;
  StatementReport& report = reports.back();
  const auto& costs = engine_->last_costs();
  constexpr size_t kMostCosts = 1000;  // of a long loop the first turns are enough; the counters have all
  if (report.costs.size() < kMostCosts) report.costs.insert(report.costs.end(), costs.begin(), costs.end());
  const Counters now = difference(engine_->counters(), before);
  report.counters.flops += now.flops;
  report.counters.unique_flops += now.unique_flops;
  report.counters.processors = now.processors;
  report.counters.peak_bytes = std::max(report.counters.peak_bytes, now.peak_bytes);
  for (int kind = 0; kind < kCollectiveKinds; ++kind) {
    for (const auto& [axes, count] : now.collectives[kind]) report.counters.collectives[kind][axes] += count;
  }
}

}  // namespace mtf
