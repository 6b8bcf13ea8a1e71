// The list of passes: their descriptions, and that a program can stop after any of them.
#include "plan/compilation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <set>
#include <sstream>

#include "../../places.h"
#include "ops/builder.h"
#include "ops/record.h"
#include "ops/softmax.h"
#include "ops/spaces.h"
#include "plan/tensor.h"
#include "support/diagnostics.h"
#include "types/text_reader.h"

namespace mtf::plan {
namespace passes_test {

const Dim rows{"rows", 8}, io{"io", 32}, hidden{"hidden", 64};

/// A chain, a sum, a product and a softmax over a split dim, with equal operations.
graph::Program captured(const std::string& rules = "rows:p;hidden:q") {
  ops::Builder b;
  b.table = std::make_shared<graph::ValueTable>();
  b.context.mesh = std::make_shared<Mesh>("m", parse_axes("p:2;q:2"));
  b.context.layout = std::make_shared<const Layout>(parse_layout(rules));
  b.written = false;
  const graph::Value x = b.add(ops::kConstant, {}, ops::TypeAttributes{{ElementType::kF32, {rows, io}}});
  const graph::Value w = b.add(ops::kConstant, {}, ops::TypeAttributes{{ElementType::kF32, {io, hidden}}});
  for (const graph::Value& each : {x, w}) each.node->compute_into().results = {std::make_shared<Tensor>()};
  const auto layer = [&] { return b.map(ops::kTanh, b.einsum({x, w}, {rows, hidden})); };
  const graph::Value h = layer(), again = layer();
  const graph::Value s = b.add(ops::kSoftmax, {b.map(ops::kMul, h, again)}, ops::RowAttributes{{hidden.name}});
  const graph::Value total = b.sum_to(s, {hidden});
  return capture(graph::pending({total, s}), {total, s}).program;
}

TEST(Passes, SayWhatTheyAre) {
  std::set<std::string_view> before;
  Stage stage = Stage::kProgram;
  Decides decides = Decides::kCosts;
  for (const Pass& pass : passes()) {
    SCOPED_TRACE(pass.name);
    for (const std::string_view needed : pass.needs) {
      EXPECT_TRUE(before.contains(needed)) << needed;
      EXPECT_FALSE(before.contains(needed) && find_pass(needed)->may_be_skipped) << needed;
    }
    EXPECT_TRUE(before.insert(pass.name).second);
    EXPECT_EQ(pass.takes, stage);
    stage = pass.gives;
    EXPECT_FALSE(pass.sentence.empty() || pass.ensures.empty());
    EXPECT_TRUE(pass.run && pass.verify);
    EXPECT_EQ(find_pass(pass.name), &pass);
    EXPECT_FALSE(pass.may_change_layouts && before.contains("merge")) << "merge compares layouts";
    EXPECT_GE(pass.decides, decides);
    decides = pass.decides;
    bool has_source = false;
    for (const char* folder : {"graph", "spmd", "schedule"})
      has_source = has_source ||
                   std::ifstream(source_folder() + "/src/" + folder + "/" + std::string(pass.name) + ".cpp").good();
    EXPECT_TRUE(has_source);
  }
  EXPECT_EQ(stage, Stage::kSchedule);
  EXPECT_EQ(find_pass("no_such"), nullptr);
}

TEST(Passes, AProgramMayStopAfterEachAndGoOn) {
  const PassOptions options{.verify = true};
  Compilation at_once(captured(), options), stepwise(captured(), options);
  at_once.run();
  for (const Pass& pass : passes()) {
    stepwise.run(pass.name);
    EXPECT_EQ(stepwise.stage(), pass.gives);
    Compilation up_to(captured(), options);
    up_to.run(pass.name);
    EXPECT_EQ(to_string(up_to), to_string(stepwise)) << pass.name;
  }
  EXPECT_EQ(to_string(stepwise), to_string(at_once));
}

TEST(Passes, AreSkippedByNameWhereTheyMayBe) {
  for (const Pass& pass : passes()) {
    SCOPED_TRACE(pass.name);
    PassTimes times;
    const PassOptions options{.skip = {std::string(pass.name)}, .verify = true, .times = &times};
    if (!pass.may_be_skipped) {
      EXPECT_THROW(Compilation(captured(), options), InternalError);
      continue;
    }
    Compilation without(captured(), options);
    without.run();
    for (size_t i = 0; i < passes().size(); ++i)
      EXPECT_EQ(times[i].runs, passes()[i].name != pass.name) << passes()[i].name;
  }
  const PassOptions unknown{.skip = {"fuse_lops"}};
  EXPECT_THROW(Compilation(captured(), unknown), InternalError);
}

TEST(Passes, VerifiersSeeWhatIsWrong) {
  const PassOptions options;
  const auto sees = [&](std::string_view pass, const std::function<void(Compilation&)>& spoil) {
    Compilation compilation(captured(), options);
    compilation.run(pass);
    EXPECT_NO_THROW(find_pass(pass)->verify(compilation)) << pass;
    spoil(compilation);
    EXPECT_THROW(find_pass(pass)->verify(compilation), InternalError) << pass;
  };
  sees("leave_out_axes_of_one", [](Compilation& c) {
    auto operation = std::make_shared<graph::LaidOutOperation>(*c.program().operations[0].operation);
    operation->mesh = std::make_shared<Mesh>(Name("line"), std::vector<Axis>{{Name("only"), 1}});
    operation->shardings[0].dims[0] = {0};
    c.program().operations[0].operation = operation;
  });
  sees("carry_splits", [](Compilation& c) {
    c.program().operands.back() = {static_cast<int32_t>(c.program().operations.size()), 0};
  });
  sees("merge", [](Compilation& c) {
    c.program().operations.push_back(c.program().operations[0]);
    c.merged.forms.push_back(c.merged.forms[0]);
  });
  sees("join_pipelines", [](Compilation& c) { c.merged.forms.pop_back(); });
  sees("expand", [](Compilation& c) { c.merged.forms.pop_back(); });
  sees("split", [](Compilation& c) { std::reverse(c.local().instructions.begin(), c.local().instructions.end()); });
  sees("split", [](Compilation& c) { c.local().outputs.pop_back(); });
  sees("leave_out_unread", [](Compilation& c) {
    c.local().passes_over_windows = true;
    c.local().outputs[0] = c.local().outputs[1];
  });
  sees("recompute_in_loops", [](Compilation& c) { c.local().outputs.pop_back(); });
  sees("choose_orders", [](Compilation& c) { c.local().values[c.local().inputs[0]].order[0] = 1; });
  sees("share_views", [](Compilation& c) { std::reverse(c.schedule.steps.begin(), c.schedule.steps.end()); });
  sees("fuse_loops", [](Compilation& c) { c.schedule.steps.push_back(c.schedule.steps.back()); });
  sees("repeat_in_loops", [](Compilation& c) { c.schedule.steps.push_back(c.schedule.steps.back()); });
  sees("make_loops", [](Compilation& c) {
    for (schedule::Step& step : c.schedule.steps) step.loop.reset();
  });
  sees("cut_all_reduces", [](Compilation& c) {
    for (schedule::Step& step : c.schedule.steps) step.calls = 0;
  });
  sees("overlap_collectives", [](Compilation& c) {
    for (schedule::Step& step : c.schedule.steps) step.finish = 0;
  });
  sees("free_early", [](Compilation& c) { std::reverse(c.schedule.steps.begin(), c.schedule.steps.end()); });
  sees("rematerialize", [](Compilation& c) {  // one value as the copy of another
    c.schedule.remade.emplace_back(c.local().outputs[0][0], c.local().inputs[0]);
  });
  sees("plan_buffers", [](Compilation& c) { c.schedule.buffer_of.assign(c.schedule.buffer_of.size(), -1); });
  sees("plan_buffers", [](Compilation& c) {  // an output of a step has the memory of another output
    const std::vector<std::vector<int>>& outputs = c.local().outputs;
    c.schedule.buffer_of[outputs[1][0]] = c.schedule.buffer_of[outputs[0][0]];
  });
  sees("plan_buffers", [](Compilation& c) {
    for (schedule::Buffer& buffer : c.schedule.buffers) buffer.last = buffer.first;
  });
}

/// A plan with memory positions, as `mtf trace --stage plan_buffers` prints one. Nothing reads `h`.
std::string plan_of_a_loop(const std::string& memory) {
  return "mesh line = [p: 2]\n"
         "dead: f32[a=8] = input(0) dies\n"
         "c0: f32[a=8] = input(1)\n"
         "h0: f32[a=8] = input(2)\n"
         "s: f32[] = einsum(dead -> [])\n"
         "c: f32[a=8], h: f32[a=8] = scan(c0, h0, over: t=3) turns 3 carried 2 placed 0 constant 0 stacked 0 saved 0 "
         "summed 0 calls 0\n"
         "  mesh line = [p: 2]\n"
         "  was: f32[a=8] = input(0) dies\n"
         "  other: f32[a=8] = input(1) dies\n"
         "  next: f32[a=8] = add(was, other)\n"
         "  after: f32[a=8] = neg(next)\n"
         "  memory\n" +
         memory.substr(0, memory.find('|')) +
         "  -> next, after\n"
         "memory\n"
         "  c0: input\n"
         "  h0: input\n"
         "  s: output\n" +
         memory.substr(memory.find('|') + 1) + "-> s, c\n";
}

/// Returns the verifier's message about the text of a stage; empty if there is none.
std::string said_of(const std::string& text) {
  const PassOptions options;
  const auto file = SourceFile::create("plan", text);
  TextReader reader(*file);
  reader.next_line();
  try {
    Compilation::read(reader, options);
  } catch (const UserError& error) { return error.diagnostic().render(); }
  return "";
}

TEST(Passes, NoTwoValuesOfALoopShareMemoryWhileBothAreAlive) {
  const auto message = [](const std::string& memory) {
    return said_of("after plan_buffers\n" + plan_of_a_loop(memory));
  };
  EXPECT_EQ(message("    was, next: input\n    other, after: input\n|  dead, h: input\n  c: output\n"), "");
  EXPECT_NE(
      message("    was, next: input\n    other, after: input\n|  dead, h, c: input\n").find("h is written over c"),
      std::string::npos)
      << "an unread result of the loop lies where a read one lies";
  EXPECT_NE(message("    was, next, after: input\n    other: input\n|  dead, h: input\n  c: output\n")
                .find("is written over next"),
            std::string::npos)
      << "a turn writes over what the next turn reads";
}

TEST(Passes, AnIterationWritesOverXsOnlyIfNothingElseReadsThem) {
  const auto message = [](const std::string& words, const std::string& operands, const std::string& memory,
                          const std::string& roots) {
    return said_of("after plan_buffers\nmesh line = [p: 2]\nw: f32[t=3, a=8] = input(0)" + words +
                   "\ny: f32[t=3, a=8] = scan(" + operands + ", over: t=3) turns 3 carried 0 placed 1 constant " +
                   (operands == "w" ? "0" : "1") +
                   " stacked 1 saved 0 summed 0 calls 0\n"
                   "  mesh line = [p: 2]\n  w: f32[a=8] = input(0) dies\n  z: f32[a=8] = exp(w)\n"
                   "  memory\n    w, z: input\n  -> z\nmemory\n" +
                   memory + "-> " + roots + "\n");
  };
  const std::string shared = "  w, y: input\n", apart = "  w: input\n  y: output\n";
  EXPECT_EQ(message(" dies", "w", shared, "y"), "");
  EXPECT_EQ(message(" dies", "w", apart, "y"), "");
  const auto expect = [](const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  expect(message("", "w", apart, "y"), "write over w, which is alive after them");
  expect(message(" dies", "w", apart, "y, w"), "write over w, which is alive after them");
  expect(message(" dies", "w, w", apart, "y"), "write over w, which they read twice");
}

TEST(Passes, AStageTakesOverWhatTheOneBeforeLeavesInOneOrder) {
  const auto message = [](const std::string& taken_over, const std::string& left) {
    return said_of(
        "after choose_orders\n"
        "mesh mesh = [x: 2]\n"
        "h: f32[a=2, c=3, micro=3] stored [micro, " +
        taken_over +
        "] = input(0)\n"
        "all: f32[a=2, c=3, micro=3] stored [micro, " +
        left +
        "] partial over x = scan(h, over: micro=3) turns 3 carried 0 placed 1 constant 0 stacked 1 saved 0 summed 0 "
        "calls 0 along micro through stages x\n"
        "  mesh mesh = [x: 2, micro': 3]\n"
        "  h: f32[a=2, c=3, micro=3/micro'] stored [micro, " +
        taken_over +
        "] = input(0)\n"
        "  h'2: f32[a=2, c=3, micro=3/micro'] stored [" +
        taken_over +
        ", micro] = take_over(h) over x\n"
        "  y: f32[a=2, c=3, micro=3/micro'] stored [" +
        left +
        ", micro] = exp(h'2)\n"
        "  -> y\n"
        "sum: f32[a=2, c=3, micro=3] stored [micro, " +
        left +
        "] = all_reduce(all) over x\n"
        "-> sum\n");
  };
  EXPECT_EQ(message("c, a", "c, a"), "");
  EXPECT_NE(message("c, a", "a, c").find("the next turn reads"), std::string::npos) << message("c, a", "a, c");
}

// Compares the table of passes in src/README.md.
TEST(Passes, StandInTheNotesOfTheArchitecture) {
  std::ifstream file(source_folder() + "/src/README.md");
  std::stringstream text;
  text << file.rdbuf();
  std::string table = "| pass | what it does | may change a layout | may be skipped |\n|---|---|---|---|\n";
  for (const Pass& pass : passes())
    table += "| `" + std::string(pass.name) + "` | " + std::string(pass.sentence) + " | " +
             (pass.may_change_layouts ? "yes" : "") + " | " + (pass.may_be_skipped ? "yes" : "") + " |\n";
  EXPECT_NE(text.str().find(table), std::string::npos) << "src/README.md should have:\n" << table;
}

}  // namespace passes_test
}  // namespace mtf::plan
