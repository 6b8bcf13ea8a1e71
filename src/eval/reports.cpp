#include "eval/reports.h"

#include <algorithm>
#include <cmath>

#include "plan/execution.h"
#include "plan/program_record.h"

namespace mtf::eval {

void Reports::on_statement(std::function<void(const StatementReport&)> callback, bool computes) {
  on_statement_ = std::move(callback);
  collects_ = on_statement_ && computes;
}

void Reports::begin_statement() {
  list_.clear();
  shares_.clear();
  doubts_.clear();
}

void Reports::doubt(const plan::Doubt& doubt) {
  add_doubt(doubts_, doubt);
  if (record_) record_->doubt(doubt);
}

void Reports::add_last_plan(const plan::Execution& execution, Span cut, const graph::CallFrameRef& frame) {
  if (!collects_ && !record_) return;
  const plan::Counters counters = execution.last_counters();
  const bool communicates = std::any_of(std::begin(counters.collectives), std::end(counters.collectives),
                                        [](const auto& kind) { return !kind.empty(); });
  if (counters.flops > 0 || communicates) ++plans_;
  const int64_t plan = execution.last_plan();
  const int32_t program = record_ ? record_->last() : -1;
  for (size_t i = 0; i < list_.size(); ++i) {
    StatementReport& report = list_[i];
    if (report.plan != plan || (report.iterations == 0) != (iterations_ == 0)) continue;
    report.iterations += iterations_;
    report.counters.peak_bytes = std::max(report.counters.peak_bytes, execution.counters().peak_bytes);
    if (iterations_ == 0) return;
    if (record_) record_->run(program, iterations_);
    const auto share =
        std::find_if(shares_[i].begin(), shares_[i].end(), [&](const auto& each) { return each.first == program; });
    if (share == shares_[i].end()) shares_[i].emplace_back(program, iterations_);
    else share->second += iterations_;
    return;
  }
  if (record_) record_->run(program, iterations_);
  shares_.push_back({{program, iterations_}});
  StatementReport& report = list_.emplace_back();
  report.plan = plan;
  report.cut = cut;
  report.frame = frame;
  report.iterations = iterations_;
  if (!collects_) return;
  report.costs = execution.last_costs();
  report.counters = counters;
}

void Reports::end_statement(Span span) {
  if (!on_statement_) return;
  if (list_.empty()) {
    list_.emplace_back();
    shares_.emplace_back();
  }
  const std::string_view text = span.text();
  for (StatementReport& report : list_) {
    report.span = span;
    report.text = std::string(text.substr(0, text.find('\n')));
    report.doubts = doubts_;
    on_statement_(report);
  }
}

Reports::Mark::Mark(const Reports& reports) : shares_(reports.shares_) {}

void Reports::extrapolate(const Mark& mark, int64_t done, int64_t count, Span loop) {
  const double rest = static_cast<double>(count - done) / static_cast<double>(done);
  for (size_t i = 0; i < list_.size(); ++i) {
    Shares& shares = shares_[i];
    int64_t added = 0, more = 0;
    for (size_t s = 0; s < shares.size(); ++s) {
      const bool was_there = i < mark.shares_.size() && s < mark.shares_[i].size();
      added += shares[s].second - (was_there ? mark.shares_[i][s].second : 0);
      // Rounds the running total, so that the shares add up to the rounded sum of all programs.
      const int64_t own = std::llround(static_cast<double>(added) * rest) - more;
      if (own == 0) continue;
      more += own;
      shares[s].second += own;
      if (record_) record_->extrapolated(shares[s].first, own);
    }
    if (added == 0) continue;
    doubt({loop, plan::Doubt::Kind::kSkipped});
    list_[i].iterations += more;
    list_[i].is_estimate = true;
  }
}

}  // namespace mtf::eval
