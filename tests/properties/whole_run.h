#pragma once
// Whole programs are run, planned and compared: the required properties, and the violations.
#include <string>
#include <vector>

#include "plan/counters.h"
#include "script.h"
#include "whole_program.h"

namespace mtf::properties {

/// The result of a program.
struct WholeOutcome {
  std::string output;
  std::string error;   ///< `kind at line N: label` of the error that ended it
  std::string broken;  ///< the message of an internal error; then nothing else counts
  struct StatementCounters {
    int64_t line = 0;
    std::string text;
    plan::Counters counters;
  };
  std::vector<StatementCounters> statements;  ///< of the top-level statements that computed something
  int64_t wire = 0, sent = 0;                 ///< bytes on the wire by the counters, and bytes sent by MPI
};

/// The kind of a failure: a shrunk program must fail in the same way.
struct Failure {
  std::string
      kind;  ///< `differs`, `plan differs`, `refused: KIND`, `ends with: KIND`, `broken: CHECK`, `crash`, `hangs`
  std::string what;  ///< description, several lines
  bool operator==(const Failure&) const = default;
};

/// The conditions of one run.
struct Trial {
  Where where;
  bool early = false;  ///< the host reads a number after every statement of every block
};
std::string to_string(const Trial& trial);
/// Returns the program's text for this trial.
std::string text_at(const WholeProgram& program, const Trial& trial);

/// Returns trials of a program, drawn from its seed: its own meshes if it has any, and random ones with random layouts,
/// with at least one processor per rank. There are more trials than are run, because some put two dims on one axis.
std::vector<Trial> trials_of(const WholeProgram& program, int ranks = 1);

/// Returns trials at which a failure may be easier to understand.
std::vector<Trial> simpler_trials(const WholeProgram& program, const Trial& trial, int ranks);

/// Further properties to check, besides the output.
struct Checks {
  bool plans = false;  ///< the plan of each statement equals the counts of its run
  /// The ranks that share the processors all run the program; rank 0 compares. With one processor per rank, wire_bytes
  /// are the bytes that MPI sends.
  bool sharing = false;
};

/// The result of a program at a trial.
struct Verdict {
  enum class Kind {
    kHolds,    ///< all properties hold, to the program's end
    kEnds,     ///< all properties hold, but an error ends the program, also in the reference
    kRefused,  ///< the trial is not legal: two dims on one axis, or a gradient that an assignment ended
    kFails,
  };
  Kind kind = Kind::kHolds;
  Failure failure = {};  ///< the first violated property
  bool fails() const { return kind == Kind::kFails; }
};
Verdict verdict_at(const WholeProgram& program, const Trial& trial, Checks checks = {});

/// Describes the first difference of two outputs; empty if there is none. `counts`: compare lines `c …` too. `mixed`:
/// some numbers were rounded to bf16.
std::string output_difference(const std::string& expected, const std::string& found, bool counts, bool mixed = false);

}  // namespace mtf::properties
