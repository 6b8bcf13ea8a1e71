#pragma once
// Running a golden script under combinations of its header. One combination runs in this process. Several combinations
// on ranks run one after the other in one job of mpirun.
//
//   mtf test ─ run_on_ranks() ── mpirun -n 2 ──► mtf test --on-ranks 3,4,5 a.mtf ─ run_as_rank()
//       ▲                                                   │
//       └──── records, a line each, of rank 0 ◄─────────────┘
//
// An error, a crash or the time limit ends a job. The current combination has then failed, and the following ones run
// in a new job.
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

/// The result of a run: its output, by statements, and its errors.
struct Outcome {
  std::vector<std::string> lines;
  std::vector<StatementOutput> statements;
  std::vector<FoundError> errors;
  std::string trouble;  ///< a failure of the run itself: it took too long, or ended without a message
};

/// Converts a diagnostic of the script `name` for comparison. The line is its line in the script, or the line of the
/// first other position in the script, or 0.
FoundError found_error(const DiagnosticRecord& diagnostic, const std::string& name);
std::vector<FoundError> found_errors(const Diagnostics& found, const std::string& name);

/// Returns the settings of a combination. All combinations share `parsed`, so that the script is parsed once.
eval::Settings settings_of(const Combination& combination, const std::shared_ptr<syntax::ParsedScripts>& parsed);

/// Runs a script that has been checked. `found`: the warnings of its check.
Outcome run_in_process(const Script& script, const Diagnostics& found, const eval::Settings& settings, int threads);

/// Runs the script at `path`, which has been checked, under the combinations `which` of its list. All have the same
/// number of ranks, more than one. Calls `begins` with the index of each combination when it begins; each may take
/// `limit`.
std::vector<Outcome> run_on_ranks(const std::string& path, std::int64_t ranks, const std::vector<std::size_t>& which,
                                  std::chrono::seconds limit, const std::function<void(std::size_t)>& begins);

/// The same on one of the ranks. `which` is the text that run_on_ranks() passes to the command.
int run_as_rank(const std::string& path, const std::string& which);

}  // namespace mtf::tool
