#pragma once
// The list of passes, in the order in which they run. This list is the whole compiler.
//
//   program ── carry_splits … expand ──► program
//           ── split … choose_orders ──► local program
//           ── share_views … plan_buffers ──► schedule
//
// A pass rewrites the whole program. Its record names the passes that must have run before, and its post-condition.
// `mtf trace --stage NAME` prints the program after a pass. From `merge` on, no pass
// changes the sharding of a value.
#include <cstdint>
#include <string_view>
#include <vector>

namespace mtf::plan {

/// The representation of a program between passes.
enum class Stage : uint8_t {
  kProgram,       ///< operations on whole tensors
  kLocalProgram,  ///< instructions on one processor's blocks
  kSchedule,      ///< steps
};
std::string_view name(Stage stage);

/// The part of a plan that a pass decides. Compilations that need less stop earlier (PassOptions::until).
enum class Decides : uint8_t {
  kCosts,    ///< computation and communication
  kOverlap,  ///< the steps that run during a collective
  kMemory,
};

class Compilation;

struct Pass {
  std::string_view name;                     ///< the name of its function and of its source
  std::string_view sentence;                 ///< what the pass does
  std::vector<std::string_view> needs = {};  ///< passes that must have run before
  std::string_view ensures;                  ///< the post-condition, which holds to the end
  Stage takes = Stage::kProgram, gives = Stage::kProgram;
  bool may_change_layouts = false;
  bool may_be_skipped = false;  ///< a run does not need the pass; programs are slower without it
  Decides decides = Decides::kCosts;
  void (*run)(Compilation&) = nullptr;
  /// Fails on a bug of ours: the program violates the post-condition, or an invariant of its stage.
  void (*verify)(const Compilation&) = nullptr;
};

/// The stage in which the decisions of `split` are printed (spmd/decision.h).
constexpr std::string_view kDecisions = "decisions";

const std::vector<Pass>& passes();
/// Returns null if there is no pass of that name.
const Pass* find_pass(std::string_view name);

/// The total time of a pass, and the number of compilations in which it ran.
struct PassTime {
  double microseconds = 0;
  int64_t runs = 0;
  /// The peak of the largest plan before and after the pass, as if later passes kept the order of steps. Only set for
  /// passes on schedules, with PassOptions::peaks.
  int64_t peak_before = 0, peak_after = 0;
};
/// One entry for each pass of passes().
using PassTimes = std::vector<PassTime>;

}  // namespace mtf::plan
