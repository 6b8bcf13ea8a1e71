// Columns and lines of text: tables, the progress bar, the REPL's reports.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <regex>

#include "../file_test.h"
#include "support/diagnostics.h"
#include "support/text.h"
#include "tool/present/compare_text.h"
#include "tool/present/losses.h"
#include "tool/present/plan_text.h"
#include "tool/present/table.h"
#include "tool/present/tensor_table.h"
#include "tool/prompt/repl_text.h"
#include "tool/shell/program_output.h"

namespace mtf::tool {
namespace {

TEST(Table, ColumnsLineUp) {
  Table table("lr");
  table.row({"a", "1"});
  table.row({"longer", "1,024"});
  EXPECT_EQ(table.text("  "), "  a           1\n  longer  1,024\n");
}

TEST(Table, LettersOfSeveralBytesAreOneColumn) {
  Table table("ll");
  table.row({"2·batch", "x"});
  table.row({"batch", "x"});
  EXPECT_EQ(table.text(), "2·batch  x\nbatch    x\n");
}

TEST(Table, LinesBetweenRowsStandAlone) {
  Table table("ll");
  table.row({"a", "b"});
  table.line("a heading that is longer");
  EXPECT_EQ(table.text(), "a  b\na heading that is longer\n");
}

CostColumn compared(const std::string& layout) {
  CostColumn column{"the script's", layout, {}};
  column.cost.counters.flops = 1'000'000;
  return column;
}

TEST(CompareText, ColumnsThatDoNotFitStandBelow) {
  std::vector<CostColumn> columns;
  for (const char* layout :
       {"batch:rows", "hidden:cols", "batch:rows;hidden:cols", "batch:rows+cols;hidden:planes;vocab:tubes;heads:cols"})
    columns.push_back(compared(layout));
  const std::string whole = compare_text(columns, false, 0);
  EXPECT_EQ(whole.find("\n\n"), std::string::npos) << whole;
  for (const std::size_t width : {60U, 80U, 100U, 200U}) {
    const std::string text = compare_text(columns, false, width);
    for (const std::string& line : split(text, '\n')) EXPECT_LE(count_code_points(line), width) << text;
    for (const CostColumn& column : columns) {
      if (column.layout.size() + 30 >= width) continue;
      EXPECT_MENTIONS(text, column.layout);
    }
  }
  EXPECT_MENTIONS(compare_text(columns, false, 80), "\n\nmesh ");
  EXPECT_MENTIONS(compare_text(columns, false, 60), "…");
}

TEST(Table, TellsHowWideItIs) {
  Table table("lr");
  table.row({"ab", "1"});
  table.row({"abc", "12"});
  EXPECT_EQ(table.width(), 7U);
  EXPECT_EQ(table.width("    ", " "), 10U);
}

TEST(ProgressText, ShowsPartRateAndTimeLeft) {
  const std::string text = progress_text({{"epoch", 3, 6, 6}}, "0.25", 80);
  EXPECT_NE(text.find("epoch 3/6 ["), std::string::npos) << text;
  EXPECT_NE(text.find("]  50%"), std::string::npos) << text;
  EXPECT_NE(text.find("0.5 turns/s  loss 0.25  6 s left"), std::string::npos) << text;
}

TEST(ProgressText, OfNestedLoopsTheShareIsThatOfAll) {
  const std::string text = progress_text({{"epoch", 1, 2, 6}, {"step", 50, 100, 2}}, "", 80);
  EXPECT_NE(text.find("epoch 1/2  step 50/100 ["), std::string::npos) << text;
  EXPECT_NE(text.find("]  75%  25 turns/s  2 s left"), std::string::npos) << text;
}

TEST(ProgressText, FitsTheTerminal) {
  for (std::size_t width = 0; width < 120; ++width)
    EXPECT_LT(progress_text({{"step", 10, 100, 3}}, "1", width).size(), std::max<std::size_t>(width, 1));
}

TEST(ProgressText, WithoutAKnownEndHasNoBar) {
  EXPECT_EQ(progress_text({{"x", 5, 0, 10}}, "", 80), "x 5  0.5 turns/s  10 s");
}

TEST(Losses, AreTheNumbersBehindTheWord) {
  Losses losses;
  losses.read("step 50: loss 0.25\ntotal_loss = 1e-3, other 7\nLoss: nan\nglossy 3\n");
  EXPECT_EQ(losses.last(), "nan");
  ASSERT_EQ(losses.all().size(), 3U);
  EXPECT_EQ(losses.all()[1].number, 1e-3);
}

TEST(Losses, AreDrawnFromLeftToRight) {
  Losses losses;
  losses.read("loss 4\nloss 3\nloss 2\nloss 1\n");
  EXPECT_EQ(plot(losses.curves(), 40, 4), "4 |*\n  | *\n2 |  *\n1 |   *\n  +----\n   1  4\n");
}

std::vector<std::string> names_of(const Curves& curves) {
  std::vector<std::string> names;
  for (const Curve& curve : curves.curves) names.push_back(curve.name);
  return names;
}

std::vector<double> places_of(const Curve& curve) {
  std::vector<double> places;
  for (const Curve::Point& point : curve.points) places.push_back(point.x);
  return places;
}

TEST(Losses, StandWhereTheirStepsAre) {
  Losses losses;
  losses.read("before: loss 9\nepoch 1 step 0: loss 4\nstep 10: loss 3, held-out loss 5\n");
  losses.read("loss 2 after step 30\nfootstep 70\nheld out: loss 1\n");
  const Curves curves = losses.curves();
  EXPECT_EQ(curves.x, "step");
  EXPECT_EQ(names_of(curves), (std::vector<std::string>{"loss", "held-out", "held out"}));
  EXPECT_EQ(places_of(curves.curves[0]), (std::vector<double>{0, 10, 30}));
  EXPECT_EQ(places_of(curves.curves[1]), (std::vector<double>{10}));
  EXPECT_EQ(places_of(curves.curves[2]), (std::vector<double>{30})) << "a loss without a step stands at the last one";
  EXPECT_MENTIONS(plot(curves, 40, 4), "step 0");
  EXPECT_MENTIONS(plot(curves, 40, 4), "* loss   o held-out   + held out\n");
}

TEST(Losses, HaveTheNamesBeforeThem) {
  Losses losses;
  losses.read("epoch 1: train loss 4.5, valid_loss: 5\nepoch 2  train_loss=4 valid loss: 4.5\nfinal loss 3\n");
  losses.read("Epoch 3: loss 2\n");
  const Curves curves = losses.curves();
  EXPECT_EQ(curves.x, "epoch");
  EXPECT_EQ(names_of(curves), (std::vector<std::string>{"train", "valid", "final", "loss"}));
  EXPECT_EQ(places_of(curves.curves[1]), (std::vector<double>{1, 2}));
}

/// A final loss that was no step of the training is no fall at the end of its curve.
TEST(Losses, AFinalLossIsAPointOfItsOwn) {
  Losses losses;
  losses.read("step 0: loss 4\nstep 50: loss 3\nfinal loss 1\n");
  const std::string svg = curve_svg(losses.curves(), "losses");
  EXPECT_MENTIONS(svg, "<circle");
  EXPECT_MENTIONS(svg, ">final</text>");
  EXPECT_MENTIONS(svg, "points=\"80.00,40.00 760.00,146.67 \"/>");
}

TEST(Losses, ACurveBeginsAnewWhereStepsDo) {
  Losses losses;
  losses.read("step 0: loss 4\nstep 50: loss 3\nstep 0: loss 4\nstep 100: loss nan\n");
  const std::string svg = curve_svg(losses.curves(), "losses");
  EXPECT_MENTIONS(svg, "points=\"80.00,40.00 760.00,360.00 \"/>\n<polyline");
  EXPECT_MENTIONS(svg, ">0</text>");
  EXPECT_MENTIONS(svg, ">step</text>");
  EXPECT_MENTIONS(svg, ">50</text>");
}

TEST(Losses, ScalesHaveRoundNumbers) {
  Losses losses;
  losses.read("step 0: loss 0.2991\nstep 1370: loss 0.0389\n");
  Curves curves = losses.curves();
  const std::string svg = curve_svg(curves, "losses");
  for (const std::string mark : {">0.05<", ">0.25<", ">200<", ">1,200<"}) EXPECT_MENTIONS(svg, mark);
  curves.is_log = true;
  for (const std::string mark : {">0.05<", ">0.1<", ">0.2<"}) EXPECT_MENTIONS(curve_svg(curves, "losses"), mark);
}

TEST(Losses, AreReadFromLogs) {
  const std::string json =
      "{\"step\": 0, \"epoch\": 1, \"train_loss\": 4, \"valid_loss\": null, \"lr\": 0.1}\n"
      "{\"step\": 100, \"epoch\": 2, \"train_loss\": 2, \"valid_loss\": 3, \"lr\": 0.1}\n";
  const Curves by_step = curves_of_file("a.jsonl", json, {});
  EXPECT_EQ(by_step.x, "step");
  EXPECT_EQ(names_of(by_step), (std::vector<std::string>{"train", "valid"}));
  EXPECT_EQ(places_of(by_step.curves[1]), (std::vector<double>{100}));
  const Curves by_epoch = curves_of_file("a.jsonl", json, {"epoch", {"lr"}});
  EXPECT_EQ(names_of(by_epoch), (std::vector<std::string>{"lr"}));
  EXPECT_EQ(places_of(by_epoch.curves[0]), (std::vector<double>{1, 2}));
  const Curves table = curves_of_file("a.csv", "step,loss,note\n0,4,\"a, b\"\n5,3,\n", {});
  EXPECT_EQ(places_of(table.curves[0]), (std::vector<double>{0, 5}));
  EXPECT_THROW(curves_of_file("a.jsonl", "{\"a\": 1}\nwrong\n", {}), UserError);
  EXPECT_THROW(curves_of_file("a.csv", "step,loss\n0,4\n", {"", {"los"}}), UserError);
}

TEST(Losses, OfSeveralRunsHaveAColourForEachRun) {
  const std::string log = "step,train_loss,valid_loss\n0,4,5\n5,3,4\n";
  const Curves runs = joined_runs({curves_of_file("a.csv", log, {}), curves_of_file("b.csv", log, {})}, {"a", "b"});
  EXPECT_EQ(names_of(runs), (std::vector<std::string>{"a: train", "a: valid", "b: train", "b: valid"}));
  const std::string svg = curve_svg(runs, "losses");
  std::map<std::string, int> pens;
  const std::regex pen("<polyline fill=\"none\" (stroke=\"#[0-9a-f]+\").*(stroke-dasharray=\"[^\"]*\")");
  for (std::sregex_iterator at(svg.begin(), svg.end(), pen), end; at != end; ++at) ++pens[(*at)[1]], ++pens[(*at)[2]];
  ASSERT_EQ(pens.size(), 4u) << svg;
  for (const auto& [each, count] : pens) EXPECT_EQ(count, 2) << each;
  EXPECT_THROW(
      joined_runs({curves_of_file("a.csv", log, {}), curves_of_file("b.csv", "epoch,loss\n1,2\n", {})}, {"a", "b"}),
      UserError);
}

plan::HostTensor zeros(ElementType element, Dims dims) {
  plan::HostTensor tensor;
  tensor.type.element = element;
  tensor.type.dims = std::move(dims);
  tensor.bytes.resize(static_cast<std::size_t>(size_of(tensor.type.dims) * size_of(element)));
  return tensor;
}

TEST(TensorTable, NamesItsDimsAndLinesUp) {
  plan::HostTensor tensor = zeros(ElementType::kF32, {{Name("a"), 2}, {Name("b"), 3}});
  const float numbers[] = {1, -2.5, 3, 10, 0, 0.125};
  std::memcpy(tensor.bytes.data(), numbers, sizeof numbers);
  EXPECT_EQ(tensor_table(tensor, {}), "a\\b   0     1      2\n  0   1  -2.5      3\n  1  10     0  0.125\n");
}

TEST(TensorTable, LeavesOutWhatDoesNotFit) {
  const plan::HostTensor tensor = zeros(ElementType::kI32, {{Name("row"), 100}, {Name("column"), 100}});
  const std::string text = tensor_table(tensor, {40, 10, 6});
  std::size_t lines = 0;
  for (const std::string& line : split(text, '\n')) {
    EXPECT_LE(count_code_points(line), 40U) << line;
    lines += line.empty() ? 0 : 1;
  }
  EXPECT_LE(lines, 10U) << text;
  EXPECT_NE(text.find("99"), std::string::npos) << text;
}

TEST(TensorTable, OfManyDimsLeavesRoomForThePrompt) {
  for (const std::int64_t matrices : {2, 3, 4, 9, 1000}) {
    for (const std::int64_t rows : {1, 2, 10, 11, 40}) {
      const plan::HostTensor tensor =
          zeros(ElementType::kI32, {{Name("a"), matrices}, {Name("b"), rows}, {Name("c"), 40}});
      const std::string text = tensor_table(tensor, {80, 18, 6});
      EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 18) << text;
      EXPECT_NE(text.find(fmt::format("a={}\n", matrices - 1)), std::string::npos) << text;
    }
  }
}

TEST(TensorTable, OfManyDimsIsATableForEachIndexOfTheFirst) {
  const plan::HostTensor tensor = zeros(ElementType::kI32, {{Name("a"), 2}, {Name("b"), 1}, {Name("c"), 2}});
  EXPECT_EQ(tensor_table(tensor, {}), "a=0\nb\\c  0  1\n  0  0  0\na=1\nb\\c  0  1\n  0  0  0\n");
}

/// A tensor on two processors, with its first dim split if `is_split`.
eval::ValueType tensor_type(Dims dims, bool is_split = false) {
  Sharding sharding = replicated(dims.size());
  if (is_split) sharding.dims[0] = {0};
  const auto mesh = std::make_shared<const Mesh>(Name("grid"), std::vector<Axis>{{Name("rows"), 2}});
  return {eval::ValueType::Kind::kTensor, eval::LaidOut{{ElementType::kF32, std::move(dims)}, sharding, mesh}};
}

session::EntryReport report_of_y() {
  session::EntryReport report;
  report.bindings.push_back({"y", tensor_type({{Name("batch"), 64}, {Name("io"), 32}}, true), 4096});
  return report;
}

TEST(ReplText, ABindingSaysItsTypeAndBytes) {
  EXPECT_EQ(repl_text(report_of_y()), "y: f32[batch=64/rows, io=32]   4.0 KiB per processor, no communication\n");
}

TEST(ReplText, CollectivesStandBelowWithTheirReason) {
  session::EntryReport report = report_of_y();
  spmd::StatementCost cost;
  cost.collective = spmd::CollectiveKind::kAllReduce;
  cost.axes = {Name("cols")};
  cost.values = 1024;
  cost.bytes = 4096;
  const auto mesh = std::make_shared<const Mesh>(Name("grid"), std::vector<Axis>{{Name("rows"), 2}, {Name("cols"), 2}});
  cost.reason = std::make_shared<const spmd::Reason>(
      spmd::Reason{.kind = spmd::Reason::Kind::kReduced, .mesh = mesh, .parts = {{Name("hidden"), {1}}}});
  report.costs.push_back(cost);
  const std::string expected =
      "y: f32[batch=64/rows, io=32]   4.0 KiB per processor\n"
      "   all_reduce over cols: 1,024 values, 4.0 KiB   hidden is summed, and split over cols\n";
  EXPECT_EQ(repl_text(report), expected);
  report.costs.push_back(cost);
  EXPECT_NE(repl_text(report).find("   2 × all_reduce over cols"), std::string::npos);
}

TEST(ReplText, AnExpressionShowsItsValueAndType) {
  session::EntryReport report;
  report.bindings.push_back({"", tensor_type({}), 4, "37.5"});
  EXPECT_EQ(repl_text(report), "37.5: f32[]   4 B per processor, no communication\n");
}

TEST(ReplText, ALongValueStandsBelowItsType) {
  session::EntryReport report;
  const std::string value(100, '1');
  report.bindings.push_back({"", tensor_type({{Name("a"), 50}}), 200, value});
  EXPECT_EQ(repl_text(report), "f32[a=50]   200 B per processor, no communication\n" + value + "\n");
}

TEST(ReplText, AHostValueHasNoBytes) {
  session::EntryReport report;
  report.bindings.push_back({"n", {.words = "the int 3"}, 0, "3"});
  report.bindings.push_back({"", {.words = "a list of 1"}, 0, "[1]"});
  EXPECT_EQ(repl_text(report), "n = 3\n[1]\n");
}

TEST(PlanText, AStatementThatCostsNothingIsLeftOut) { EXPECT_EQ(plan_text(eval::StatementReport{}, false), ""); }

TEST(PlanText, FormulasStandBesideTheFigures) {
  eval::StatementReport report;
  report.text = "let y = f(x)";
  spmd::StatementCost cost;
  cost.value = {"y", {ElementType::kF32, {{Name("batch"), 64}}}};
  cost.flops = 2048;
  cost.formula =
      Cost({.numerator = 2, .denominator = 1, .factors = {{{Name("batch"), 64}, {}}, {{Name("io"), 16}, {}}}});
  report.costs.push_back(cost);
  EXPECT_NE(plan_text(report, true).find("y: f32[batch=64]  2,048 flops  = 2·batch·io"), std::string::npos)
      << plan_text(report, true);
  EXPECT_EQ(plan_text(report, false).find("batch·io"), std::string::npos);
}

TEST(PlanText, IterationsAreMultipliedOrPerIteration) {
  EXPECT_EQ(iterations_text(1), "");
  EXPECT_EQ(iterations_text(1200), "×1,200");
  EXPECT_EQ(iterations_text(0), "per turn");
}

TEST(PlanText, TotalsNameEveryCollective) {
  plan::Counters counters;
  counters.processors = 4;
  counters.flops = 100;
  counters.unique_flops = 200;
  counters.collectives[0][{Name("cols")}] = {2, 1, 1024, 4096, 4096};
  const std::string text = totals_text(counters);
  EXPECT_NE(text.find("total for each of 4 processors"), std::string::npos) << text;
  EXPECT_NE(text.find("×2\n"), std::string::npos) << text;
  EXPECT_NE(text.find("all_reduce over cols  2 in 1 call  1,024 values"), std::string::npos) << text;
}

}  // namespace
}  // namespace mtf::tool
