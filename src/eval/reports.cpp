#include "eval/reports.h"

#include <algorithm>

#include "eval/display.h"
#include "eval/host_value.h"
#include "exec/engine.h"

#include "exec/program_record.h"

namespace mtf {

void Reports::on_statement(std::function<void(const StatementReport&)> callback, bool has_engine) {
  on_statement_ = std::move(callback);
  collects_ = on_statement_ && has_engine;
}

void Reports::begin_statement() {
  list_.clear();
  if (record_) record_->begin_statement();
}

void Reports::add_last_plan(const Engine& engine, Span cut) {
  if (record_) record_->run_last(turns_);
  if (!collects_) return;
  const int64_t plan = engine.last_plan();
  for (StatementReport& report : list_) {
    if (report.plan != plan || (report.turns == 0) != (turns_ == 0)) continue;
    report.turns += turns_;
    report.counters.peak_bytes = std::max(report.counters.peak_bytes, engine.counters().peak_bytes);
    return;
  }
  StatementReport& report = list_.emplace_back();
  report.plan = plan;
  report.cut = cut;
  report.turns = turns_;
  report.costs = engine.last_costs();
  report.counters = engine.last_counters();
}

void Reports::end_statement(Span span) {
  if (!on_statement_) return;
  if (list_.empty()) list_.emplace_back();
  const std::string_view text = span.text();
  for (StatementReport& report : list_) {
    report.span = span;
    report.text = std::string(text.substr(0, text.find('\n')));
    on_statement_(report);
  }
}

Reports::Mark::Mark(const Reports& reports) {
  for (const StatementReport& report : reports.list_) turns_.push_back(report.turns);
  if (reports.record_) times_ = reports.record_->times();
}

void Reports::extrapolate(const Mark& mark, int64_t done, int64_t count) {
  if (record_) record_->extrapolate(mark.times_, done, count);
  for (size_t i = 0; i < list_.size(); ++i) {
    StatementReport& report = list_[i];
    const int64_t before = i < mark.turns_.size() ? mark.turns_[i] : 0;
    if (report.turns == before) continue;
    const double added = static_cast<double>(report.turns - before);
    report.turns += static_cast<int64_t>(added * static_cast<double>(count - done) / static_cast<double>(done) + 0.5);
    report.is_estimate = true;
  }
}

std::optional<StatementReport::Binding> binding_of(Name name, const HostValue& value, Display& display) {
  if (value.is<None>() || value.is_poison()) return std::nullopt;
  StatementReport::Binding binding;
  binding.name = name.str();
  if (const Value* tensor = tensor_of(value)) {
    binding.type = to_string(tensor->type(), tensor->sharding(), *tensor->mesh());
    binding.bytes = bytes_of_block(tensor->type(), tensor->sharding(), *tensor->mesh());
    return binding;
  }
  binding.type = describe(value);
  binding.parts = held_parts(value);
  if (!binding.parts.empty()) binding.value = binding.type;
  else if (!value.is_unknown()) binding.value = display.text(value);
  return binding;
}

}  // namespace mtf
