#pragma once
// Converts results of the interpreter to records of the embedding API.
#include "cost/search.h"
#include "eval/reports.h"
#include "mtf/interpreter.h"
#include "plan/counters.h"
#include "session/explanation.h"
#include "session/planned.h"
#include "support/diagnostics.h"

namespace mtf {

PlaceRecord place_record(Span span);
DiagnosticRecord diagnostic_record(const Diagnostic& diagnostic);
CountersRecord counters_record(const plan::Counters& counters);
std::vector<ProgressRecord> progress_records(const eval::Progress& loops);
PlanRecord plan_record(const session::Planned& planned);
ExplanationRecord explanation_record(const session::Explanation& explanation);
FoundLayout found_layout(const cost::Candidate& candidate);

}  // namespace mtf
