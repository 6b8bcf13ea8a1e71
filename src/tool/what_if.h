#pragma once
// A session as it would be under another mesh or layout.
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "eval/session.h"
#include "run/dry_runtime.h"

namespace mtf::tool {

/// What a command of the prompt is asked to assume.
struct Assumption {
  std::optional<std::vector<Axis>> mesh;
  std::optional<std::vector<LayoutRule>> layout;
  bool is_none() const { return !mesh && !layout; }
};

class PromptOptions;  // tool/prompt_options.h

/// What `--mesh` and `--layout` say.
Assumption assumption_of(Session& session, const PromptOptions& options);

/// The rules as on the command line: `batch:rows;hidden:cols`.
std::string option_text(const std::vector<LayoutRule>& rules);

/// What a session has, under an assumption: computes nothing, and prints nothing. What the layout then refuses is thrown as
/// UserError.
class WhatIf {
 public:
  /// `record`: is given what is computed, where it is to be costed under yet other layouts. `of` lives longer, and does nothing
  /// meanwhile.
  WhatIf(const Session& of, Settings settings, const Assumption& assumption, std::shared_ptr<ProgramRecord> record = nullptr);
  Session& session() { return session_; }
  Execution& execution() { return execution_; }

 private:
  std::ostringstream nowhere_;
  DryRuntime runtime_;
  Execution execution_;
  Session session_;
};

}  // namespace mtf::tool
