// Machine models, idle processors, timelines and loss curves: the times of `mtf plan` and `mtf run`.
#include <fmt/format.h>

#include <chrono>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "../../places.h"
#include "command.h"
#include "cost/machine.h"
#include "mpi_job.h"
#include "support/diagnostics.h"

namespace mtf::tool {
namespace {

using Estimates = CommandTest;

const std::string kEstimatedStep =
    "mesh grid = [rows: 2, cols: 2]\n"
    "layout both = {batch -> rows, hidden -> cols}\n"
    "dim batch = 64, io = 32, hidden = 128\n"
    "model Net {\n"
    "  param w: [io, hidden] = init.normal(stddev: 0.1)\n"
    "  param v: [hidden, io] = init.normal(stddev: 0.1)\n"
    "  fn call(x) = einsum(relu(einsum(x, w -> [batch, hidden])), v -> [batch, io])\n"
    "}\n"
    "let net = Net()\n"
    "let x = random.uniform([batch, io])\n"
    "for step in 0..4 {\n"
    "  let loss = mean(square(net(x) - x))\n"
    "  for (p, g) in zip(net.params, grad(loss, net.params)) { p := p - 0.1 * g }\n"
    "  print(\"loss {loss:.3f}\")\n"
    "}\n";

TEST(MachineFile, IsReadAsItIsWritten) {
  cost::MachineModel machine;
  machine.flops = {{ElementType::kF32, 2e12}, {ElementType::kBf16, 3e13}};
  machine.rates["tanh"] = {{ElementType::kF32, 1e9}};
  machine.collectives[spmd::CollectiveKind::kAllToAll] = {3e-6, 4e9};
  machine.axes["cols"] = {1e-7, 5e11};
  machine.narrow = 8;
  machine.ramp = 200;
  machine.unaligned = 3.5;
  machine.overlap = 0.5;
  machine.memory = 16'000'000'000;
  machine.node = 8;
  machine.between = {5e-6, 1e9};
  machine.peak = {{ElementType::kBf16, 4e13}};
  machine.sources["memory"] = "a datasheet";
  EXPECT_EQ(to_json(cost::parse_machine(to_json(machine), "machine.json")), to_json(machine));
}

TEST(MachineFile, SaysWhatIsWrongWithIt) {
  const auto wrong = [](const std::string& text) {
    try {
      cost::parse_machine(text, "machine.json");
    } catch (const UserError& error) { return std::string(error.what()); }
    return std::string("nothing");
  };
  EXPECT_NE(wrong("{").find("machine.json"), std::string::npos);
  EXPECT_NE(wrong("[]").find("expected an object"), std::string::npos);
  EXPECT_NE(wrong("{\"flop\": 1}").find("`flop`"), std::string::npos);
  EXPECT_NE(wrong("{\"flops\": {\"f23\": 1}}").find("`f23`"), std::string::npos);
  EXPECT_NE(wrong("{\"step\": -1}").find("above 0"), std::string::npos);
  EXPECT_NE(wrong("{\"unaligned\": 0.5}").find("a number from 1 on"), std::string::npos);
  EXPECT_NE(wrong("{\"overlap\": 2}").find("from 0 to 1"), std::string::npos);
  EXPECT_NE(wrong("{\"rates\": {\"tanhh\": {\"f32\": 1}}}").find("`tanhh`"), std::string::npos);
  EXPECT_NE(wrong("{\"collectives\": {\"gather\": {\"latency\": 1}}}").find("`gather`"), std::string::npos);
  EXPECT_NE(wrong("{\"axes\": {\"cols\": {\"width\": 1}}}").find("`width`"), std::string::npos);
  EXPECT_NE(wrong("{\"node\": 1.5}").find("a whole number"), std::string::npos);
  EXPECT_NE(wrong("{\"sources\": {\"step\": \"a datasheet\"}}").find("`step`, which the file has not"),
            std::string::npos);
}

TEST(MachineFile, AGroupInSeveralNodesSendsBetweenThemSideBySide) {
  const cost::MachineModel machine = cost::parse_machine(
      R"({"bandwidth": 4e11, "latency": 1e-6, "node": 8, "between": {"bandwidth": 5e10, "latency": 3e-6}})",
      "machine.json");
  const Mesh mesh(Name("mesh"), {{Name("stage"), 2}, {Name("data"), 4}, {Name("model"), 4}});
  const auto link = [&](AxisSet axes, spmd::CollectiveKind kind = spmd::CollectiveKind::kAllReduce) {
    return machine.over(mesh, axes, kind);
  };
  EXPECT_EQ(link(axis_bit(2)).bandwidth, 4e11);
  EXPECT_EQ(link(axis_bit(2)).latency, 1e-6);
  EXPECT_EQ(link(axis_bit(1)).bandwidth, 1e11) << "two of the four processors share a node";
  EXPECT_EQ(link(axis_bit(1)).latency, 3e-6);
  EXPECT_EQ(link(axis_bit(1) | axis_bit(2)).bandwidth, 4e11);
  EXPECT_EQ(link(axis_bit(0)).bandwidth, 5e10);
  EXPECT_EQ(link(axis_bit(1), spmd::CollectiveKind::kPermute).bandwidth, 5e10);
  EXPECT_DOUBLE_EQ(link(axis_bit(1), spmd::CollectiveKind::kAllToAll).bandwidth, 3 / (2 / 5e10 + 1 / 4e11));
  const Mesh pipeline(Name("mesh"), {{Name("stage"), 2}, {Name("model"), 4}, {Name("micro'"), 32}});
  EXPECT_EQ(machine.over(pipeline, axis_bit(1), spmd::CollectiveKind::kAllReduce).bandwidth, 4e11);
}

TEST(MachineFile, EachKnownMachineHasASourceForEachFigure) {
  EXPECT_EQ(cost::known_machines(), (std::vector<std::string>{"a100", "a100_2021", "b200", "h100", "h100_eager", "h800",
                                                              "mi300x", "tpu_v4", "tpu_v5p"}));
  for (const std::string& name : cost::known_machines()) {
    const cost::MachineModel machine = cost::read_machine(name);
    EXPECT_TRUE(machine.memory) << name;
    EXPECT_GE(machine.peak_of(ElementType::kBf16), machine.flops_of(ElementType::kBf16)) << name;
    for (const auto& [part, value] : nlohmann::json::parse(*cost::known_machine_text(name)).items())
      EXPECT_TRUE(part == "name" || part == "like" || part == "sources" || machine.sources.contains(part))
          << name << " " << part;
  }
}

TEST_F(Estimates, AKnownMachineIsNamedAndAnUnknownOneIsRefused) {
  const std::string file = write("a.mtf", kEstimatedStep);
  EXPECT_NE(mtf({"plan", file, "--machine", "h100"}).out.find("estimated time by H100 SXM"), std::string::npos);
  const ProcessResult refused = mtf({"plan", file, "--machine", "h99"});
  EXPECT_EQ(refused.status, 3) << refused.err;
  EXPECT_NE(refused.err.find("the machines that are known: a100, a100_2021, b200, h100"), std::string::npos)
      << refused.err;
  EXPECT_NE(mtf({"help", "machines"}).out.find("tpu_v5p"), std::string::npos);
  EXPECT_NE(mtf({"help", "a100"}).out.find("NVIDIA A100 datasheet: 80 GB"), std::string::npos);
}

TEST(MachineFile, MayChangeAnotherMachine) {
  const cost::MachineModel machine =
      cost::parse_machine(R"({"like": "h100", "memory": 94e9, "between": {"bandwidth": 2.5e10}})", "mine.json");
  EXPECT_EQ(machine.name, "mine.json");
  EXPECT_EQ(machine.memory, 94'000'000'000);
  EXPECT_EQ(machine.between.bandwidth, 2.5e10);
  EXPECT_EQ(machine.link.bandwidth, 3.7e11);
}

TEST_F(Estimates, WithoutFusionEachOperationReadsAndWritesMemory) {
  const std::string file =
      write("a.mtf", "dim a = 1000000\nlet x = random.uniform([a])\nprint(sum(((x + 1) * 2 - 3) / 4))\n");
  const auto seconds = [&](const std::string& fuses) {
    const std::string machine = write("m.json", R"({"memory_bandwidth": 1e9, "step": 1e-9, "fuses": )" + fuses + "}");
    return nlohmann::json::parse(mtf({"plan", file, "--machine", machine, "--json"}).out)["seconds"]["computing"]
        .get<double>();
  };
  EXPECT_GT(seconds("false"), 4 * seconds("true"));
}

TEST_F(Estimates, AProductWithUnalignedRowsIsSlower) {
  const auto seconds = [&](int columns, double unaligned) {
    const std::string file = write("a.mtf", fmt::format("dim rows = 64, inner = 64, columns = {}\n"
                                                        "let a = random.normal([rows, inner])\n"
                                                        "let b = random.normal([columns, inner])\n"
                                                        "print(max(einsum(a, b -> [rows, columns])))\n",
                                                        columns));
    const std::string machine = write(
        "m.json", fmt::format(R"({{"flops": {{"f32": 1e6}}, "memory_bandwidth": 1e15, "step": 1e-12, "unaligned": {}, )"
                              R"("rates": {{"elementwise": {{"f32": 1e15}}, "reduction": {{"f32": 1e15}}}}}})",
                              unaligned));
    return nlohmann::json::parse(mtf({"plan", file, "--machine", machine, "--json"}).out)["seconds"]["computing"]
        .get<double>();
  };
  EXPECT_NEAR(seconds(64, 3), 2 * 64 * 64 * 64 / 1e6, 1e-6) << "256 bytes";
  EXPECT_NEAR(seconds(60, 3), 2 * 64 * 64 * 60 / 1e6, 1e-6) << "240 bytes";
  EXPECT_NEAR(seconds(63, 3), 3 * 2 * 64 * 64 * 63 / 1e6, 1e-6) << "252 bytes";
  EXPECT_NEAR(seconds(63, 1), 2 * 64 * 64 * 63 / 1e6, 1e-6);
}

TEST_F(Estimates, CausalAttentionComputesWhatItsQueriesSee) {
  const std::string script =
      "dim length = 1024, seen = 1024, d = 64\n"
      "let q = random.normal([length, d])\n"
      "let k = random.normal([seen, d])\n"
      "print(sum(attention(q, k, k, over: seen, along: length, features: d, causal: CAUSAL, window: WINDOW)))\n";
  const std::string machine = write("machine.json", R"({"flops": {"f32": 1e3}, "memory_bandwidth": 1e15})");
  const auto seconds = [&](const std::string& causal, const std::string& window) {
    std::string text = std::regex_replace(script, std::regex("CAUSAL"), causal);
    const std::string file = write("a.mtf", std::regex_replace(text, std::regex("WINDOW"), window));
    const std::string out = mtf({"plan", file, "--machine", machine, "--json"}).out;
    return nlohmann::json::parse(out)["seconds"]["computing"].get<double>();
  };
  const double all = seconds("false", "1024");
  EXPECT_NEAR(seconds("true", "1024") / all, 0.5, 0.01);
  EXPECT_NEAR(seconds("true", "4096") / all, 0.5, 0.01) << "as nn.Attention writes it";
  EXPECT_NEAR(seconds("true", "512") / all, 0.375, 0.01);
}

// Four blocks of 128 queries are two chunks of whole tiles each, which are balanced; blocks of 64 queries are not. The
// last of these sees 7 / 8 of the memory, where a query sees half of it on average.
TEST_F(Estimates, CausalAttentionOverASplitLengthTakesAsLongAsItsSlowestBlock) {
  const std::string machine = write("machine.json", R"({"flops": {"f32": 1e3}, "memory_bandwidth": 1e15})");
  const auto seconds = [&](int length, const std::vector<std::string>& split) {
    const std::string file = write(
        "a.mtf", fmt::format("dim length = {0}, seen = {0}, d = 64\n"
                             "let q = random.normal([length, d])\n"
                             "let k = random.normal([seen, d])\n"
                             "print(sum(attention(q, k, k, over: seen, along: length, features: d, causal: true)))\n",
                             length));
    std::vector<std::string> words = {"plan", file, "--machine", machine, "--json"};
    words.insert(words.end(), split.begin(), split.end());
    return nlohmann::json::parse(mtf(words).out)["seconds"]["computing"].get<double>();
  };
  const std::vector<std::string> four = {"--mesh", "all:4", "--layout", "length:all"};
  EXPECT_NEAR(seconds(512, four) / seconds(512, {}), 1.0 / 4, 0.01);
  EXPECT_NEAR(seconds(256, four) / seconds(256, {}), 1.0 / 4 * 7 / 4, 0.01);
}

TEST_F(Estimates, APlanByAMachineAddsUpToWhatCompareSays) {
  const std::string file = write("a.mtf", kEstimatedStep);
  const std::string machine =
      write("machine.json", "{\"name\": \"a slow one\", \"flops\": {\"f32\": 1e6}, \"bandwidth\": 1e5}");
  const ProcessResult plan = mtf({"plan", file, "--machine", machine}),
                      compared = mtf({"compare", file, "--machine", machine});
  ASSERT_EQ(plan.status, 0) << plan.err;
  EXPECT_NE(plan.out.find("estimated time by a slow one"), std::string::npos) << plan.out;
  const std::string all = plan.out.substr(plan.out.find("in all") + 6);
  const std::string time = all.substr(all.find_first_not_of(' '), all.find('\n') - all.find_first_not_of(' '));
  EXPECT_NE(compared.out.find(time), std::string::npos) << plan.out << compared.out;
}

/// Returns the cells of the column named `heading` in a table of `mtf plan`, as seconds.
double seconds_in(const std::string& table) {
  double all = 0;
  for (std::size_t at = 0, end = 0; at < table.size(); at = end + 1) {
    end = std::min(table.find('\n', at), table.size());
    const std::string line = table.substr(at, end - at);
    std::size_t cut = line.find('%');
    if (cut == std::string::npos) continue;
    std::istringstream words(line.substr(cut + 1));
    double number = 0;
    std::string unit;
    words >> number >> unit;
    all += number * (unit == "s" ? 1 : unit == "ms" ? 1e-3 : 1e-6);
  }
  return all;
}

/// Lists by line, function and part of the model, the tree, the values and the CSV tell the same time.
TEST_F(Estimates, EachFormOfAPlanHasTheWholeTime) {
  const std::string machine = write("machine.json", "{\"bandwidth\": 1e8, \"overlap\": 0.8}");
  for (const std::string script : {"two_layer", "pipeline", "zero", "unet", "megatron"}) {
    const std::string file = source_folder() + "/examples/" + script + ".mtf";
    const auto planned = [&](std::vector<std::string> words) {
      words.insert(words.begin(), {"plan", file, "--machine", machine});
      const ProcessResult plan = mtf(words);
      EXPECT_EQ(plan.status, 0) << plan.err;
      return plan.out;
    };
    const auto json = nlohmann::json::parse(planned({"--json"}));
    const double all = json["seconds"]["in all"];
    double statements = 0;
    for (const auto& each : json["parts"]) statements += each.value("seconds", 0.0);
    EXPECT_NEAR(statements, all, 1e-9 * all) << script;
    for (const std::string by : {"line", "function", "path"})
      EXPECT_NEAR(seconds_in(planned({"--by", by})), all, 0.01 * all) << script << by;
    const std::string csv = planned({"--csv"});
    EXPECT_MENTIONS(csv, "wire_bytes,seconds,line\n");
    double lines = 0;
    std::istringstream rows(csv);
    for (std::string row; std::getline(rows, row) && !row.empty();) {
      std::size_t at = 0;
      for (int cell = 0; cell < 6; ++cell) at = row.find(',', at) + 1;
      lines += std::strtod(row.c_str() + at, nullptr);
    }
    EXPECT_NEAR(lines, all, 1e-9 * all) << script;
    EXPECT_NE(planned({"--by", "value"}).find("µs"), std::string::npos) << script;
  }
}

/// Only the communication that computing does not hide takes time.
TEST_F(Estimates, ALineHasTheTimeThatNothingHides) {
  const std::string file = write("a.mtf", kEstimatedStep);
  const auto collectives = [&](const std::string& overlap) {
    const std::string machine = write("machine.json", "{\"bandwidth\": 1e11, \"overlap\": " + overlap + "}");
    const ProcessResult plan = mtf({"plan", file, "--machine", machine, "--set", "io=256", "--set", "hidden=1024",
                                    "--layout", "batch:rows", "--by", "collective"});
    return seconds_in(plan.out.substr(0, plan.out.find("\n\n")));
  };
  EXPECT_LT(collectives("1"), 0.9 * collectives("0"));
}

TEST_F(Estimates, SortingByTimeNeedsAMachine) {
  const std::string file = write("a.mtf", kEstimatedStep);
  EXPECT_MENTIONS(mtf({"plan", file, "--sort", "time"}).err, "--sort time needs `--machine FILE`");
}

/// The first of two gradients is summed while the second is computed.
TEST_F(Estimates, GradientsAreSummedBesideTheBackwardPass) {
  const std::string file = write("a.mtf", kEstimatedStep);
  const auto planned = [&](const std::string& overlap, const std::string& layout) {
    const std::string machine = write("machine.json", "{\"bandwidth\": 1e11, \"overlap\": " + overlap + "}");
    return mtf({"compare", file, "--machine", machine, "--set", "io=256", "--set", "hidden=1024", "--layout", layout})
        .out;
  };
  EXPECT_EQ(planned("0", "batch:rows").find("beside computing"), std::string::npos);
  EXPECT_NE(planned("1", "batch:rows").find("beside computing"), std::string::npos) << planned("1", "batch:rows");
  EXPECT_EQ(planned("1", "").find("beside computing"), std::string::npos) << "nothing is communicated";
}

/// A script with a pipeline of four stages, which applies `layer` to h and w.
std::string pipeline_of(const std::string& layer, const std::string& more) {
  return "mesh line = [p: 4]\nlayout stages = {layers -> p}\ndim layers = 4, micro = 8, a = 3\n"
         "print(sum(scan(fn(h, w) = " +
         layer + ", ones([micro, a]), random.normal([layers, a]), over: layers, pipeline: micro" + more + ")))\n";
}

TEST_F(Estimates, APlanSaysHowLongStagesOfAPipelineIdle) {
  const ProcessResult plan = mtf({"plan", write("a.mtf", pipeline_of("tanh(h * w)", ""))});
  EXPECT_NE(plan.out.find("each stage of a pipeline over p idles in 3 of 11 turns, 27% of its time; the schedule is "
                          "gpipe"),
            std::string::npos)
      << plan.out;
}

TEST_F(Estimates, APlanSaysThatAPipelineWithoutAGradientCannotAlternate) {
  const ProcessResult plan = mtf({"plan", write("a.mtf", pipeline_of("h * w", ", schedule: \"1f1b\""))});
  EXPECT_NE(plan.out.find("a pipeline over p is to have the schedule 1f1b, and has gpipe"), std::string::npos)
      << plan.out;
  EXPECT_EQ(plan.out.find("micro'"), std::string::npos) << "micro-batches are no axis of processors";
}

TEST_F(Estimates, APlanSaysWhereProcessorsIdleOrRepeatWork) {
  const std::string file = write(
      "a.mtf",
      "dim batch = 64, heads = 4, d = 16\nlet x = random.uniform([batch, d])\nlet w = random.uniform([d, heads])\n"
      "print(sum(square(einsum(x, w -> [batch, heads]))))\n");
  const ProcessResult idle = mtf({"plan", file, "--mesh", "all:32", "--layout", "heads:all"});
  EXPECT_NE(idle.out.find("warning: `heads` has 4 elements and is split over all, 32 processors: 28 of them idle"),
            std::string::npos)
      << idle.out;
  const ProcessResult repeated = mtf({"plan", file, "--mesh", "rows:4;cols:2", "--layout", "batch:rows"});
  EXPECT_NE(repeated.out.find("warning: all processors along `cols` do the same in 100% of the work"),
            std::string::npos)
      << repeated.out;
  EXPECT_EQ(mtf({"plan", file, "--mesh", "all:4", "--layout", "batch:all"}).out.find("warning"), std::string::npos);
}

TEST_F(Estimates, APlanNamesTheRuleThatSplitsGroupedKeysAndValues) {
  const std::string rules = "heads:model;d_ff:model;vocab:model";
  const std::string file = write(
      "a.mtf",
      "import transformer, losses\n"
      "dim vocab = 1024, length = 128, features = 256, heads = 16, head_size = 16, d_ff = 512, batch = 8\n"
      "let net = transformer.LanguageModel(vocab, length, features, heads, head_size, d_ff, layers: 2, key_heads: 8)\n"
      "let ids = random.integers([batch, length], 0, size(vocab))\n"
      "print(sum(grad(losses.language(net(ids), ids, vocab), net.params)[0]))\n");
  const ProcessResult whole = mtf({"plan", file, "--mesh", "model:8", "--layout", rules});
  EXPECT_NE(whole.out.find("no dim of it is split over `model`; the rule `group -> model` can split "),
            std::string::npos)
      << whole.out;
  const ProcessResult split = mtf({"plan", file, "--mesh", "model:8", "--layout", rules + ";group:model"});
  EXPECT_EQ(split.out.find("warning"), std::string::npos) << split.out;
}

TEST_F(Estimates, ATimelineHasATrackForEachProcessor) {
  const std::string file = write("a.mtf", kEstimatedStep), trace = path("trace.json"), picture = path("trace.svg");
  ASSERT_EQ(mtf({"run", file, "--timeline", trace}).status, 0);
  const auto json = nlohmann::json::parse(read("trace.json"));
  std::set<int> processors, with_collectives;
  for (const auto& event : json["traceEvents"]) {
    if (event["ph"] != "X") continue;
    EXPECT_GE(event["ts"], 0);
    processors.insert(event["pid"].get<int>());
    if (event["tid"] == 1) with_collectives.insert(event["pid"].get<int>());
  }
  EXPECT_EQ(processors, (std::set<int>{0, 1, 2, 3}));
  EXPECT_EQ(with_collectives, processors);
  ASSERT_EQ(mtf({"run", file, "--timeline", picture}).status, 0);
  EXPECT_NE(read("trace.svg").find("processor 3"), std::string::npos);
}

const std::string kTrainedLoop =
    "mesh grid = [rows: 2]\nlayout data = {batch -> rows}\ndim batch = 64, a = 32\n"
    "model Net {\n  param w: [a] = 1\n  fn call(x) = einsum(x, w -> [batch])\n}\nlet net = Net()\n"
    "for step in 0..5 {\n  let loss = mean(square(net(random.uniform([batch, a]))))\n"
    "  for (p, g) in zip(net.params, grad(loss, net.params)) { p := p - 0.01 * g }\n"
    "  print(\"step {step}: loss {loss}\")\n}\n";

TEST_F(Estimates, ATimelineNamesLinesAndIterationsAndCountsMemory) {
  const std::string file = write("a.mtf", kTrainedLoop);
  ASSERT_EQ(mtf({"run", file, "--timeline", path("trace.json")}).status, 0);
  std::set<std::string> runs;
  std::int64_t most = 0;
  const auto trace = nlohmann::json::parse(read("trace.json"));
  for (const auto& event : trace["traceEvents"]) {
    if (event["ph"] == "X" && event["tid"] == 2) runs.insert(event["name"].get<std::string>());
    if (event["ph"] == "X" && event["tid"] != 2) {
      EXPECT_MENTIONS(event["args"]["place"].get<std::string>(), ".mtf:");
    }
    if (event["ph"] == "C") most = std::max(most, event["args"]["bytes"].get<std::int64_t>());
    if (event.contains("dur")) { EXPECT_LE(event["dur"].dump().size(), 10u) << "too many digits"; }
  }
  for (const std::string iteration : {"0", "4"})
    EXPECT_EQ(runs.count("a.mtf:12  print(\"step {step}: loss {loss}\"), iteration " + iteration), 1u) << *runs.begin();
  const auto plan = nlohmann::json::parse(mtf({"plan", file, "--json"}).out)["totals"];
  EXPECT_LE(most, plan["peak_bytes"].get<std::int64_t>());
  EXPECT_GE(most, plan["peak_bytes"].get<std::int64_t>() / 2);
  ASSERT_EQ(mtf({"run", file, "--timeline", path("trace.svg")}).status, 0);
  const std::string picture = read("trace.svg");
  EXPECT_MENTIONS(picture, "loss}&quot;), iteration 4");
  EXPECT_TRUE(std::regex_search(picture, std::regex("<line class=\"t\".*>[0-9.]+ (µs|ms|s)</text>"))) << picture;
}

TEST_F(Estimates, APictureOfALongRunIsNoLargerAndAnEventOfATraceIsShort) {
  std::string longer = kTrainedLoop;
  longer.replace(longer.find("0..5"), 4, "0..2000");
  const std::string file = write("a.mtf", longer);
  ASSERT_EQ(mtf({"run", file, "--timeline", path("trace.svg")}).status, 0);
  EXPECT_LT(read("trace.svg").size(), 300'000u);
  ASSERT_EQ(mtf({"run", file, "--timeline", path("trace.json")}).status, 0);
  const std::string trace = read("trace.json");
  EXPECT_LT(trace.size(), 150 * nlohmann::json::parse(trace)["traceEvents"].size());
}

TEST_F(Estimates, ArrowsOfATimelineLeadToRanksThatHaveWaited) {
  if (!has_mpirun()) GTEST_SKIP();
  const std::string file = write("a.mtf", kTrainedLoop);
  ASSERT_EQ(run_on_ranks(2, {kMtf, "run", file, "--timeline", path("trace.json")}).status, 0);
  std::map<int, nlohmann::json> begun;
  int arrows = 0;
  const auto trace = nlohmann::json::parse(read("trace.json"));
  for (const auto& event : trace["traceEvents"]) {
    if (event["ph"] == "s") begun[event["id"]] = event;
    if (event["ph"] != "f") continue;
    ++arrows;
    ASSERT_TRUE(begun.contains(event["id"]));
    EXPECT_NE(event["pid"], begun[event["id"]]["pid"]);
  }
  EXPECT_GE(arrows, 5) << "one all_reduce of a gradient in each iteration";
}

/// Returns the seconds at the beginning of a line of a profile's totals.
double total_in(const std::string& profile, const std::string& what) {
  std::istringstream words(profile.substr(profile.find("\n    " + what) + 5 + what.size()));
  double number = 0;
  std::string unit;
  words >> number >> unit;
  return number * (unit == "s" ? 1 : unit == "ms" ? 1e-3 : 1e-6);
}

TEST_F(Estimates, AProfileHasMeasuredAndPredictedTimeOfEachLine) {
  const std::string file = write("a.mtf", kTrainedLoop);
  const std::string machine = write("machine.json", "{\"name\": \"a slow one\", \"flops\": {\"f32\": 1e6}}");
  const ProcessResult run = mtf({"run", file, "--profile", "--machine", machine});
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_TRUE(std::regex_search(
      run.out, std::regex("%  +[0-9.]+ (µs|ms) .*a.mtf:6  +fn call\\(x\\) = einsum\\(x, w -> \\[batch\\]\\)")))
      << run.out;
  EXPECT_TRUE(std::regex_search(run.out, std::regex("%.* (µs|ms)  +a.mtf:12  +print"))) << run.out;
  for (const std::string what : {"computing", "collectives", "host"}) EXPECT_GT(total_in(run.out, what), 0) << run.out;
  const auto plan = nlohmann::json::parse(mtf({"plan", file, "--machine", machine, "--json"}).out);
  const std::string predicted = run.out.substr(run.out.find("predicted by a slow one: ") + 25);
  EXPECT_NEAR(std::strtod(predicted.c_str(), nullptr) * (predicted.find(" s ") < predicted.find(" for") ? 1 : 1e-3),
              plan["seconds"]["in all"].get<double>(), 1e-2 * plan["seconds"]["in all"].get<double>())
      << run.out;
  EXPECT_MENTIONS(mtf({"run", file, "--machine", machine}).err, "--profile");
}

TEST_F(Estimates, AProfileOfRanksIsThatOfTheSlowest) {
  if (!has_mpirun()) GTEST_SKIP();
  const ProcessResult run = run_on_ranks(2, {kMtf, "run", write("a.mtf", kTrainedLoop), "--profile"});
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_TRUE(std::regex_search(run.out, std::regex(" in all, on rank [01] of 2, which computes longest: 1\\.[0-9]+ "
                                                    "times as long as rank [01]\n")))
      << run.out;
}

TEST_F(Estimates, ALossCurveIsDrawnOfThePrintedLosses) {
  const std::string file = write("a.mtf", kEstimatedStep), picture = path("loss.svg");
  ASSERT_EQ(mtf({"run", file, "--loss-curve", picture}).status, 0);
  EXPECT_NE(read("loss.svg").find("<polyline"), std::string::npos);
}

TEST_F(Estimates, AScriptThatFailsLeavesWhatWasRecordedUntilThen) {
  const std::string file = write("a.mtf", kEstimatedStep + "print(\"step 7: loss 0.5\")\nassert sum(x) == 0.125\n");
  for (const int ranks : {1, 2}) {
    if (ranks > 1 && !has_mpirun()) continue;
    const std::vector<std::string> line = {kMtf,           "run",           file, "--timeline", path("trace.json"),
                                           "--loss-curve", path("loss.svg")};
    const ProcessResult result = ranks == 1 ? run_process(line, {}, kPatience) : run_on_ranks(ranks, line);
    EXPECT_EQ(result.status, 1) << result.err;
    EXPECT_MENTIONS(result.err, "assertion_failed");
    std::size_t steps = 0;
    const auto trace = nlohmann::json::parse(read("trace.json"));
    for (const auto& event : trace["traceEvents"]) steps += event["ph"] == "X";
    EXPECT_GT(steps, 0u);
    EXPECT_MENTIONS(read("loss.svg"), "<polyline");
    for (const char* name : {"trace.json", "loss.svg"}) std::filesystem::remove(path(name));
  }
}

TEST_F(Estimates, AFileThatCannotBeWrittenIsTheUsersError) {
  const std::string file = write("a.mtf", kEstimatedStep);
  for (const char* option : {"--timeline", "--loss-curve", "--reads"}) {
    const ProcessResult result = mtf({"run", file, option, path("nowhere/x")});
    EXPECT_EQ(result.status, 3);
    EXPECT_MENTIONS(result.err, "[cannot_write]");
  }
}

/// Batch over one axis; vocab, d_ff and heads over the other (Mesh-TensorFlow, section 9). More layers take longer and
/// give the same result.
TEST_F(Estimates, ASearchFindsTheLayoutOfThePapersTransformer) {
  std::vector<std::string> words = {"search", source_folder() + "/examples/transformer.mtf", "--processors", "512"};
  for (const char* size : {"layers=1", "n_batch=256", "n_length=256", "hidden=1024", "n_heads=256", "head_size=256",
                           "ff_size=262144", "words=32768"})
    words.insert(words.end(), {"--set", size});
  const ProcessResult found = mtf(words);
  EXPECT_NE(found.out.find("mesh   found = [rows: 16, cols: 32]\n"
                           "layout best  = {batch -> rows, d_ff -> cols, heads -> cols, vocab -> cols}\n"),
            std::string::npos)
      << found.out << found.err;
}

TEST_F(Estimates, ASearchPrintsTheRulesByPathThatItFound) {
  const std::string file = write("a.mtf",
                                 "import optim\n"
                                 "dim batch = 8, d = 256, e = 256\n"
                                 "model Layer {\n"
                                 "  param w: [d, e] = init.normal(stddev: 0.1)\n"
                                 "  fn call(x) = rename(tanh(einsum(x, w -> [batch, e])), e -> d)\n"
                                 "}\n"
                                 "model Net {\n"
                                 "  let all = [Layer() for i in 0..6]\n"
                                 "  fn call(x) { for layer in all { x := layer(x) }; return x }\n"
                                 "}\n"
                                 "let net = Net()\n"
                                 "let opt = optim.Adam(net.params)\n"
                                 "let x = random.uniform([batch, d])\n"
                                 "for step in 0..2 { let loss = sum(square(net(x))); opt.minimize(loss) }\n"
                                 "print(sum(net(x)))\n");
  const std::vector<std::string> words = {"search", file,       "--processors", "4",        "--axes",
                                          "1",      "--layout", "batch:rows",   "--memory", "4MB"};
  EXPECT_EQ(mtf(words).status, 4);
  std::vector<std::string> with_stored = words;
  with_stored.push_back("--stored");
  const ProcessResult found = mtf(with_stored);
  EXPECT_TRUE(std::regex_search(found.out,
                                std::regex("layout best  = \\{batch -> rows, params \"\\*\": \\{[de] -> rows\\}\\}\n")))
      << found.out << found.err;
}

/// A step of Adam for `layers` layers of a width, with a batch.
std::string layers_text(int layers, int width, int batch) {
  return fmt::format(
      "import optim\n"
      "dim batch = {}, d = {}, e = {}\n"
      "model Layer {{\n"
      "  param w: [d, e] = init.normal(stddev: 0.1)\n"
      "  fn call(x) = rename(tanh(einsum(x, w -> [batch, e])), e -> d)\n"
      "}}\n"
      "model Net {{\n"
      "  let all = [Layer() for i in 0..{}]\n"
      "  fn call(x) {{ for layer in all {{ x := layer(x) }}; return x }}\n"
      "}}\n"
      "let net = Net()\n"
      "let opt = optim.Adam(net.params)\n"
      "let x = random.uniform([batch, d])\n"
      "for step in 0..2 {{ let loss = sum(square(net(x))); opt.minimize(loss) }}\n"
      "print(sum(net(x)))\n",
      batch, width, width, layers);
}

TEST_F(Estimates, ASearchThatFitsNothingSaysTheSmallestPeakAndWhatWouldHelp) {
  const std::string file = write("a.mtf", layers_text(24, 1536, 65536));
  const auto began = std::chrono::steady_clock::now();
  const ProcessResult found = mtf({"search", file, "--processors", "8", "--memory", "500MB"});
  EXPECT_LT(std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count(), 30);
  EXPECT_EQ(found.status, 4);
  std::smatch said;
  ASSERT_TRUE(
      std::regex_search(found.err, said, std::regex("no layout fits 476.8 MiB: the smallest peak found is (.*)\n")))
      << found.err;
  const std::string peak = said[1];
  ASSERT_TRUE(std::regex_search(found.err, said, std::regex("mesh \\[(.*)\\], layout \\{(.*)\\}"))) << found.err;
  const auto in_options = [](std::string text) {
    for (const auto& [from, to] :
         {std::pair{", ", ";"}, {": ", ":"}, {" -> ", ":"}, {"\\[([a-z]*);([a-z]*)\\]", "$1+$2"}})
      text = std::regex_replace(text, std::regex(from), to);
    return text;
  };
  const ProcessResult plan = mtf({"plan", file, "--mesh", in_options(said[1]), "--layout", in_options(said[2])});
  EXPECT_NE(plan.out.find(peak), std::string::npos) << peak << "\n" << plan.out << plan.err;
  for (const char* help : {"more processors: with ", "more memory: `--memory ", "`--stored`, which stores",
                           "`recompute(f, x)` around a layer"})
    EXPECT_NE(found.err.find(help), std::string::npos) << help << "\n" << found.err;
  // With the memory in the message there is a layout.
  ASSERT_TRUE(std::regex_search(found.err, said, std::regex("`--memory (.*)`"))) << found.err;
  EXPECT_EQ(mtf({"search", file, "--processors", "8", "--memory", said[1]}).status, 0);
}

TEST_F(Estimates, ASearchSaysThatFewerProcessorsWouldDo) {
  const std::string product =
      "let x = random.normal([a, b])\nlet y = random.normal([b, c])\nprint(sum(einsum(x, y -> [a, c])))\n";
  const std::string small = write("a.mtf", "dim a = 4, b = 1000, c = 3\n" + product),
                    large = write("b.mtf", "dim a = 4000, b = 4000, c = 4000\n" + product);
  const ProcessResult many = mtf({"search", small, "--processors", "512", "--whole", "b"}),
                      few = mtf({"search", large, "--processors", "2"});
  EXPECT_NE(few.out.find("estimated time"), std::string::npos) << few.out << few.err;
  EXPECT_EQ(few.out.find("do the work"), std::string::npos) << few.out;
  EXPECT_TRUE(std::regex_search(
      many.out,
      std::regex("512 processors do the work [0-9.]+ times: [0-9]+ would take .* instead of .*, with\n  mesh ")))
      << many.out << many.err;
}

TEST_F(Estimates, ASearchNamesWhatSpeaksForItsBest) {
  const std::string file = write("a.mtf", kEstimatedStep);
  const ProcessResult found = mtf({"search", file, "--processors", "4"});
  const size_t reasons = found.out.find("the best is quicker, because\n");
  ASSERT_NE(reasons, std::string::npos) << found.out;
  const std::string text = found.out.substr(reasons);
  const std::regex reason("takes ([0-9.]+) (ns|µs|ms|s) instead of ([0-9.]+) (ns|µs|ms|s)");
  const std::map<std::string, double> units = {{"ns", 1e-9}, {"µs", 1e-6}, {"ms", 1e-3}, {"s", 1}};
  int count = 0;
  for (std::sregex_iterator at(text.begin(), text.end(), reason), end; at != end; ++at, ++count)
    EXPECT_LE(std::stod((*at)[1]) * units.at((*at)[2]), std::stod((*at)[3]) * units.at((*at)[4])) << text;
  EXPECT_GT(count, 0);
}

}  // namespace
}  // namespace mtf::tool
