#include "tool/prompt/repl_commands.h"

#include <charconv>
#include <chrono>

#include "support/text.h"
#include "tool/present/compare_text.h"
#include "tool/present/picture.h"
#include "tool/present/plan_text.h"

namespace mtf::tool {
namespace {

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

void undo(Repl& repl, const std::string& text) {
  int64_t entries = 1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), entries);
  if (!text.empty() && (error != std::errc() || end != text.data() + text.size() || entries < 1))
    fail(Diagnostic(Kind::bad_usage, {}, fmt::format("`:undo {}`: expected how many entries", text))
             .help("such as `:undo 2`"));
  const int64_t taken = repl.session().undo(entries);
  std::string said = taken == 0   ? "there is no entry to take back"
                     : taken == 1 ? "the last entry that changed something is taken back"
                                  : fmt::format("the last {} entries that changed something are taken back", taken);
  if (taken < entries && repl.session().has_older_entries()) said += "; what earlier ones replaced is no longer kept";
  else if (taken > 0 && taken < entries) said += "; there are no more";
  repl.say(said + "\n");
}

void counters(Repl& repl, const std::string&) { repl.say(totals_text(repl.execution().counters())); }
void plot(Repl& repl, const std::string&) {
  const std::string curve = repl.plot();
  repl.say(curve.empty() ? "no loss was printed; a loss is a number behind the word `loss`\n" : curve);
}
void quit(Repl& repl, const std::string&) { repl.leave(); }

constexpr ReplCommand kPromptCommands[] = {
    {":help", ReplArgument::kTopic, "[NAME]",
     "this list; what a command, an operation, a module, a word or a name of your own is", help_command},
    {":type", ReplArgument::kCode, "[--mesh M] [--layout L] EXPR",
     "the type and layout of an expression, computing nothing", type_command, kTypeOptions},
    {":plan", ReplArgument::kCode, "[--machine FILE] [--by WHAT] [--mesh M] [--layout L] STMT",
     "what a statement would cost, and on a machine how long it takes", plan_command, kPlanOptions},
    {":compare", ReplArgument::kCode, "[--mesh M]… [--layout L]… [--machine FILE] [--peak] STMT",
     "what a statement would cost under each mesh and layout, side by side", compare_command, kCompareOptions},
    {":search", ReplArgument::kCode, "[--processors N] [--memory BYTES] [--stored] STMT",
     "the mesh and layout under which a statement takes least time", search_command, kSearchOptions},
    {":draw", ReplArgument::kCode, "EXPR", "where a tensor lies, or a model's params: the tiles that processors hold",
     draw},
    {":explain", ReplArgument::kCode, "[--mesh M] [--layout L] STMT",
     "why each collective is there, and which layouts would send less", explain_command, kExplainOptions},
    {":time", ReplArgument::kCode, "STMT", "how long a statement takes", time},
    {":mesh", ReplArgument::kNothing, "", "the mesh in force", mesh_command},
    {":layout", ReplArgument::kCode, "[LAYOUT]", "the layout in force, or another, and which dims it splits",
     layout_command},
    {":use", ReplArgument::kCode, "LAYOUT", "a layout or mesh, from here on, to which everything that exists is moved",
     use_command},
    {":dims", ReplArgument::kNothing, "", "the dims, their sizes, and how they are split", dims_command},
    {":vars", ReplArgument::kNothing, "", "the names that stand for values, their types and layouts", vars_command},
    {":params", ReplArgument::kCode, "EXPR", "the params and states of a model, with their layouts", params_command},
    {":show", ReplArgument::kCode, "EXPR", "every number of a tensor; `:show x[batch: 0..4]`", show_command},
    {":set", ReplArgument::kWords, "[NAME VALUE]",
     "how the prompt shows things; `:set lr=0.1`, an option of what is loaded next", set_command},
    {":load", ReplArgument::kFile, "[--dry] FILE", "run a script here; --dry leaves out its loops that compute",
     load_command},
    {":reload", ReplArgument::kNothing, "", "the last file that was loaded, again", reload_command},
    {":save", ReplArgument::kFile, "FILE", "write the session as a script", save_command},
    {":undo", ReplArgument::kWords, "[N]",
     "take back the last entry, or N, that bound, assigned or brought something into force", undo},
    {":counters", ReplArgument::kNothing, "", "everything computed and communicated since the beginning", counters},
    {":plot", ReplArgument::kNothing, "", "a curve of the losses that were printed", plot},
    {":quit", ReplArgument::kNothing, "", "leave; so does Ctrl-D", quit},
};

}  // namespace

std::span<const ReplCommand> repl_commands() { return kPromptCommands; }

std::vector<const ReplCommand*> commands_meant(std::string_view word) {
  std::vector<const ReplCommand*> meant;
  for (const ReplCommand& command : kPromptCommands) {
    if (word == command.name) return {&command};
    if (word.size() > 1 && command.name.starts_with(word)) meant.push_back(&command);
  }
  return meant;
}

const ReplCommand* find_repl_command(std::string_view word) {
  const std::vector<const ReplCommand*> meant = commands_meant(word);
  return meant.size() == 1 ? meant[0] : nullptr;
}

std::string take_flag(std::string& argument) {
  if (!argument.starts_with('-')) return {};
  const std::size_t end = std::min(argument.find_first_of(" \t\n"), argument.size());
  const std::string flag = argument.substr(0, end);
  argument = std::string(trim(std::string_view(argument).substr(end)));
  return flag;
}

void need_argument(const std::string& argument, std::string_view command, std::string_view what,
                   std::string_view example) {
  if (!argument.empty()) return;
  fail(Diagnostic(Kind::bad_usage, {}, fmt::format("`{}` needs {}", command, what))
           .help(fmt::format("such as `{} {}`", command, example)));
}

}  // namespace mtf::tool
