// The prompt's commands that predict, as a user types them.
#include "../../places.h"
#include "../work_time.h"
#include "prompt.h"
#include "support/source.h"
#include "tool/prompt/repl_commands.h"

namespace mtf::tool {
namespace {

const std::string kMatrices =
    "dim batch = 64, io = 32, hidden = 128; let h = random.normal([batch, hidden]); let v = random.normal([hidden, "
    "io]);";

TEST_F(Prompt, ASearchFindsAMeshAndALayoutToPaste) {
  Session terminal(*this, 60, 150);
  terminal.enter(kMatrices, "<2> mtf>");
  terminal.enter(":search einsum(h, v -> [batch, io])", "how many processors there are is not said");
  terminal.enter(":search --processors 4 einsum(h, v -> [batch, io])", "layout best  = {batch -> [rows, cols]}");
  EXPECT_TRUE(terminal.mentions("mesh   found = [rows: 2, cols: 2]"));
  EXPECT_TRUE(terminal.mentions("the best and the second"));
  terminal.type("\x0c");
  terminal.enter(":search --mesh [all: 8] --layout {hidden -> all} einsum(h, v -> [batch, io])", "{hidden -> all}");
  terminal.enter(":search --processors many h", "expected a number from 1 to 1,000,000");
}

TEST_F(Prompt, APlanSaysHowLongAStatementTakesOnAMachine) {
  write("slow.json",
        "{\"name\": \"a slow one\", \"flops\": {\"f32\": 1000000}, \"memory_bandwidth\": 1e12, \"step\": 1e-9}");
  Session terminal(*this, 60, 150);
  terminal.enter(kMatrices, "<2> mtf>");
  terminal.enter(":plan --machine slow.json einsum(h, v -> [batch, io])", "a slow one");
  terminal.enter(":plan --machine nowhere.json h", "nowhere.json");
  terminal.type("\x0c");
  terminal.enter(":plan --machine slow.json --by line --sort time einsum(h, v -> [batch, io])", "a slow one");
  EXPECT_TRUE(terminal.mentions("time"));
  EXPECT_TRUE(terminal.mentions("ms  "));
  terminal.enter(":plan --by line --sort time h", "`--sort time` needs `--machine FILE`");
  terminal.type("\x0c");
  terminal.enter(":set pager off", "pager off");
  terminal.enter(":plan --json --machine slow.json h * 2.0", "\"seconds\": 0.008");
}

TEST_F(Prompt, APlanThatIsLongerThanTheScreenIsTheTreeOfItsParts) {
  Session terminal(*this, 20, 120);
  terminal.enter(kMatrices, "<2> mtf>");
  terminal.enter("fn f(x) { return tanh(exp(tanh(x * 2.0))) }; fn g(x) { return f(f(f(f(f(f(x)))))) }", "<3> mtf>");
  terminal.enter(":plan f(h)", "tanh");
  terminal.type("\x0c");
  terminal.enter(":plan g(h)", "share");
  EXPECT_TRUE(terminal.mentions("f(f(f("));
}

TEST_F(Prompt, LayoutsAreComparedDrawnAndCounted) {
  Session terminal(*this, 60, 150);
  terminal.enter("mesh m = [all: 4]; layout whole = {}", "<2> mtf>");
  terminal.enter(kMatrices, "<3> mtf>");
  terminal.enter(":compare einsum(h, v -> [batch, io]) --layout whole --layout hidden:all", "all_reduce over all");
  terminal.enter(":draw h @ {batch -> all}", "h @ {batch -> all}");
  terminal.enter(":counters", "flops");
  terminal.enter(":plot", "no loss was printed");
  terminal.enter(":type h", "f32[batch=64, hidden=128]");
}

TEST_F(Prompt, OptionsStandBeforeTheStatementOrBehindIt) {
  write("slow.json",
        "{\"name\": \"a slow one\", \"flops\": {\"f32\": 1000000}, \"memory_bandwidth\": 1e12, \"step\": 1e-9}");
  Session terminal(*this, 60, 150);
  const auto enter = [&](const std::string& entry, const std::string& shown) {
    terminal.type("\x0c");
    terminal.enter(entry, shown);
  };
  terminal.enter("mesh m = [rows: 2, cols: 2]; layout whole = {}; layout both = {batch -> rows, hidden -> cols}",
                 "<2> mtf>");
  terminal.enter(kMatrices, "<3> mtf>");
  enter(":type h --layout whole", "f32[batch=64, hidden=128]");
  enter(":plan einsum(h, v -> [batch, io]) --mesh=rows:4;cols:8 --machine slow.json", "a slow one");
  EXPECT_TRUE(terminal.mentions("all_reduce over cols"));
  enter(":plan --by collective einsum(h, v -> [batch, io]) --layout \"hidden:rows\"",
        "hidden is summed, and split over rows");
  enter(":plan einsum(h, v -> [batch, io]) --symbolic", "2·batch·hidden·io / (rows·cols)");
  enter(":compare --layout whole einsum(h, v -> [batch, io]) --layout hidden:rows --machine slow.json --peak",
        "all_reduce over rows");
  EXPECT_TRUE(terminal.mentions("peak"));
  enter(":explain einsum(h, v -> [batch, io]) --mesh [rows: 4, cols: 8]", "hidden is summed, and split over cols");
  enter(":search einsum(h, v -> [batch, io]) --whole batch --processors 4 --axes 1", "{io -> rows}");
  enter(":plan --layout hidden -> rows, io -> cols einsum(h, v -> [batch, io])", "all_reduce over rows");
  enter(":plan h --by nothing", "expected tree, line, function, path, collective or value");
  enter(":plan --meshh rows:4 h", "`:plan` has no option `--meshh`");
  enter(":plan h --mesh", "`--mesh` needs a value");
  enter("let m = 2; 5 --m", "7");
}

TEST_F(Prompt, CtrlCEndsASearchAtOnceWithTheBestSoFar) {
  Session terminal(*this, 40, 150);
  terminal.enter(":set layers=12", "layers=12");
  terminal.enter(":set steps=0", "steps=0");
  terminal.enter(":load " + source_folder() + "/examples/transformer.mtf", "statements; `:vars`");
  terminal.type("\x0c");
  terminal.type(
      ":search --processors 65536 --axes 4 opt.minimize(mean(cross_entropy(net(text), next, over: vocab)))\r");
  EXPECT_TRUE(terminal.mentions(", the best takes"));
  const auto begin = std::chrono::steady_clock::now();
  terminal.type("\x03");
  EXPECT_TRUE(terminal.mentions("the search was interrupted; the best so far"));
  EXPECT_TRUE(terminal.mentions("layout best  = "));
  EXPECT_LT(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(), 0.5 * slowness());
  EXPECT_FALSE(terminal.screen().text().find("searching: ") != std::string::npos);
  terminal.enter("1 + 1", "2");
}

TEST_F(Prompt, TabCompletesOptionsAndWhatTheyTakeAndMembersOfAnElement) {
  Session terminal(*this, 40, 120);
  terminal.enter("mesh grid = [rows: 1]", "mtf>");
  terminal.enter("dim n = 2", "<3> mtf>");
  terminal.enter("model M { param weight: [n] = 0 }", "<4> mtf>");
  terminal.enter("let nets = [M(), M()]", "<5> mtf>");
  terminal.type(":plan --sym\t");
  EXPECT_TRUE(terminal.mentions(":plan --symbolic"));
  terminal.type(" --mesh gr\t");
  EXPECT_TRUE(terminal.mentions(":plan --symbolic --mesh grid"));
  terminal.type(" nets[1].we\t");
  EXPECT_TRUE(terminal.mentions("nets[1].weight"));
  terminal.type("\x15:explain --m\t");
  EXPECT_TRUE(terminal.mentions(":explain --mesh"));
}

TEST_F(Prompt, ManyCollectivesAreALineForEachKindAndAxes) {
  Session terminal(*this, 40, 150);
  terminal.enter(":set steps=1", "steps=1");
  terminal.enter(":load " + source_folder() + "/examples/transformer.mtf", "statements; `:vars`");
  terminal.enter("opt.minimize(mean(cross_entropy(net(text), next, over: vocab)))", "`:explain` before the statement");
  EXPECT_TRUE(terminal.mentions("× all_reduce over cols: "));
  EXPECT_TRUE(terminal.mentions("× all_reduce over rows: "));
  EXPECT_EQ(terminal.screen().text().find("is a sum over"), std::string::npos);
}

TEST_F(Prompt, QuitLeaves) {
  Session terminal(*this, 20, 100);
  terminal.type(":quit\r");
  EXPECT_EQ(terminal.wait(), 0);
}

/// A test types every command.
TEST(PromptCommands, AreAllTyped) {
  std::string typed;
  for (const char* file : {"prompt_test.cpp", "prompt_commands_test.cpp"})
    typed += SourceFile::read(source_folder() + "/tests/unit/tool/" + file)->text();
  std::erase_if(typed, [](char c) { return c == ' ' || c == '\n'; });
  for (const ReplCommand& command : repl_commands()) {
    const std::string entry = "(\"" + std::string(command.name);
    EXPECT_NE(typed.find(entry), std::string::npos) << command.name;
  }
}

}  // namespace
}  // namespace mtf::tool
