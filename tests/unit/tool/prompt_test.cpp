// The prompt at a pseudo-terminal: tests type to `mtf`.
#include <chrono>
#include <filesystem>

#include "../work_time.h"
#include "prompt.h"
#include "tool/prompt/repl_completion.h"

namespace mtf::tool {
namespace {

TEST_F(Prompt, ATranscript) {
  Session terminal(*this, 40, 100);
  terminal.enter("mesh grid = [rows: 2, cols: 2]", "<2> mtf>");
  terminal.enter("layout dp_mp = {batch -> rows, hidden -> cols}", "<3> mtf>");
  terminal.enter("dim batch = 64, io = 32, hidden = 128", "<4> mtf>");
  terminal.enter("let w = random.normal([io, hidden]); let v = random.normal([hidden, io]);", "<5> mtf>");
  terminal.enter("let x = random.normal([batch, io])",
                 "x: f32[batch=64/rows, io=32]   4.0 KiB per processor, no communication");
  terminal.enter("let h = relu(einsum(x, w -> [batch, hidden]))",
                 "h: f32[batch=64/rows, hidden=128/cols]   8.0 KiB per processor, no communication");
  terminal.enter("let y = einsum(h, v -> [batch, io])",
                 "   all_reduce over cols: 1,024 values, 4.0 KiB   hidden is summed, and split over cols");
  terminal.enter("precision mixed", "<8> mtf>");
  terminal.enter("let z = einsum(h, v -> [batch, io])", "z: bf16[batch=64/rows, io=32]   2.0 KiB per processor");
  EXPECT_TRUE(
      terminal.mentions("   all_reduce over cols: 1,024 values, 2.0 KiB   hidden is summed, and split over cols"));
  terminal.type("\x04");
  EXPECT_EQ(terminal.wait(), 0);
  EXPECT_TRUE(terminal.is_restored());
}

TEST_F(Prompt, AnErrorCallsItsEntryByTheNumberInThePrompt) {
  Session terminal(*this, 40, 100);
  terminal.enter("1 + 1", "2");
  terminal.enter("nope", "--> <2>:1:1");
  terminal.enter(":plan nope", "--> <3>:1:1");
  terminal.enter(":type nope", "--> <4>:1:1");
  terminal.enter("3 +* 4", "--> <5>:1:");
}

TEST_F(Prompt, AWarningOfAnEntryIsSaidAboveWhatItGives) {
  Session terminal(*this, 40, 100);
  terminal.enter("dim a = 2; let w = ones([a]); let v = ones([a])", "v: f32[a=2]");
  terminal.enter("let g = grad(sum(w), [v])[0]", "no gradient comes to `v`");
  EXPECT_TRUE(terminal.mentions("--> <2>:1:9"));
  terminal.enter("g", "[0, 0]");
}

TEST_F(Prompt, TheLastValueUndoAndTime) {
  Session terminal(*this, 40, 100);
  terminal.enter("3 + 4", "7");
  terminal.enter("_ * 6", "42");
  terminal.enter("let n = _", "n = 42");
  terminal.enter("n := 5", "n = 5");
  terminal.enter("n + 200", "205");
  terminal.enter(":undo", "the last entry that changed something is taken back");
  terminal.enter("n + 100", "142");
  terminal.enter(":time let k = 1 + 1", "k = 2");
  EXPECT_TRUE(terminal.mentions("s\n<9> mtf>"));  // µs or ms
  terminal.enter("?softmax", "softmax(x: tensor, over: dims = all)");
  terminal.enter("let k = 3", "k = 3");
  terminal.enter(":undo 2", "the last 2 entries that changed something are taken back");
  terminal.enter("k", "`k` is neither declared nor an operation");
  terminal.enter(":undo nothing", "expected how many entries");
  terminal.enter(":undo 9", "the last entry that changed something is taken back; there are no more");
}

TEST_F(Prompt, APastedBlockWithOneMistakeIsOneError) {
  Session terminal(*this, 40, 100);
  terminal.paste("dim a = 4\nlet x = ones([a])\nlet y = x + nope\nlet z = y + 1\nlet k = z * y\n");
  terminal.type("\r");
  EXPECT_TRUE(terminal.mentions("<2> mtf>"));
  const std::string text = terminal.screen().text();
  EXPECT_NE(text.find("<1>:3:13"), std::string::npos) << text;
  EXPECT_EQ(text.find("error", text.find("error:") + 1), std::string::npos) << text;
}

TEST_F(Prompt, AModelIsTypedRecalledAndEditedAsABlock) {
  Session terminal(*this, 40, 60);
  terminal.enter("dim a = 2", "<2> mtf>");
  terminal.enter("model M() {\rparam w: [a] = 1\rfn call(x) {\rreturn w * x\r}\r}", "<3> mtf>");
  EXPECT_TRUE(
      terminal.mentions("<2> mtf> model M() {\n"
                        "    ...>   param w: [a] = 1\n"
                        "    ...>   fn call(x) {\n"
                        "    ...>     return w * x\n"
                        "    ...>   }\n"
                        "    ...> }\n"));
  terminal.type("\x1b[A\x1b[B\x05");
  EXPECT_TRUE(terminal.mentions("<3> mtf> model M() {\n    ...>   param w: [a] = 1\n"));
  terminal.type(
      "\x7f"
      "3\r");
  EXPECT_TRUE(terminal.wait_until([&] {
    return terminal.screen().text().find("<3> mtf> model M() {\n    ...>   param w: [a] = 3\n") != std::string::npos;
  }));
  terminal.enter("M()(2)", "[6, 6]");
}

TEST_F(Prompt, ColoursOfTheLanguage) {
  Session terminal(*this, 10, 60);
  terminal.type("let x = sum(1) # all");
  EXPECT_TRUE(terminal.mentions("# all"));
  const std::size_t row = terminal.screen().row();
  EXPECT_EQ(terminal.screen().in_style(row, "35"), "let");
  EXPECT_EQ(terminal.screen().in_style(row, "34"), "sum");
  EXPECT_EQ(terminal.screen().in_style(row, "36"), "1");
  EXPECT_EQ(terminal.screen().in_style(row, "90"), "# all");
}

TEST_F(Prompt, ColoursInWhatIsSaid) {
  Session terminal(*this, 20, 80);
  terminal.enter("let x = nope + 1", "--> <1>:1:9");
  const auto row_of = [&](const std::string& text) {
    const std::vector<std::string> rows = terminal.screen().rows();
    std::size_t row = 0;
    while (row < rows.size() && rows[row].find(text) == std::string::npos) ++row;
    return row;
  };
  EXPECT_EQ(terminal.screen().in_style(row_of("error:"), "1;31"), "error:");
  EXPECT_EQ(terminal.screen().in_style(row_of("1 | let"), "35"), "let");
  EXPECT_NE(terminal.screen().in_style(row_of("^^^^"), "1;31").find("^^^^"), std::string::npos);
  terminal.enter("dim a = 2; let y = ones([a])", "y: f32[a=2]");
  EXPECT_EQ(terminal.screen().in_style(row_of("y: f32"), "1"), "y");
}

TEST_F(Prompt, NoColoursWhereTheEnvironmentSaysSo) {
  Session terminal(*this, 20, 80, {{"NO_COLOR", "1"}});
  terminal.enter("let x = nope + 1", "--> <1>:1:9");
  for (std::size_t row = 0; row < 20; ++row)
    for (const std::string colour : {"35", "36", "34", "1;31"}) EXPECT_EQ(terminal.screen().in_style(row, colour), "");
  terminal.enter("dim a = 2; let y = ones([a])", "y: f32[a=2]");
  terminal.enter("y", "[1, 1]");
  terminal.enter(":draw y", "processor");
  terminal.enter(":help :plan", "<6> mtf>");
  terminal.type("\x04");
  terminal.wait();
  EXPECT_EQ(terminal.screen().styled(), 0u);  // bold and resets included
}

TEST_F(Prompt, HelpOnOnesOwnNames) {
  Session terminal(*this, 40, 100);
  terminal.paste(
      "dim a = 2\n## Twice of it.\n## Also of a batch.\nfn twice(x: [.., a]) -> [.., a] = x + x\n"
      "## A scale.\nmodel Scale(n: int) { param w: [a] = 1 }\nlet m = Scale(3); let x = ones([a]);\n");
  terminal.type("\r");
  EXPECT_TRUE(terminal.mentions("<2> mtf>"));
  terminal.enter("?twice", "twice(x: [.., a]) -> [.., a]\n  Twice of it. Also of a batch.");
  terminal.enter("?Scale", "model Scale(n: int)\n  A scale.");
  terminal.enter("?m", "m: an instance of Scale   8 B per processor\n  A scale.\n  w  f32[a=2]");
  terminal.enter("?x", "x: f32[a=2]   8 B per processor");
  terminal.enter("?m.w", "m.w: f32[a=2]");
  terminal.enter("?a", "a: the dim a=2");
  terminal.enter(":type twice", "twice(x: [.., a]) -> [.., a]");
  terminal.enter(":type Scale", "model Scale(n: int)");
  terminal.enter("?batch", "A dim like any other.");
  terminal.enter("?twise", "there is no help on `twise`");
}

TEST_F(Prompt, LeavesAsOtherPromptsDo) {
  Session terminal(*this, 10, 60);
  terminal.type("exit()\r");
  EXPECT_EQ(terminal.wait(), 0);
}

TEST_F(Prompt, CompletionKnowsWhereItIs) {
  write("data.npy", "");
  Session terminal(*this, 40, 100);
  terminal.enter("mesh grid = [rows: 2, cols: 2]", "<2> mtf>");
  terminal.enter("dim batch = 4, io = 2; let bat = ones([batch])", "<3> mtf>");
  terminal.enter("model M() { param wide: [io] = 1 }; let net = M()", "<4> mtf>");
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"layo\t", "> layout"},
      {"ones([ba\t", "ones([batch"},
      {"sum(bat, over: i\t", "over: io"},
      {"layout l = {ba\t", "{batch"},
      {"layout l = {batch -> c\t", "batch -> cols"},
      {"layout l = {batch -> [rows, c\t", "[rows, cols"},
      {"softmax(bat, ov\t", "softmax(bat, over:"},
      {"net.wi\t", "net.wide"},
      {"import opt\t", "import optim"},
      {"data.load_npy(\"da\t", "(\"data.npy"},
      {":cou\t", "> :counters"},
      {":type ones([ba\t", ":type ones([batch"},
      {"?softm\t", "?softmax"},
      {":help optim.Adaf\t", ":help optim.Adafactor"},
  };
  for (const auto& [keys, shown] : cases) {
    terminal.type(keys);
    EXPECT_TRUE(terminal.mentions(shown, PseudoTerminal::Seconds(5))) << keys;
    terminal.type("\x1b\x03\x0c");
    EXPECT_TRUE(terminal.shows({"<4> mtf>"}));
  }
}

