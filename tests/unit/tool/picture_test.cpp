// Pictures of layouts, and the report of a plan.
#include <gtest/gtest.h>

#include <regex>

#include "command.h"

namespace mtf::tool {
namespace {

const std::string kPictured =
    "mesh m = [rows: 2, cols: 3]\n"
    "layout l = {batch -> rows, hidden -> cols}\n"
    "dim batch = 120, io = 90, hidden = 150, heads = 3\n"
    "model Net { param w: [io, hidden] = 1 }\n"
    "let net = Net()\n"
    "let x = random.normal([batch, io])\n"
    "let y = einsum(x, net.w -> [batch, hidden])\n"
    "let z = random.normal([batch, heads, hidden])\n"
    "print(sum(y) + sum(z))\n";

std::ptrdiff_t matches_of(const std::string& text, const std::string& what) {
  const std::regex pattern(what);
  return std::distance(std::sregex_iterator(text.begin(), text.end(), pattern), std::sregex_iterator());
}

class Pictures : public CommandTest {};

// Figure 5 of Shazeer et al. 2018: x split by batch, w by hidden, their product by both.
TEST_F(Pictures, TilesNameTheProcessorsThatHoldThem) {
  EXPECT_EQ(mtf({"draw", write("a.mtf", kPictured), "x", "net", "y"}).out,
            "x: f32[batch=120/rows, io=90]\n"
            "  ┌─────┐\n"
            "  │ 0-2 │\n"
            "  ├─────┤\n"
            "  │ 3-5 │\n"
            "  └─────┘\n"
            "net.w: f32[io=90, hidden=150/cols]\n"
            "  ┌─────┬─────┬─────┐\n"
            "  │ 0 3 │ 1 4 │ 2 5 │\n"
            "  └─────┴─────┴─────┘\n"
            "y: f32[batch=120/rows, hidden=150/cols]\n"
            "  ┌───┬───┬───┐\n"
            "  │ 0 │ 1 │ 2 │\n"
            "  ├───┼───┼───┤\n"
            "  │ 3 │ 4 │ 5 │\n"
            "  └───┴───┴───┘\n");
}

TEST_F(Pictures, APartOfAModelIsNamedOnce) {
  const std::string file = write(
      "a.mtf",
      "dim a = 4\nmodel L { param w: [a] = 1 }\nmodel Net { let blocks = [L() for i in 0..2] }\nlet net = Net()\n");
  const std::string second = "net.blocks[1].w: f32[a=4]\n";
  EXPECT_TRUE(mtf({"draw", file, "net.blocks[1]"}).out.starts_with(second));
  EXPECT_MENTIONS(mtf({"draw", file, "net.blocks"}).out, second);
  EXPECT_MENTIONS(mtf({"draw", file, "net"}).out, second);
}

TEST_F(Pictures, SvgHasATileForEachBlockAndAMatrixForEachLeadingOne) {
  const std::string file = write("a.mtf", kPictured), svg = path("a.svg");
  const ProcessResult result = mtf({"draw", file, "z", "y * 2", "--svg", svg});
  EXPECT_EQ(result.status, 0) << result.err;
  const std::string text = read("a.svg");
  EXPECT_EQ(matches_of(text, "<g><title>processors"), 6 + 6);
  EXPECT_MENTIONS(text, "batch 60..120");
  EXPECT_EQ(matches_of(text, "<text"), matches_of(text, "</text>"));
}

TEST_F(Pictures, WhatCannotBeDrawnIsAnError) {
  const std::string file = write("a.mtf", kPictured);
  EXPECT_MENTIONS(mtf({"draw", file, "nobody"}).err, "unknown_name");
  EXPECT_MENTIONS(mtf({"draw", file, "3"}).err, "expected a tensor or a model, found the int 3");
  EXPECT_MENTIONS(mtf({"draw", file, "y", "--mesh", "rows:100;cols:100", "--layout", "batch:rows;hidden:cols"}).err,
                  "more than 4096 tiles");
  EXPECT_EQ(mtf({"draw", file}).status, 2);
}

TEST_F(Pictures, AReportHasTheSourceBesideItsCosts) {
  const std::string file = write("a.mtf", kPictured), page = path("report.html");
  const ProcessResult result = mtf({"plan", file, "--report", page, "--draw", "net"});
  EXPECT_EQ(result.status, 0) << result.err;
  const std::string text = read("report.html");
  EXPECT_EQ(matches_of(text, "<details"), matches_of(text, "</details>"));
  EXPECT_TRUE(std::regex_search(  // 2 · 60 · 90 · 50
      text, std::regex("540,000 flops</td><td class=\"figure\" data-by=\"0\"></td><td class=\"code\"[^>]*>let y = "
                       "einsum[^<]*<span class=\"said\">y: f32\\[batch=120/rows, hidden=150/cols\\]")))
      << text;
  EXPECT_EQ(matches_of(text, "<svg "), 1);
}

/// A report at any width, light and dark: nothing has a fixed width but the bars, and colours are variables.
TEST_F(Pictures, AReportHasTheTimeOfEachLineAndOneMeaningForEachColour) {
  const std::string file = source_folder() + "/examples/two_layer.mtf", page = path("report.html");
  const std::string machine = write("machine.json", "{\"bandwidth\": 1e8}");
  ASSERT_EQ(mtf({"plan", file, "--report", page, "--machine", machine, "--against", ""}).status, 0);
  const std::string text = read("report.html");
  EXPECT_TRUE(std::regex_search(
      text,
      std::regex("data-by=\"[0-9.e-]+\">[0-9.]+ (µs|ms)</td><td class=\"figure\" data-by=\"[0-9.e+]+\">133,742,592 "
                 "flops</td><td class=\"figure\" data-by=\"[0-9.e+]+\">800.0 KiB</td>")))
      << text;
  EXPECT_MENTIONS(text, "<span class=\"said\">all_reduce over cols, 800.0 KiB</span>");
  EXPECT_MENTIONS(text, "prefers-color-scheme: dark");
  EXPECT_MENTIONS(text, "name=\"viewport\"");
  EXPECT_EQ(matches_of(text, "<th><button>"), 6);
  const std::string body = text.substr(text.find("</style>"));
  EXPECT_EQ(body.substr(0, body.find("<svg")).find("style=\"color"), std::string::npos);
  EXPECT_FALSE(std::regex_search(body, std::regex("class=\"bar (?!forward|backward|computing|communicating)")));
  // The bars of layouts show all computing; only trees and lines tell forward from backward.
  const std::string layouts = body.substr(body.find("Under other layouts"));
  EXPECT_EQ(layouts.find("bar forward"), std::string::npos);
  EXPECT_MENTIONS(layouts, "bar communicating");
}

TEST_F(Pictures, AReportHoldsLayoutsAgainstEachOther) {
  const std::string file = write("a.mtf", kPictured), page = path("report.html");
  const ProcessResult result = mtf({"plan", file, "--report", page, "--against", "", "--against", "batch:rows"});
  EXPECT_EQ(result.status, 0) << result.err;
  const std::string text = read("report.html");
  const size_t bars = text.find("Under other layouts");
  ASSERT_NE(bars, std::string::npos);
  for (const char* layout : {">the script's own</td>", ">replicated</td>", ">batch:rows</td>"})
    EXPECT_NE(text.find(layout, bars), std::string::npos) << layout;
}

}  // namespace
}  // namespace mtf::tool
