#include "tool/repl_commands.h"

#include <chrono>

#include "support/text.h"
#include "tool/compare_text.h"
#include "tool/help_topics.h"
#include "tool/picture.h"
#include "tool/plan_text.h"
#include "tool/repl_compare.h"
#include "tool/table.h"

namespace mtf::tool {
namespace {

void help(Repl& repl, const std::string& topic) {
  if (!topic.empty()) return repl.say(help_on(topic));
  std::string text =
      "A statement, or an expression to see its value and type; `;` at its end reports nothing. `_` is the last value,\n"
      "`?NAME` is help. Tab completes, Ctrl-R searches what was entered before, Alt-Enter begins another line or, where an entry\n"
      "is unfinished, ends it. Ctrl-C stops what runs. Commands may be shortened:\n";
  Table table("ll");
  for (const ReplCommand& command : repl_commands())
    table.row({fmt::format("{} {}", command.name, command.argument), std::string(command.summary)});
  repl.say(text + table.text("  ") + "\n" + list_of_operations());
}

void compare(Repl& repl, const std::string& text) { repl.say(compare_at_prompt(repl, text)); }

void draw(Repl& repl, const std::string& text) {
  need_argument(text, ":draw", "a tensor or a model", "net");
  repl.say(text_of(pictures_of(repl.session(), {text}), repl.columns()));
}

void time(Repl& repl, const std::string& text) {
  need_argument(text, ":time", "a statement", "let y = einsum(x, w -> [batch])");
  const auto begin = std::chrono::steady_clock::now();
  repl.execute(text);
  repl.say(seconds_text(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count()) + "\n");
}

void undo(Repl& repl, const std::string&) {
  repl.say(repl.session().undo() ? "the last entry is taken back\n" : "there is no entry to take back\n");
}

void counters(Repl& repl, const std::string&) { repl.say(totals_text(repl.engine().counters())); }
void plot(Repl& repl, const std::string&) {
  const std::string curve = repl.plot();
  repl.say(curve.empty() ? "no loss was printed; a loss is a number behind the word `loss`\n" : curve);
}
void quit(Repl& repl, const std::string&) { repl.leave(); }

constexpr ReplCommand kCommands[] = {
    {":help", "[NAME]", "this list; what an operation, a module or its function does", help},
    {":type", "[--mesh M] [--layout L] EXPR", "the type and layout of an expression, computing nothing", type_command},
    {":plan", "[--machine FILE] [--mesh M] [--layout L] STMT", "what a statement would cost, and on a machine how long it takes", plan_command},
    {":compare", "STMT", "what a statement would cost under each `--layout` and `--mesh` that follows, side by side", compare},
    {":search", "[--processors N] [--memory BYTES] [--annotations] STMT", "the mesh and layout under which a statement takes least time", search_command},
    {":draw", "EXPR", "where a tensor lies, or a model's params: the tiles that processors hold", draw},
    {":explain", "[--mesh M] [--layout L] STMT", "why each collective is there, and which layouts would send less", explain_command},
    {":time", "STMT", "how long a statement takes", time},
    {":mesh", "", "the mesh in force", mesh_command},
    {":layout", "", "the layout in force, and which dims it splits", layout_command},
    {":use", "LAYOUT", "a layout or mesh, from here on, to which everything that exists is moved", use_command},
    {":dims", "", "the dims, their sizes, and how they are split", dims_command},
    {":vars", "", "the names that stand for values, their types and layouts", vars_command},
    {":params", "EXPR", "the params and states of a model, with their layouts", params_command},
    {":show", "EXPR", "every number of a tensor; `:show x[batch: 0..4]`", show_command},
    {":set", "[NAME VALUE]", "how the prompt shows things; `:set lr=0.1`, an option of what is loaded next", set_command},
    {":load", "[--dry] FILE", "run a script here; --dry leaves its loops out", load_command},
    {":reload", "", "the last file that was loaded, again", reload_command},
    {":save", "FILE", "write the session as a script", save_command},
    {":undo", "", "take back the last entry: what it bound, assigned and brought into force", undo},
    {":counters", "", "everything computed and communicated since the beginning", counters},
    {":plot", "", "a curve of the losses that were printed", plot},
    {":quit", "", "leave; so does Ctrl-D", quit},
};

}  // namespace

std::span<const ReplCommand> repl_commands() { return kCommands; }

std::string take_flag(std::string& argument) {
  if (!argument.starts_with('-')) return {};
  const std::size_t end = std::min(argument.find_first_of(" \t\n"), argument.size());
  const std::string flag = argument.substr(0, end);
  argument = std::string(trim(std::string_view(argument).substr(end)));
  return flag;
}

void need_argument(const std::string& argument, std::string_view command, std::string_view what, std::string_view example) {
  if (!argument.empty()) return;
  fail(Diagnostic(Kind::bad_usage, {}, fmt::format("`{}` needs {}", command, what)).help(fmt::format("such as `{} {}`", command, example)));
}

}  // namespace mtf::tool
