#pragma once
// OptionSets of a script's options, each planned with its time and its memory: which split of a model is best.
//
// The options `tp`, `pp` and `cp` of a script say over how many processors something is split. If the script has the
// option `dp`, and nothing says what it is, it follows from the number of processors.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cost/machine.h"
#include "eval/settings.h"
#include "session/time_parts.h"

namespace mtf::plan {
class Runtime;  // plan/runtime.h
}

namespace mtf::session {

/// An option of a script, and values to try.
struct TriedOption {
  std::string name;
  std::vector<std::string> values;
};

struct OptionSet {
  std::vector<std::pair<std::string, std::string>> set;  ///< as `--set` takes them, in the order of the tried options
  std::string refused;                                   ///< why the script refuses it; empty if it was planned
  double seconds = 0;
  int64_t peak_bytes = 0;
  TimeParts parts;
};

/// The answer of a search over combinations.
struct OptionSets {
  std::string machine;            ///< its name
  int64_t processors = 0;         ///< 0: any number
  std::optional<int64_t> memory;  ///< bytes of a processor
  std::vector<OptionSet> best;    ///< those that fit, the fastest first
  std::vector<OptionSet> front;   ///< no other combination takes less time and less memory; the fastest first
  std::vector<OptionSet> all;     ///< all that were planned, equal ones once
  int64_t planned = 0, too_large = 0;
  std::vector<std::pair<std::string, int64_t>> refused;  ///< reasons, with how many combinations each concerns
};

/// A script with its settings, and what its combinations are planned for.
struct CombinationQuestion {
  std::string name, text;
  eval::Settings settings;
  std::optional<int64_t> processors;  ///< without it, any number
  cost::MachineModel machine;
  std::function<void(std::size_t planned, std::size_t all)> on_progress = {};
};

/// The names of the options that a script declares. Throws UserError if the text is no program.
std::vector<std::string> options_of(const std::string& name, const std::string& text);

/// Returns all combinations of the values. Those that cannot have so many processors say so, and are not planned.
std::vector<OptionSet> combinations_of(const CombinationQuestion& question, const std::vector<TriedOption>& over);

/// Returns the usual ways to need less memory that a script has as options, each alone: recompute, more micro-batches,
/// states and params in parts, more processors for a layer. `set` are the options that are given. The number of
/// processors stays.
std::vector<OptionSet> ways_out(const CombinationQuestion& question);

/// Plans each combination, on all cores. Throws UserError if the script is wrong for another reason than a combination.
void plan_combinations(const CombinationQuestion& question, const plan::Runtime& runtime,
                       std::vector<OptionSet>& combinations);

/// Ranks planned combinations. OptionSets with equal figures are one, with all values of an option: `none|full`.
OptionSets ranked(const CombinationQuestion& question, std::vector<OptionSet> combinations,
                  std::optional<int64_t> memory, std::size_t most);

/// Returns where a combination takes more time than another, the largest differences first: `0.3 s more in products`.
std::vector<std::pair<std::string, double>> more_time(const OptionSet& than, const OptionSet& of);

}  // namespace mtf::session
