#pragma once
// Options of a command of the prompt: `:plan net(x) --mesh rows:4 --by line`. They precede or follow the words of the
// statement, in any order. They are the options of the command of `mtf` with the same name.
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "session/session.h"

namespace mtf::tool {

struct PromptOption {
  std::string_view name;  ///< `--mesh`
  bool takes_value = true;
  bool may_be_repeated = false;
};

inline constexpr PromptOption kTypeOptions[] = {{"--mesh"}, {"--layout"}};
inline constexpr PromptOption kExplainOptions[] = {{"--mesh"}, {"--layout"}, {"--json", false}};
inline constexpr PromptOption kPlanOptions[] = {{"--mesh"},        {"--layout"}, {"--machine"}, {"--by"},
                                                {"--sort"},        {"--depth"},  {"--lines"},   {"--symbolic", false},
                                                {"--json", false}, {"--file"}};
inline constexpr PromptOption kCompareOptions[] = {
    {"--layout", true, true}, {"--mesh", true, true}, {"--machine"}, {"--peak", false}};
inline constexpr PromptOption kSearchOptions[] = {
    {"--processors"},        {"--memory"}, {"--machine"}, {"--axes"}, {"--stored", false},
    {"--whole", true, true}, {"--mesh"},   {"--layout"},  {"--most"}, {"--json", false}};

class PromptOptions {
 public:
  /// Removes the options from the text after `command`. A word that begins with `--` is an option if an option has this
  /// name, or if it precedes the statement. Text in quotes or brackets is never an option. Throws UserError of kind
  /// bad_usage.
  PromptOptions(std::string_view command, const std::string& argument, std::span<const PromptOption> known);

  /// The rest: the statement.
  const std::string& statement() const { return statement_; }
  bool has(std::string_view name) const { return value(name).has_value(); }
  /// The given value; empty for an option without a value.
  std::optional<std::string> value(std::string_view name) const;
  std::vector<std::string> values(std::string_view name) const;
  /// Returns an integer from `least` to `most`, or `otherwise` if the option was not given. Throws UserError of kind
  /// bad_option_value.
  int number(std::string_view name, int least, int most, int otherwise) const;

 private:
  std::vector<std::pair<std::string_view, std::string>> given_;
  std::string statement_;
};

/// Reads the value of `--mesh` or `--layout`: the name of a declared one, the form of a script (`[rows: 2]`,
/// `{batch -> rows}`), or the form of the command line (`rows:2;cols:2`). Throws UserError.
std::vector<Axis> mesh_given(session::Session& session, const std::string& word);
Layout layout_given(session::Session& session, const std::string& word);
/// What stands in quotes, if it does: `"batch:rows"`, `'params "*":a:rows'`.
std::string given_word(std::string_view word);

/// Returns the assumption of `--mesh` and `--layout`.
session::Assumption assumption_of(session::Session& session, const PromptOptions& options);

}  // namespace mtf::tool
