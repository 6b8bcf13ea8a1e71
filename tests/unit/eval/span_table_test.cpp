// The table of the parts of a program: types, layouts, origins, costs.
#include "eval/span_table.h"

#include <gtest/gtest.h>

#include "run/dry_runtime.h"
#include "session/parts_of_text.h"
#include "support/text.h"

namespace mtf::eval {
namespace {

/// A marked part of a program, which begins at the bar: `let y = |x + 1`.
struct Marked {
  explicit Marked(std::string text, Settings settings = {}, bool costs = false) {
    const size_t at = text.find('|');
    text.erase(at, 1);
    run::DryRuntime planner;
    table = session::parts_of_text("test.mtf", text, settings, costs ? &planner : nullptr);
    info = table.at("test.mtf", at);
  }
  std::string types() const {
    std::string text;
    for (size_t i = 0; info != nullptr && i < info->types.size(); ++i)
      text += (i > 0 ? " or " : "") + to_string(info->types[i]);
    return text.empty() ? "nothing" : text;
  }
  std::string definition() const {
    if (info == nullptr || !info->definition.is_known()) return "nothing";
    const Position at = info->definition.position();
    return std::to_string(at.line) + ":" + std::to_string(at.column);
  }

  SpanTable table;
  const SpanInfo* info = nullptr;
};

const std::string kBegin = "dim a = 4, b = 6\nlet x = ones([a, b])\n";

TEST(SpanTable, AnExpressionHasItsTypeAndLayout) {
  Settings settings;
  settings.mesh = parse_axes("rows:2");
  settings.layout = parse_layout("a:rows");
  EXPECT_EQ(Marked(kBegin + "let y = |sum(x, over: b)", settings).types(), "the operation sum");
  EXPECT_EQ(Marked(kBegin + "let y = sum|(x, over: b)", settings).types(), "f32[a=4/rows]");
  EXPECT_EQ(Marked(kBegin + "let |y = sum(x, over: b)", settings).types(), "f32[a=4/rows]");
  EXPECT_EQ(Marked(kBegin + "let y = x |+ 1", settings).types(), "f32[a=4/rows, b=6]");
  EXPECT_EQ(Marked(kBegin + "let n = 2 |* 3").types(), "the int 6");
  EXPECT_EQ(Marked("dim |a = 4").types(), "the dim a=4");
}

TEST(SpanTable, OnlyWhatIsWrittenAsOneIsALiteral) {
  EXPECT_TRUE(Marked("let n = |2").info->is_literal);
  EXPECT_TRUE(Marked("let s = |\"a\"").info->is_literal);
  EXPECT_FALSE(Marked("let n = 2 |* 3").info->is_literal) << "a sum that begins with a number is none";
}

TEST(SpanTable, ANameHasWhereItWasBound) {
  EXPECT_EQ(Marked(kBegin + "let y = |x").definition(), "2:5");
  EXPECT_EQ(Marked(kBegin + "let x = x + 1\nlet y = |x").definition(), "3:5");
  EXPECT_EQ(Marked(kBegin + "fn f(z) = |z\nlet y = f(x)").definition(), "3:6");
  EXPECT_EQ(Marked(kBegin + "let y = x[|a: 1]").definition(), "1:5");
  EXPECT_EQ(Marked("model M() { param w: [] = 0 }\nlet m = M()\nlet v = m.|w").definition(), "1:19");
  EXPECT_EQ(Marked("let n = 1\n|n := 2").definition(), "1:5");
  EXPECT_EQ(Marked("fn f() = 1\nlet y = |f()").definition(), "1:4");
}

TEST(SpanTable, APlaceThatIsEvaluatedWithSeveralTypesHasThemAll) {
  EXPECT_EQ(Marked(kBegin + "fn f(|z) = z\nf(x)\nf(1)\nf(2)").types(), "f32[a=4, b=6] or the int 1 or the int 2");
  EXPECT_EQ(Marked(kBegin + "for |i in 0..3 { let y = i }").types(), "an int that is known when the program runs");
  EXPECT_EQ(Marked(kBegin + "fn f(|z) = z").types(), "nothing") << "nothing calls it";
}

TEST(SpanTable, AWrongProgramIsKnownAsFarAsACheckGoes) {
  EXPECT_EQ(Marked(kBegin + "let y = missing\nlet z = |x").types(), "f32[a=4, b=6]");
  EXPECT_EQ(Marked(kBegin + "let y = |missing").types(), "nothing");
  EXPECT_EQ(Marked(kBegin + "let y = (|").types(), "nothing");
}

TEST(SpanTable, APlanSaysWhatAStatementAndItsExpressionsCost) {
  const Marked statement(kBegin + "|print(sum(x * x))", {}, true);
  ASSERT_TRUE(statement.info != nullptr);
  const std::vector<SpanInfo> parts = statement.table.of("test.mtf");
  const auto cost = [&](std::string_view text) {
    for (const SpanInfo& part : parts)
      if (part.span.text() == text && part.has_cost) return part.flops;
    return int64_t{-1};
  };
  EXPECT_EQ(cost("x * x"), 24);
  EXPECT_EQ(cost("sum(x * x)"), 24);
  EXPECT_EQ(cost("print(sum(x * x))"), 24 + 24);
  const Marked iterations(kBegin + "for i in 0..5 { let y = sum(x |* i)\n  print(y) }", {}, true);
  ASSERT_TRUE(iterations.info != nullptr);
  EXPECT_EQ(iterations.info->flops, 5 * 24);
}

TEST(SpanTable, WhatIsOutsideComesFirst) {
  const Marked marked(kBegin + "let y = |sum(x * x)");
  std::vector<std::string> texts;
  for (const SpanInfo& part : marked.table.of("test.mtf"))
    if (part.span.position().line == 3) texts.emplace_back(part.span.text());
  EXPECT_EQ(mtf::join(texts, " | "), "y | sum(x * x) | sum | x * x | x | x");
}

}  // namespace
}  // namespace mtf::eval
