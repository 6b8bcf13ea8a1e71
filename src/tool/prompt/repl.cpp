#include "tool/prompt/repl.h"

#include <unistd.h>

#include <algorithm>
#include <new>

#include "support/text.h"
#include "syntax/parse.h"
#include "tool/prompt/message_colours.h"
#include "tool/prompt/pager.h"
#include "tool/prompt/repl_commands.h"
#include "tool/prompt/repl_completion.h"
#include "tool/prompt/repl_text.h"
#include "tool/shell/launch.h"
#include "tool/shell/output.h"

namespace mtf::tool {
namespace {

constexpr std::string_view kImpatient = "\nIt ends as soon as it can. Ctrl-\\ ends mtf itself.\n";

}  // namespace

void Repl::interrupt() {
  session_.interrupt();
  if (++interrupts_ == 2) [[maybe_unused]]
    const auto size = write(STDERR_FILENO, kImpatient.data(), kImpatient.size());
}

std::size_t Repl::columns() const {
  if (options_.columns > 0) return static_cast<std::size_t>(options_.columns);
  const std::size_t columns = at_terminal_ ? terminal_columns() : 0;
  return columns > 0 ? columns : 80;
}

std::size_t Repl::rows() const {
  if (options_.rows > 0) return static_cast<std::size_t>(options_.rows);
  const std::size_t rows = at_terminal_ ? screen_size(STDOUT_FILENO).rows : 0;
  return rows > 0 ? rows : 24;
}

Room Repl::room() const {
  const std::size_t half = rows() > 12 ? rows() - 6 : rows();  // the entry stays on the screen
  return {columns(), half, static_cast<int>(options_.digits)};
}

void Repl::say(const std::string& text) {
  out_.flush();
  if (at_terminal_ && options_.pager && page(text, rows(), columns())) return;
  out_ << text;
}

void Repl::answer(const std::string& text, const std::function<std::string()>& json) {
  if (show_answer_) show_answer_(text, json());
  else say(text);
}

Repl::Repl(eval::Settings settings, run::MpiRuntimeOptions options, std::ostream& out, std::ostream& err)
    : runtime_(std::move(options)),
      execution_(runtime_),
      session_(std::move(settings), &execution_, out),
      out_(out),
      err_(err) {
  session_.keep_last_value();
  session_.on_warning([this](const Diagnostic& warning) { say_wrong(warning); });
  session_.warn_of_layout();
}

void Repl::say_wrong(const Diagnostic& wrong) {
  out_.flush();
  if (show_wrong_) return show_wrong_(wrong);
  err_ << (colours_errors_ ? coloured_message(wrong) : wrong.render());
  err_.flush();
}

std::string Repl::name_of_entry() const { return fmt::format("<{}>", number_ - 1); }

void Repl::execute(const std::string& text) {
  for (const session::EntryReport& report : session_.execute(text, name_of_entry())) {
    if (show_report_) show_report_(report);
    else out_ << repl_text(report, room(), colours_reports_);
  }
}

bool Repl::command(const std::string& line) {
  const std::size_t end = std::min(line.find_first_of(" \t\n"), line.size());
  const std::string name = line.substr(0, end);
  if (const ReplCommand* const command = find_repl_command(name)) {
    command->run(*this, std::string(trim(line.substr(end))));
    out_.flush();
    return true;
  }
  std::vector<std::string> names;
  for (const ReplCommand& command : repl_commands()) names.emplace_back(command.name);
  const std::string near = did_you_mean(name, names);
  fail(Diagnostic(Kind::unknown_command, {}, code(name)).help(near.empty() ? "`:help` lists the commands" : near));
}

bool Repl::enter(const std::string& entry) {
  const std::string text(trim(entry));
  interrupts_ = 0;
  session_.forget_interrupt();
  try {
    if (text.empty()) return true;
    ++number_;
    if (text.front() == ':') return command(text);
    if (text.front() == '?') return command(":help " + text.substr(1));
    if (text == "help" || text == "help()") return command(":help");
    for (const std::string_view word : {"quit", "exit", "quit()", "exit()"})
      if (text == word) return command(":quit");
    execute(entry);
    out_.flush();
    return true;
  } catch (const OutputError&) {
    throw;  // the prompt cannot continue
  } catch (const UserError& error) { say_wrong(error.diagnostic()); } catch (const std::bad_alloc&) {
    err_ << "error: this needs more memory than there is [out_of_memory]\n";
  } catch (const std::exception& error) { err_ << bug_message(error); }
  err_.flush();
  return false;
}

line_editor::Completions Repl::complete(const std::string& entry, std::size_t cursor) const {
  return complete_entry(session_, entry, cursor);
}

bool wants_more(const std::string& entry) {
  const std::size_t first = entry.find_first_not_of(" \t\n");
  if (first == std::string::npos) return false;
  if (entry[first] != ':') return entry[first] != '?' && syntax::is_incomplete(entry);
  const std::size_t argument = entry.find_first_of(" \t\n", first);
  if (argument == std::string::npos) return false;
  const std::string_view name = std::string_view(entry).substr(first, argument - first);
  const ReplCommand* const command = find_repl_command(name);
  return command != nullptr && command->takes == ReplArgument::kCode &&
         syntax::is_incomplete(std::string_view(entry).substr(argument));
}

}  // namespace mtf::tool
