#pragma once
// Whole programs run, planned and compared: what must hold of one, and what does not.
#include <string>
#include <vector>

#include "plan/counters.h"
#include "script.h"
#include "whole_program.h"

namespace mtf::properties {

/// What became of a program.
struct WholeOutcome {
  std::string output;
  std::string error;   ///< `kind at line N: label` of the error that ended it
  std::string broken;  ///< what an internal error said; then nothing else counts
  struct StatementCounters {
    int64_t line = 0;
    std::string text;
    plan::Counters counters;
  };
  std::vector<StatementCounters> statements;  ///< of the top level, those that computed anything
  int64_t wire = 0, sent = 0;                 ///< bytes on the wire by what was counted, and bytes handed to MPI
};

/// How a failure looks: a shrunk program must fail in the same way.
struct Failure {
  std::string
      kind;  ///< `differs`, `plan differs`, `refused: KIND`, `ends with: KIND`, `broken: CHECK`, `crash`, `hangs`
  std::string what;  ///< in words, several lines
  bool operator==(const Failure&) const = default;
};

/// One place to run a program at.
struct Trial {
  Where where;
  bool early = false;  ///< with something for the host to read after every statement of every block
};
std::string to_string(const Trial& trial);
/// The program's text as it is run there.
std::string text_at(const WholeProgram& program, const Trial& trial);

/// The trials of a program, drawn from its seed: its own meshes if it has any, and random ones with random layouts, of
/// a processor for each rank or more. There are more than are to be run, as some may put two dims on one axis.
std::vector<Trial> trials_of(const WholeProgram& program, int ranks = 1);

/// Trials at which a failure may be easier to understand.
std::vector<Trial> simpler_trials(const WholeProgram& program, const Trial& trial, int ranks);

/// What is asked of a program besides its output.
struct Checks {
  bool plans = false;  ///< what is planned of each statement is what running it counts
  /// It runs on the ranks that share the processors, all of which call this; rank 0 compares. With one processor a rank
  /// wire_bytes are the bytes handed to MPI.
  bool sharing = false;
};

/// What came of a program at a trial.
struct Verdict {
  enum class Kind {
    kHolds,    ///< it is as it should be, to its end
    kEnds,     ///< the same, but for the error that ends it, and the reference too
    kRefused,  ///< the trial is not legal: two dims on one axis, or a gradient that an assignment ended
    kFails,
  };
  Kind kind = Kind::kHolds;
  Failure failure = {};  ///< the first thing that does not hold
  bool fails() const { return kind == Kind::kFails; }
};
Verdict verdict_at(const WholeProgram& program, const Trial& trial, Checks checks = {});

/// The first difference of two outputs, in words; empty if there is none. `counts`: compare lines `c …` too. `mixed`:
/// some numbers were rounded to bf16.
std::string output_difference(const std::string& expected, const std::string& found, bool counts, bool mixed = false);

}  // namespace mtf::properties
