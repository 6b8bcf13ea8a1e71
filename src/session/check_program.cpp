#include "session/check_program.h"

#include <ostream>

#include "eval/evaluator.h"
#include "syntax/doubts.h"

namespace mtf::session {

void check_program(const std::shared_ptr<const ast::Program>& program, const eval::Settings& settings,
                   Diagnostics& found, eval::SpanTable* parts) {
  syntax::warn_of_doubts(*program, found);
  std::ostream nowhere(nullptr);
  eval::Evaluator checker(settings, nullptr, nowhere);
  checker.findings.collect_in(found);
  if (parts != nullptr) checker.fill(*parts);
  try {
    checker.run_program(program);
    checker.finish_check();
  } catch (const eval::CheckEnded&) {
  } catch (const UserError& error) {
    if (error.diagnostic().kind() == Kind::interrupted) throw;
    found.add(error.diagnostic());
  }
}

}  // namespace mtf::session
