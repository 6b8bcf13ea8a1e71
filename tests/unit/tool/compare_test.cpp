// `mtf compare`, and `:compare` at the prompt.
#include <sstream>

#include "command.h"
#include "tool/program_options.h"
#include "tool/repl.h"

namespace mtf::tool {
namespace {

using CompareCommand = CommandTest;

const std::string kScript =
    "dim batch = 64, io = 32, hidden = 128\n"
    "let x = random.uniform([batch, io])\n"
    "let w = random.uniform([io, hidden])\n"
    "let v = random.uniform([hidden, io])\n"
    "print(sum(einsum(einsum(x, w -> [batch, hidden]), v -> [batch, io])))\n";

/// The line that begins with `name`, its blanks made one.
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
  const ProcessResult found = mtf({"compare", file, "--mesh", "all:4", "--layout", "batch:all", "--layout", "hidden:all", "--layout", ""});
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

TEST(ComparePrompt, CostsAStatementAsIfTheSessionHadBeenTypedUnderAnotherLayout) {
  Settings settings;
  settings.stdlib = standard_library();
  std::ostringstream out, err;
  Repl repl(settings, {.threads = 1}, out, err);
  repl.enter("mesh m = [all: 4]\nlayout whole = {}\ndim batch = 64, io = 32, hidden = 128\n"
             "let h = random.uniform([batch, hidden])\nlet v = random.uniform([hidden, io])\n");
  out.str("");
  EXPECT_TRUE(repl.enter(":compare einsum(h, v -> [batch, io]) --layout whole --layout hidden:all")) << err.str();
  EXPECT_EQ(row(out.str(), "layout"), "layout whole hidden:all");
  EXPECT_EQ(row(out.str(), "all_reduce"), "all_reduce over all - 1 of 8.0 KiB");
}

}  // namespace
}  // namespace mtf::tool
