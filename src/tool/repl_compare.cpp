#include "tool/repl_compare.h"

#include "support/diagnostics.h"
#include "support/text.h"
#include "tool/compare_text.h"
#include "tool/what_if.h"

namespace mtf::tool {
namespace {

struct Asked {
  std::string statement;
  std::vector<Assumption> meshes, layouts;
  std::vector<std::string> layout_words;  // as they were given
};

[[noreturn]] void fail_usage(const std::string& what) {
  fail(Diagnostic(Kind::bad_usage, {}, what).help("such as `:compare net(x) --layout batch:rows --layout \"hidden:cols;batch:rows\"`"));
}

Asked parse(const Session& session, const std::string& argument) {
  Asked asked;
  const size_t at = std::min({argument.find("--layout"), argument.find("--mesh"), argument.size()});
  asked.statement = trim(argument.substr(0, at));
  std::string options = argument.substr(at);
  while (!options.empty()) {
    Assumption one;
    const std::optional<std::string> word = take_option(session, options, one);
    if (!word) fail_usage(fmt::format("expected `--layout` or `--mesh`, found {}", code(options)));
    if (one.layout) asked.layout_words.push_back(*word);
    (one.mesh ? asked.meshes : asked.layouts).push_back(std::move(one));
  }
  if (asked.statement.empty()) fail_usage("`:compare` needs a statement");
  if (asked.meshes.empty() && asked.layouts.empty()) fail_usage("`:compare` needs a `--layout` or a `--mesh`");
  return asked;
}

}  // namespace

std::string compare_at_prompt(Repl& repl, const std::string& argument) {
  const Asked asked = parse(repl.session(), argument);
  std::vector<Compared> columns;
  for (size_t m = 0; m < std::max<size_t>(1, asked.meshes.size()); ++m) {
    for (size_t l = 0; l < std::max<size_t>(1, asked.layouts.size()); ++l) {
      Assumption under;
      Compared column;
      column.layout = "in force";
      if (m < asked.meshes.size()) {
        under.mesh = asked.meshes[m].mesh;
        column.mesh = std::make_shared<const Mesh>(Name("mesh"), *under.mesh);
      }
      if (l < asked.layouts.size()) {
        under.layout = asked.layouts[l].layout;
        column.layout = asked.layout_words[l].empty() ? "replicated" : asked.layout_words[l];
      }
      WhatIf other(repl.session().entries(), repl.settings(), under);
      for (const StatementReport& report : other.session().plan(asked.statement, repl.name_of_entry()))
        add_times(column.cost.counters, report.counters, std::max<int64_t>(report.turns, 1));
      columns.push_back(std::move(column));
    }
  }
  return compare_text(columns, false);
}

}  // namespace mtf::tool
