#pragma once
// The texts of `mtf plan` about statements, and about a whole program.
#include <string>
#include <utility>
#include <vector>

#include "eval/reports.h"
#include "session/plan_summary.h"
#include "support/source_line.h"

namespace mtf::tool {

using session::PartCost;
using session::PlanPart;
using session::PlanSummary;
using session::PlanTree;

/// Returns the text of a statement: its position and first line, then one aligned line for each computed value and each
/// collective, of at most `width` columns (0: no limit). Returns nothing for a statement without cost. With `formulas`
/// a formula follows each number.
std::string plan_text(const eval::StatementReport& report, bool formulas, std::size_t width = 0);

/// Returns flops, the memory of variables, the collectives by kind and axes, and the peak; then the other parts of the
/// summary.
std::string summary_text(const PlanSummary& summary, std::size_t width = 0);
/// Returns the same without the other parts.
std::string totals_text(const plan::Counters& counters, const eval::StoredVariables& stored = {},
                        const Mesh* mesh = nullptr);

/// Returns what is computed again to fit, with its cost; nothing if nothing is.
std::string again_text(const plan::Rematerialized& again);
/// Returns the line that says how much is missing; nothing if the peak fits. `remat`: values may be computed again.
std::string missing_text(const plan::PeakMemory& peak, std::int64_t memory, bool remat);
/// Returns the names of the largest values at the peak.
std::string holders_text(const plan::PeakMemory& peak);

/// Returns lines that say that numbers are estimates, and why; nothing if they are exact.
std::string estimate_note(const plan::Doubts& doubts, std::size_t width = 0);

/// Returns the text of a collective: `all_reduce over rows+cols`.
std::string collective_text(const spmd::StatementCost& cost);
/// Returns the reason for the collective; empty if it is unknown.
std::string reason_text(const spmd::StatementCost& cost);

/// Returns a number with the prefix of a unit: `418 T`.
std::string with_prefix(double number);
/// Returns seconds in a fitting unit: `1.23 ms`.
std::string seconds_text(double seconds);
/// Returns lines of the totals: the time of a program by a machine model, and its parts.
std::string time_text(const std::vector<std::pair<std::string, double>>& seconds, const std::string& machine);

/// Returns `×200`, `per iteration`, or nothing for a statement that runs once.
std::string iterations_text(std::int64_t iterations);

/// Returns the callees of a part: `Layer blocks[0] … blocks[3]`; nothing if it is no call.
std::string callee_text(const PlanPart& part);
/// Returns how often a plan, or the only plan of a part, runs: `about ×271`. Returns nothing for one run, or for
/// another kind of part.
std::string how_often(const PlanPart& part);
/// `model.mtf:12`, without folders.
std::string place_of(Span span);

}  // namespace mtf::tool
