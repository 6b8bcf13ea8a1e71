#include "session/parts_of_text.h"

#include "session/check_program.h"
#include "session/what_if.h"
#include "syntax/parse.h"

namespace mtf::session {

CheckedText checked_text(const std::string& name, const std::string& text, const eval::Settings& settings) {
  CheckedText checked;
  checked.program = std::make_shared<const ast::Program>(syntax::parse(SourceFile::create(name, text), checked.found));
  Diagnostics follow;  // errors beside a statement that cannot be read may only follow from it
  check_program(checked.program, settings, checked.found.has_errors() ? follow : checked.found, &checked.parts);
  checked.found = checked.found.by_place();
  return checked;
}

eval::SpanTable parts_of_text(const std::string& name, const std::string& text, const eval::Settings& settings,
                              const plan::Runtime* machine) {
  CheckedText checked = checked_text(name, text, settings);
  if (machine == nullptr || checked.found.has_errors()) return std::move(checked.parts);
  Diagnostics unplanned;
  unplanned.attempt([&] {
    for (const eval::StatementReport& report : plan_script(name, text, settings, *machine).statements)
      checked.parts.cost(report);
  });
  return std::move(checked.parts);
}

}  // namespace mtf::session
