#include "eval/explain.h"

#include <ostream>

#include "eval/evaluator.h"
#include "plan/execution.h"
#include "syntax/parse.h"

namespace mtf {
namespace {

void check(const std::shared_ptr<const ast::Program>& program, const Settings& settings, SpanTable& table, Diagnostics& found) {
  std::ostream nowhere(nullptr);
  Evaluator checker(settings, nullptr, nowhere);
  checker.findings.collect_in(found);
  checker.fill(table);
  try {
    checker.run_program(program);
  } catch (const CheckEnded&) {
  } catch (const UserError& error) {
    found.add(error.diagnostic());
  }
}

void plan(const std::shared_ptr<const ast::Program>& program, const Settings& settings, Runtime& runtime, SpanTable& table) {
  Execution execution(runtime);
  std::ostream nowhere(nullptr);
  Evaluator planner(settings, &execution, nowhere);
  planner.reports.on_statement([&](const StatementReport& report) { table.cost(report); }, true);
  planner.run_program(program);
}

}  // namespace

SpanTable explain(const std::string& name, const std::string& text, const Settings& settings, Runtime* planner) {
  SpanTable table;
  Diagnostics found;
  const auto program = std::make_shared<const ast::Program>(parse(SourceFile::create(name, text), found));
  if (found.has_errors()) return table;
  check(program, settings, table, found);
  if (planner != nullptr && !found.has_errors()) found.attempt([&] { plan(program, settings, *planner, table); });
  return table;
}

}  // namespace mtf
