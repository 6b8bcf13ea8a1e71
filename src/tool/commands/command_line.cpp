#include <unistd.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <new>

#include "kernels/level.h"
#include "run/level_agreement.h"
#include "support/diagnostics.h"
#include "support/text.h"
#include "syntax/parse.h"
#include "tool/commands/commands.h"
#include "tool/commands/help_text.h"
#include "tool/present/fitted_text.h"
#include "tool/shell/interrupts.h"
#include "tool/shell/launch.h"
#include "tool/shell/output.h"

namespace mtf::tool {
namespace {

constexpr std::string_view kOverviewHead =
    "mtf: a small tensor language with named dimensions, in which the layout over processors is two lines.\n"
    "\n"
    "  mtf                        read, compute, print: the REPL\n"
    "  mtf -e 'print(1 + 1)'       run a text\n"
    "  mtf COMMAND ...            one of the commands below\n"
    "  mpirun -n 4 mtf run FILE   four ranks, which host the processors of the mesh between them\n"
    "\n"
    "Commands:\n";

constexpr std::string_view kOverviewTail =
    "\n"
    "Options, before or after the command and the file:\n"
    "  --mesh \"rows:2;cols:2\"             the mesh throughout, whatever the script declares\n"
    "  --layout \"batch:rows;hidden:cols\"  the layout throughout; \"\" replicates\n"
    "  --set NAME=VALUE                   an option or top-level dim of the script; repeatable\n"
    "  --threads N                        threads of this process\n"
    "  --placement \"3,2,1,0\"              which processor each place of the mesh is; \"stage:1,0\" along an axis\n"
    "  --version, --help\n"
    "\n"
    "Exit status: 0 success, 1 an error in the program, 2 usage, 3 a file, 4 a limit, 5 a bug in mtf, 130 Ctrl-C.\n"
    "More: `mtf help COMMAND`, and `mtf help OPERATION`, such as `mtf help einsum`.\n";

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

[[noreturn]] void unknown_word(const std::string& word, const CLI::App& app, bool in_command) {
  if (word.starts_with('-')) {
    const std::string name = word.substr(0, word.find('='));
    const std::string near = did_you_mean(name, option_names(app));
    fail(Diagnostic(Kind::bad_usage, {}, fmt::format("there is no option {}", code(name)))
             .help(near.empty()
                       ? fmt::format("`{} --help` lists the options", in_command ? "mtf " + app.get_name() : "mtf")
                       : near));
  }
  if (in_command) {
    fail(Diagnostic(Kind::bad_usage, {}, fmt::format("{} is one word too many", code(word)))
             .help(fmt::format("`mtf {} --help` says what it takes", app.get_name())));
  }
  std::string near = did_you_mean(word, command_names());
  if (near.empty() && (word.ends_with(".mtf") || access(word.c_str(), R_OK) == 0))
    near = fmt::format("to run a file, say `mtf run {}`", word);
  if (near.empty()) near = fmt::format("the commands are {}", join_words(command_names(), "and"));
  fail(Diagnostic(Kind::unknown_command, {}, code(word)).help(near));
}

void declare_common(CLI::App& app) {
  app.set_help_flag();  // replaced by a flag with a longer text
  const std::string about = "This text";
  app.add_flag("-h,--help", about);
}

struct CommandLine {
  CLI::App app{"", "mtf"};
  ProgramOptions program;
  struct Declared {
    const Command* command;
    CLI::App* app;
    std::function<int()> run;
  };
  std::vector<Declared> commands;

  CommandLine() {
    declare_common(app);
    const std::string about = "The version";
    app.add_flag("--version", about);
    app.allow_extras();
    app.require_subcommand(0, 1);
    OptionParser parser(app);
    add_program_options(parser, program);
    add_runtime_options(parser, program);
    for (const Command* command : all_commands()) {
      CLI::App* sub = app.add_subcommand(std::string(command->name), std::string(command->summary));
      declare_common(*sub);
      sub->allow_extras();
      OptionParser own(*sub);
      commands.push_back({command, sub, command->declare(own, program)});
    }
  }

  int parse_and_run(std::vector<std::string> words) {
    std::reverse(words.begin(), words.end());  // CLI11 takes words from the back
    const Declared* chosen = nullptr;
    try {
      app.parse(std::move(words));
    } catch (const CLI::ParseError& error) {
      for (const Declared& one : commands)
        if (one.app->parsed()) chosen = &one;
      if (asked_for_help(chosen)) return 0;
      const CLI::App& where = chosen != nullptr ? *chosen->app : app;
      for (const std::string& word : where.remaining())
        if (word.starts_with('-') && word != "-") unknown_word(word, where, chosen != nullptr);
      fail(Diagnostic(Kind::bad_usage, {}, error.what())
               .help(fmt::format("`mtf {}--help` says more", chosen != nullptr ? chosen->app->get_name() + " " : "")));
    }
    for (const Declared& one : commands)
      if (one.app->parsed()) chosen = &one;
    if (asked_for_help(chosen)) return 0;
    if (app.get_option("--version")->count() > 0) {
      run::choose_level();
      write_output("mtf {}, which knows the language up to version {}\nkernels for {}\n", MTF_VERSION,
                   syntax::kLanguageVersion, kernels::describe_level(kernels::level_in_use()));
      return 0;
    }
    if (const auto left = app.remaining(); !left.empty()) unknown_word(left.front(), app, false);
    if (!launch().uses_mpi()) run::choose_level();  // ranks agree on one level
    if (chosen == nullptr) return run_repl(program);
    refuse_what_is_not_taken(*chosen);
    if (const auto left = chosen->app->remaining(); !left.empty()) unknown_word(left.front(), *chosen->app, true);
    return chosen->run();
  }