TEST_F(Prompt, AMenuShowsSignatures) {
  Session terminal(*this, 40, 100);
  terminal.type("let x = layer\t");
  EXPECT_TRUE(terminal.mentions("layer_norm"));
  terminal.type("\x15random.\t");
  EXPECT_TRUE(terminal.mentions(" random.normal(shape: shape, mean: number = 0"));
}

TEST_F(Prompt, CtrlCAndCtrlD) {
  Session terminal(*this, 40, 100);
  terminal.type("\x03");
  EXPECT_TRUE(terminal.mentions("Ctrl-D or :quit leaves"));
  terminal.type("for i in 0..2 {\r\x04");
  EXPECT_TRUE(terminal.mentions("This entry is unfinished."));
  terminal.type("\x03");
  EXPECT_TRUE(terminal.wait_until([&] { return terminal.screen().rows().back() == "<1> mtf>"; }));
  terminal.type("while true { }\r");
  EXPECT_TRUE(terminal.wait_until([&] { return terminal.is_restored(); }));
  usleep(100'000);
  terminal.type("\x03");
  EXPECT_TRUE(terminal.mentions("[interrupted]"));
  EXPECT_TRUE(terminal.mentions("<2> mtf>"));
}

TEST_F(Prompt, ATrainingLoopIsInterruptedLookedAtAndContinued) {
  Session terminal(*this, 40, 110);
  terminal.enter("dim a = 4\r", "<2> mtf>");
  terminal.enter("model M() { param w: [a] = 0 }; let m = M()", "<3> mtf>");
  terminal.type(
      "for step in 0..100000000 { m.w := m.w + 1; if step % 200 == 0 { print(\"step {step}: loss {sum(m.w)}\") } }\r");
  EXPECT_TRUE(terminal.mentions("step 200: loss"));
  const auto begin = std::chrono::steady_clock::now();
  terminal.type("\x03");
  EXPECT_TRUE(terminal.mentions("[interrupted]"));
  EXPECT_LT(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(), slowness());
  EXPECT_TRUE(terminal.mentions("is kept; `:undo` takes it back"));
  EXPECT_TRUE(terminal.mentions("<4> mtf>"));
  terminal.enter("step >= 200 and step < 100000000", "true");  // the last finished iteration
  terminal.enter("min(m.w) == max(m.w) and min(m.w) > 200", "true");
  terminal.enter("for step in 0..5 { m.w := m.w + 1 }; min(m.w) > 205", "true");
  terminal.enter(":plot", "200");
}

TEST_F(Prompt, CtrlCStopsALargeOperation) {
  Session terminal(*this, 40, 110);
  terminal.enter("dim a = 6000, b = 6000, c = 6000; let x = random.normal([a, b]); let y = random.normal([b, c])",
                 "y: f32");
  terminal.type("sum(einsum(x, y -> [a, c]))\r");
  EXPECT_TRUE(terminal.wait_until([&] { return terminal.is_restored(); }));
  usleep(200'000);
  const auto begin = std::chrono::steady_clock::now();
  terminal.type("\x03");
  EXPECT_TRUE(terminal.mentions("[interrupted]"));
  EXPECT_LT(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(), slowness());
  terminal.enter("1 + 1", "2");
}

TEST_F(Prompt, ASessionIsSavedAndLoaded) {
  Session terminal(*this, 40, 100);
  terminal.enter("dim a = 4; let x = ones([a])  # four ones", "x: f32[a=4]");
  terminal.enter("sum(x)", "4: f32[]");
  terminal.enter("let s = _ + 1", "s: f32[]");
  terminal.enter("fn f(y) { y + nope }", "<5> mtf>");
  terminal.enter("fn f(y) = y + 1", "<6> mtf>");
  terminal.enter("f(2)", "3");
  terminal.enter("nope", "unknown");
  terminal.enter(":save here.mtf", "here.mtf: 7 lines");
  EXPECT_EQ(read("here.mtf"),
            "dim a = 4\nlet x = ones([a])\nlet _ = sum(x)\nprint(_)\nlet s = _ + 1\nfn f(y) = y + 1\nprint(f(2))\n");
  EXPECT_EQ(mtf({"run", path("here.mtf")}).out, "4\n3\n");
  terminal.type("\x0c");
  terminal.enter(":load here.mtf", "here.mtf: 7 statements");
  terminal.enter(":load --dry here.mtf", "loops left out");
  terminal.enter(":reload", "loops left out");
  terminal.enter(":load nowhere.mtf", "nowhere.mtf");
}

TEST_F(Prompt, WhatIsInForceAndWhatIsThere) {
  Session terminal(*this, 60, 100);
  terminal.enter(":vars", "no name stands for a value");
  terminal.enter("mesh grid = [rows: 2, cols: 2]", "<3> mtf>");
  terminal.enter("layout dp = {batch -> rows, hidden -> cols}", "<4> mtf>");
  terminal.enter("dim batch = 64, io = 32, hidden = 127", "<5> mtf>");
  terminal.enter(":mesh", "[rows: 2, cols: 2]   4 processors\n    rows  2  splits batch\n    cols  2  splits hidden\n");
  terminal.enter(":layout",
                 "    batch    64  over rows  32 per processor\n    hidden  127  over cols  64 per processor\n");
  terminal.enter(
      ":dims",
      "batch    64  over rows  32 per processor\nio       32\nhidden  127  over cols  64 per processor  unevenly\n");
  terminal.enter("model M { param w: [io, hidden] = 0 }; let net = M()",
                 "net: an instance of M\n  w  f32[io=32, hidden=127/cols]\n");
  terminal.enter("let x = ones([batch]);", "<10> mtf>");
  terminal.enter(
      ":vars", "net  an instance of M    8.0 KiB\nx    f32[batch=64/rows]    128 B\n     per processor       8.1 KiB");
  terminal.enter(":params net",
                 "w      f32[io=32, hidden=127/cols]  4,064  8.0 KiB\n"
                 "total  4,064 values in 1 variable   4,064  8.0 KiB\n2,048 values");
  terminal.enter(":mesh x", "<13> mtf>");
}

TEST_F(Prompt, TensorsAreTablesThatFit) {
  Session terminal(*this, 60, 60);
  terminal.enter("dim a = 3, b = 100", "<2> mtf>");
  terminal.enter("broadcast(cast(range(a), f32) -> [a, b]) + 10 * cast(range(b), f32)", "a\\b  0   1");
  EXPECT_TRUE(terminal.mentions("  2  2  12"));
  for (const std::string& row : terminal.screen().rows()) EXPECT_LE(row.size(), 61U) << row;
  terminal.enter(":set columns 40", "columns 40");
  terminal.enter(":set pager off", "pager off");
  terminal.enter(":set nothing", "`:set` has no `nothing`");
  terminal.enter(":set lr=0.5", "lr=0.5 for what is loaded");
  terminal.enter("option lr = 0.1; lr", "0.5");
  terminal.type("\x0c");
  terminal.enter(":show range(b)", "99");
}

TEST_F(Prompt, LongOutputGoesThroughThePager) {
  Session terminal(*this, 12, 100, {{"PAGER", "sed -n 1p; echo paged"}});
  terminal.enter(":help", "paged");
}

TEST_F(Prompt, WhatIfItHadBeenTypedUnderAnotherLayout) {
  Session terminal(*this, 60, 110);
  terminal.enter("mesh grid = [rows: 2, cols: 2]; layout dp = {batch -> rows, hidden -> cols}", "<2> mtf>");
  terminal.enter("dim batch = 64, io = 32, hidden = 128", "<3> mtf>");
  terminal.enter("let h = random.normal([batch, hidden]); let v = random.normal([hidden, io]);", "<4> mtf>");
  terminal.enter(":type h", "f32[batch=64/rows, hidden=128/cols]");
  terminal.enter(":type --layout \"batch:rows\" h", "f32[batch=64/rows, hidden=128]");
  terminal.enter(":type --mesh [all: 8] --layout {io -> all} v", "f32[hidden=128, io=32/all]");
  terminal.enter(":plan --mesh \"rows:4;cols:8\" --layout dp einsum(h, v -> [batch, io])", "all_reduce over cols");
  terminal.enter(":explain einsum(h, v -> [batch, io])", "    why    hidden is summed, and split over cols");
  EXPECT_TRUE(terminal.mentions("    rule   hidden -> cols"));
  EXPECT_TRUE(terminal.mentions("fewer bytes, for no more flops"));
  terminal.type("\x0c");
  terminal.enter(":use {batch -> cols}", "h: f32[batch=64/cols, hidden=128]");
  terminal.enter(":type h", "f32[batch=64/cols, hidden=128]");
}

TEST_F(Prompt, LoopsShowHowFarTheyAre) {
  Session terminal(*this, 20, 100);
  terminal.type("let n = 0; while n < 1000000000 { n := n + 1 }\r");
  EXPECT_TRUE(terminal.mentions("turns/s"));
  EXPECT_TRUE(terminal.mentions("while "));
  terminal.type("\x03");
  EXPECT_TRUE(terminal.mentions("[interrupted]"));
}

TEST_F(Prompt, SessionsAtOnceKeepTheHistoryOfBoth) {
  {
    Session one(*this, 10, 60), two(*this, 10, 60);
    one.enter("let from_one = 1", "from_one = 1");
    two.enter("let from_two = 2", "from_two = 2");
    one.enter("let again = 1", "again = 1");
  }
  EXPECT_EQ(read("history"), "let from_one = 1\nlet from_two = 2\nlet again = 1\n");
}

TEST_F(Prompt, ADumbTerminalAndOneOfFortyColumns) {
  Session dumb(*this, 40, 100, {{"TERM", "dumb"}});
  dumb.enter("fn f(x) {\r  x + 1\r}", "<2> mtf>");
  dumb.type("\x04");
  EXPECT_EQ(dumb.wait(), 0);
  Session narrow(*this, 20, 40);
  narrow.enter("let total = 1111111111 + 2222222222 + 3333333333", "total = 6666666666");
}

TEST_F(Prompt, BadInputGetsAnErrorAndTheSessionGoesOn) {
  Session terminal(*this, 40, 100);
  terminal.enter("let s = \"unfinished", "error");
  terminal.type("\x0c");
  terminal.paste("1 + \x01\x1b[31m\xff 2");
  terminal.enter("", "error");
  terminal.type("\x0c");
  terminal.enter("mesh m = [a: 1000000000]", "mtf>");
  terminal.enter("1 + 1", "2");
}

// Measures processor time, which does not depend on other work of the machine.
TEST_F(Prompt, StartingTakesLessThanFiftyMilliseconds) {
  double least = 1;
  for (int i = 0; i < 3; ++i) {
    Session terminal(*this, 40, 100);
    terminal.type("\x04");
    EXPECT_EQ(terminal.wait(), 0);
    least = std::min(least, terminal.used().count());
  }
  EXPECT_LT(least, 0.05 * slowness());
}

TEST_F(Prompt, ASmallStatementIsAnsweredInLessThanFiftyMilliseconds) {
  Session terminal(*this, 40, 100);
  terminal.enter("dim a = 4; let x = ones([a])", "x: f32[a=4]");
  double least = 1;
  for (int i = 0; i < 10; ++i) {
    const std::string answer = std::to_string(1000 + 4 * i);
    terminal.type("sum(x * " + std::to_string(i) + ") + 1000");
    EXPECT_TRUE(terminal.mentions(") + 1000"));
    const auto begin = std::chrono::steady_clock::now();
    terminal.type("\r");
    EXPECT_TRUE(terminal.mentions("\n" + answer + ": f32[]"));
    least = std::min(least, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    terminal.type("\x0c");
    EXPECT_TRUE(terminal.wait_until([&] { return terminal.screen().row() == 0; }));
  }
  EXPECT_LT(least, 0.05 * slowness());
}

TEST_F(Prompt, AMegabyteIsPastedInLessThanTwoSeconds) {
  Session terminal(*this, 40, 100);
  std::string text;
  while (text.size() < 1'000'000) text += "let x = einsum(w, v -> [batch, hidden]) + 1\n";
  terminal.paste(text);
  terminal.type("\r");
  EXPECT_TRUE(terminal.mentions("<2> mtf>", PseudoTerminal::Seconds(60)));
  terminal.enter("1 + 1", "2");
  EXPECT_TRUE(terminal.mentions("<3> mtf>"));  // Ctrl-D is ignored while a statement runs
  terminal.type("\x04");
  EXPECT_EQ(terminal.wait(), 0);
  EXPECT_LT(terminal.used().count(), 2);
}

TEST_F(Prompt, AKeyInAnEntryOfTwoHundredLinesTakesLessThanFiveMilliseconds) {
  const auto seconds = [&](int keys) {
    Session terminal(*this, 60, 160);
    std::string text = "model M() {\n";
    for (int i = 0; i < 198; ++i)
      text += "  let x" + std::to_string(i) + " = einsum(w, v -> [batch, hidden]) + " + std::to_string(i) + "\n";
    terminal.paste(text + "}");
    EXPECT_TRUE(terminal.mentions("...> }"));
    terminal.type("\x1b[A\x1b[A\x01");
    for (int i = 0; i < keys; ++i) {
      terminal.type("x");
      EXPECT_TRUE(terminal.mentions("> " + std::string(static_cast<std::size_t>(i) + 1, 'x')));
    }
    terminal.type("\x03\x04");
    EXPECT_EQ(terminal.wait(), 0);
    return terminal.used().count();
  };
  EXPECT_LT((seconds(101) - seconds(1)) / 100, 0.005 * slowness());
}

}  // namespace
}  // namespace mtf::tool
