#pragma once
// The compiler makes plans of captured programs. It knows no rank and starts no thread.
//
// Plans are kept by the canonical forms of their programs, so the same statement in a loop is planned once. When there
// are `most_plans` plans, the least recently used plan is dropped.
//
// CompilerOptions::memory limits the memory of a processor. If a plan needs more, the compiler plans the program again
// with a smaller `most_whole`. A product then passes an operand or a sum from processor to processor instead of
// gathering it (spmd/loop_of_permutes.h). The first plan that fits is taken; if none fits, the smallest one. A plan
// never depends on the memory of the machine that makes it, only on this option.
//
// With CompilerOptions::remat, a plan that still needs more computes values again (schedule/passes.h, rematerialize).
// So the means are tried in the order of their costs: block by block sends the same bytes, rematerialization adds
// flops. The pass estimates the peak before memory is packed, and packed values leave holes. So the compiler also tries
// to fill smaller shares of the memory.
//
// Two passes compute values again: recompute_in_loops (spmd/passes.h) those that a loop saves for its gradient, and
// rematerialize those of all other steps. The compiler tries a few bounds on what a saved byte of a loop may cost, in
// ascending order. With each bound, the second pass looks for the bytes that are still missing. The compiler takes the
// cheapest plan that fits. All ranks make the same plan.
#include <array>
#include <cstdint>
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

/// A 128-bit hash (XXH3) of a text. The text is the same on all ranks.
using PlanKey = std::array<uint64_t, 2>;
PlanKey key_of(std::string_view text);

/// The text and the hash by which a plan is kept. The text holds everything that the plan depends on: the canonical
/// form (graph/program.h) and, where it matters, the values that are kept only for gradients.
struct ProgramForm {
  std::string text;
  PlanKey key;
};
ProgramForm form_of(const graph::Program& program);

struct CompilerOptions {
  std::vector<std::string> skipped_passes = {};  ///< names of passes with may_be_skipped (plan/passes.h)
  size_t most_plans = 256;                       ///< the most plans that are kept
  /// Bytes. A product passes larger operands and sums from processor to processor, block by block, instead of storing
  /// them gathered on each processor (spmd/loop_of_permutes.h).
  int64_t most_whole = spmd::kUnlimited;
  /// Bytes that a processor has for a program and its inputs. If a plan needs more, the compiler lowers `most_whole`
  /// for it. 0 means no limit.
  int64_t memory = 0;
  /// If a plan needs more than `memory`, values are computed again.
  bool remat = false;
  bool verify = false;  ///< verifies the post-condition of each pass
  bool peaks = false;   ///< Compiler::pass_times includes peaks
};

class Compiler {
 public:
  explicit Compiler(CompilerOptions options = {}) : options_(std::move(options)) {}

  /// Sets CompilerOptions::memory for later plans.
  void set_memory(int64_t bytes) { options_.memory = bytes; }
  bool has_remat() const { return options_.remat && options_.memory != 0; }
  /// Sets CompilerOptions::remat for later plans.
  void set_remat(bool remat) { options_.remat = remat; }

  /// Returns the plan of a program with this form: a kept plan or a new one. An interrupt ends it (check_interrupt);
  /// no plan is kept then.
  std::shared_ptr<const Plan> plan_of(const graph::Program& program, ProgramForm form);
  /// The times of each pass, summed over all plans so far; empty before the first plan.
  const PassTimes& pass_times() const { return times_; }
  /// Prints the program after `pass`, with the script's names. Before `split`, the iterations of its loops follow as
  /// comments, as the pass leaves them: they are compiled when the program around them is split.
  std::string text_after(std::string_view pass, const graph::Program& program) const;
  /// Prints the program as captured, and after each pass.
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
  /// Returns the options with which the plan of `program` is made.
  PassOptions pass_options(const graph::Program& program) const;
  /// Makes the plan. Sets `options.most_whole` and `options.most_in_use` to the limits that the plan uses.
  Plan make(const graph::Program& program, PassOptions& options) const;
  struct Made;
  /// Replaces `best` by a plan that computes values again and fits, or needs the least.
  void rematerialize(const graph::Program& program, Made& best) const;
  /// Does the same with values outside of loops alone.
  void rematerialize_steps(const graph::Program& program, Made& best) const;

  CompilerOptions options_;
  std::unordered_map<PlanKey, Kept, KeyHash> kept_;
  std::list<PlanKey> used_;  // most recently used first
  int64_t plans_made_ = 0;
  PassTimes times_;
};

}  // namespace mtf::plan
