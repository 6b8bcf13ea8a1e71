#include "eval/span_table.h"

#include <algorithm>

#include "eval/scope.h"
#include "syntax/walk.h"
#include "types/saturating.h"
#include "types/sharding.h"

namespace mtf::eval {

SpanInfo* SpanTable::info(Span span) {
  if (!span.is_known()) return nullptr;
  kept_.insert(span.file->shared_from_this());
  SpanInfo& found = files_[span.file->name()][{span.begin, -static_cast<std::int64_t>(span.end)}];
  if (!found.span.is_known()) found.span = span;
  return &found;
}

void SpanTable::add_type(SpanInfo& info, const HostValue& value) {
  if (value.is_poison() || value.is<None>() || info.types.size() == kMostTypes) return;
  ValueType type = type_of(value);
  if (std::find(info.types.begin(), info.types.end(), type) == info.types.end()) info.types.push_back(std::move(type));
}

void SpanTable::expression(const ast::Expr& expr, const HostValue& value) {
  SpanInfo* const found = info(expr.span);
  if (!found) return;
  found->is_literal = expr.as<ast::IntExpr>() || expr.as<ast::FloatExpr>() || expr.as<ast::StringExpr>();
  add_type(*found, value);
}

void SpanTable::use(Span span, Span definition) {
  if (SpanInfo* found = info(span); found && definition.is_known()) {
    kept_.insert(definition.file->shared_from_this());
    found->definition = definition;
  }
}

void SpanTable::binding(Span span, const HostValue& value) {
  if (SpanInfo* found = info(span)) {
    found->binds = true;
    add_type(*found, value);
  }
}

void SpanTable::declared(const ast::Stmt& stmt, Scope& scope) {
  if (stmt.as<ast::LetStmt>()) return;  // `binding` has been called for each of its names
  for (const ast::Ident& ident : ast::names_bound_by(stmt)) {
    if (const Binding* bound = scope.find_own(ident.name)) binding(ident.span, bound->value);
  }
}

void SpanTable::add_cost(Span span, int64_t flops, int64_t collectives, int64_t bytes) {
  SpanInfo* found = info(span);
  if (!found) return;
  found->has_cost = true;
  found->flops = saturating_add(found->flops, flops);
  found->collectives = saturating_add(found->collectives, collectives);
  found->bytes = saturating_add(found->bytes, bytes);
}

void SpanTable::cost(const StatementReport& report) {
  for (const plan::Doubt& doubt : report.doubts) {
    add_doubt(doubts_, doubt);
    if (doubt.place.is_known()) kept_.insert(doubt.place.file->shared_from_this());
  }
  if (report.costs.empty()) return;
  const int64_t iterations = std::max<int64_t>(report.iterations, 1);
  int64_t collectives = 0, bytes = 0;
  for (int kind = 0; kind < spmd::kCollectiveKinds; ++kind) {
    const plan::CollectiveCount total = report.counters.total(static_cast<spmd::CollectiveKind>(kind));
    collectives = saturating_add(collectives, total.count);
    bytes = saturating_add(bytes, total.bytes);
  }
  add_cost(report.span, saturating_multiply(report.counters.flops, iterations),
           saturating_multiply(collectives, iterations), saturating_multiply(bytes, iterations));
  for (const spmd::StatementCost& cost : report.costs) {
    if (cost.span == report.span) continue;
    add_cost(cost.span, saturating_multiply(cost.flops, iterations), cost.collective ? iterations : 0,
             saturating_multiply(cost.bytes, iterations));
  }
}

std::vector<SpanInfo> SpanTable::of(const std::string& file) const {
  std::vector<SpanInfo> all;
  const auto found = files_.find(file);
  if (found == files_.end()) return all;
  for (const auto& [place, info] : found->second) all.push_back(info);
  return all;
}

const SpanInfo* SpanTable::at(const std::string& file, size_t offset) const {
  const auto found = files_.find(file);
  if (found == files_.end()) return nullptr;
  // Two spans are nested or disjoint. So the last span that contains the offset is the smallest one.
  const std::map<Range, SpanInfo>& parts = found->second;
  for (auto part = parts.upper_bound({static_cast<std::uint32_t>(offset), 0}); part != parts.begin();) {
    --part;
    if (part->second.span.end > offset) return &part->second;
  }
  return nullptr;
}

}  // namespace mtf::eval
