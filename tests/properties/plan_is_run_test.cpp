// The plan of every golden script and example equals the counts of its run, statement by statement, under every mesh
// and layout of its header.
#include <gtest/gtest.h>

#include <map>
#include <sstream>

#include "../execution_on.h"
#include "scripts.h"
#include "session/session.h"
#include "support/diagnostics.h"

namespace mtf::properties {
namespace {

/// The computation and communication of each statement, by its position.
struct CountedStatements {
  std::map<std::pair<std::string, uint32_t>, plan::Counters> counters;
  bool exact = true;  ///< no fact is known only to the run (a file's content), and every iteration was evaluated
};

CountedStatements counted(const ScriptCase& script, plan::Execution&& execution) {
  std::ostringstream ignored;
  session::Session session(script.settings, &execution, ignored);
  CountedStatements statements;
  session.on_statement([&](const eval::StatementReport& report) {
    plan::Counters counters = report.counters;
    counters.peak_bytes = 0;
    add_times(statements.counters[{report.span.file->name(), report.span.begin}], counters, report.iterations);
    if (report.is_estimate || report.iterations == 0) statements.exact = false;
  });
  session.run_file(script.path);
  // The peak is that of the whole program.
  statements.counters[{"", 0}].peak_bytes = execution.counters().peak_bytes;
  return statements;
}

class Plan : public testing::TestWithParam<size_t> {};

TEST_P(Plan, IsTheRunOfAScript) {
  const std::vector<std::string> paths = scripts();
  int compared = 0;
  for (size_t i = GetParam(); i < paths.size(); i += kParts) {
    if (text_of(paths[i]).find("check_gradient(") != std::string::npos) continue;  // only a run computes differences
    for (ScriptCase& each : cases_of(paths[i])) {
      SCOPED_TRACE(each.name);
      each.settings.reads = std::make_shared<std::vector<double>>();
      CountedStatements run;
      try {
        run = counted(each, ExecutionOn<run::MpiRuntime>(run::MpiRuntimeOptions{.threads = 1}));
      } catch (const UserError&) {
        continue;  // a script that ends with an error
      }
      CountedStatements plan = counted(each, ExecutionOn<run::DryRuntime>());
      if (!plan.exact) continue;
      ++compared;
      EXPECT_EQ(plan.counters.size(), run.counters.size());
      for (const auto& [place, counters] : run.counters) {
        const auto at = plan.counters.find(place);
        if (at == plan.counters.end()) {
          ADD_FAILURE() << "nothing is planned for byte " << place.second;
          continue;
        }
        EXPECT_TRUE(at->second == counters) << "byte " << place.second << "\nplanned:\n"
                                            << to_string(at->second) << "\nmeasured:\n"
                                            << to_string(counters);
      }
    }
  }
  EXPECT_GT(compared, 100);
}

INSTANTIATE_TEST_SUITE_P(Part, Plan, testing::Range(size_t{0}, kParts));

}  // namespace
}  // namespace mtf::properties
