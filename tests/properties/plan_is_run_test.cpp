// What a plan says of every golden script and example is what its run counts, statement by statement.
#include <gtest/gtest.h>

#include <map>
#include <sstream>

#include "eval/session.h"
#include "exec/engine.h"
#include "scripts.h"
#include "support/diagnostics.h"

namespace mtf::properties {
namespace {

/// Of each statement, by its place: all that it computed and communicated.
struct Statements {
  std::map<std::pair<std::string, uint32_t>, Counters> counters;
  bool exact = true;  ///< nothing depends on what only the run knows (a file's contents), and every turn was walked
};

Statements counted(const std::string& path, const Settings& settings, const EngineOptions& options) {
  Engine engine(options);
  std::ostringstream ignored;
  Session session(settings, &engine, ignored);
  Statements statements;
  session.on_statement([&](const StatementReport& report) {
    Counters counters = report.counters;
    counters.peak_bytes = 0;
    add_times(statements.counters[{report.span.file->name(), report.span.begin}], counters, report.turns);
    if (report.is_estimate || report.turns == 0) statements.exact = false;
  });
  session.run_file(path);
  // The peak is that of the whole program.
  statements.counters[{"", 0}].peak_bytes = engine.counters().peak_bytes;
  return statements;
}

TEST(Plan, OfEveryGoldenScriptIsItsRun) {
  Settings settings;
  settings.stdlib = MTF_STDLIB_DIR;
  int compared = 0;
  for (const std::string& path : scripts()) {
    SCOPED_TRACE(path);
    if (Session::check_file(path, settings).has_errors()) continue;  // a script that is refused
    settings.reads = std::make_shared<std::vector<double>>();
    Statements run;
    try {
      run = counted(path, settings, {.threads = 1});
    } catch (const UserError&) {
      continue;  // one that ends with an error as it runs
    }
    const Statements plan = counted(path, settings, {.dry = true});
    settings.reads = nullptr;
    if (!plan.exact) continue;
    ++compared;
    EXPECT_EQ(plan.counters.size(), run.counters.size());
    for (const auto& [place, counters] : run.counters) {
      const auto at = plan.counters.find(place);
      if (at == plan.counters.end()) {
        ADD_FAILURE() << "nothing is planned for byte " << place.second;
        continue;
      }
      EXPECT_TRUE(at->second == counters) << "byte " << place.second << "\nplanned:\n" << to_string(at->second) << "\nmeasured:\n" << to_string(counters);
    }
  }
  EXPECT_GT(compared, 200);
}

}  // namespace
}  // namespace mtf::properties
