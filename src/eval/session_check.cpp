// Checks of whole programs: a session's evaluator that computes nothing.
#include <sstream>

#include "eval/evaluator.h"
#include "eval/session.h"
#include "syntax/doubts.h"
#include "syntax/parse.h"

namespace mtf {
namespace {

Diagnostics check(std::shared_ptr<const SourceFile> source, const Settings& settings) {
  Diagnostics found;
  auto program = std::make_shared<ast::Program>(parse(std::move(source), found));
  if (found.has_errors()) return found;
  warn_of_doubts(*program, found);
  std::ostringstream ignored;
  Evaluator evaluator(settings, nullptr, ignored);
  evaluator.findings.collect_in(found);
  try {
    evaluator.run_program(program);
    evaluator.finish_check();
  } catch (const CheckEnded&) {
  } catch (const UserError& error) {
    found.add(error.diagnostic());
  }
  return found.by_place();
}

}  // namespace

Diagnostics Session::check_file(const std::string& path, const Settings& settings) {
  std::shared_ptr<const SourceFile> source;
  Diagnostics found;
  if (!found.attempt([&] { source = SourceFile::read(path); })) return found;
  return check(std::move(source), settings);
}

Diagnostics Session::check_text(const std::string& name, const std::string& text, const Settings& settings) {
  return check(SourceFile::create(name, text), settings);
}

}  // namespace mtf
