#pragma once
// What the interpreter knows, as the records of the embedding API.
#include "eval/reports.h"
#include "mtf/interpreter.h"
#include "plan/counters.h"
#include "support/diagnostics.h"

namespace mtf {

PlaceRecord place_record(Span span);
DiagnosticRecord diagnostic_record(const Diagnostic& diagnostic);
CountersRecord counters_record(const Counters& counters);
/// Of what a session's plan says of each statement; without a peak.
PlanRecord plan_record(const std::vector<StatementReport>& statements);

}  // namespace mtf
