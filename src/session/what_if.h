#pragma once
// What something would cost, or be, were something else assumed: a script, or a statement of a session.
//
// There are two ways. Planned anew it is evaluated under the assumption: that says everything, the peak too, and what
// an option changes. Recorded it is evaluated once, and its layouts are decided again under as many assumptions as one
// likes: that takes a fifth of the time or less, which a search needs, and says all but the peak. Of what a script
// captures both say the same; a mesh or a layout that it looks at (`counters`) is known to the first way alone.
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cost/layout_costs.h"
#include "session/planned.h"
#include "support/interrupt.h"

namespace mtf::plan {
class Runtime;  // plan/runtime.h
}

namespace mtf::session {

class Session;

/// Plans a script that has been checked, by a planner of `machine`; `record` is given what it computes. Throws
/// UserError, of kind interrupted where `interrupt` is asked.
Planned plan_script(const std::string& name, const std::string& text, const eval::Settings& settings,
                    const plan::Runtime& machine, std::shared_ptr<plan::ProgramRecord> record = nullptr,
                    const Interrupt& interrupt = {});

/// What something costs under several assumptions.
struct Comparison {
  struct Under {
    cost::ScriptCost cost;
    std::optional<int64_t> peak_bytes;  ///< where it was asked for
  };
  std::vector<Under> under;
  plan::Doubts doubts;                                              ///< why it is an estimate; nothing if it is none
  std::vector<std::shared_ptr<const plan::ProgramRecord>> records;  ///< in whose sources they are
};

class WhatIf {
 public:
  /// A script that has been checked, called `name`. `machine` lives longer.
  static WhatIf script(std::string name, std::string text, eval::Settings settings, const plan::Runtime& machine);
  /// A statement of a session, which lives longer, as if it were entered when something is asked.
  static WhatIf statement(Session& session, std::string text, std::string name);

  /// Planned anew, under what is assumed. `record` is given what it computes. Throws UserError.
  Planned planned(const Assumption& assumption = {}, std::shared_ptr<plan::ProgramRecord> record = nullptr) const {
    return plan_(assumption, std::move(record));
  }
  /// Planned under what is assumed and recorded, to be costed under further meshes and layouts.
  cost::LayoutCosts recorded(const std::optional<cost::MachineModel>& machine = std::nullopt,
                             const Assumption& assumption = {}) const;

  /// What it costs under each. A script is recorded once, and planned anew where its peak is asked for; of a statement
  /// the session's values lie otherwise under each, so that it is planned anew. Throws UserError.
  Comparison compare(const std::vector<Assumption>& assumptions, const std::optional<cost::MachineModel>& machine,
                     bool with_peaks) const;

  /// The options of a script that were given: another value may be assumed of them.
  const std::vector<std::pair<std::string, std::string>>& options() const { return options_; }

 private:
  std::function<Planned(const Assumption&, std::shared_ptr<plan::ProgramRecord>)> plan_;
  bool is_statement_ = false;
  std::vector<std::pair<std::string, std::string>> options_;
};

}  // namespace mtf::session
