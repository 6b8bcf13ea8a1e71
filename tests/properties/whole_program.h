#pragma once
// Random whole programs, each made from a seed: loops, branches, functions, closures, models, assignments, gradients
// and prints in any nesting. The programs of random_program.h have no control flow.
//
// Numbers stay tame: every named tensor of floats stays within about 2, sums are scaled back, and only smooth functions
// are differentiated, so that two ways of computing a program differ by rounding alone. What decides (conditions,
// asserts, indices) is exact: numbers of the host and tensors of i32. A line that is printed says by its first word how
// it is to be compared: `f` within a tolerance, `c` (what was counted) only between runs under one mesh and layout,
// others exactly. `same false` says that a loop over a dim gives something else than the same loop written out: that
// is wrong in every run.
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "program_tree.h"

namespace mtf::properties {

/// The features of programs; each program draws some of the features that are on.
enum class Feature {
  kLoops,
  kWhile,
  kHostBranches,
  kTensorBranches,
  kLeaving,
  kFunctions,
  kClosures,
  kRecursion,
  kMethods,
  kLists,
  kTuples,
  kModels,
  kSubmodels,
  kStates,
  kAssignments,
  kPlaces,
  kAliases,
  kPrints,
  kAsserts,
  kHostReads,
  kIntegers,
  kGradients,
  kSecondGradients,
  kGradientsInside,
  kUpdates,
  kGradientsOfArguments,
  kRecompute,
  kCounters,
  kOwnMeshes,
  kUse,
  kAnnotations,
  kOptions,
  kSeeds,
  kRandomInside,
  kDoubles,
  kLargeDims,
  kFloatConditions,
  kIfExpressions,
  kWith,
  kNone,
  kFilters,
  kNoGrad,
  kChangingNumbers,
  kOperations,
  kMixed,
  kScans,
  kStacked,
  kLast
};
inline constexpr size_t kFeatures = static_cast<size_t>(Feature::kLast);

struct FeatureRecord {
  Feature feature;
  std::string_view name;
  bool on;  ///< on by default
  std::string_view what;
};
const std::vector<FeatureRecord>& features();

/// A set of features, as bits.
using FeatureSet = uint64_t;
constexpr FeatureSet bit(Feature feature) { return FeatureSet{1} << static_cast<int>(feature); }
FeatureSet default_features();
/// Reads `all`, or names separated by commas. A name is added to the default features, or removed if a `-` precedes it.
FeatureSet features_of(const std::string& names);

struct WholeProgram {
  uint64_t seed = 0;
  Statements statements;
  std::vector<std::string> dims;                         ///< the dims that a layout can split
  std::vector<std::pair<std::string, std::string>> set;  ///< for --set
  std::vector<std::string> axes;                         ///< axes of the meshes that it runs on: p, or r and c
  bool own_meshes = false;                               ///< it declares meshes with the axes r and c
  int64_t processors = 1;                                ///< of each of its own meshes
  bool counts = false;                                   ///< it prints counts
  bool mixed = false;         ///< parts are under `precision mixed`: other sums are rounded to bf16 at other positions
  bool reads_decide = false;  ///< numbers read by the host decide how it continues
  std::set<std::string> made_of;  ///< kinds of statements, and operations from samples
  std::string text() const { return to_string(statements); }
};

WholeProgram whole_program(uint64_t seed, FeatureSet allowed);

}  // namespace mtf::properties