  /// Options before the command belong to several commands. Refuses those that this command lacks.
  void refuse_what_is_not_taken(const Declared& chosen) const {
    for (const CLI::Option* option : app.get_options()) {
      const std::string name = "--" + option->get_lnames().front();
      if (option->count() == 0 || chosen.app->get_option_no_throw(name) != nullptr) continue;
      fail(Diagnostic(Kind::bad_usage, {},
                      fmt::format("{} has no option {}", code("mtf " + chosen.app->get_name()), code(name)))
               .help(fmt::format("`mtf {} --help` says what it takes", chosen.app->get_name())));
    }
  }

  bool asked_for_help(const Declared* chosen) const {
    if (chosen != nullptr && chosen->app->get_option("--help")->count() > 0)
      write_output(fitted(help_of(*chosen->command), terminal_columns(kPageWidth)));
    else if (app.get_option("--help")->count() > 0) write_output(fitted(overview(), terminal_columns(kPageWidth)));
    else return false;
    return true;
  }
};

// Rewrites `--layout=` to `--layout ""`, because CLI11 would take the next word as its value.
std::vector<std::string> separated(int count, const char* const* words) {
  std::vector<std::string> list;
  for (int i = 1; i < count; ++i) {
    std::string word = words[i];
    const bool empty_value = word.size() > 3 && word.starts_with("--") && word.find('=') == word.size() - 1;
    if (empty_value) word.pop_back();
    list.push_back(std::move(word));
    if (empty_value) list.emplace_back();
  }
  return list;
}

// True for `mtf help '->'`: CLI11 would take the sign for an option.
bool asks_for_sign(const std::vector<std::string>& words) {
  return words.size() == 2 && words[0] == "help" && words[1].starts_with('-') &&
         words[1].find_first_of("abcdefghijklmnopqrstuvwxyz") == std::string::npos;
}

// Reports errors of the command line itself.
int report_usage(const Diagnostics& found, const std::vector<std::string>& words) {
  const bool starts_mpi = launch().uses_mpi() && std::find(words.begin(), words.end(), kRunCommand.name) != words.end();
  if (starts_mpi && launch().rank > 0) end_rank(found.render(), found.exit_code());
  return report(found);
}

constexpr const Command* kCommands[] = {&kRunCommand,    &kCheckCommand,     &kPlanCommand,   &kCompareCommand,
                                        &kSearchCommand, &kCalibrateCommand, &kDrawCommand,   &kCurveCommand,
                                        &kTraceCommand,  &kTestCommand,      &kFmtCommand,    &kLspCommand,
                                        &kHelpCommand,   &kReferenceCommand, &kEditorsCommand};

}  // namespace

std::span<const Command* const> all_commands() { return kCommands; }

const Command* find_command(std::string_view name) {
  for (const Command* command : all_commands())
    if (command->name == name) return command;
  return nullptr;
}

std::vector<std::string> command_names() {
  std::vector<std::string> names;
  for (const Command* command : all_commands()) names.emplace_back(command->name);
  return names;
}

std::string overview() {
  std::string text(kOverviewHead);
  for (const Command* command : all_commands()) text += fmt::format("  {:<11} {}\n", command->name, command->summary);
  return text + std::string(kOverviewTail);
}

std::string help_of(const Command& command) {
  ProgramOptions program;
  CLI::App app{std::string(command.summary), "mtf " + std::string(command.name)};
  declare_common(app);
  OptionParser parser(app);
  command.declare(parser, program);
  app.get_formatter()->column_width(28);
  return app.help() + std::string(command.details);
}

int run_command_line(int count, const char* const* words) {
  occupy_standard_files();
  end_on_interrupt(launch().uses_mpi());
  std::vector<std::string> list = separated(count, words);
  if (!list.empty() && list[0] == "-e") list.insert(list.begin(), "run");  // `mtf -e TEXT`
  try {
    CommandLine line;
    if (asks_for_sign(list)) write_output(help_text(list[1], terminal_columns(kPageWidth)));
    const int status = asks_for_sign(list) ? 0 : line.parse_and_run(list);
    flush_output();
    return status;
  } catch (const UserError& error) {
    Diagnostics found;
    found.add(error.diagnostic());
    return report_usage(found, list);
  } catch (const std::bad_alloc&) {
    return report("error: this needs more memory than there is [out_of_memory]\n", ExitCode::kLimit);
  } catch (const std::exception& error) { return report(bug_message(error), ExitCode::kBug); }
}

}  // namespace mtf::tool
