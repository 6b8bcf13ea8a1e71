#pragma once
// A captured program and the passes that have run on it (plan/passes.h).
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "graph/program.h"
#include "plan/passes.h"
#include "schedule/schedule.h"
#include "spmd/passes.h"

namespace mtf {
class TextReader;  // types/text_reader.h
}

namespace mtf::plan {

class Compilation;

struct PassOptions {
  std::vector<std::string> skip = {};  ///< names of the passes to skip
  Decides until = Decides::kMemory;    ///< passes that decide later things do not run
  /// CompilerOptions::most_whole.
  int64_t most_whole = spmd::kUnlimited;
  /// Bytes that a run may use besides its inputs before `rematerialize` computes values again.
  int64_t most_in_use = spmd::kUnlimited;
  /// What `recompute_in_loops` may spend to keep one byte less of a loop's saved values, in FLOPs; negative: nothing.
  double most_flops_a_byte = -1;
  bool verify = false;         ///< verifies after each pass; builds without NDEBUG always do
  PassTimes* times = nullptr;  ///< the times are added to it
  bool peaks = false;          ///< adds peaks to `times`; this takes longer than the passes
  /// Called with the program of each iteration, and of the iterations in it, when the pass `watched` has run on it.
  std::function<void(const Compilation& iteration)> watch = nullptr;
  std::string_view watched = {};
};

/// The passes change its members.
class Compilation {
 public:
  /// `options` and `loop` must outlive the compilation. `loop`: the loop whose iteration the program is; null: none.
  Compilation(graph::Program captured, const PassOptions& options, const spmd::EnclosingLoop* loop = nullptr);

  /// Reads a text that to_string wrote. The compilation continues at the stage that the text names. Refuses a program
  /// that violates the post-condition of the pass before that stage. `options` must outlive the compilation.
  static Compilation read(TextReader& reader, const PassOptions& options);
  /// Reads a program without the line that names the stage. The program is at the stage before `pass`.
  static Compilation read_before(std::string_view pass, TextReader& reader, const PassOptions& options);

  /// Runs the remaining passes, up to and including `last`. Runs all of them if `last` is empty.
  void run(std::string_view last = {});
  /// The stage that the latest pass has reached.
  Stage stage() const;
  /// The latest pass; null if the program is as captured.
  const Pass* latest() const { return next_ == 0 ? nullptr : &passes()[next_ - 1]; }

  /// The loop whose iteration the program is; null: none.
  const spmd::EnclosingLoop* loop() const { return loop_; }
  /// PassOptions::most_flops_a_byte.
  double most_flops_a_byte() const { return options_.most_flops_a_byte; }
  /// PassOptions::most_in_use.
  int64_t most_in_use() const { return options_.most_in_use; }
  /// What `expand` and `split` need. They compile iterations of loops with the passes before them.
  spmd::LoweringOptions lowering() const;

  graph::Program& program() { return merged.program; }
  const graph::Program& program() const { return merged.program; }
  spmd::LocalProgram& local() { return schedule.program; }
  const spmd::LocalProgram& local() const { return schedule.program; }

  spmd::MergedProgram merged;  ///< its forms are set from `merge` on
  spmd::Forms forms;
  Cost unique_flops;                     ///< set from `merge` on
  spmd::Decisions* decisions = nullptr;  ///< `split` records its decisions there, if it is not null
  schedule::Schedule schedule;           ///< its program is set from `split` on, the rest from `share_views` on

 private:
  void read_program_at(size_t next, TextReader& reader);

  const PassOptions& options_;
  const spmd::EnclosingLoop* const loop_;
  size_t next_ = 0;  ///< index of the pass that runs next
};

/// Prints the program with the script's names. The first line names the stage: `captured`, `after merge`.
std::string to_string(const Compilation& compilation);
/// Prints the program without the first line.
std::string text_of(const Compilation& compilation);

}  // namespace mtf::plan
