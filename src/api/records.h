#pragma once
// Converts results of the interpreter to records of the embedding API.
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cost/idle_work.h"
#include "cost/search.h"
#include "cost/step_time.h"
#include "eval/reports.h"
#include "mtf/interpreter.h"
#include "plan/counters.h"
#include "session/explanation.h"
#include "session/plan_tree.h"
#include "session/planned.h"
#include "support/diagnostics.h"

namespace mtf::plan {
class Runtime;  // plan/runtime.h
}

namespace mtf {

PlaceRecord place_record(Span span);
DiagnosticRecord diagnostic_record(const Diagnostic& diagnostic);
CountersRecord counters_record(const plan::Counters& counters);
std::vector<ProgressRecord> progress_records(const eval::Progress& loops);
PlanRecord plan_record(const session::Planned& planned);
/// Plans a program that has been checked, by a planner of `runtime`. Throws UserError.
PlanRecord plan_of_program(const std::string& name, const std::string& text, const eval::Settings& settings,
                           const plan::Runtime& runtime, const std::optional<cost::MachineModel>& machine);
ExplanationRecord explanation_record(const session::Explanation& explanation);
/// True if processors idle or repeat so much work that a plan says why.
bool has_idle_work(const plan::Counters& counters, const session::PlanTree& tree);
/// Returns a sentence for each dim and axis that concerns much of the work.
std::vector<std::string> idle_sentences(const cost::IdleWork& work);
/// Returns how long a program takes by a machine model: in kernels, in each kind of collectives, and in all.
/// Returns the time of a recorded program. `tree` has its costs with seconds, by the same machine model.
cost::StepTime time_of_step(const std::shared_ptr<plan::ProgramRecord>& record, const cost::MachineModel& machine,
                            const session::PlanTree& tree);
std::vector<std::pair<std::string, double>> seconds_of(const cost::StepTime& time);
std::vector<FoundLayout> found_layouts(const cost::SearchResult& result);

}  // namespace mtf
