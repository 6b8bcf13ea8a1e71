// `:set`: the display settings of the prompt, and options of the scripts that are loaded.
#include <charconv>

#include "support/text.h"
#include "tool/present/table.h"
#include "tool/prompt/repl_commands.h"

namespace mtf::tool {
namespace {

struct Setting {
  std::string_view name, summary;
  bool ReplOptions::*flag = nullptr;            ///< on or off,
  std::int64_t ReplOptions::*number = nullptr;  ///< or a number
  std::int64_t least = 0, most = 0;
};
constexpr Setting kSettings[] = {
    {.name = "pager", .summary = "long output goes through $PAGER, or less", .flag = &ReplOptions::pager},
    {.name = "progress", .summary = "loops show how far they are", .flag = &ReplOptions::progress},
    {.name = "rows",
     .summary = "lines of the screen; 0: as the terminal says",
     .number = &ReplOptions::rows,
     .least = 0,
     .most = 100'000},
    {.name = "columns",
     .summary = "columns of the screen; 0: as the terminal says",
     .number = &ReplOptions::columns,
     .least = 0,
     .most = 100'000},
    {.name = "digits",
     .summary = "significant digits of a number in a table",
     .number = &ReplOptions::digits,
     .least = 1,
     .most = 17},
};

std::string value_of(const ReplOptions& options, const Setting& setting) {
  if (setting.flag != nullptr) return options.*setting.flag ? "on" : "off";
  return std::to_string(options.*setting.number);
}

[[noreturn]] void bad_value(const Setting& setting, std::string_view value) {
  const std::string expected =
      setting.flag != nullptr ? "on or off" : fmt::format("a number from {} to {}", setting.least, setting.most);
  fail(Kind::bad_option_value, {}, "`:set {}`: expected {}, found {}", setting.name, expected, code(value));
}

void change(ReplOptions& options, const Setting& setting, std::string_view value) {
  if (setting.flag != nullptr) {
    if (value != "on" && value != "off") bad_value(setting, value);
    options.*setting.flag = value == "on";
    return;
  }
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc() || end != value.data() + value.size() || number < setting.least || number > setting.most)
    bad_value(setting, value);
  options.*setting.number = number;
}

}  // namespace

void set_command(Repl& repl, const std::string& argument) {
  if (argument.empty()) {
    Table table("lrl");
    for (const Setting& setting : kSettings)
      table.row({std::string(setting.name), value_of(repl.options(), setting), std::string(setting.summary)});
    return repl.say(table.text());
  }
  const std::size_t end = std::min(argument.find_first_of(" \t="), argument.size());
  const std::string name = argument.substr(0, end);
  const std::string_view value =
      trim(std::string_view(argument).substr(std::min(argument.find_first_not_of(" \t=", end), argument.size())));
  std::vector<std::string> names;
  for (const Setting& setting : kSettings) {
    names.emplace_back(setting.name);
    if (setting.name != name) continue;
    if (!value.empty()) change(repl.options(), setting, value);
    return repl.say(fmt::format("{} {}\n", name, value_of(repl.options(), setting)));
  }
  if (end < argument.size() && argument[end] == '=') {
    repl.session().give_option(name, std::string(value));
    return repl.say(fmt::format("{}={} for what is loaded or declared from here on\n", name, value));
  }
  std::string help = did_you_mean(name, names);
  fail(Diagnostic(Kind::bad_usage, {}, fmt::format("`:set` has no {}", code(name)))
           .help(help.empty() ? "it has " + join(names, ", ") + "; `:set lr=0.1` sets an option of a script" : help));
}

}  // namespace mtf::tool
