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
  Scope* outermost = &scope;
  while (outermost->parent) outermost = outermost->parent.get();
  if (outermost->cycles_are_due()) outermost->let_go_of_cycles();
}

void Evaluator::cut(const Values& needed, Span span) {
  if (!engine_) return;
  ValueTable& table = *builder.table;
  if (places_changed_) {
    places_changed_ = false;
    table.end_histories();
  }
  if (!engine_->materialize(table, needed, [this] { return gradients_may_come(); }, span)) return;
  for (WatchedBlock& block : watched_) block.values.clear();
  if (collect_costs) report_costs();
  if (on_cut) on_cut(span);
  poll(span);
}

void Evaluator::report_costs() {
  const int64_t plan = engine_->last_plan();
  const int64_t times = turns == 0 ? 0 : turns;
  for (StatementReport& report : reports) {
    if (report.plan != plan || (report.turns == 0) != (times == 0)) continue;
    report.turns += times;
    report.counters.peak_bytes = std::max(report.counters.peak_bytes, engine_->counters().peak_bytes);
    return;
  }
  StatementReport& report = reports.emplace_back();
  report.plan = plan;
  report.turns = times;
  report.costs = engine_->last_costs();
  report.counters = engine_->last_counters();
}

}  // namespace mtf
