#include "tool/repl.h"

#include <unistd.h>

#include <chrono>
#include <new>

#include "exec/program_record.h"
#include "support/text.h"
#include "syntax/parse.h"
#include "tool/help_topics.h"
#include "tool/launch.h"
#include "tool/message_colours.h"
#include "tool/output.h"
#include "tool/plan_text.h"
#include "tool/repl_compare.h"
#include "tool/repl_completion.h"
#include "tool/repl_text.h"

namespace mtf::tool {
namespace {

std::string seconds_text(double seconds) { return seconds < 1 ? fmt::format("{:.3g} ms", seconds * 1e3) : fmt::format("{:.3f} s", seconds); }

/// Keeps what the session computes, so that it can be costed under other layouts.
EngineOptions recorded(EngineOptions options) {
  options.record = std::make_shared<ProgramRecord>();
  return options;
}

}  // namespace

void Repl::interrupt() {
  if (++interrupts_ > 1) _exit(130);
  session_.interrupt();
}

/// The commands of the REPL: one list, which `:help`, completion and suggestions read.
struct ReplCommands {
  struct Record {
    std::string_view name, argument, summary;
    void (*run)(Repl&, const std::string& argument);
  };

  static void help(Repl& repl, const std::string& topic) {
    if (!topic.empty()) {
      repl.out_ << help_on(topic);
      return;
    }
    repl.out_ << "A statement, or an expression to see its value and type; `;` at its end reports nothing. `_` is the last value,\n"
                 "`?NAME` is help. Tab completes, Ctrl-R searches what was entered before, Alt-Enter begins another line or, where an entry\n"
                 "is unfinished, ends it. Commands may be shortened:\n";
    for (const Record& record : kAll)
      repl.out_ << fmt::format("  {:<12} {}\n", fmt::format("{} {}", record.name, record.argument), record.summary);
    repl.out_ << "\n" << list_of_operations();
  }
  static void type(Repl& repl, const std::string& text) {
    if (text.empty()) fail(Diagnostic(Kind::bad_usage, {}, "`:type` needs an expression").help("such as `:type einsum(x, w -> [batch])`"));
    repl.out_ << repl.session_.type_of(text, repl.name_of_entry()) << "\n";
  }
  static void plan(Repl& repl, const std::string& text) {
    if (text.empty()) fail(Diagnostic(Kind::bad_usage, {}, "`:plan` needs a statement").help("such as `:plan let y = einsum(x, w -> [batch])`"));
    std::string shown;
    for (const StatementReport& report : repl.session_.plan(text, repl.name_of_entry())) shown += plan_text(report, true);
    repl.out_ << (shown.empty() ? "nothing to compute\n" : shown);
  }
  static void compare(Repl& repl, const std::string& text) { repl.out_ << compare_at_prompt(repl.session_, text, repl.name_of_entry()); }
  static void time(Repl& repl, const std::string& text) {
    if (text.empty()) fail(Diagnostic(Kind::bad_usage, {}, "`:time` needs a statement").help("such as `:time let y = einsum(x, w -> [batch])`"));
    const auto begin = std::chrono::steady_clock::now();
    repl.execute(text);
    repl.out_ << seconds_text(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count()) << "\n";
  }
  static void undo(Repl& repl, const std::string&) {
    repl.out_ << (repl.session_.undo() ? "the last entry is taken back\n" : "there is no entry to take back\n");
  }
  static void counters(Repl& repl, const std::string&) { repl.out_ << totals_text(repl.engine_.counters()); }
  static void quit(Repl& repl, const std::string&) { repl.done_ = true; }

  static constexpr Record kAll[] = {
      {":help", "[NAME]", "this list; what an operation, a module or its function does", help},
      {":type", "EXPR", "the type and layout of an expression, computing nothing", type},
      {":plan", "STMT", "what a statement would cost, computing nothing", plan},
      {":compare", "STMT", "what a statement would cost under each `--layout` and `--mesh` that follows, side by side", compare},
      {":time", "STMT", "how long a statement takes", time},
      {":undo", "", "take back the last entry: what it bound, assigned and brought into force", undo},
      {":counters", "", "everything computed and communicated since the beginning", counters},
      {":quit", "", "leave; so does Ctrl-D", quit},
  };
};

Repl::Repl(Settings settings, EngineOptions options, std::ostream& out, std::ostream& err)
    : engine_(recorded(std::move(options))), session_(std::move(settings), &engine_, out), out_(out), err_(err) {
  session_.keep_last_value();
}

std::string Repl::name_of_entry() const { return fmt::format("<{}>", number_ - 1); }

void Repl::execute(const std::string& text) {
  for (const StatementReport& report : session_.execute(text, name_of_entry())) {
    const std::string said = repl_text(report);
    out_ << (colours_reports_ ? coloured_report(said) : said);
  }
}

bool Repl::command(const std::string& line) {
  const std::size_t end = std::min(line.find_first_of(" \t\n"), line.size());
  const std::string name = line.substr(0, end);
  std::vector<std::string> names;
  std::vector<const ReplCommands::Record*> meant;  // by its name, or by a beginning of it that no other has
  for (const ReplCommands::Record& record : ReplCommands::kAll) {
    names.emplace_back(record.name);
    if (name.size() > 1 && record.name.starts_with(name)) meant.push_back(&record);
  }
  if (meant.size() == 1) {
    meant[0]->run(*this, std::string(trim(line.substr(end))));
    return true;
  }
  const std::string near = did_you_mean(name, names);
  fail(Diagnostic(Kind::unknown_command, {}, code(name)).help(near.empty() ? "`:help` lists the commands" : near));
}

bool Repl::enter(const std::string& entry) {
  const std::string text(trim(entry));
  interrupts_ = 0;
  try {
    if (text.empty()) return true;
    ++number_;
    if (text.front() == ':') return command(text);
    if (text.front() == '?') return command(":help " + text.substr(1));
    if (text == "quit" || text == "exit" || text == "help") return command(text == "help" ? ":help" : ":quit");
    execute(entry);
    out_.flush();
    return true;
  } catch (const OutputError&) {
    throw;  // there is nowhere to go on to
  } catch (const UserError& error) {
    out_.flush();
    err_ << (colours_errors_ ? coloured_message(error.what()) : error.what());
  } catch (const std::bad_alloc&) {
    err_ << "error: this needs more memory than there is [out_of_memory]\n";
  } catch (const std::exception& error) {
    err_ << bug_message(error);
  }
  err_.flush();
  return false;
}

line_editor::Completions Repl::complete(const std::string& entry, std::size_t cursor) const {
  std::vector<line_editor::Candidate> commands;
  for (const ReplCommands::Record& record : ReplCommands::kAll)
    commands.push_back({std::string(record.name), fmt::format("{}{}{}", record.argument, record.argument.empty() ? "" : "  ", record.summary)});
  return complete_entry(session_, commands, entry, cursor);
}

bool wants_more(const std::string& entry) {
  const std::size_t first = entry.find_first_not_of(" \t\n");
  if (first == std::string::npos) return false;
  if (entry[first] != ':') return entry[first] != '?' && is_incomplete(entry);
  const std::size_t argument = entry.find_first_of(" \t\n", first);
  return argument != std::string::npos && !std::string_view(":help").starts_with(entry.substr(first, argument - first)) &&
         is_incomplete(std::string_view(entry).substr(argument));
}

}  // namespace mtf::tool
