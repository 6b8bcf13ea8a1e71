// The output of `mtf fmt`: comments and the tree stay the same, and formatting again changes nothing.

#include <gtest/gtest.h>

#include <filesystem>

#include "../../places.h"
#include "support/diagnostics.h"
#include "syntax/format.h"

namespace mtf::syntax {
namespace {

std::string formatted(const std::string& text) { return format(SourceFile::create("t.mtf", text)); }

// Returns every script of the project that can be parsed.
std::vector<std::filesystem::path> scripts() {
  std::vector<std::filesystem::path> found;
  for (const char* folder : {"stdlib", "examples", "tests"})
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(std::filesystem::path(source_folder()) / folder))
      if (entry.path().extension() == ".mtf") found.push_back(entry.path());
  return found;
}

TEST(Format, OfEveryScriptKeepsTheTreeAndIsTheSameTheSecondTime) {
  int count = 0;
  for (const auto& path : scripts()) {
    const auto source = SourceFile::read(path.string());
    std::string once;
    try {
      once = format(source);  // compares trees and comments
    } catch (const UserError&) { continue; }
    ++count;
    EXPECT_EQ(formatted(once), once) << path;
  }
  EXPECT_GT(count, 300);
}

TEST(Format, TheLibraryAndTheExamplesAreFormatted) {
  for (const char* folder : {"stdlib", "examples"}) {
    for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(source_folder()) / folder)) {
      if (entry.path().extension() != ".mtf") continue;
      const auto source = SourceFile::read(entry.path().string());
      EXPECT_EQ(format(source), source->text()) << entry.path();
    }
  }
}

TEST(Format, BlanksAndIndentation) {
  EXPECT_EQ(formatted("let   x=a+b   *(c)\n\n\n\nif a{\nf( 1,2 )\n}"), "let x = a + b * (c)\n\nif a {\n  f(1, 2)\n}\n");
  EXPECT_EQ(formatted("fn f(x:[a])->[a]{return x}"), "fn f(x: [a]) -> [a] { return x }\n");
}

TEST(Format, RulesByPathStayWhereTheyStand) {
  EXPECT_EQ(formatted("layout l={params \"*\":{a->x,b->[x,y]},c->y,states   \"m.*\" :{}}"),
            "layout l = {params \"*\": {a -> x, b -> [x, y]}, c -> y, states \"m.*\": {}}\n");
  const std::string lines = "layout l = {\n  a -> x,\n  params \"*\": {b -> x},  # all\n  states \"*\": {b -> x}\n}\n";
  EXPECT_EQ(formatted(lines), lines);
}

TEST(Format, ABlockOfAFunctionWithoutANameIsIndentedAsItsLine) {
  EXPECT_EQ(formatted("let f=fn(x){return x}\nlet y=(fn(x){ return x })(3)"),
            "let f = fn(x) { return x }\nlet y = (fn(x) { return x })(3)\n");
  EXPECT_EQ(formatted("if c {\nlet y = scan(fn(h,x) { # one\nlet z = h\n\n# two\nreturn z,x\n}, a, b,over:d)\n}"),
            "if c {\n"
            "  let y = scan(fn(h, x) {  # one\n"
            "    let z = h\n"
            "\n"
            "    # two\n"
            "    return (z, x)\n"
            "  }, a, b, over: d)\n"
            "}\n");
  EXPECT_EQ(formatted("let y = f(\nfn(x) {\nreturn x\n},\na)"), "let y = f(\n  fn(x) {\n    return x\n  },\n  a\n)\n");
}

TEST(Format, TuplesHaveParentheses) {
  EXPECT_EQ(formatted("fn f() { return a,b }"), "fn f() { return (a, b) }\n");
  EXPECT_EQ(formatted("let a,(b,c)=f()\nfor i,x in z{g(i)}\nlet l=[i for i,x in z]"),
            "let (a, (b, c)) = f()\nfor (i, x) in z { g(i) }\nlet l = [i for (i, x) in z]\n");
}

TEST(Format, TheOnlyArrowOfACallStandsAtItsEnd) {
  EXPECT_EQ(formatted("let s = scatter_add(v, ids -> [d], into: d)"), "let s = scatter_add(v, ids, into: d -> [d])\n");
  EXPECT_EQ(formatted("let s = rename(x, a -> b, c -> d)\nlet t = f(x -> [a], over: b -> [c])"),
            "let s = rename(x, a -> b, c -> d)\nlet t = f(x -> [a], over: b -> [c])\n");
  EXPECT_EQ(formatted("let s = f(x -> [a],  # one\n  over: b)  # two\n"),
            "let s = f(x,  # one\n  over: b -> [a])  # two\n");
}

TEST(Format, LoopsOfAComprehensionStayOnTheirLines) {
  const std::string text =
      "let l = [i + j for i in x if i > 0 if i < 3 for j in y if j]\nlet k = [i\n  for i in x\n  for j in y]\n";
  EXPECT_EQ(formatted(text), text);
}

TEST(Format, KeepsComments) {
  const std::string text =
      "# one\nlet x = f(\n  a,  # two\n  # three\n  b\n)  # four\n\n## five\nfn g() {\n  # six\n}\n# seven\n";
  EXPECT_EQ(formatted(text), text);
}

TEST(Format, ExpectationsStandAtTheMargin) {
  const std::string text = "if true {\n  print(1)\n#> 1\n}\n";
  EXPECT_EQ(formatted(text), text);
}

TEST(Format, KeepsWhereAStatementGoesOn) {
  const std::string text = "let x =\n  a +\n    b\ndim a = 1,\n  b = 2\nlet l = [f(i)\n  for i in x]\n";
  EXPECT_EQ(formatted(text), text);
}

TEST(Format, KeepsWhatStandsUnderEachOther) {
  const std::string text =
      "mesh   grid  = [rows: 2]\nlayout dp_mp = {batch -> rows}\n\nlet x     = 1   # one\n"
      "let loss  = 20  # two\nlet grads = 3\n";
  EXPECT_EQ(formatted(text), text);
}

TEST(Format, MovesAWholeColumn) {
  EXPECT_EQ(formatted("let x    = f( 1 )   # one\nlet long = g( 2 )  # two\n"),
            "let x    = f(1)  # one\nlet long = g(2)  # two\n");
}

TEST(Format, DropsBlanksThatPutNothingUnderAnother) {
  EXPECT_EQ(formatted("let x  = 1\nlet yy   = 2\n"), "let x = 1\nlet yy = 2\n");
}

TEST(Format, LeavesStringsAlone) {
  const std::string text = "print(\"a  {x}\")\nprint(\"b  {y}\")\n";
  EXPECT_EQ(formatted(text), text);
}

TEST(Format, RefusesWhatCannotBeRead) { EXPECT_THROW(formatted("let = 3"), UserError); }

}  // namespace
}  // namespace mtf::syntax
