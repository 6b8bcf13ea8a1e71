#pragma once
// The passes from a captured program to buffers: one list, in the order in which they run, which is all that compiles.
//
//   program ── carry_splits … expand ──► program
//           ── split … choose_orders ──► local program
//           ── share_views … plan_buffers ──► schedule
//
// A pass rewrites the whole of what it takes, and says what must have been done before it and what holds after it. The
// text of a program after any of them is what `mtf trace --stage NAME` prints. Which passes may still change where a
// value lies is said by may_change_layouts; they come before all others.
#include <cstdint>
#include <string_view>
#include <vector>

namespace mtf::plan {

/// What a program is on its way.
enum class Stage : uint8_t {
  kProgram,       ///< operations on whole tensors
  kLocalProgram,  ///< instructions on one processor's blocks
  kSchedule,      ///< steps
};
std::string_view name(Stage stage);

/// The most that depends on what a pass decides, besides what a run needs.
enum class Decides : uint8_t {
  kCosts,    ///< what is computed and communicated
  kOverlap,  ///< which steps run while a collective goes on
  kMemory,
};

class Compilation;

struct Pass {
  std::string_view name;                     ///< that of its function, and of its source
  std::string_view sentence;                 ///< what it does
  std::vector<std::string_view> needs = {};  ///< passes that must have run
  std::string_view ensures;                  ///< what holds afterwards, until the end
  Stage takes = Stage::kProgram, gives = Stage::kProgram;
  bool may_change_layouts = false;
  bool may_be_skipped = false;  ///< a run does not need it; programs are slower without
  Decides decides = Decides::kCosts;
  void (*run)(Compilation&) = nullptr;
  /// Fails on our own bug: it does not hold what the pass ensures, or what every program at its stage has.
  void (*verify)(const Compilation&) = nullptr;
};

const std::vector<Pass>& passes();
/// Null: there is none of that name.
const Pass* find_pass(std::string_view name);

/// How long a pass took in all, and in how many compilations it ran.
struct PassTime {
  double microseconds = 0;
  int64_t runs = 0;
  /// The peak of the largest plan before the pass and after it, if later passes kept the order of steps. Only passes of
  /// schedules have it, with PassOptions::peaks.
  int64_t peak_before = 0, peak_after = 0;
};
/// Of each of passes().
using PassTimes = std::vector<PassTime>;

}  // namespace mtf::plan
