// `mtf test` and `mtf check` as servers for continuous integration use them.
#include <nlohmann/json.hpp>

#include "command.h"

namespace mtf::tool {
namespace {

class Reports : public CommandTest {
 protected:
  void SetUp() override {
    CommandTest::SetUp();
    std::filesystem::create_directories(path("t"));
    write("t/a.mtf", "print(1)\n#> 1\n");
    write("t/b.mtf", "print(\"<&\")\n#> 0\n");
    write("t/c.mtf", "print(3)\n#> 3\n");
  }
};

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST_F(Reports, TapNumbersEachScript) {
  const ProcessResult found = mtf({"test", "--tap", path("t")});
  EXPECT_EQ(found.status, 1);
  EXPECT_TRUE(found.out.starts_with("TAP version 13\n1..3\nok 1 - ")) << found.out;
  EXPECT_TRUE(has(found.out, "\nnot ok 2 - ")) << found.out;
  EXPECT_TRUE(has(found.out, "    - 0\n")) << found.out;
  EXPECT_TRUE(found.out.ends_with("# 2 passed, 1 failed\n")) << found.out;
}

TEST_F(Reports, JunitHasEachScriptAndWhatFailed) {
  EXPECT_EQ(mtf({"test", "--junit", path("r.xml"), path("t")}).status, 1);
  const std::string xml = read("r.xml");
  EXPECT_TRUE(has(xml, "<testsuites tests=\"3\" failures=\"1\" skipped=\"0\"")) << xml;
  EXPECT_TRUE(has(xml, "name=\"a.mtf\"")) << xml;
  EXPECT_TRUE(has(xml, "+ &lt;&amp;")) << xml;
}

TEST_F(Reports, AnotherFileIsNotReplacedByJunit) {
  const ProcessResult found = mtf({"test", "--junit", path("t/a.mtf"), path("t")});
  EXPECT_TRUE(has(found.err, "cannot_write")) << found.err;
  EXPECT_EQ(read("t/a.mtf"), "print(1)\n#> 1\n");
}

TEST_F(Reports, AFilterLeavesScriptsOut) {
  EXPECT_TRUE(has(mtf({"test", "--filter", "/[ac].mtf", path("t")}).out, "2 passed, 0 failed"));
  const ProcessResult none = mtf({"test", "--filter", "zebra", path("t")});
  EXPECT_EQ(none.status, 2);
  EXPECT_TRUE(has(none.err, "fits none of 3 tests"));
  EXPECT_TRUE(has(mtf({"test", "--filter", "(", path("t")}).err, "bad_option_value"));
}

TEST_F(Reports, TheFirstFailureMayEndTheTest) {
  const ProcessResult found = mtf({"test", "--fail-fast", "-j1", path("t")});
  EXPECT_EQ(found.status, 1);
  EXPECT_TRUE(found.out.ends_with("1 passed, 1 failed, 1 not run\n")) << found.out;
}

TEST_F(Reports, PassedAndSlowScriptsAreNamedWhereAsked) {
  const std::string text = mtf({"test", "-v", "--durations", "1", path("t")}).out;
  EXPECT_TRUE(has(text, "a.mtf (0.") && has(text, " s, 1 run)\n")) << text;
  EXPECT_TRUE(has(text, " s  ")) << text;
}

TEST_F(Reports, SettingsOfTheHeaderHold) {
  write("s.mtf", "#: set steps=3\n#: ranks 1 2\noption steps = 1\nprint(steps)\n#> 3\n");
  EXPECT_EQ(mtf({"test", path("s.mtf")}).status, 0);
  write("s.mtf", "#: set stops=3\noption steps = 1\nprint(steps)\n#> 3\n");
  EXPECT_EQ(mtf({"test", path("s.mtf")}).status, 1);
}

TEST_F(Reports, FoldersAreChecked) {
  write("t/d.mtf", "let x = y\n");
  EXPECT_TRUE(has(mtf({"check", path("t")}).err, "t/d.mtf:1:9"));
  std::filesystem::create_directories(path("empty"));
  EXPECT_TRUE(has(mtf({"check", path("empty")}).err, "there is no script"));
}

TEST_F(Reports, WhatIsWrongComesAsJson) {
  const auto json = nlohmann::json::parse(mtf({"check", "--json", write("d e.mtf", "let x = y\n")}).out);
  EXPECT_EQ(json.at("kind"), "unknown_name");
  EXPECT_EQ(json.at("place").at("column"), 9);
}

TEST_F(Reports, WhatIsWrongComesAsSarif) {
  const ProcessResult found = mtf({"check", "--sarif", write("d e.mtf", "let x = y\n")});
  const auto result = nlohmann::json::parse(found.out).at("runs").at(0).at("results").at(0);
  EXPECT_EQ(result.at("ruleId"), "unknown_name");
  const auto place = result.at("locations").at(0).at("physicalLocation");
  EXPECT_TRUE(has(place.at("artifactLocation").at("uri"), "/d%20e.mtf"));
  EXPECT_EQ(place.at("region").at("startColumn"), 9);
  EXPECT_EQ(nlohmann::json::parse(mtf({"check", "--sarif", path("t")}).out).at("runs").at(0).at("results").size(), 0u);
}

}  // namespace
}  // namespace mtf::tool
