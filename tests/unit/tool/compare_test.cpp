// `mtf compare`, and `:compare` at the prompt.
#include <sstream>

#include "command.h"
#include "library/library.h"
#include "support/text.h"
#include "tool/prompt/repl.h"
#include "tool/shell/program_options.h"

namespace mtf::tool {
namespace {

using CompareCommand = CommandTest;

const std::string kScript =
    "dim batch = 64, io = 32, hidden = 128\n"
    "let x = random.uniform([batch, io])\n"
    "let w = random.uniform([io, hidden])\n"
    "let v = random.uniform([hidden, io])\n"
    "print(sum(einsum(einsum(x, w -> [batch, hidden]), v -> [batch, io])))\n";

/// Returns the line that begins with `name`, with single blanks.
std::string row(const std::string& table, const std::string& name) {
  std::istringstream lines(table);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(name)) continue;
    std::istringstream words(line);
    std::string text;
    for (std::string word; words >> word;) text += (text.empty() ? "" : " ") + word;
    return text;
  }
  return "no " + name;
}

TEST_F(CompareCommand, ShowsEachLayoutInAColumn) {
  const std::string file = write("a.mtf", kScript);
  const ProcessResult found =
      mtf({"compare", file, "--mesh", "all:4", "--layout", "batch:all", "--layout", "hidden:all", "--layout", ""});
  EXPECT_EQ(found.status, 0) << found.err;
  EXPECT_EQ(row(found.out, "layout"), "layout batch:all hidden:all replicated");
  EXPECT_EQ(row(found.out, "all_reduce"), "all_reduce over all 1 of 4 B 1 of 4 B -");
}

TEST_F(CompareCommand, SaysWhichRulesClash) {
  const std::string file = write("a.mtf", kScript);
  const ProcessResult found = mtf({"compare", file, "--mesh", "all:4", "--layout", "batch:all;hidden:all"});
  EXPECT_EQ(found.status, 1);
  EXPECT_NE(found.err.find("axis_used_twice"), std::string::npos) << found.err;
}

/// A prompt without a terminal.
class AtPrompt : public ::testing::Test {
 protected:
  AtPrompt() {
    EXPECT_TRUE(
        repl_.enter("mesh m = [all: 4]; layout dp = {batch -> all}; layout whole = {}; "
                    "dim batch = 64, io = 32, hidden = 128; let n = 2\n"
                    "let h = random.uniform([batch, hidden]); let v = random.uniform([hidden, io])"))
        << err_.str();
  }

  static eval::Settings settings() {
    eval::Settings settings;
    settings.stdlib = standard_library();
    settings.library = &library::host_library();
    return settings;
  }
  /// Returns the output of an entry, or its error.
  std::string said(const std::string& entry) {
    out_.str("");
    err_.str("");
    repl_.enter(entry);
    return out_.str() + err_.str();
  }

  std::ostringstream out_, err_;
  Repl repl_{settings(), {.threads = 1}, out_, err_};
};

TEST_F(AtPrompt, OptionsAreReadAsTheLanguageIs) {
  EXPECT_EQ(said(":type h --layout dp"), "f32[batch=64/all, hidden=128]\n");
  EXPECT_EQ(said(":type h --layout {batch -> all}"), "f32[batch=64/all, hidden=128]\n");
  EXPECT_EQ(said(":type h --mesh [a: n, b: 2 * n] --layout {batch -> [a, b]}"), "f32[batch=64/a+b, hidden=128]\n");
  EXPECT_EQ(said(":type h --mesh \"a:2;b:4\" --layout \"batch:a+b\""), "f32[batch=64/a+b, hidden=128]\n");
  EXPECT_EQ(said(":type h --layout \"\""), "f32[batch=64, hidden=128]\n");
  EXPECT_MENTIONS(said(":type h --mesh [rows: 2 4]"), "[syntax_error]");
  EXPECT_MENTIONS(said(":type h --layout {batch -> a ll}"), "[syntax_error]");
  EXPECT_MENTIONS(said(":type h --mesh {batch -> all}"), "expected a mesh, found a layout");
  EXPECT_MENTIONS(said(":type h --layout [all: 2]"), "expected a layout, found a mesh");
  EXPECT_MENTIONS(said(":type h --mesh dp"), "[bad_option_value]");
  EXPECT_MENTIONS(said(":type h --layout nowhere"), "[bad_option_value]");
}

