// `:search`, and what `:plan --machine` adds: a statement of the session costed by a machine model.
#include "cost/search.h"
#include "support/diagnostics.h"
#include "support/text.h"
#include "tool/compare_text.h"
#include "tool/layout_choices.h"
#include "tool/repl_commands.h"
#include "tool/repl_search.h"
#include "tool/search_text.h"
#include "tool/what_if.h"

namespace mtf::tool {
namespace {

/// A statement, as if it were entered now, under an assumption: all that it would compute, and nothing before it.
class Recorded {
 public:
  Recorded(Repl& repl, const std::string& statement, const Assumption& assumption)
      : other_(repl.session().entries(), repl.settings(), assumption, record_), before_(record_->times()) {
    other_.session().execute(statement, repl.name_of_entry());
  }
  LayoutCosts costs(MachineModel machine) const { return LayoutCosts(record_, std::move(machine), before_); }
  const ProgramRecord& record() const { return *record_; }

 private:
  const std::shared_ptr<ProgramRecord> record_ = std::make_shared<ProgramRecord>();
  WhatIf other_;
  const std::vector<int64_t> before_;
};

}  // namespace

std::string planned_time(Repl& repl, const std::string& statement, const Assumption& assumption, const MachineModel& machine) {
  return time_text(Recorded(repl, statement, assumption).costs(machine).in(nullptr, nullptr).time, machine.name);
}

void search_command(Repl& repl, const std::string& argument) {
  std::string statement = argument;
  const std::optional<std::string> processors = take_value(statement, "--processors");
  const MachineModel machine = machine_option(take_value(statement, "--machine").value_or(""));
  const Assumption pinned = take_assumption(repl.session(), statement);
  need_argument(statement, ":search", "a statement", "net(x)");
  SearchQuestion question;
  question.processors = processors ? number_of_processors(*processors) : pinned.mesh ? Mesh(Name("mesh"), *pinned.mesh).size() : repl.session().mesh().size();
  if (question.processors < 2)
    fail(Diagnostic(Kind::bad_usage, {}, "how many processors there are is not said").help("`:search --processors 16 net(x)`, or a mesh in force"));
  question.mesh = pinned.mesh;
  if (pinned.layout) question.pinned = *pinned.layout;
  const Recorded recorded(repl, statement, {});
  const LayoutCosts costs = recorded.costs(machine);
  question.axes = axis_names(recorded.record(), 2);
  repl.say(found_text(search(costs, question), machine, ""));
}

}  // namespace mtf::tool
