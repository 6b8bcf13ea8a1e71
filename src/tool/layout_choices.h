#pragma once
// Scripts planned once, to be costed under other meshes and layouts: what `mtf compare` begins with, and `mtf search`.
#include <optional>
#include <string>
#include <vector>

#include "cost/layout_costs.h"
#include "eval/session.h"
#include "plan/runtime.h"
#include "tool/program_options.h"
#include "tool/script.h"

namespace mtf::tool {

/// What a script computes, planned under the settings given.
struct PlannedScript {
  std::shared_ptr<ProgramRecord> record;
  std::unique_ptr<Runtime> runtime;
  std::unique_ptr<Execution> execution;
  std::unique_ptr<Session> session;
};

/// Plans a script that has been checked; `record` is given its programs, if there is one. Throws UserError.
PlannedScript planned(const Script& script, const Settings& settings, std::shared_ptr<ProgramRecord> record);

/// Checks the script and plans it. Empty if the check has found errors, which it has then reported; `status` is the exit
/// status. Throws UserError.
std::optional<PlannedScript> plan_once(const Script& script, const Settings& settings, int& status);

/// The peak of a script under a mesh and a layout, planned anew: null is the script's own.
int64_t planned_peak(const Script& script, Settings settings, const MeshPtr& mesh, const LayoutPtr& rules);

/// `--mesh`: null where the script's is meant. Throws UserError of kind bad_option_value.
MeshPtr mesh_option(const std::string& text);
LayoutPtr layout_option(const std::string& text);

/// `--machine FILE`, or the standard model. Throws UserError.
MachineModel machine_option(const std::string& file);

}  // namespace mtf::tool
