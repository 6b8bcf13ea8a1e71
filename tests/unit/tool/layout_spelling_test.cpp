// A layout is written in the same ways wherever one is given.
#include <gtest/gtest.h>

#include "command.h"
#include "prompt.h"

namespace mtf::tool {
namespace {

class LayoutSpelling : public CommandTest {};

struct Spelling {
  std::string script;                   ///< as a script writes it, and as all entrances show it
  std::vector<std::string> others;      ///< what stands for the same
  std::string x = "batch=8, hidden=4";  ///< how a tensor then lies
};

const std::vector<Spelling> kSpellings = {
    {"{}", {"", "{ }"}, "batch=8, hidden=4"},
    {"{batch -> rows}",
     {"batch:rows", "{batch:rows}", "batch -> rows", "{ batch->[rows], }"},
     "batch=8/rows, hidden=4"},
    {"{batch -> [rows, cols], hidden -> planes}",
     {"batch:rows+cols;hidden:planes", "batch -> [rows, cols]; hidden -> planes",
      "{batch:rows+cols, hidden -> planes}"},
     "batch=8/rows+cols, hidden=4/planes"},
    {"{batch -> rows, params \"*\": {hidden -> cols, other -> [rows, planes]}, states \"a[*].b\": {}}",
     {"batch:rows;params \"*\":hidden:cols;params \"*\":other:rows+planes;states \"a[*].b\":",
      "batch -> rows, params \"*\": {hidden:cols, other -> [rows, planes]}, states \"a[*].b\": {}"},
     "batch=8/rows, hidden=4"},
};

const std::string kProgram =
    "dim batch = 8, hidden = 4, other = 2\nmesh grid = [rows: 2, cols: 2, planes: 2]\nuse grid\n";

TEST_F(LayoutSpelling, EachIsTakenByEveryEntrance) {
  for (const Spelling& each : kSpellings) {
    std::vector<std::string> all = each.others;
    all.push_back(each.script);
    const std::string lies = "f32[" + each.x + "]";
    for (const std::string& word : all) {
      SCOPED_TRACE(word);
      const auto say = [&](const std::string& entries, const std::string& options = "") {
        return mtf_reading(kProgram + entries, options).out;
      };
      const std::string quoted = "'" + word + "'";
      EXPECT_MENTIONS(say("let x = ones([batch, hidden])\n", "--layout " + quoted), lies);
      EXPECT_MENTIONS(say(":layout " + quoted + "\n"), each.script);
      EXPECT_MENTIONS(say("let x = ones([batch, hidden])\n:plan --layout " + quoted + " let y = x + 1\n"), lies);
      const std::string golden =
          "#: layouts " + quoted + "\n" + kProgram + "print(sum(ones([batch, hidden])))\n#> 32\n";
      EXPECT_EQ(mtf({"test", write("golden.mtf", golden)}).status, 0);
    }
    EXPECT_MENTIONS(mtf_reading(kProgram + "use " + each.script + "\nlet x = ones([batch, hidden])\n", "").out, lies);
  }
  for (const std::string use : {":use batch:rows", ":use {batch -> rows}", ":use \"batch:rows\""})
    EXPECT_MENTIONS(mtf_reading(kProgram + "let x = ones([batch, hidden])\n" + use + "\n", "").out, "batch=8/rows");
  EXPECT_MENTIONS(mtf_reading(kProgram + ":use rows:4;cols:2\n:mesh\n", "").out, "rows: 4");
}

TEST_F(LayoutSpelling, InDoubleQuotesAQuoteIsEscaped) {
  const std::string word = R"("params \"*\":hidden:rows")";
  const std::string golden = "#: layouts " + word + "\n" + kProgram + "print(1)\n#> 1\n";
  EXPECT_EQ(mtf({"test", write("golden.mtf", golden)}).status, 0);
  EXPECT_MENTIONS(mtf_reading(kProgram + ":layout " + word + "\n", "").out, "{params \"*\": {hidden -> rows}}");
}

}  // namespace
}  // namespace mtf::tool
