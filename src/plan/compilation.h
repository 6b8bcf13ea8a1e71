#pragma once
// A program on its way through the passes (plan/passes.h), as far as somebody wants it to go.
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

struct PassOptions {
  std::vector<std::string> skip = {};  ///< names of passes that may be skipped
  Decides until = Decides::kMemory;    ///< passes that decide later things are left out
  /// CompilerOptions::most_whole.
  int64_t most_whole = spmd::MergedProgram::kAll;
  bool verify = false;                   ///< after each pass; builds without NDEBUG always do
  std::function<void()> poll = nullptr;  ///< called after each pass; what it throws ends the compilation
  PassTimes* times = nullptr;            ///< is added to
  bool peaks = false;                    ///< `times` gets peaks too, which takes longer than the passes do
};

/// What it is made of is the passes' to change.
class Compilation {
 public:
  /// `options` live longer.
  Compilation(graph::Program captured, const PassOptions& options);

  /// Reads what to_string wrote: the program goes on from the stage that the text says it is at. A text that does not
  /// hold what the pass before it ensures is refused. `options` live longer.
  static Compilation read(TextReader& reader, const PassOptions& options);
  /// Reads a program without the line that says the stage: it is at the one before `pass`.
  static Compilation read_before(std::string_view pass, TextReader& reader, const PassOptions& options);

  /// Runs the passes that have not run yet, up to the one of that name, which runs too; without a name, all.
  void run(std::string_view last = {});
  /// What the latest pass gave.
  Stage stage() const;
  /// The latest pass; null: the program is as captured.
  const Pass* latest() const { return next_ == 0 ? nullptr : &passes()[next_ - 1]; }

  graph::Program& program() { return merged.program; }
  const graph::Program& program() const { return merged.program; }
  spmd::LocalProgram& local() { return schedule.program; }
  const spmd::LocalProgram& local() const { return schedule.program; }

  spmd::MergedProgram merged;  ///< its forms are known from `merge` on
  spmd::Forms forms;
  Cost unique_flops;            ///< from `merge` on
  schedule::Schedule schedule;  ///< its program is there from `split` on, the rest from `share_views` on

 private:
  void read_program_at(size_t next, TextReader& reader);

  const PassOptions& options_;
  size_t next_ = 0;  ///< the pass that runs next
};

/// What it is now, in the script's names; the first line says at which stage: `captured`, `after merge`.
std::string to_string(const Compilation& compilation);
/// The same without the first line.
std::string text_of(const Compilation& compilation);

}  // namespace mtf::plan
