#include "session/entered_statement.h"

#include <algorithm>
#include <utility>

#include "eval/evaluator.h"
#include "plan/tensor.h"

namespace mtf::session {

void begin_statement(eval::Evaluator& evaluator, EntryReport& report, Span span) {
  evaluator.reports.begin_statement();
  evaluator.undo.begin_statement();
  evaluator.loops.begin_statement();
  report.span = span;
  if (span.is_known()) report.text = std::string(span.text().substr(0, span.text().find('\n')));
}

void add_binding(EntryReport& report, eval::Evaluator& evaluator, Name name, const eval::HostValue& value) {
  if (value.is<eval::None>() || value.is_poison()) return;
  EntryReport::Binding& binding =
      report.bindings.emplace_back(EntryReport::Binding{.name = name.str(), .type = type_of(value)});
  if (const eval::LaidOut* tensor = binding.type.tensor()) {
    binding.bytes = bytes_of_block(*tensor);
    return;
  }
  binding.parts = held_parts(value);
  if (binding.parts.empty() && !value.is_unknown()) binding.value = evaluator.display.text(value);
}

void add_costs(EntryReport& report, const eval::Evaluator& evaluator) {
  for (const eval::StatementReport& part : evaluator.reports.list()) {
    for (spmd::StatementCost cost : part.costs) {
      cost.times = saturating_multiply(cost.times, std::max<int64_t>(part.iterations, 1));
      report.costs.push_back(std::move(cost));
    }
    add_times(report.counters, part.counters, std::max<int64_t>(part.iterations, 1));
    if (part.iterations == 0) report.iterations = 0;
  }
  report.doubts = evaluator.reports.doubts();
}

void warn_of_layout(eval::Evaluator& evaluator) {
  const graph::Context& context = evaluator.builder.context;
  if (!context.layout) return;
  for (Diagnostic& warning : eval::Meshes::lacking(*context.mesh, *context.layout))
    evaluator.findings.warn(std::move(warning));
}

namespace {

std::optional<eval::HostValue> expression_entered(eval::Evaluator& evaluator, const ast::Expr& expression, Span span,
                                                  EntryReport& report) {
  eval::HostValue value = evaluator.evaluate(expression, evaluator.top());
  const graph::Value* const tensor = tensor_of(value);
  evaluator.cuts.cut(tensor ? graph::Values{*tensor} : graph::Values{}, span);
  if (value.is<eval::None>()) return std::nullopt;
  add_binding(report, evaluator, Name(), value);
  if (tensor && !evaluator.domain.is_abstract()) {
    report.bindings.back().value = evaluator.display.text(value);
    report.bindings.back().tensor = std::make_shared<plan::HostTensor>(evaluator.cuts.fetch(*tensor, span));
  }
  return value;
}

/// The names that a statement binds or assigns.
std::vector<Name> names_bound(const ast::Stmt& stmt) {
  std::vector<ast::Ident> idents;
  if (auto* let = stmt.as<ast::LetStmt>()) names_of(*let->pattern, idents);
  std::vector<Name> names;
  for (const ast::Ident& ident : idents) names.push_back(ident.name);
  if (auto* assign = stmt.as<ast::AssignStmt>())
    if (auto* name = assign->target->as<ast::NameExpr>()) names.push_back(name->name);
  return names;
}

}  // namespace

std::optional<eval::HostValue> run_entered(eval::Evaluator& evaluator,
                                           const std::shared_ptr<const ast::Program>& program, size_t index,
                                           EntryReport& report) {
  const ast::Stmt& stmt = program->body.statements[index];
  auto* expression = stmt.as<ast::ExprStmt>();
  std::optional<eval::HostValue> value;
  if (expression && !stmt.quiet) {
    value = expression_entered(evaluator, *expression->value, stmt.span, report);
  } else {
    evaluator.run_entry_statement(program, index);
    if (stmt.as<ast::MeshStmt>() || stmt.as<ast::LayoutStmt>() || stmt.as<ast::UseStmt>()) warn_of_layout(evaluator);
    evaluator.cuts.cut({}, stmt.span);
    if (!stmt.quiet)
      for (const Name name : names_bound(stmt))
        if (const eval::Binding* binding = evaluator.top()->find_own(name))
          add_binding(report, evaluator, name, binding->value);
  }
  add_costs(report, evaluator);
  return value;
}

}  // namespace mtf::session
