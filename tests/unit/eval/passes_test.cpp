// The postconditions of each pass hold for the programs of whole scripts.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "../../execution_on.h"
#include "../../places.h"
#include "plan/passes.h"
#include "session/session.h"
#include "support/diagnostics.h"

namespace mtf::eval {
namespace {

struct Script {
  std::string name, text;
};

std::vector<Script> passed_scripts() {
  std::vector<Script> found;
  for (const char* folder : {"attention", "gradients", "layouts", "golden", "index", "precision"})
    for (const auto& entry : std::filesystem::recursive_directory_iterator(std::filesystem::path(source_folder()) /
                                                                           "tests/scripts" / folder)) {
      if (entry.path().extension() != ".mtf") continue;
      std::ifstream file(entry.path());
      std::stringstream text;
      text << file.rdbuf();
      found.push_back({entry.path().string(), text.str()});
    }
  return found;
}

/// Plans a script and verifies each pass. A script with an error is planned up to the error.
plan::PassTimes planned(const Script& script, const std::vector<std::string>& skip = {}) {
  ExecutionOn<run::DryRuntime> execution(plan::ExecutionOptions{.skipped_passes = skip, .verify_passes = true});
  Settings settings;
  settings.stdlib = stdlib_folder();
  std::ostringstream out;
  session::Session session(settings, &execution, out);
  try {
    session.run_text(script.name, script.text);
  } catch (const UserError&) {}
  return execution.pass_times();
}

TEST(PassesOfScripts, EnsureWhatTheySay) {
  int64_t plans = 0;
  for (const Script& script : passed_scripts()) {
    SCOPED_TRACE(script.name);
    plan::PassTimes times;
    ASSERT_NO_THROW(times = planned(script));
    if (times.empty()) continue;
    for (const plan::PassTime& time : times) EXPECT_EQ(time.runs, times[0].runs);
    plans += times[0].runs;
  }
  EXPECT_GT(plans, 100);
}

TEST(PassesOfScripts, MayBeLeftOutWhereTheySaySo) {
  std::vector<std::string> skip;
  for (const plan::Pass& pass : plan::passes())
    if (pass.may_be_skipped) skip.emplace_back(pass.name);
  for (const Script& script : passed_scripts()) {
    SCOPED_TRACE(script.name);
    ASSERT_NO_THROW(planned(script, skip));
  }
}

}  // namespace
}  // namespace mtf::eval
