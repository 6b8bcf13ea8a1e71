#include "tool/repl.h"

#include <unistd.h>

#include <new>

#include "support/text.h"
#include "tool/help_topics.h"
#include "tool/launch.h"
#include "tool/output.h"
#include "tool/plan_text.h"
#include "tool/repl_text.h"

namespace mtf::tool {
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
    repl.out_ << "A statement, or an expression to see its value and type; `;` at its end reports nothing. Commands may be shortened:\n";
    for (const Record& record : kAll)
      repl.out_ << fmt::format("  {:<12} {}\n", fmt::format("{} {}", record.name, record.argument), record.summary);
    repl.out_ << "\n" << list_of_operations();
  }
  static void type(Repl& repl, const std::string& text) {
    if (text.empty()) fail(Diagnostic(Kind::bad_usage, {}, "`:type` needs an expression").help("such as `:type einsum(x, w -> [batch])`"));
    repl.out_ << repl.session_.type_of(text) << "\n";
  }
  static void plan(Repl& repl, const std::string& text) {
    if (text.empty()) fail(Diagnostic(Kind::bad_usage, {}, "`:plan` needs a statement").help("such as `:plan let y = einsum(x, w -> [batch])`"));
    std::string shown;
    for (const StatementReport& report : repl.session_.plan(text)) shown += plan_text(report, true);
    repl.out_ << (shown.empty() ? "nothing to compute\n" : shown);
  }
  static void counters(Repl& repl, const std::string&) { repl.out_ << totals_text(repl.engine_.counters()); }
  static void quit(Repl& repl, const std::string&) { repl.done_ = true; }

  static constexpr Record kAll[] = {
      {":help", "[NAME]", "this list; what an operation, a module or its function does", help},
      {":type", "EXPR", "the type and layout of an expression, computing nothing", type},
      {":plan", "STMT", "what a statement would cost, computing nothing", plan},
      {":counters", "", "everything computed and communicated since the beginning", counters},
      {":quit", "", "leave; so does Ctrl-D", quit},
  };
};

Repl::Repl(Settings settings, EngineOptions options, std::ostream& out, std::ostream& err)
    : engine_(std::move(options)), session_(std::move(settings), &engine_, out), out_(out), err_(err) {}

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
    if (text.front() == ':') return command(text);
    if (text == "quit" || text == "exit" || text == "help") return command(text == "help" ? ":help" : ":quit");
    for (const StatementReport& report : session_.execute(entry)) out_ << repl_text(report);
    out_.flush();
    return true;
  } catch (const OutputError&) {
    throw;  // there is nowhere to go on to
  } catch (const UserError& error) {
    out_.flush();
    err_ << error.what();
  } catch (const std::bad_alloc&) {
    err_ << "error: this needs more memory than there is [out_of_memory]\n";
  } catch (const std::exception& error) {
    err_ << bug_message(error);
  }
  err_.flush();
  return false;
}

std::vector<std::string> Repl::complete(const std::string& beginning) const {
  std::vector<std::string> words;
  if (beginning.starts_with(':')) {
    for (const ReplCommands::Record& record : ReplCommands::kAll)
      if (record.name.starts_with(beginning)) words.emplace_back(record.name);
    return words;
  }
  const std::size_t dot = beginning.rfind('.');
  const std::string owner = dot == std::string::npos ? "" : beginning.substr(0, dot + 1);
  for (std::string name : session_.names(beginning)) {
    if (!name.starts_with(owner)) name = owner + name;
    if (name.starts_with(beginning)) words.push_back(std::move(name));
  }
  return words;
}

}  // namespace mtf::tool
