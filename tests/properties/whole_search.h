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
  FeatureSet features = default_features();
  Checks checks;
  bool shrink = true;
  /// Failures of these kinds that have been found before (the beginning of Failure::kind) are counted, not shrunk again.
  size_t most_of_a_kind = 1000;
};

/// Runs the programs of these seeds, in processes of their own; tells of each failure, when it is found.
std::vector<Found> search(const Search& what, const std::function<void(const std::string& report)>& tell);

/// The first program that is asked for with what is wrong with it, as text.
std::string shown(const Search& what);

}  // namespace mtf::properties
