#pragma once
// Converts results of the interpreter to records of the embedding API.
#include <functional>
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
#include "session/plan_summary.h"
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
/// Adds to the summary of a program why its processors idle and, with a machine, how long it takes. `record` is of the
/// program; without one, `recorded` makes one where it is needed.
void add_time(session::PlanSummary& summary, const session::PlanTree& tree, std::shared_ptr<plan::ProgramRecord> record,
              const std::optional<cost::MachineModel>& machine,
              const std::function<std::shared_ptr<plan::ProgramRecord>()>& recorded);
/// Returns the parts of a program's time: in kernels, in each kind of collectives, and in all.
std::vector<std::pair<std::string, double>> seconds_of(const cost::StepTime& time);
std::vector<FoundLayout> found_layouts(const cost::SearchResult& result);

}  // namespace mtf
