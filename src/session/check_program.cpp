#include "session/check_program.h"

#include <ostream>

#include "eval/evaluator.h"
#include "support/end_later.h"
#include "syntax/doubts.h"

namespace mtf::session {

void check_program(const std::shared_ptr<const ast::Program>& program, const eval::Settings& settings,
                   Diagnostics& found, eval::SpanTable* parts) {
  syntax::warn_of_doubts(*program, found);
  struct Checking {
    std::ostream nowhere{nullptr};
    eval::Evaluator checker;
    explicit Checking(const eval::Settings& settings) : checker(settings, nullptr, nowhere) {}
  };
  auto checking = std::make_shared<Checking>(settings);
  eval::Evaluator& checker = checking->checker;
  checker.findings.collect_in(found);
  if (parts != nullptr) checker.fill(*parts);
  try {
    checker.run_program(program);
    checker.finish_check();
  } catch (const eval::CheckEnded&) {
  } catch (const UserError& error) {
    if (error.diagnostic().kind() != Kind::interrupted) return found.add(error.diagnostic());
    end_later(std::move(checking));
    throw;
  }
}

}  // namespace mtf::session
