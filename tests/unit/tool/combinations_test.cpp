// `mtf search --over`, and the ways out of too little memory that `mtf plan` tries.
#include <nlohmann/json.hpp>

#include "command.h"

namespace mtf::tool {
namespace {

using OverOptions = CommandTest;

/// `wide` splits nothing, and has equal figures for both of its values below 3.
const std::string kTrained =
    "import nn, losses, optim\n"
    "option dp = 1\n"
    "option tp = 1\n"
    "option wide = 1\n"
    "option micro = 1\n"
    "assert tp <= 4, \"expected a tp of at most 4, found {tp}\"\n"
    "mesh m = [data: dp, model: tp]\n"
    "layout l = {batch -> data, hidden -> model}\n"
    "dim batch = 4096 // micro, io = 256, hidden = if wide > 2 { 4096 } else { 1024 }\n"
    "let net = nn.FeedForward(io, hidden)\n"
    "let opt = optim.Sgd(net.params)\n"
    "let x = random.uniform([batch, io])\n"
    "opt.minimize(mean(square(net(x) - x)))\n";

TEST_F(OverOptions, PlansEachCombinationAndSaysWhyOthersAreRefused) {
  const std::string file = write("a.mtf", kTrained);
  const auto json = nlohmann::json::parse(
      mtf({"search", file, "--over", "tp=1,2,8,3; wide=1,2,3", "--processors", "8", "--machine", "h100", "--json"})
          .out);
  EXPECT_EQ(json["processors"], 8);
  EXPECT_EQ(json["planned"], 6) << "tp=3 does not divide 8";
  EXPECT_EQ(json["refused"][0]["count"], 3);
  EXPECT_EQ(json["refused"][0]["why"], "expected a tp of at most 4, found 8");
  EXPECT_EQ(json["refused"][1]["count"], 3);
  EXPECT_EQ(json["refused"][1]["why"], "tp is 3, which does not divide 8 processors; these do: 1, 2, 4, 8");
  EXPECT_EQ(json["best"].size(), 4) << "two values of wide have equal figures";
  EXPECT_EQ(json["best"][0]["set"]["wide"], "1|2");
  for (std::size_t i = 1; i < 4; ++i) EXPECT_LE(json["best"][i - 1]["seconds"], json["best"][i]["seconds"]);
  for (std::size_t i = 1; i < json["front"].size(); ++i)
    EXPECT_GT(json["front"][i - 1]["peak_bytes"], json["front"][i]["peak_bytes"]);
}

TEST_F(OverOptions, FiguresAreThoseOfThePlan) {
  const std::string file = write("a.mtf", kTrained);
  const auto best = nlohmann::json::parse(
      mtf({"search", file, "--over", "tp=2", "--processors", "4", "--machine", "h100", "--json"}).out)["best"][0];
  const auto plan =
      nlohmann::json::parse(mtf({"plan", file, "--set", "tp=2", "--set", "dp=2", "--machine", "h100", "--json"}).out);
  EXPECT_EQ(best["set"]["dp"], "2");
  EXPECT_EQ(best["peak_bytes"], plan["totals"]["peak_bytes"]);
  EXPECT_NEAR(best["seconds"].get<double>(), plan["seconds"]["in all"].get<double>(), 1e-9);
  EXPECT_NEAR(best["flops_per_second"].get<double>(), plan["flops_per_second"].get<double>(), 1);
  EXPECT_GT(plan["share_of_peak"], 0);
}

TEST_F(OverOptions, OfAnotherNumberOfProcessorsSayWhichThereAre) {
  const std::string file = write("a.mtf", kTrained);
  const std::string out = mtf({"search", file, "--over", "tp=2,4; dp=2", "--processors", "8"}).out;
  EXPECT_NE(out.find("dp * tp is 4, and there are 8 processors"), std::string::npos) << out;
  EXPECT_NE(out.find("1 combination on 8 processors"), std::string::npos) << out;
}

TEST_F(OverOptions, AreShownAsTextAndAsAPage) {
  const std::string file = write("a.mtf", kTrained);
  const std::vector<std::string> asked = {"search", file,        "--over", "tp=1,2,4; wide=2,3", "--processors",
                                          "4",      "--machine", "h100",   "--memory",           "30MB"};
  const std::string text = mtf(asked).out;
  EXPECT_NE(text.find("6 combinations on 4 processors of H100 SXM"), std::string::npos) << text;
  EXPECT_NE(text.find(" more in "), std::string::npos) << text;
  EXPECT_NE(text.find("less memory for more time:"), std::string::npos) << text;
  std::vector<std::string> page = asked;
  page.insert(page.end(), {"--html", path("page.html")});
  EXPECT_EQ(mtf(page).status, 0);
  EXPECT_EQ(mtf(page).status, 0) << "it replaces its own page";
  EXPECT_NE(read("page.html").find("<polyline"), std::string::npos);
}

TEST_F(OverOptions, RefuseWhatTheScriptHasNot) {
  const std::string file = write("a.mtf", kTrained);
  EXPECT_NE(mtf({"search", file, "--over", "pt=1,2"}).err.find("the options of the program: dp, tp, wide, micro"),
            std::string::npos);
  EXPECT_NE(mtf({"search", file, "--over", "tp="}).err.find("such as --over"), std::string::npos);
  EXPECT_NE(mtf({"search", file, "--over", "tp=2", "--axes", "2"}).err.find("say how it is split"), std::string::npos);
}

TEST_F(OverOptions, APlanThatDoesNotFitSaysWhatWould) {
  const std::string file = write("a.mtf", kTrained);
  const std::string out =
      mtf({"plan", file, "--set", "dp=4", "--set", "wide=3", "--memory", "50MB", "--machine", "h100"}).out;
  EXPECT_NE(out.find("it would fit with\n    --set micro="), std::string::npos) << out;
  EXPECT_NE(out.find(" instead of "), std::string::npos) << out;
  EXPECT_NE(mtf({"plan", file, "--memory", "1MB"}).out.find("none of the usual ways out fits"), std::string::npos);
  EXPECT_EQ(mtf({"plan", file, "--memory", "80GB"}).out.find("it would fit"), std::string::npos);
}

TEST_F(OverOptions, AStepIsPlannedThoughNothingIsPrinted) {
  const std::string file = write("a.mtf", kTrained);
  const auto plan = nlohmann::json::parse(mtf({"plan", file, "--json"}).out);
  EXPECT_GT(plan["totals"]["flops"], 10'000'000'000);
  EXPECT_TRUE(plan["not_read"].empty());
}

}  // namespace
}  // namespace mtf::tool
