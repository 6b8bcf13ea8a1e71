// What a plan says of every golden script and example is what its run counts, statement by statement.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <sstream>

#include "eval/session.h"
#include "exec/engine.h"
#include "support/diagnostics.h"

namespace mtf::properties {
namespace {

/// Of each statement, by its place: all that it computed and communicated.
using Statements = std::map<std::pair<std::string, uint32_t>, Counters>;

Statements counted(const std::string& path, const Settings& settings, const EngineOptions& options) {
  Engine engine(options);
  std::ostringstream ignored;
  Session session(settings, &engine, ignored);
  Statements statements;
  session.on_statement([&](const StatementReport& report) {
    Counters counters = report.counters;
    counters.peak_bytes = 0;
    add_times(statements[{report.span.file->name(), report.span.begin}], counters, report.turns);
  });
  session.run_file(path);
  // The peak is that of the whole program.
  statements[{"", 0}].peak_bytes = engine.counters().peak_bytes;
  return statements;
}

std::vector<std::string> scripts() {
  const std::filesystem::path top = std::filesystem::path(MTF_STDLIB_DIR).parent_path();
  std::vector<std::string> found;
  for (const char* folder : {"tests/scripts", "examples"})
    for (const auto& entry : std::filesystem::recursive_directory_iterator(top / folder))
      if (entry.path().extension() == ".mtf") found.push_back(entry.path().string());
  std::sort(found.begin(), found.end());
  return found;
}

std::string text_of(const Counters& counters) { return to_string(counters); }

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
    ++compared;
    ASSERT_EQ(plan.size(), run.size());
    for (const auto& [place, counters] : run) {
      const auto at = plan.find(place);
      ASSERT_TRUE(at != plan.end()) << place.second;
      EXPECT_EQ(at->second, counters) << "byte " << place.second << "\nplanned:\n" << text_of(at->second) << "\nmeasured:\n" << text_of(counters);
    }
    settings.reads = nullptr;
  }
  EXPECT_GT(compared, 200);
}

}  // namespace
}  // namespace mtf::properties
