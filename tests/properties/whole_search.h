#pragma once
// Searches for whole programs that fail, and shrinks them.
#include <functional>
#include <string>
#include <vector>

#include "whole_run.h"

namespace mtf::properties {

struct Found {
  uint64_t seed = 0;
  Trial trial;
  Failure failure;
};

struct Search {
  uint64_t first = 0;
  uint64_t count = 1000;
  std::string features = "";  ///< as features_of() reads them
  bool plans = false;         ///< the plan of each statement equals the counts of its run
  int ranks = 1;              ///< above 1: programs run on so many ranks under mpirun
  bool shrink = true;
  /// Further failures of a kind (the beginning of Failure::kind) that was found so often are counted, not shrunk.
  size_t most_of_a_kind = 1000;
};

/// The numbers of runs.
struct Tally {
  uint64_t programs = 0;
  uint64_t runs = 0;     ///< runs of a program at a trial
  uint64_t ended = 0;    ///< runs that ended with the same error as the reference
  uint64_t refused = 0;  ///< programs that the check refuses at every trial
  std::vector<Found> found;
};
/// `1000 of 1000 whole programs do the same everywhere: …`
std::string to_string(const Tally& tally);

/// Runs the programs of these seeds, each at three trials, in processes of their own. Reports each failure as soon as
/// it is found.
Tally search(const Search& what, const std::function<void(const std::string& report)>& tell);

/// Runs the programs of `what` in this process, or on these ranks. Sends the result of each run.
void run_batch(const Search& what, const std::function<void(const std::string& message)>& say);
/// Reads the messages of run_batch().
Tally tally_of(const Search& what, const std::string& said, const std::function<void(const Found&)>& add);

/// Returns how often the default programs of `count` seeds use each feature, one per line.
std::string census(uint64_t count);

/// Returns the first wanted program, with its failure, as text.
std::string shown(const Search& what);

}  // namespace mtf::properties
