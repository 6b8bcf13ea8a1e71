#pragma once
// The cost or type of a script, or of a statement of a session, under other assumptions.
//
// There are two ways. A new plan evaluates the program under the assumption. It gives everything: also the peak, and
// the effect of an option. A recording evaluates the program once, and then decides its layouts again under any number
// of assumptions. That takes at most a fifth of the time, which a search needs, but does not give the peak. Both give
// the same for the programs that a script captures. Only a new plan sees that the script itself looks at a mesh or a
// layout (`counters`).
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cost/layout_costs.h"
#include "session/planned.h"

namespace mtf::plan {
class Runtime;  // plan/runtime.h
}

namespace mtf::session {

class Session;

/// Plans a script that has been checked, by a planner of `machine`; `record` is given what it computes. Throws
/// UserError. With `timed_by` the costs have seconds by this machine model.
Planned plan_script(const std::string& name, const std::string& text, const eval::Settings& settings,
                    const plan::Runtime& machine, std::shared_ptr<plan::ProgramRecord> record = nullptr,
                    const cost::MachineModel* timed_by = nullptr);

/// The costs of a program under several assumptions.
struct Comparison {
  struct Under {
    cost::ScriptCost cost;
    std::optional<int64_t> peak_bytes;  ///< set if it was asked for
  };
  std::vector<Under> under;
  plan::Doubts doubts;  ///< why the costs are estimates; empty if they are exact
  std::vector<std::shared_ptr<const plan::ProgramRecord>> records;  ///< the records that own the sources of the costs
};

class WhatIf {
 public:
  /// A script that has been checked, called `name`. `machine` must outlive it.
  static WhatIf script(std::string name, std::string text, eval::Settings settings, const plan::Runtime& machine);
  /// A statement of a session, as if it were entered at the time of a question. The session must outlive it.
  static WhatIf statement(Session& session, std::string text, std::string name);

  /// Plans anew under the assumption. `record` receives the computation. Throws UserError.
  Planned planned(const Assumption& assumption = {}, std::shared_ptr<plan::ProgramRecord> record = nullptr) const {
    return plan_(assumption, std::move(record));
  }
  /// Plans under the assumption with a record, to be costed under further meshes and layouts.
  cost::LayoutCosts recorded(const std::optional<cost::MachineModel>& machine = std::nullopt,
                             const Assumption& assumption = {}) const;

  /// Returns the costs under each assumption. A script is recorded once, and planned anew only for its peak. A
  /// statement is always planned anew, because each assumption gives the session's values another layout. So is a
  /// layout with rules for the results of calls. Throws UserError.
  Comparison compare(const std::vector<Assumption>& assumptions, const std::optional<cost::MachineModel>& machine,
                     bool with_peaks) const;

  /// The given options of a script, which an assumption can change.
  const std::vector<std::pair<std::string, std::string>>& options() const { return options_; }

 private:
  std::function<Planned(const Assumption&, std::shared_ptr<plan::ProgramRecord>)> plan_;
  bool is_statement_ = false;
  std::vector<std::pair<std::string, std::string>> options_;
};

}  // namespace mtf::session
