// What a script costs under other meshes and layouts, from its programs as they were captured once, is what a plan of it
// that evaluates it under them says.
#include <gtest/gtest.h>

#include <random>
#include <set>
#include <optional>
#include <ostream>

#include "cost/layout_costs.h"
#include "scripts.h"
#include "eval/session.h"
#include "support/diagnostics.h"

namespace mtf::properties {
namespace {

struct Planned {
  Counters total;
  bool is_exact = true;
  std::shared_ptr<ProgramRecord> record = std::make_shared<ProgramRecord>();
  std::unique_ptr<Engine> engine;
  std::unique_ptr<Session> session;   ///< errors point into its source
};

Planned planned(const std::string& path, const Settings& settings) {
  Planned result;
  EngineOptions options;
  options.dry = true;
  options.record = result.record;
  static std::ostream nowhere(nullptr);
  result.engine = std::make_unique<Engine>(options);
  result.session = std::make_unique<Session>(settings, result.engine.get(), nowhere);
  result.session->on_statement([&](const StatementReport& report) {
    add_times(result.total, report.counters, std::max<int64_t>(report.turns, 1));
    if (report.is_estimate || report.turns == 0) result.is_exact = false;
  });
  result.session->run_file(path);
  result.total.peak_bytes = 0;
  return result;
}

std::vector<std::string> dims_of(const ProgramRecord& record) {
  std::set<std::string> names;
  for (const auto& entry : record.programs())
    for (const ProgramOperation& operation : entry.recorded.program.operations)
      for (const TensorType& type : operation.operation->results)
        for (const Dim& dim : type.dims) names.insert(dim.name.str());
  return {names.begin(), names.end()};
}

/// Up to four of the dims, each over one axis or both, in whatever order.
std::vector<LayoutRule> drawn_rules(const std::vector<std::string>& dims, std::mt19937& random) {
  static const std::vector<std::vector<Name>> lists = {{Name("rows")}, {Name("cols")}, {Name("rows")}, {Name("cols")}, {Name("rows"), Name("cols")}, {Name("cols"), Name("rows")}};
  std::vector<std::string> left = dims;
  std::shuffle(left.begin(), left.end(), random);
  left.resize(std::min<size_t>(left.size(), 1 + random() % 4));
  std::vector<LayoutRule> rules;
  for (const std::string& dim : left) rules.push_back({Name(dim), lists[random() % lists.size()], {}});
  return rules;
}

TEST(OtherLayouts, CostWhatAPlanUnderThemSays) {
  Settings settings;
  settings.stdlib = MTF_STDLIB_DIR;
  std::mt19937 random(7);
  int compared = 0, refused = 0;
  for (const std::string& path : scripts()) {
    SCOPED_TRACE(path);
    settings.mesh.reset();
    settings.layout.reset();
    if (Session::check_file(path, settings).has_errors()) continue;
    Planned once;
    try {
      once = planned(path, settings);
    } catch (const UserError&) {
      continue;
    }
    const LayoutCosts costs(once.record);
    const Counters as_it_is = costs.in(nullptr, nullptr).counters;
    EXPECT_TRUE(!once.is_exact || as_it_is == once.total) << "as it is\n" << to_string(as_it_is) << "planned:\n" << to_string(once.total);
    const std::vector<std::string> dims = dims_of(*once.record);
    for (const char* axes : {"rows:2;cols:2", "rows:3;cols:4", "cols:1;rows:8"}) {
      const auto mesh = std::make_shared<const Mesh>(Name("mesh"), parse_axes(axes));
      settings.mesh = parse_axes(axes);
      settings.layout = drawn_rules(dims, random);
      const auto rules = std::make_shared<const Layout>(Layout{Name(), *settings.layout, {}});
      SCOPED_TRACE(std::string(axes) + "  " + to_string(*rules));
      std::optional<Planned> anew;
      std::string why;
      try {
        anew = planned(path, settings);
      } catch (const UserError& error) {
        why = error.what();
      }
      if (anew && !anew->is_exact) continue;
      try {
        const Counters found = costs.in(mesh, rules).counters;
        ++compared;
        EXPECT_TRUE(anew.has_value()) << "a plan says: " << why;
        EXPECT_TRUE(!anew || found == anew->total) << "costed:\n" << to_string(found) << "planned:\n" << to_string(anew->total);
      } catch (const UserError& error) {
        ++refused;
        EXPECT_FALSE(anew.has_value()) << error.what();
      }
    }
  }
  EXPECT_GT(compared, 500);
  EXPECT_GT(refused, 50);
}

TEST(OtherLayouts, TurnsOfATrainingLoopAreOneProgram) {
  Settings settings;
  settings.stdlib = MTF_STDLIB_DIR;
  for (const char* name : {"/../examples/two_layer.mtf", "/../tests/bench/gpt.mtf"}) {
    const auto programs_of = [&](const char* steps) {
      settings.set = {{"steps", steps}};
      return planned(std::string(MTF_STDLIB_DIR) + name, settings).record->programs().size();
    };
    EXPECT_EQ(programs_of("40"), programs_of("5")) << name;
  }
}

}  // namespace
}  // namespace mtf::properties
