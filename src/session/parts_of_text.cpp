#include "session/parts_of_text.h"

#include <ostream>

#include "eval/evaluator.h"
#include "session/what_if.h"
#include "syntax/doubts.h"
#include "syntax/parse.h"

namespace mtf::session {

CheckedText checked_text(const std::string& name, const std::string& text, const eval::Settings& settings,
                         const Interrupt& interrupt) {
  CheckedText checked;
  checked.program = std::make_shared<const ast::Program>(syntax::parse(SourceFile::create(name, text), checked.found));
  const bool is_whole = !checked.found.has_errors();
  if (is_whole) syntax::warn_of_doubts(*checked.program, checked.found);
  Diagnostics follow;  // what is found beside a statement that cannot be read may only follow from that
  std::ostream nowhere(nullptr);
  eval::Evaluator checker(settings, nullptr, nowhere);
  checker.interrupt = interrupt;
  checker.findings.collect_in(is_whole ? checked.found : follow);
  checker.fill(checked.parts);
  try {
    checker.run_program(checked.program);
    checker.finish_check();
  } catch (const eval::CheckEnded&) {
  } catch (const UserError& error) {
    if (error.diagnostic().kind() == Kind::interrupted) throw;
    if (is_whole) checked.found.add(error.diagnostic());
  }
  checked.found = checked.found.by_place();
  return checked;
}

TextCosts costs_of_text(const std::string& name, const std::string& text, const eval::Settings& settings,
                        const plan::Runtime& machine, const Interrupt& interrupt) {
  Planned planned = plan_script(name, text, settings, machine, nullptr, interrupt);
  return {std::move(planned.statements), std::move(planned.sources)};
}

eval::SpanTable parts_of_text(const std::string& name, const std::string& text, const eval::Settings& settings,
                              const plan::Runtime* machine) {
  CheckedText checked = checked_text(name, text, settings);
  if (machine == nullptr || checked.found.has_errors()) return std::move(checked.parts);
  Diagnostics unplanned;
  unplanned.attempt([&] {
    for (const eval::StatementReport& report : costs_of_text(name, text, settings, *machine).statements)
      checked.parts.cost(report);
  });
  return std::move(checked.parts);
}

}  // namespace mtf::session
