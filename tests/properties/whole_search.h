#pragma once
// Looks for whole programs that fail, and makes them small.
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
  bool plans = false;         ///< what is planned of each statement is what running it counts
  int ranks = 1;              ///< more: programs run on so many ranks, which mpirun starts
  bool shrink = true;
  /// Failures of these kinds that have been found before (the beginning of Failure::kind) are counted, not shrunk
  /// again.
  size_t most_of_a_kind = 1000;
};

/// What was run.
struct Tally {
  uint64_t programs = 0;
  uint64_t runs = 0;     ///< of a program at a trial
  uint64_t ended = 0;    ///< runs that an error ended, the same one as the reference
  uint64_t refused = 0;  ///< programs that the check refuses at every trial
  std::vector<Found> found;
};
/// `1000 of 1000 whole programs do the same everywhere: …`
std::string to_string(const Tally& tally);

/// Runs the programs of these seeds, each at three trials, in processes of their own; tells of each failure when it is
/// found.
Tally search(const Search& what, const std::function<void(const std::string& report)>& tell);

/// Runs the programs of `what` in this process, or in these ranks, and says what becomes of each run.
void run_batch(const Search& what, const std::function<void(const std::string& message)>& say);
/// What run_batch() has said.
Tally tally_of(const Search& what, const std::string& said, const std::function<void(const Found&)>& add);

/// How often the default programs of so many seeds use what they can be made of, a line each.
std::string census(uint64_t count);

/// The first program that is asked for with what is wrong with it, as text.
std::string shown(const Search& what);

}  // namespace mtf::properties
