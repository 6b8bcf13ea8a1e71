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

struct PassOptions {
  std::vector<std::string> skip = {};    ///< names of passes that may be skipped
  Decides until = Decides::kMemory;      ///< passes that decide later things are left out
  bool verify = false;                   ///< after each pass; builds without NDEBUG always do
  std::function<void()> poll = nullptr;  ///< called after each pass; what it throws ends the compilation
  PassTimes* times = nullptr;            ///< is added to
};

/// What it is made of is the passes' to change.
class Compilation {
 public:
  /// `options` live longer.
  Compilation(Program captured, const PassOptions& options);

  /// Runs the passes that have not run yet, up to the one of that name, which runs too; without a name, all.
  void run(std::string_view last = {});
  /// What the latest pass gave.
  Stage stage() const;

  Program& program() { return merged.program; }
  const Program& program() const { return merged.program; }
  LocalProgram& local() { return schedule.program; }
  const LocalProgram& local() const { return schedule.program; }

  MergedProgram merged;  ///< its forms are known from `merge` on
  Forms forms;
  Cost unique_flops;  ///< from `merge` on
  Schedule schedule;  ///< its program is there from `split` on, the rest from `share_views` on

 private:
  const PassOptions& options_;
  size_t next_ = 0;  ///< the pass that runs next
};

/// What it is now, in the script's names.
std::string to_string(const Compilation& compilation);

}  // namespace mtf
