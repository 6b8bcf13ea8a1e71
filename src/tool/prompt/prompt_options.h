#pragma once
// Options of a command of the prompt: `:plan net(x) --mesh rows:4 --by line`. They stand before or behind the words of
// the statement, in any order, and are those of the command of the same name.
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

class PromptOptions {
 public:
  /// Takes the options off what stands behind `command`. A word that begins with `--` is one if it is the name of one,
  /// or stands before the statement; what stands in quotes or brackets is never looked at. Throws UserError of kind
  /// bad_usage.
  PromptOptions(std::string_view command, const std::string& argument, std::span<const PromptOption> known);

  /// What is left: the statement.
  const std::string& statement() const { return statement_; }
  bool has(std::string_view name) const { return value(name).has_value(); }
  /// What was given; empty for an option that takes no value.
  std::optional<std::string> value(std::string_view name) const;
  std::vector<std::string> values(std::string_view name) const;
  /// An integer from `least` to `most`; `otherwise` where the option was not given. Throws UserError of kind
  /// bad_option_value.
  int number(std::string_view name, int least, int most, int otherwise) const;

 private:
  std::vector<std::pair<std::string_view, std::string>> given_;
  std::string statement_;
};

/// The value of `--mesh` or `--layout`: the name of one that was declared, or written as in a script (`[rows: 2]`,
/// `{batch -> rows}`) or as on the command line (`rows:2;cols:2`). Throws UserError.
std::vector<Axis> mesh_given(session::Session& session, const std::string& word);
Layout layout_given(session::Session& session, const std::string& word);

/// What `--mesh` and `--layout` ask to assume.
session::Assumption assumption_of(session::Session& session, const PromptOptions& options);

}  // namespace mtf::tool
