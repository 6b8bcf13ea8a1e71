#pragma once
// The compiler: a captured program in, its plan out.
//
// Plans are kept by the canonical forms of their programs, so that the same statement in a loop is planned once; of
// those that have been used longest ago there are no more than so many. It knows no rank, and starts no thread.
#include <array>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "graph/program.h"
#include "plan/passes.h"
#include "plan/plan.h"
#include "spmd/passes.h"

namespace mtf::plan {

/// A 128-bit hash (XXH3) of a text that is the same on all ranks.
using PlanKey = std::array<uint64_t, 2>;
PlanKey key_of(std::string_view text);

/// What a plan is kept by: all that it depends on (canonical_form in graph/program.h, and which values are kept for
/// gradients alone, where that matters), and the key of that.
struct ProgramForm {
  std::string text;
  PlanKey key;
};
ProgramForm form_of(const graph::Program& program);

struct CompilerOptions {
  std::vector<std::string> skipped_passes = {};  ///< of those that may be skipped (plan/passes.h)
  size_t most_plans = 256;                       ///< that are kept
  /// Bytes: larger operands and sums of products go from processor to processor block by block instead of being whole
  /// on each (spmd/loop_of_permutes.h).
  int64_t most_whole = spmd::MergedProgram::kAll;
  /// Bytes that each processor has for a program and what it reads: where a plan needs more, `most_whole` is less for
  /// it, as far as that helps. 0: any.
  int64_t memory = 0;
  bool verify = false;  ///< what each pass ensures, after it
  bool peaks = false;   ///< Compiler::pass_times tells peaks too
};

class Compiler {
 public:
  explicit Compiler(CompilerOptions options = {}) : options_(std::move(options)) {}

  /// Of plans that are made from now on.
  void set_memory(int64_t bytes) { options_.memory = bytes; }

  /// The plan of a program, whose form is given: a kept one, or a new one. `poll` is called between the steps of
  /// making it; what it throws ends that, and nothing is kept.
  std::shared_ptr<const Plan> plan_of(const graph::Program& program, ProgramForm form,
                                      const std::function<void()>& poll);
  /// Of each pass, over all plans that were made; empty before the first.
  const PassTimes& pass_times() const { return times_; }
  /// A program as it is after the pass of that name, in the script's names.
  std::string text_after(std::string_view pass, const graph::Program& program) const;
  /// The same as captured, and after each pass.
  std::vector<std::string> texts(const graph::Program& program) const;

 private:
  struct KeyHash {
    size_t operator()(const PlanKey& key) const { return key[0]; }
  };
  struct Kept {
    std::string form;
    std::shared_ptr<const Plan> plan;
    std::list<PlanKey>::iterator used;
  };
  void forget(const PlanKey& key);
  PassOptions pass_options() const;
  /// Those with which the plan of a program is made.
  PassOptions pass_options(const graph::Program& program) const;
  /// Makes the plan, and says in `options` what is whole so that it fits.
  Plan make(const graph::Program& program, PassOptions& options) const;

  CompilerOptions options_;
  std::unordered_map<PlanKey, Kept, KeyHash> kept_;
  std::list<PlanKey> used_;  // the last one first
  int64_t plans_made_ = 0;
  PassTimes times_;
};

}  // namespace mtf::plan
