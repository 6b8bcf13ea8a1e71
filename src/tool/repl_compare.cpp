#include "tool/repl_compare.h"

#include "support/diagnostics.h"
#include "support/text.h"
#include "tool/compare_text.h"
#include "tool/layout_choices.h"

namespace mtf::tool {
namespace {

struct Asked {
  std::string statement;
  std::vector<std::string> meshes, layouts;
};

[[noreturn]] void fail_usage(const std::string& what) {
  fail(Diagnostic(Kind::bad_usage, {}, what).help("such as `:compare net(x) --layout batch:rows --layout \"hidden:cols;batch:rows\"`"));
}

/// A word, or what stands in quotes; `at` goes behind it.
std::string next_word(const std::string& text, size_t& at) {
  at = std::min(text.find_first_not_of(" \t\n", at), text.size());
  const bool quoted = at < text.size() && text[at] == '"';
  const size_t begin = at + (quoted ? 1 : 0);
  const size_t end = std::min(quoted ? text.find('"', begin) : text.find_first_of(" \t\n", begin), text.size());
  at = std::min(end + 1, text.size());
  return text.substr(begin, end - begin);
}

Asked parse(const std::string& argument) {
  Asked asked;
  size_t at = std::min({argument.find("--layout"), argument.find("--mesh"), argument.size()});
  asked.statement = trim(argument.substr(0, at));
  while (at < argument.size()) {
    const std::string option = next_word(argument, at);
    if (option.empty() && at >= argument.size()) break;
    if (option != "--layout" && option != "--mesh") fail_usage(fmt::format("expected `--layout` or `--mesh`, found {}", code(option)));
    if (at >= argument.size()) fail_usage(fmt::format("nothing stands behind {}", code(option)));
    (option == "--mesh" ? asked.meshes : asked.layouts).push_back(next_word(argument, at));
  }
  if (asked.statement.empty()) fail_usage("`:compare` needs a statement");
  if (asked.meshes.empty() && asked.layouts.empty()) fail_usage("`:compare` needs a `--layout` or a `--mesh`");
  return asked;
}

}  // namespace

std::string compare_at_prompt(Session& session, const std::string& argument, const std::string& entry) {
  const Asked asked = parse(argument);
  std::vector<Session::Under> under;
  std::vector<Compared> columns;
  for (size_t m = 0; m < std::max<size_t>(1, asked.meshes.size()); ++m) {
    for (size_t l = 0; l < std::max<size_t>(1, asked.layouts.size()); ++l) {
      Session::Under each;
      Compared column;
      column.layout = "in force";
      if (m < asked.meshes.size()) {
        each.mesh = session.find_mesh(asked.meshes[m]);
        if (!each.mesh) each.mesh = mesh_option(asked.meshes[m]);
      }
      if (l < asked.layouts.size()) {
        each.rules = session.find_layout(asked.layouts[l]);
        if (!each.rules) each.rules = layout_option(asked.layouts[l]);
        column.layout = asked.layouts[l].empty() ? "replicated" : asked.layouts[l];
      }
      column.mesh = each.mesh;
      under.push_back(std::move(each));
      columns.push_back(std::move(column));
    }
  }
  const std::vector<ScriptCost> costs = session.costs(asked.statement, under, entry);
  for (size_t i = 0; i < columns.size(); ++i) {
    columns[i].cost = costs[i];
    columns[i].cost.parameter_bytes = columns[i].cost.state_bytes = 0;  // those of the session, not of the statement
  }
  return compare_text(columns, false);
}

}  // namespace mtf::tool
