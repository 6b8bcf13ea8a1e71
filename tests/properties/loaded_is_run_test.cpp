// What a script that is loaded at the prompt has counted is what its run counts, and its plan: under every mesh and
// layout that its header names. A prompt may still ask for a gradient, and so keeps what a gradient's rule reads; where such a
// value is summed over processors on its way, it is summed earlier: as in a run of the file in which a gradient is to come.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <ostream>
#include <sstream>

#include "eval/session.h"
#include "exec/engine.h"
#include "scripts.h"
#include "support/diagnostics.h"
#include "tool/golden_file.h"
#include "tool/program_options.h"

namespace mtf::properties {
namespace {

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

enum class Way { kRun, kRunBeforeAGradient, kLoad };

/// All that a script computed and communicated. The peak is apart: a prompt keeps what a gradient may still read.
Counters counted(const std::string& path, const Settings& settings, bool dry, Way way) {
  static std::ostream nowhere(nullptr);
  EngineOptions options;
  options.threads = 1;
  options.dry = dry;
  Engine engine(options);
  Session session(settings, &engine, nowhere);
  if (way == Way::kRun) session.run_file(path);
  else if (way == Way::kRunBeforeAGradient) session.run_text(path, text_of(path) + "\nfn gradient_to_come() = grad\n");
  else session.load(text_of(path), path, false);
  Counters counters = engine.counters();
  counters.peak_bytes = 0;
  return counters;
}

Settings settings_of(const tool::Combination& combination) {
  tool::ProgramOptions options;
  options.mesh = combination.mesh;
  options.layout = combination.layout;
  Settings settings = tool::settings_of(options, 1);
  settings.stdlib = MTF_STDLIB_DIR;
  return settings;
}

std::string compared(const Counters& loaded, const Counters& run) { return "loaded:\n" + to_string(loaded) + "run:\n" + to_string(run); }

/// Under the first and the last mesh and layout of their headers: planned, which OfEveryGoldenScriptIsItsRun compares with runs.
TEST(Loaded, ScriptsCostWhatTheirPlansSay) {
  int checked = 0;
  for (const std::string& path : scripts()) {
    tool::GoldenFile golden = tool::parse_golden(text_of(path));
    golden.ranks = {1};
    std::vector<tool::Combination> combinations = tool::combinations(golden);
    if (combinations.size() > 2) combinations = {combinations.front(), combinations.back()};
    for (const tool::Combination& combination : combinations) {
      SCOPED_TRACE(path + " " + tool::to_string(combination));
      const Settings settings = settings_of(combination);
      if (Session::check_file(path, settings).has_errors()) continue;
      try {
        const Counters plan = counted(path, settings, true, Way::kRun), load = counted(path, settings, true, Way::kLoad);
        EXPECT_TRUE(load == plan || load == counted(path, settings, true, Way::kRunBeforeAGradient)) << compared(load, plan);
        ++checked;
      } catch (const UserError&) {  // a plan of it ends with an error
      }
    }
  }
  EXPECT_GT(checked, 300);
}

/// As they are. Examples and the library's scripts, which train for long, are only planned.
TEST(Loaded, ScriptsCountWhatTheirRunsCount) {
  int checked = 0;
  for (const std::string& path : scripts()) {
    if (path.find("/examples/") != std::string::npos || path.find("/library/") != std::string::npos) continue;
    SCOPED_TRACE(path);
    const Settings settings = settings_of({});
    if (Session::check_file(path, settings).has_errors()) continue;
    try {
      const Counters run = counted(path, settings, false, Way::kRun), load = counted(path, settings, false, Way::kLoad);
      EXPECT_TRUE(load == run || load == counted(path, settings, false, Way::kRunBeforeAGradient)) << compared(load, run);
      ++checked;
    } catch (const UserError&) {  // it ends with an error as it runs
    }
  }
  EXPECT_GT(checked, 200);
}

}  // namespace
}  // namespace mtf::properties
