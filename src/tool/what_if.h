#pragma once
// A session as it would be under another mesh or layout.
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "eval/session.h"

namespace mtf::tool {

/// What a command of the prompt is asked to assume.
struct Assumption {
  std::optional<std::vector<Axis>> mesh;
  std::optional<std::vector<LayoutRule>> layout;
  bool is_none() const { return !mesh && !layout; }
};

/// Takes one `--mesh M` or `--layout L` off the beginning of `argument`, into `assumption`, as take_assumption does. Returns M
/// or L as it was given; nothing if `argument` begins with no option.
std::optional<std::string> take_option(const Session& session, std::string& argument, Assumption& assumption);

/// Takes the `--mesh M` and `--layout L` with which `argument` begins off it. Each is the name of one that was declared, is
/// written as in a script (`[rows: 2]`, `{batch -> rows}`) or as on the command line (`"rows:2;cols:2"`). Throws UserError
/// of kind bad_usage or bad_option_value.
Assumption take_assumption(const Session& session, std::string& argument);

/// Takes `name` and its value, if the argument begins with it, off it: `--machine FILE`.
std::optional<std::string> take_value(std::string& argument, std::string_view name);

/// The rules as on the command line: `batch:rows;hidden:cols`.
std::string option_text(const std::vector<LayoutRule>& rules);

/// Everything that was entered, entered again under an assumption: computes nothing, and prints nothing. What the layout
/// then refuses is thrown as UserError.
class WhatIf {
 public:
  /// `record`: is given what is computed, where it is to be costed under yet other layouts.
  WhatIf(const std::vector<Entry>& entries, Settings settings, const Assumption& assumption, std::shared_ptr<ProgramRecord> record = nullptr);
  Session& session() { return session_; }
  Engine& engine() { return engine_; }

 private:
  std::ostringstream nowhere_;
  Engine engine_;
  Session session_;
};

}  // namespace mtf::tool
