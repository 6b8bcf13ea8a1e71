// `:search`, and what `:plan --machine` adds: a statement of the session costed by a machine model.
#include "tool/repl_search.h"
#include "support/diagnostics.h"
#include "support/text.h"
#include "tool/compare_text.h"
#include "tool/layout_choices.h"
#include "tool/layout_search.h"
#include "tool/repl_commands.h"
#include "tool/what_if.h"

namespace mtf::tool {

Searched entered(Repl& repl, const std::string& statement, const Settings& settings, const Assumption& assumption, std::shared_ptr<ProgramRecord> record) {
  const auto other = std::make_shared<WhatIf>(repl.session().entries(), settings, assumption, record);
  Searched searched{record, record ? record->times() : std::vector<int64_t>(), 0, other};
  other->engine().restart_peak();
  other->session().execute(statement, repl.name_of_entry());
  searched.peak_bytes = other->engine().counters().peak_bytes;
  return searched;
}

std::string planned_time(Repl& repl, const std::string& statement, const Assumption& assumption, const MachineModel& machine) {
  const Searched one = entered(repl, statement, repl.settings(), assumption, std::make_shared<ProgramRecord>());
  return time_text(LayoutCosts(one.record, machine, one.before).in(nullptr, nullptr).time, machine.name);
}

void search_command(Repl& repl, const std::string& argument) {
  std::string statement = argument;
  SearchRequest request;
  SearchQuestion& question = request.question;
  std::optional<int64_t> processors;
  Assumption pinned;
  while (statement.starts_with("--")) {
    if (const auto number = take_value(statement, "--processors")) processors = number_of_processors(*number);
    else if (const auto bytes = take_value(statement, "--memory")) question.memory = bytes_option(*bytes);
    else if (const auto file = take_value(statement, "--machine")) request.machine = machine_option(*file);
    else if (statement.starts_with("--annotations")) take_flag(statement), question.annotations = true;
    else take_option(repl.session(), statement, pinned);
  }
  need_argument(statement, ":search", "a statement", "net(x)");
  question.processors = processors ? *processors : pinned.mesh ? Mesh(Name("mesh"), *pinned.mesh).size() : repl.session().mesh().size();
  if (question.processors < 2)
    fail(Diagnostic(Kind::bad_usage, {}, "how many processors there are is not said").help("`:search --processors 16 net(x)`, or a mesh in force"));
  question.mesh = pinned.mesh;
  if (pinned.layout) question.pinned = *pinned.layout;
  question.on_progress = [&](int64_t) {
    if (repl.is_interrupted()) fail(Kind::interrupted, {});
  };
  const Planner plan = [&](const Settings& settings, std::shared_ptr<ProgramRecord> record) { return entered(repl, statement, settings, {}, std::move(record)); };
  repl.say(search_layouts(plan, repl.settings(), std::move(request)));
}

}  // namespace mtf::tool
