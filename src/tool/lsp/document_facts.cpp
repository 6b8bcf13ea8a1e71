#include "tool/lsp/document_facts.h"

#include <algorithm>

#include "graph/call_frame.h"
#include "session/what_if.h"
#include "spmd/collective_kind.h"
#include "support/text.h"
#include "tool/lsp/structure.h"

namespace mtf::tool {
namespace {

/// The place in the document itself: of what a function of a library computes, the call.
Span place_in(const std::string& name, const spmd::StatementCost& cost) {
  const auto is_here = [&](const Span& span) { return span.is_known() && span.file->name() == name; };
  if (const Span source = spmd::source_of(cost); is_here(source)) return source;
  for (const graph::CallFrame* frame = cost.frame.get(); frame != nullptr; frame = frame->caller.get())
    if (is_here(frame->span)) return frame->span;
  return {};
}

std::string traffic_text(const spmd::StatementCost& cost) {
  std::vector<std::string> axes;
  for (const Name& axis : cost.axes) axes.push_back(axis.str());
  return fmt::format("{} over {}", spmd::name(*cost.collective), join(axes, "+"));
}

void add_traffic(std::vector<LineTraffic>& line, const spmd::StatementCost& cost, std::int64_t iterations) {
  const std::string what = traffic_text(cost);
  auto same = std::find_if(line.begin(), line.end(), [&](const LineTraffic& each) { return each.what == what; });
  if (same == line.end()) same = line.insert(line.end(), LineTraffic{what, 0, cost.wire_bytes, cost.wire_bytes});
  const std::int64_t calls = cost.times * std::max<std::int64_t>(iterations, 1);
  same->calls += calls;
  same->least_bytes = std::min(same->least_bytes, cost.wire_bytes);
  same->most_bytes = std::max(same->most_bytes, cost.wire_bytes);
  same->wire_bytes += cost.wire_bytes * calls;
  same->is_per_iteration = same->is_per_iteration || iterations == 0;
}

/// Adds a plan of a statement. A loop has several plans if its iterations differ.
void add_figures(std::vector<StatementFigures>& statements, const StatementFigures& plan) {
  if (plan.flops == 0 && plan.collectives == 0) return;
  if (statements.empty() || statements.back().begin != plan.begin) {
    statements.push_back(plan);
    return;
  }
  StatementFigures& all = statements.back();
  const std::int64_t iterations = all.iterations == 0 || plan.iterations == 0 ? 0 : all.iterations + plan.iterations;
  const std::int64_t variants = all.variants + 1;
  if (plan.shown == 0 || (all.shown != 0 && plan.shown > all.shown)) all = plan;
  all.iterations = iterations;
  all.variants = variants;
}

/// Adds up what is computed and sent inside functions, models and inner loops, in all their calls and iterations.
class InnerFigures {
 public:
  explicit InnerFigures(const DocumentFacts& facts) : name_(facts.name) {
    for (const ast::Stmt& statement : facts.checked.program->body.statements) {
      const bool is_declaration = statement.as<ast::FnStmt>() || statement.as<ast::ModelStmt>();
      each_statement(statement, [&](const ast::Stmt& each) {
        const bool is_loop = each.as<ast::ForStmt>() || each.as<ast::WhileStmt>();
        if (&each == &statement ? is_declaration : is_loop || each.as<ast::FnStmt>() || each.as<ast::ModelStmt>())
          regions_.push_back({each.span, {.begin = each.span.begin, .is_inner = true}});
      });
    }
  }

  void add(const spmd::StatementCost& cost, std::int64_t iterations) {
    const std::int64_t times = cost.times * std::max<std::int64_t>(iterations, 1);
    for (auto& [span, figures] : regions_) {
      if (!passes(span, cost)) continue;
      figures.flops += cost.flops * times;
      if (!cost.collective) continue;
      figures.collectives += times;
      figures.wire_bytes += cost.wire_bytes * times;
    }
  }

  void add_to(std::vector<StatementFigures>& statements) const {
    for (const auto& [span, figures] : regions_)
      if (figures.flops > 0 || figures.collectives > 0) statements.push_back(figures);
  }

 private:
  /// True if the operation, or a call that leads to it, stands between the ends of a region.
  bool passes(const Span& region, const spmd::StatementCost& cost) const {
    const auto is_inside = [&](const Span& span) {
      return span.is_known() && span.begin >= region.begin && span.end <= region.end && span.file->name() == name_;
    };
    if (is_inside(spmd::source_of(cost))) return true;
    for (const graph::CallFrame* frame = cost.frame.get(); frame != nullptr; frame = frame->caller.get())
      if (is_inside(frame->span)) return true;
    return false;
  }

  const std::string& name_;
  std::vector<std::pair<Span, StatementFigures>> regions_;
};

}  // namespace

std::shared_ptr<DocumentFacts> check_document(const std::string& name, const std::string& text,
                                              const eval::Settings& settings) {
  auto facts = std::make_shared<DocumentFacts>();
  facts->name = name;
  facts->text = TextDocument(text);
  facts->checked = session::checked_text(name, text, settings);
  return facts;
}

std::shared_ptr<DocumentFacts> with_costs(const DocumentFacts& facts, const eval::Settings& settings,
                                          const plan::Runtime& machine) {
  auto costed = std::make_shared<DocumentFacts>(facts);
  costed->costs = nullptr;
  auto costs = std::make_shared<DocumentCosts>();
  costs->text = facts.text;
  try {
    costs->costs = session::plan_script(facts.name, facts.text.text(), settings, machine);
  } catch (const UserError& error) {
    if (error.diagnostic().kind() == Kind::interrupted) throw;
    return costed;
  }
  InnerFigures inner(facts);
  for (const eval::StatementReport& report : costs->costs.statements) {
    StatementFigures figures{report.span.begin};
    figures.iterations = figures.shown = report.iterations;
    for (const spmd::StatementCost& cost : report.costs) {
      figures.flops += cost.flops * cost.times;
      inner.add(cost, report.iterations);
      if (!cost.collective) continue;
      figures.collectives += cost.times;
      figures.wire_bytes += cost.wire_bytes * cost.times;
      if (const Span place = place_in(facts.name, cost); place.is_known())
        add_traffic(costs->traffic[facts.text.position(place.begin).line], cost, report.iterations);
    }
    add_figures(costs->statements, figures);
    costed->checked.parts.cost(report);
  }
  inner.add_to(costs->statements);
  costed->costs = std::move(costs);
  return costed;
}

}  // namespace mtf::tool
