#include "session/parts_of_text.h"

#include <ostream>

#include "eval/evaluator.h"
#include "session/what_if.h"
#include "syntax/parse.h"

namespace mtf::session {
namespace {

void check(const std::shared_ptr<const ast::Program>& program, const eval::Settings& settings, eval::SpanTable& table,
           Diagnostics& found) {
  std::ostream nowhere(nullptr);
  eval::Evaluator checker(settings, nullptr, nowhere);
  checker.findings.collect_in(found);
  checker.fill(table);
  try {
    checker.run_program(program);
  } catch (const eval::CheckEnded&) {
  } catch (const UserError& error) { found.add(error.diagnostic()); }
}

}  // namespace

eval::SpanTable parts_of_text(const std::string& name, const std::string& text, const eval::Settings& settings,
                              const plan::Runtime* machine) {
  eval::SpanTable table;
  Diagnostics found;
  const auto program = std::make_shared<const ast::Program>(syntax::parse(SourceFile::create(name, text), found));
  if (found.has_errors()) return table;
  check(program, settings, table, found);
  if (machine == nullptr || found.has_errors()) return table;
  found.attempt([&] {
    for (const eval::StatementReport& report : plan_script(name, text, settings, *machine).statements)
      table.cost(report);
  });
  return table;
}

}  // namespace mtf::session
