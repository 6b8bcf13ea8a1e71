#pragma once
// Random whole programs, each made from a seed: loops, branches, functions, closures, models, assignments, gradients
// and prints in any nesting, as opposed to the straight lines of random_program.h.
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

/// What a program may be made of; each program draws some of those that are on.
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
  bool on;  ///< drawn unless other features are asked for
  std::string_view what;
};
const std::vector<FeatureRecord>& features();

/// A set of features, as bits.
using FeatureSet = uint64_t;
constexpr FeatureSet bit(Feature feature) { return FeatureSet{1} << static_cast<int>(feature); }
FeatureSet default_features();
/// `all`, or names with commas between them, each added to the default ones, or taken from them if a `-` stands before
/// it.
FeatureSet features_of(const std::string& names);

struct WholeProgram {
  uint64_t seed = 0;
  Statements statements;
  std::vector<std::string> dims;                         ///< that a layout can split
  std::vector<std::pair<std::string, std::string>> set;  ///< for --set
  std::vector<std::string> axes;                         ///< of the meshes that it runs on: p, or r and c
  bool own_meshes = false;                               ///< it declares meshes with the axes r and c
  int64_t processors = 1;                                ///< of each of its own meshes
  bool counts = false;                                   ///< it prints what was counted
  bool mixed = false;  ///< some of it is under `precision mixed`: other sums are rounded in other places, to bf16
  bool reads_decide = false;      ///< what the host read of a tensor decides how it goes on
  std::set<std::string> made_of;  ///< kinds of statements, and operations that samples gave
  std::string text() const { return to_string(statements); }
};

WholeProgram whole_program(uint64_t seed, FeatureSet allowed);

}  // namespace mtf::properties
