// A script that is loaded at the prompt counts the same as its run and its plan, under every mesh and layout of its
// header. A prompt may still ask for a gradient, and so keeps the values that gradient rules read. If such a value is a
// sum over processors, it is summed earlier, as in a run of the file that later computes a gradient. A kept value may
// also save a collective: a run that has let its operands go may reshard one of them twice.
#include <gtest/gtest.h>

#include <ostream>

#include "../execution_on.h"
#include "scripts.h"
#include "session/session.h"
#include "support/diagnostics.h"

namespace mtf::properties {
namespace {

enum class Way { kRun, kRunBeforeAGradient, kLoad };

/// All computation and communication of a script. The peak is separate: a prompt keeps values that a gradient may still
/// read.
plan::Counters counted(const ScriptCase& script, plan::Execution&& execution, Way way) {
  static std::ostream nowhere(nullptr);
  session::Session session(script.settings, &execution, nowhere);
  if (way == Way::kRun) session.run_file(script.path);
  else if (way == Way::kRunBeforeAGradient)
    session.run_text(script.path, text_of(script.path) + "\nfn gradient_to_come() = grad\n");
  else session.load(text_of(script.path), script.path, false);
  plan::Counters counters = execution.counters();
  counters.peak_bytes = 0;
  return counters;
}

plan::Counters planned(const ScriptCase& script, Way way) {
  return counted(script, ExecutionOn<run::DryRuntime>(), way);
}
plan::Counters computed(const ScriptCase& script, Way way) {
  return counted(script, ExecutionOn<run::MpiRuntime>(run::MpiRuntimeOptions{.threads = 1}), way);
}

std::string compared(const plan::Counters& loaded, const plan::Counters& run) {
  return "loaded:\n" + to_string(loaded) + "run:\n" + to_string(run);
}

/// True if a processor computes as much, and sends no more.
bool is_at_most(const plan::Counters& a, const plan::Counters& b) {
  bool is_less = a.flops == b.flops && a.unique_flops == b.unique_flops;
  for (int kind = 0; kind < spmd::kCollectiveKinds; ++kind) {
    const auto of = static_cast<spmd::CollectiveKind>(kind);
    is_less = is_less && a.total(of).count <= b.total(of).count && a.total(of).wire_bytes <= b.total(of).wire_bytes;
  }
  return is_less;
}

class Loaded : public testing::TestWithParam<size_t> {};

/// Only planned; Plan.IsTheRunOfAScript compares plans with runs.
TEST_P(Loaded, AScriptCostsWhatItsPlanSays) {
  const std::vector<std::string> paths = scripts();
  int checked = 0;
  for (size_t i = GetParam(); i < paths.size(); i += kParts) {
    for (const ScriptCase& each : cases_of(paths[i])) {
      SCOPED_TRACE(each.name);
      try {
        const plan::Counters plan = planned(each, Way::kRun), load = planned(each, Way::kLoad);
        EXPECT_TRUE(is_at_most(load, plan) || load == planned(each, Way::kRunBeforeAGradient)) << compared(load, plan);
        ++checked;
      } catch (const UserError&) {  // a plan of the script ends with an error
      }
    }
  }
  EXPECT_GT(checked, 100);
}

/// True of a script that trains for long.
bool is_long(const std::string& path) {
  for (const char* folder : {"/examples/", "/library/", "/kinds/"})
    if (path.find(folder) != std::string::npos) return true;
  return false;
}

/// Scripts that train for long are only planned.
TEST_P(Loaded, AScriptCountsWhatItsRunCounts) {
  const std::vector<std::string> paths = scripts();
  int checked = 0;
  for (size_t i = GetParam(); i < paths.size(); i += kParts) {
    if (is_long(paths[i])) continue;
    for (const ScriptCase& each : cases_of(paths[i])) {
      SCOPED_TRACE(each.name);
      try {
        const plan::Counters run = computed(each, Way::kRun), load = computed(each, Way::kLoad);
        EXPECT_TRUE(load == run || load == computed(each, Way::kRunBeforeAGradient)) << compared(load, run);
        ++checked;
      } catch (const UserError&) {  // the script ends with an error
      }
    }
  }
  EXPECT_GT(checked, 100);
}

INSTANTIATE_TEST_SUITE_P(Part, Loaded, testing::Range(size_t{0}, kParts));

}  // namespace
}  // namespace mtf::properties
