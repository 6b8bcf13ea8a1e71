#pragma once
// The commands of the prompt: one list, which the prompt, `:help`, completion and suggestions read.
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tool/prompt/prompt_options.h"
#include "tool/prompt/repl.h"

namespace mtf::tool {

/// The kind of argument of a command.
enum class ReplArgument : std::uint8_t {
  kNothing,
  kWords,  ///< words of the command
  kTopic,  ///< a topic of help
  kCode,   ///< code, which may have several lines
  kFile,
};

struct ReplCommand {
  std::string_view name;  ///< with its colon; may be shortened
  ReplArgument takes;
  std::string_view argument;  ///< as help shows it: `[--dry] FILE`
  std::string_view summary;
  /// Runs the command. `argument` is the text after its name, without blanks around it. Throws UserError.
  void (*run)(Repl&, const std::string& argument);
  std::span<const PromptOption> options = {};
};
std::span<const ReplCommand> repl_commands();
/// Returns the commands that a word may mean: the command of this name, or all with names that begin with it. A colon
/// alone means none.
std::vector<const ReplCommand*> commands_meant(std::string_view word);
/// Returns the only such command; null if there is none, or several.
const ReplCommand* find_repl_command(std::string_view word);

/// Removes the first word from a command's argument if it begins with `-`, and returns the word. Returns "" if there is
/// none.
std::string take_flag(std::string& argument);
/// Fails (bad_usage) if the argument is empty: "`:time` needs a statement", with an example.
void need_argument(const std::string& argument, std::string_view command, std::string_view what,
                   std::string_view example);

// The commands with files of their own.
void help_command(Repl& repl, const std::string& topic);     // repl_help.cpp
void type_command(Repl& repl, const std::string& argument);  // repl_plan.cpp
void plan_command(Repl& repl, const std::string& argument);
void explain_command(Repl& repl, const std::string& argument);
void use_command(Repl& repl, const std::string& argument);
void compare_command(Repl& repl, const std::string& argument);
void search_command(Repl& repl, const std::string& argument);
void load_command(Repl& repl, const std::string& argument);  // repl_files.cpp
void reload_command(Repl& repl, const std::string& argument);
void save_command(Repl& repl, const std::string& argument);
void mesh_command(Repl& repl, const std::string& argument);  // repl_tables.cpp
void layout_command(Repl& repl, const std::string& argument);
void dims_command(Repl& repl, const std::string& argument);
void vars_command(Repl& repl, const std::string& argument);
void params_command(Repl& repl, const std::string& argument);
void show_command(Repl& repl, const std::string& argument);
void set_command(Repl& repl, const std::string& argument);  // repl_settings.cpp

}  // namespace mtf::tool
