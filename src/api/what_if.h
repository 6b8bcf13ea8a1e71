#pragma once
// A session as it would be under another mesh or layout.
#include <memory>
#include <optional>
#include <sstream>
#include <vector>

#include "eval/session.h"
#include "run/dry_runtime.h"

namespace mtf {

/// What is assumed of a session; nothing: what is in force.
struct Assumption {
  std::optional<std::vector<Axis>> mesh;
  std::optional<std::vector<LayoutRule>> layout;
  bool is_none() const { return !mesh && !layout; }
};

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

}  // namespace mtf
