// `:load`, `:reload` and `:save`.
#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "session/session_script.h"
#include "support/printable.h"
#include "support/source.h"
#include "support/text.h"
#include "syntax/parse.h"
#include "tool/prompt/repl_commands.h"
#include "tool/shell/generated_file.h"

namespace mtf::tool {
namespace {

// Expands `~/f.mtf` as a shell does.
std::string path_of(const std::string& argument) {
  const char* home = std::getenv("HOME");
  return argument.starts_with("~/") && home != nullptr ? home + argument.substr(1) : argument;
}

// Returns the text on left-out loops: `, loops left out: lines 20 and 31`
std::string left_out(const session::Entry& entry) {
  if (entry.left_out.empty()) return entry.without_loops ? ", loops left out: none" : "";
  const ast::Program program = syntax::parse_or_throw(SourceFile::create(entry.name, entry.text));
  std::vector<std::string> lines;
  for (const std::size_t i : entry.left_out)
    lines.push_back(std::to_string(program.body.statements[i].span.position().line));
  return fmt::format(", loops left out: line{} {}", lines.size() == 1 ? "" : "s", join_words(lines, "and"));
}

void load(Repl& repl, const Repl::Loaded& file) {
  repl.last_loaded() = file;
  const std::size_t entries = repl.session().entries().size();
  repl.session().load(SourceFile::read(file.path)->text(), file.path, file.without_loops);
  const auto& all = repl.session().entries();
  const std::size_t statements = all.size() > entries ? all.back().has_value.size() : 0;
  repl.say(fmt::format("{}: {}{}; `:vars`, `:dims` and `:layout` show what is there now\n", printable(file.path),
                       count_text(static_cast<std::int64_t>(statements), "statement"),
                       statements > 0 ? left_out(all.back()) : ""));
}

}  // namespace

void load_command(Repl& repl, const std::string& argument) {
  std::string path = argument;
  const std::string flag = take_flag(path);
  if (!flag.empty() && flag != "--dry")
    fail(Diagnostic(Kind::bad_usage, {}, fmt::format("`:load` has no {}", code(flag)))
             .help("`:load --dry FILE` leaves loops out"));
  need_argument(path, ":load", "a file", "two_layer.mtf");
  load(repl, {path_of(path), !flag.empty()});
}

void reload_command(Repl& repl, const std::string&) {
  if (repl.last_loaded().path.empty())
    fail(Diagnostic(Kind::bad_usage, {}, "no file was loaded").help("`:load FILE` loads one"));
  load(repl, Repl::Loaded(repl.last_loaded()));
}

void save_command(Repl& repl, const std::string& argument) {
  need_argument(argument, ":save", "a file", "session.mtf");
  const std::string path = path_of(argument);
  const std::string script = script_of(repl.session().entries());
  std::error_code error;
  const auto whole = std::filesystem::weakly_canonical(std::filesystem::absolute(path), error).string();
  expect_replaceable(path, "a session that this prompt has saved",
                     [&](const std::string& text) { return repl.saved_files().contains(whole) || text == script; });
  replace_file(path, script);
  repl.saved_files().insert(whole);
  repl.say(
      fmt::format("{}: {}\n", printable(path), count_text(std::count(script.begin(), script.end(), '\n'), "line")));
  const Diagnostics found = session::Session::check_text(path, script, repl.settings());
  if (found.has_errors()) repl.say("as one script it is refused:\n" + found.render());
}

}  // namespace mtf::tool
