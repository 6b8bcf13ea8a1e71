#pragma once
// The commands of the prompt: one list, which the prompt, `:help`, completion and suggestions read.
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tool/prompt/repl.h"

namespace mtf::tool {

/// What stands behind the name of a command.
enum class ReplArgument : std::uint8_t {
  kNothing,
  kWords,  ///< of its own
  kTopic,  ///< what there is help on
  kCode,   ///< of the language: it may go on over several lines
  kFile,
};

struct ReplCommand {
  std::string_view name;  ///< with its colon; it may be shortened
  ReplArgument takes;
  std::string_view argument;  ///< as help shows it: `[--dry] FILE`
  std::string_view summary;
  /// Throws UserError. `argument` is what stands behind the name, without blanks around it.
  void (*run)(Repl&, const std::string& argument);
};
std::span<const ReplCommand> repl_commands();
/// Those that a word may mean: the one of that name, or all whose names begin with it (a colon alone means none).
std::vector<const ReplCommand*> commands_meant(std::string_view word);
/// The only one; null where there is none, or several.
const ReplCommand* find_repl_command(std::string_view word);

/// The first word of a command's argument, which begins with `-`, is taken off it: "" if there is none.
std::string take_flag(std::string& argument);
/// Fails (bad_usage) if nothing is given: "`:time` needs a statement", and such as what.
void need_argument(const std::string& argument, std::string_view command, std::string_view what,
                   std::string_view example);

// Those that have files of their own.
void help_command(Repl& repl, const std::string& topic);     // repl_help.cpp
void type_command(Repl& repl, const std::string& argument);  // repl_plan.cpp
void plan_command(Repl& repl, const std::string& argument);
void explain_command(Repl& repl, const std::string& argument);
void use_command(Repl& repl, const std::string& argument);
void compare_command(Repl& repl, const std::string& argument);  // repl_compare.cpp
void search_command(Repl& repl, const std::string& argument);   // repl_search.cpp
void load_command(Repl& repl, const std::string& argument);     // repl_files.cpp
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
