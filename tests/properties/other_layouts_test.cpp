// The cost of a script under other meshes and layouts, computed from programs that were captured once, equals a plan
// that evaluates the script under them.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <ostream>
#include <random>
#include <set>

#include "../execution_on.h"
#include "../places.h"
#include "cost/layout_costs.h"
#include "cost/program_times.h"
#include "cost/recorded_schedules.h"
#include "cost/work_bound.h"
#include "library/library.h"
#include "script.h"
#include "scripts.h"
#include "session/session.h"
#include "spmd/instruction_costs.h"
#include "support/diagnostics.h"

namespace mtf::properties {
namespace {

struct Planned {
  plan::Counters total;
  bool is_exact = true;
  std::shared_ptr<plan::ProgramRecord> record = std::make_shared<plan::ProgramRecord>();
  std::unique_ptr<ExecutionOn<run::DryRuntime>> execution;
  std::unique_ptr<session::Session> session;  ///< errors point into its source
};

/// `run` runs the script.
Planned planned_by(const eval::Settings& settings, const std::function<void(session::Session&)>& run) {
  Planned result;
  static std::ostream nowhere(nullptr);
  result.execution = std::make_unique<ExecutionOn<run::DryRuntime>>(plan::ExecutionOptions{.record = result.record});
  result.session = std::make_unique<session::Session>(settings, result.execution.get(), nowhere);
  result.session->on_statement([&](const eval::StatementReport& report) {
    add_times(result.total, report.counters, std::max<int64_t>(report.iterations, 1));
    if (report.is_estimate || report.iterations == 0) result.is_exact = false;
  });
  run(*result.session);
  result.total.peak_bytes = 0;
  return result;
}

Planned planned(const std::string& path, const eval::Settings& settings) {
  return planned_by(settings, [&](session::Session& session) { session.run_file(path); });
}

std::vector<std::string> dims_of(const plan::ProgramRecord& record) {
  std::set<std::string> names;
  for (const auto& entry : record.programs())
    for (const graph::ProgramOperation& operation : entry.recorded.program.operations)
      for (const TensorType& type : operation.operation->results)
        for (const Dim& dim : type.dims) names.insert(dim.name.str());
  return {names.begin(), names.end()};
}

/// Draws up to four of the dims, each over one axis or both, in any order. Often also draws how params and states are
/// stored.
Layout drawn_layout(const std::vector<std::string>& dims, std::mt19937& random) {
  static const std::vector<std::vector<Name>> lists = {{Name("rows")},
                                                       {Name("cols")},
                                                       {Name("rows")},
                                                       {Name("cols")},
                                                       {Name("rows"), Name("cols")},
                                                       {Name("cols"), Name("rows")}};
  const auto drawn_rules = [&] {
    std::vector<std::string> left = dims;
    std::shuffle(left.begin(), left.end(), random);
    left.resize(std::min<size_t>(left.size(), 1 + random() % 4));
    std::vector<LayoutRule> rules;
    for (const std::string& dim : left) rules.push_back({Name(dim), lists[random() % lists.size()], {}});
    return rules;
  };
  Layout layout{Name(), drawn_rules(), {}};
  for (const char* path : {"*", "*w*", "*s*"})
    if (random() % 3 == 0)
      layout.by_path.push_back({random() % 2 == 0 ? ByPath::kParams : ByPath::kStates, path, drawn_rules(), {}});
  return layout;
}

/// Plans the script with its own settings; returns nothing if it is refused, or ends with an error.
std::optional<Planned> planned_as_it_is(const std::string& path) {
  eval::Settings settings = settings_at({""});
  settings.library = &library::host_library();
  if (session::Session::check_file(path, settings).has_errors()) return std::nullopt;
  try {
    return planned(path, settings);
  } catch (const UserError&) { return std::nullopt; }
}

/// True of a script that trains for long, by thousands of programs that are alike: planning them again takes minutes.
bool is_long(const Planned& planned) { return planned.record->programs().size() > 100; }

/// Every fourth script, beginning with the one of the parameter: ctest runs the quarters side by side.
class OtherLayoutsOfAQuarter : public testing::TestWithParam<size_t> {};
INSTANTIATE_TEST_SUITE_P(Scripts, OtherLayoutsOfAQuarter, testing::Range<size_t>(0, 4));

TEST_P(OtherLayoutsOfAQuarter, CostWhatAPlanUnderThemSays) {
  eval::Settings settings = settings_at({""});
  settings.library = &library::host_library();
  int compared = 0, refused = 0;
  const std::vector<std::string> all = scripts();
  for (size_t i = GetParam(); i < all.size(); i += 4) {
    const std::string& path = all[i];
    std::mt19937 random(static_cast<unsigned>(7 + i));
    SCOPED_TRACE(path);
    const std::optional<Planned> once = planned_as_it_is(path);
    if (!once) continue;
    const cost::LayoutCosts costs(once->record);
    const plan::Counters as_it_is = costs.in(nullptr, nullptr).counters;
    EXPECT_TRUE(!once->is_exact || as_it_is == once->total) << "as it is\n"
                                                            << to_string(as_it_is) << "planned:\n"
                                                            << to_string(once->total);
    const std::vector<std::string> dims = dims_of(*once->record);
    for (const char* axes : {"rows:2;cols:2", "rows:3;cols:4", "cols:1;rows:8"}) {
      const auto mesh = std::make_shared<const Mesh>(Name("mesh"), parse_axes(axes));
      settings.mesh = parse_axes(axes);
      settings.layout = drawn_layout(dims, random);
      if (is_long(*once)) continue;
      const auto rules = std::make_shared<const Layout>(*settings.layout);
      SCOPED_TRACE(std::string(axes) + "  " + to_string(*rules));
      std::optional<Planned> anew;
      std::string why;
      try {
        anew = planned(path, settings);
      } catch (const UserError& error) { why = error.what(); }
      if (anew && !anew->is_exact) continue;
      try {
        const plan::Counters found = costs.in(mesh, rules).counters;
        ++compared;
        EXPECT_TRUE(anew.has_value()) << "a plan says: " << why;
        EXPECT_TRUE(!anew || found == anew->total) << "costed:\n"
                                                   << to_string(found) << "planned:\n"
                                                   << to_string(anew->total);
      } catch (const UserError& error) {
        ++refused;
        EXPECT_FALSE(anew.has_value()) << error.what();
      }
    }
  }
  EXPECT_GT(compared, 200);
  EXPECT_GT(refused, 20);
}

TEST(OtherLayouts, TakeForEachProgramWhatTheRulesOfItsDimsSay) {
  std::mt19937 random(8);
  const auto mesh = std::make_shared<const Mesh>(Name("mesh"), parse_axes("rows:2;cols:2"));
  int compared = 0, left_out = 0;
  for (const std::string& path : scripts()) {
    if (random() % 3 != 0) continue;  // planning takes most of the time
    SCOPED_TRACE(path);
    const std::optional<Planned> once = planned_as_it_is(path);
    if (!once || once->record->programs().size() < 2 || is_long(*once)) continue;
    const cost::LayoutCosts costs(once->record, cost::MachineModel());
    std::vector<Dim> dims;
    try {
      dims = cost::WorkBound(costs, {Name("rows"), Name("cols")}).dims();
    } catch (const UserError&) {  // the script names other axes
      continue;
    }
    std::vector<AxisSet> axes;
    Layout rules{Name(), {}, {}};
    for (const Dim& dim : dims) {
      axes.push_back(random() % 3 == 0 ? 1 + random() % 3 : 0);
      LayoutRule rule{dim.name, {}, {}};
      for (int axis = 0; axis < mesh->order(); ++axis)
        if (axes.back() & axis_bit(axis)) rule.axes.push_back(mesh->axes()[axis].name);
      if (!rule.axes.empty()) rules.rules.push_back(rule);
    }
    SCOPED_TRACE(to_string(rules));
    cost::ProgramTimes times(costs, dims);
    try {
      const double whole = costs.in(mesh, std::make_shared<const Layout>(rules)).time.total();
      double sum = 0;
      for (size_t i = 0; i < once->record->programs().size(); ++i) {
        if (costs.times(i) == 0) continue;
        Layout own{Name(), {}, {}};
        for (const LayoutRule& rule : rules.rules)
          if (std::any_of(times.dims(i).begin(), times.dims(i).end(),
                          [&](size_t d) { return dims[d].name == rule.dim; }))
            own.rules.push_back(rule);
        left_out += own.rules.size() < rules.rules.size();
        const std::optional<double> seconds = times.seconds(i, mesh, std::make_shared<const Layout>(own), axes);
        ASSERT_TRUE(seconds);
        sum += *seconds;
      }
      EXPECT_NEAR(sum, whole, 1e-12 * whole);
      ++compared;
    } catch (const UserError&) {}
  }
  EXPECT_GT(compared, 10);
  EXPECT_GT(left_out, 0);
}

TEST(OtherLayouts, IterationsOfATrainingLoopAreOneProgram) {
  eval::Settings settings = settings_at({""});
  settings.library = &library::host_library();
  for (const char* name : {"/../examples/two_layer.mtf", "/../tests/bench/gpt.mtf"}) {
    const auto programs_of = [&](const char* steps) {
      settings.set = {{"steps", steps}};
      return planned(stdlib_folder() + name, settings).record->programs().size();
    };
    EXPECT_EQ(programs_of("40"), programs_of("5")) << name;
  }
}

/// A step of a Transformer with recomputed layers.
Planned transformer_of(int layers, const eval::Settings& settings) {
  const std::string text =
      "import nn, transformer\n"
      "dim batch = 8, length = 16, d_model = 32, heads = 4, d_head = 8, d_ff = 64, vocab = 96\n"
      "let decoder = transformer.LanguageModel(vocab, length, d_model, heads, d_head, d_ff, layers: " +
      std::to_string(layers) +
      ", recomputed: true)\n"
      "let x = random.integers([batch, length], 0, 90)\n"
      "let loss = mean(cross_entropy(decoder(x), x, over: vocab))\n"
      "let grads = grad(loss, decoder.params)\n"
      "for (p, g) in zip(decoder.params, grads) { p := p - 0.1 * g }\n"
      "print(loss)\n";
  return planned_by(settings, [&](session::Session& session) { session.run_text("transformer.mtf", text); });
}

struct Asked {
  const char *mesh, *rules;
};
constexpr Asked kAsked[] = {{"rows:2;cols:2", "batch:rows;heads:cols;d_ff:cols;vocab:cols"},
                            {"rows:2;cols:4", "batch:rows;d_model:cols"},
                            {"rows:4;cols:2", "length:rows;d_ff:cols"},
                            {"rows:1;cols:2", "heads:cols"}};

eval::Settings settings_of(const Asked& asked) {
  eval::Settings settings = settings_at({asked.mesh, asked.rules});
  settings.library = &library::host_library();
  return settings;
}

MeshPtr mesh_of(const Asked& asked) { return std::make_shared<const Mesh>(Name("mesh"), parse_axes(asked.mesh)); }
LayoutPtr rules_of(const Asked& asked) { return std::make_shared<const Layout>(parse_layout(asked.rules)); }

TEST(OtherLayouts, TakeTheTimeThatAPlanUnderThemSays) {
  const Planned once = transformer_of(3, settings_of({"all:1", ""}));
  const cost::LayoutCosts costs(once.record, cost::MachineModel());
  for (const Asked& asked : kAsked) {
    SCOPED_TRACE(asked.rules);
    const Planned anew = transformer_of(3, settings_of(asked));
    const cost::ScriptCost found = costs.in(mesh_of(asked), rules_of(asked)),
                           as_planned = cost::LayoutCosts(anew.record, cost::MachineModel()).in(nullptr, nullptr);
    EXPECT_TRUE(found.counters == anew.total) << "costed:\n"
                                              << to_string(found.counters) << "planned:\n"
                                              << to_string(anew.total);
    EXPECT_EQ(found.time.compute, as_planned.time.compute);
    EXPECT_EQ(found.time.collectives, as_planned.time.collectives);
    EXPECT_EQ(found.parameter_bytes, as_planned.parameter_bytes);
    EXPECT_EQ(found.state_bytes, as_planned.state_bytes);
  }
}

// A costing of a layer is reused for equal layers.
TEST(OtherLayouts, OfEqualLayersAreDecidedOnce) {
  const auto operations_of = [](int layers, const Asked& asked) {
    const Planned once = transformer_of(layers, settings_of({"all:1", ""}));
    graph::Relayout relayout(*once.record->layouts(), mesh_of(asked), rules_of(asked));
    std::set<const graph::LaidOutOperation*> different;
    size_t all = 0;
    for (const plan::ProgramRecord::Entry& entry : once.record->programs()) {
      const graph::Program program = relayout.program(entry.recorded);
      all += program.operations.size();
      for (const graph::ProgramOperation& operation : program.operations)
        if (operation.operation->inputs.empty())
          different.insert(operation.operation.get());  // each parameter begins with different numbers
    }
    EXPECT_LT(different.size(), all);
    return different.size();
  };
  for (const Asked& asked : kAsked) EXPECT_EQ(operations_of(4, asked), operations_of(8, asked)) << asked.rules;
}

TEST(OtherLayouts, CostWhatEachOfTheirInstructionsCosts) {
  const Planned once = transformer_of(3, settings_of({"all:1", ""}));
  for (const Asked& asked : kAsked) {
    SCOPED_TRACE(asked.rules);
    graph::Relayout relayout(*once.record->layouts(), mesh_of(asked), rules_of(asked));
    cost::each_schedule(*once.record, relayout, [&](size_t, const schedule::Schedule& schedule, int64_t) {
      spmd::InstructionCosts all(schedule.program);
      for (size_t i = 0; i < schedule.program.instructions.size(); ++i) {
        const spmd::InstructionCost found = all.of(static_cast<int>(i)),
                                    alone = cost_of(schedule.program, schedule.program.instructions[i]);
        EXPECT_EQ(to_string(found.flops), to_string(alone.flops));
        EXPECT_EQ(to_string(found.values), to_string(alone.values));
        EXPECT_EQ(to_string(found.bytes), to_string(alone.bytes));
        EXPECT_EQ(found.wire_bytes, alone.wire_bytes);
        EXPECT_EQ(found.count, alone.count);
      }
    });
  }
}

}  // namespace
}  // namespace mtf::properties
