#pragma once
// The result of planning, and the assumptions of a plan.
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "eval/reports.h"
#include "eval/settings.h"
#include "eval/stored_variables.h"
#include "plan/peak_memory.h"
#include "plan/program_record.h"

namespace mtf::session {

/// The assumptions; without a value, the present setting is kept.
struct Assumption {
  std::optional<std::vector<Axis>> mesh = std::nullopt;                      ///< as `--mesh` does
  std::optional<Layout> layout = std::nullopt;                               ///< as `--layout` does
  std::optional<std::pair<std::string, std::string>> option = std::nullopt;  ///< of a script, as `--set` gives it
  bool is_none() const { return !mesh && !layout && !option; }
};
/// Returns the settings with the assumption applied.
eval::Settings assumed(eval::Settings settings, const Assumption& assumption);

/// The plan of a script or a statement.
struct Planned {
  std::vector<eval::StatementReport> statements;        ///< the statement, or each statement of the script
  plan::Counters counters;                              ///< of all statements; the peak includes all other values
  std::optional<plan::PeakMemory> peak = std::nullopt;  ///< the peak by kind; of a plan, not of a run
  plan::Rematerialized again = {};                      ///< what is computed again to fit
  MeshPtr mesh;                                         ///< the mesh in force at the start
  Layout layout = {};                                   ///< likewise; without rules if there is no layout
  std::shared_ptr<plan::ProgramRecord> record =
      nullptr;                                    ///< the computation, if it is to be costed under other layouts
  plan::ProgramRecord::Before before = {};        ///< the recorded state at the start
  std::shared_ptr<const void> sources = nullptr;  ///< the sources that spans point into
  /// Facts of a whole program, which the plan of a statement does not have.
  struct Whole {
    MeshPtr mesh;  ///< in force at the end, if no other mesh was larger; else null
    eval::StoredVariables stored;
    std::vector<eval::Unread> unread;  ///< results that nothing reads
  };
  std::optional<Whole> whole = std::nullopt;
  /// Makes it the plan of a whole program, at whose end a mesh is in force. `counters` are known.
  void be_whole(MeshPtr in_force, eval::StoredVariables stored, std::vector<eval::Unread> unread);
};

}  // namespace mtf::session