TEST_F(AtPrompt, NothingElseStandsBehindUse) {
  EXPECT_MENTIONS(said(":use {batch -> all}; let x = 1"), "expected the end, found another statement");
  EXPECT_MENTIONS(said("x"), "[unknown_name]");
  EXPECT_EQ(said(":type h"), "f32[batch=64, hidden=128]\n");
  EXPECT_MENTIONS(said(":use {batch -> all}"), "h: f32[batch=64/all, hidden=128]");
  EXPECT_MENTIONS(said(":use whole"), "h: f32[batch=64, hidden=128]");
}

/// Returns the layouts' rules that `:explain` names, each as `dim -> axes`.
std::string rules(const std::string& text) {
  std::string found;
  for (const std::string& line : split(text, '\n')) {
    std::istringstream words(line);
    std::string first, dim, arrow, axes;
    words >> first >> dim >> arrow >> axes;
    if (first == "rule" && arrow == "->") found += dim + " -> " + axes + ";";
  }
  return found;
}

TEST_F(AtPrompt, ARuleIsNamedForADimOfItsOwnName) {
  // The name of one dim is the end of another's, or a word of the explanation.
  said(
      "mesh grid = [rows: 2, cols: 2]; dim den = 4, is = 8, over = 2; layout l = {hidden -> cols, den -> rows, is -> "
      "rows, over -> rows}; let w = random.uniform([batch, hidden])");
  EXPECT_EQ(rules(said(":explain einsum(w, v -> [batch, io])")), "hidden -> cols;");
  said("let u = random.uniform([is, hidden])");
  EXPECT_EQ(rules(said(":explain sum(u, over: hidden)")), "hidden -> cols;is -> rows;");
  EXPECT_EQ(rules(said(":explain sum(u, over: is)")), "hidden -> cols;is -> rows;");
}

TEST_F(AtPrompt, AValueMayHaveBracketsInItsName) {
  said(
      "mesh grid = [rows: 2, cols: 2]; layout l = {hidden -> cols}\n"
      "model Block() { param w: [hidden, io] = 1 }\nmodel Net() { let blocks = [Block(), Block()] }\n"
      "let net = Net()");
  const std::string text = said(":explain net.blocks[1].w @ {}");
  EXPECT_MENTIONS(text, "from   blocks[1].w: f32[hidden=128/cols, io=32]");
  EXPECT_EQ(rules(text), "hidden -> cols;");
  EXPECT_EQ(text.find("\"1:"), std::string::npos) << "the place in a list is no dim";
}

TEST_F(AtPrompt, ATableIsFittedToTheScreen) {
  said(":set columns 70");
  const std::string text = said(
      ":compare einsum(h, v -> [batch, io]) --layout whole --layout dp --layout hidden:all --layout io:all --layout "
      "\"batch:all\"");
  for (const std::string& line : split(text, '\n')) EXPECT_LE(count_code_points(line), 70U) << text;
  for (const char* layout : {"whole", "dp", "hidden:all", "io:all", "batch:all"}) EXPECT_MENTIONS(text, layout);
}

TEST_F(AtPrompt, WhatMakesColumnsEstimatesIsSaidOnce) {
  const std::string text =
      said(":compare if sum(h) > 1 { print(sum(v)) } --layout dp --layout whole --layout hidden:all");
  EXPECT_MENTIONS(text,
                  "an estimate:\n"
                  "    <2>:1  if sum(h) > 1 { print(sum(v)) }\n"
                  "        only the run knows which way it goes: each is counted\n");
  EXPECT_EQ(text.find("if sum"), text.rfind("if sum")) << text;
}

TEST(ComparePrompt, CostsAStatementAsIfTheSessionHadBeenTypedUnderAnotherLayout) {
  eval::Settings settings;
  settings.stdlib = standard_library();
  settings.library = &library::host_library();
  std::ostringstream out, err;
  Repl repl(settings, {.threads = 1}, out, err);
  repl.enter(
      "mesh m = [all: 4]\nlayout whole = {}\ndim batch = 64, io = 32, hidden = 128\n"
      "let h = random.uniform([batch, hidden])\nlet v = random.uniform([hidden, io])\n");
  out.str("");
  EXPECT_TRUE(repl.enter(":compare einsum(h, v -> [batch, io]) --layout whole --layout hidden:all")) << err.str();
  EXPECT_EQ(row(out.str(), "layout"), "layout whole hidden:all");
  EXPECT_EQ(row(out.str(), "all_reduce"), "all_reduce over all - 1 of 8.0 KiB");
}

}  // namespace
}  // namespace mtf::tool
