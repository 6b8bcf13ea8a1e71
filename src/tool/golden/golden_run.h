#pragma once
// Running a golden script under combinations of its header: one in this process, or several on ranks, one after the
// other in one job of mpirun.
//
//   mtf test ─ run_on_ranks() ── mpirun -n 2 ──► mtf test --on-ranks 3,4,5 a.mtf ─ run_as_rank()
//       ▲                                                   │
//       └──── records, a line each, of rank 0 ◄─────────────┘
//
// An error ends a job, and so do a crash and the time limit: the combination under way has failed, and those behind it
// run in a new job.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "eval/settings.h"
#include "mtf/interpreter.h"
#include "support/diagnostics.h"
#include "tool/golden/golden_file.h"
#include "tool/shell/script.h"

namespace mtf::tool {

/// What a run gave: what it printed, statement by statement, and its errors.
struct Outcome {
  std::vector<std::string> lines;
  std::vector<StatementOutput> statements;
  std::vector<FoundError> errors;
  std::string trouble;  ///< not the program's: it took too long, or ended without a message
};

/// What a golden file looks at in a diagnostic of the script `name`: its line there, or the line of the first other
/// place there, or 0.
FoundError found_error(const DiagnosticRecord& diagnostic, const std::string& name);
std::vector<FoundError> found_errors(const Diagnostics& found, const std::string& name);

/// What a script runs with under a combination; under all of them it is `parsed` once.
eval::Settings settings_of(const Combination& combination, const std::shared_ptr<syntax::ParsedScripts>& parsed);

/// Runs a script that has been checked. `found`: the warnings of its check.
Outcome run_in_process(const Script& script, const Diagnostics& found, const eval::Settings& settings, int threads);

/// Runs the script at `path`, which has been checked, under those combinations of its list that `which` names. All have
/// as many ranks, more than one. `begins` is called when one begins, with its place in the list; each may take `limit`.
std::vector<Outcome> run_on_ranks(const std::string& path, std::int64_t ranks, const std::vector<std::size_t>& which,
                                  std::chrono::seconds limit, const std::function<void(std::size_t)>& begins);

/// The same, of one of the ranks. `which`: as run_on_ranks() gives it to the command.
int run_as_rank(const std::string& path, const std::string& which);

}  // namespace mtf::tool
