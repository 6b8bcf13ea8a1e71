#pragma once
// What planning says, and of what may be assumed of it.
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "eval/reports.h"
#include "eval/settings.h"
#include "plan/program_record.h"

namespace mtf::session {

/// What is assumed besides what is: nothing of what is not given.
struct Assumption {
  std::optional<std::vector<Axis>> mesh = std::nullopt;                      ///< as `--mesh` does
  std::optional<Layout> layout = std::nullopt;                               ///< as `--layout` does
  std::optional<std::pair<std::string, std::string>> option = std::nullopt;  ///< of a script: as `--set` does
  bool is_none() const { return !mesh && !layout && !option; }
};
/// Settings under which it holds.
eval::Settings assumed(eval::Settings settings, const Assumption& assumption);

/// A script or a statement that was planned.
struct Planned {
  std::vector<eval::StatementReport> statements;  ///< of the statement, or of each of the script's
  plan::Counters counters;                        ///< of all; the peak with what else is there
  MeshPtr mesh;                                   ///< in force where it begins
  Layout layout = {};                             ///< likewise; without rules if there is none
  std::shared_ptr<plan::ProgramRecord> record =
      nullptr;                              ///< of what it computes, where it is to be costed under yet other layouts
  plan::ProgramRecord::Before before = {};  ///< what had been recorded where it begins
  std::shared_ptr<const void> sources = nullptr;  ///< into which places point
};

}  // namespace mtf::session
