// Checkpoints: a run that was ended in any way continues as if nothing had happened, under any mesh, layout and ranks.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>

#include "../pseudo_terminal.h"
#include "command.h"
#include "mpi_job.h"

namespace mtf::tool {
namespace {

const std::string kTraining =
    "import nn, optim, checkpoint\n"
    "option folder = \"\"\n"
    "option steps = 6\n"
    "option resume = false\n"
    "dim batch = 6, a = 10, h = 7\n"
    "seed 3\n"
    "model Net {\n"
    "  let up = nn.Dense(a, h)\n"
    "  let down = nn.Dense(h, a)\n"
    "  fn call(x) = down(dropout(relu(up(x)), rate: 0.2))\n"
    "}\n"
    "let net = Net()\n"
    "let opt = optim.Adam(net.params)\n"
    "let begin = 0\n"
    "if resume { begin := checkpoint.load(folder, net, opt) }\n"
    "for step in begin..steps {\n"
    "  let x = random.normal([batch, a])\n"
    "  let loss = mean(square(net(x) - x))\n"
    "  opt.minimize(loss)\n"
    "  print(\"step {step}: loss {loss:.4f}\")\n"
    "  checkpoint.save(folder, net, opt, step: step + 1, keep: 2)\n"
    "}\n";

/// Scripts with their expected output. They write into the folder `folder`.
const std::string kWithoutOptimizer = R"(import checkpoint, optim
dim a = 2
model Net { param w: [a] = 1 }
let net = Net()
let opt = optim.Adam(net.params)
let begun = checkpoint.load(folder, net, opt)
net.w := 0 * net.w + 3
checkpoint.save(folder, net, opt, step: 1)
let other = Net()
print(checkpoint.load(folder, other), other.w)
#> 1 [3, 3]
)";
const std::string kInParts = R"(import checkpoint, optim
dim a = 2
model Net { param w: [a] = 1 }
let net = Net()
let opt = optim.Adam(net.params)
let begun = checkpoint.load(folder, net, opt)
opt.minimize(sum(net.w ^ 2))
checkpoint.save(folder, net, opt, step: 1)
let other = Net()
let second = optim.Adam(other.params)
print(checkpoint.load(folder, opt: second), other.w)
#> 1 [1, 1]
second.minimize(sum(net.w ^ 2) + sum(other.w ^ 2))
print(checkpoint.load(folder, other), max(abs(other.w - net.w)))
#> 1 0
let third = checkpoint.resume(folder, other)
#! file_shape_mismatch: no variable is called `optimizer.
)";

/// Layers in a list are loaded into stacked ones, and these into a list again, with each optimizer.
const std::string kConverted = R"(import transformer, losses, optim, checkpoint
option folder = ""
dim batch = 2, length = 5, vocab = 7, features = 8, heads = 2, head_size = 4, hidden = 12
let ids = random.integers([batch, length], 0, 7)
fn made(is_stack, make: fn, key) {
  seed key
  let net = transformer.LanguageModel(vocab, length, features, heads, head_size, hidden, layers: 3, stacked: is_stack)
  return (net, make(net.params))
}
fn train(net, opt) {
  for i in 0..2 { opt.minimize(losses.language(net(ids), ids, vocab)) }
}
fn same(a, b) = all_of([all(x == y) for (x, y) in zip(a.params + a.states, b.params + b.states)])
fn all_of(list) {
  for x in list { if not x { return false } }
  return true
}
for (name, make) in [("adam", fn(p) = optim.AdamW(p, lr: 0.01)), ("adafactor", fn(p) = optim.Adafactor(p, lr: 0.1)), ("sgd", fn(p) = optim.Sgd(p, momentum: 0.9)), ("plain", fn(p) = optim.Sgd(p))] {
  let (listed, first) = made(false, make, 1)
  train(listed, first)
  checkpoint.save("{folder}/{name}-list", listed, first, step: 2)
  let (stack_one, second) = made(true, make, 2)
  print(checkpoint.load("{folder}/{name}-list", stack_one, second), all(stack_one.blocks.attention.wq == stack([b.attention.wq for b in listed.blocks], stack_one.over)))
  checkpoint.save("{folder}/{name}-stack", stack_one, second, step: 2)
  let (back, third) = made(false, make, 3)
  print(checkpoint.load("{folder}/{name}-stack", back, third), same(back, listed), same(third, first))
  let (alone, unused) = made(true, make, 4)
  print(checkpoint.load("{folder}/{name}-list", alone), same(alone, stack_one))
}
)";

/// A model whose layers are in two chunks, and the same one without chunks.
const std::string kInChunks = R"(import checkpoint, optim
option folder = ""
dim layers = 4, micro = 4, hidden = 3
model Layer() {
  param w: [hidden] = init.normal()
  fn call(x) = tanh(x * w)
}
let start = random.normal([micro, hidden])
fn made(chunks) {
  let net = stacked(layers, fn() = Layer(), chunks: chunks)
  return (net, optim.Adam(net.params))
}
fn step(net, opt, chunks) {
  let y = scan(fn(h, layer) = layer(h), start, net, over: layers, pipeline: micro, schedule: "1f1b", chunks: chunks)
  let loss = mean(square(y))
  opt.minimize(loss)
  return float(loss)
}
let (two, opt_two) = made(2)
step(two, opt_two, 2)
checkpoint.save(folder, two, opt_two, step: 1)
let (one, opt_one) = made(none)
print(checkpoint.load(folder, one, opt_one), all(reshape(two.w -> [layers, hidden]) == one.w))
print(step(one, opt_one, none) == step(two, opt_two, 2), all(reshape(two.w -> [layers, hidden]) == one.w))
checkpoint.save(folder, one, opt_one, step: 2)
print(checkpoint.load(folder, two, opt_two), step(one, opt_one, none) == step(two, opt_two, 2))
)";

class Checkpoint : public CommandTest {
 protected:
  void SetUp() override {
    CommandTest::SetUp();
    script_ = write("train.mtf", kTraining);
    folder_ = path("checkpoints");
  }
  std::vector<std::string> words(const std::vector<std::string>& more) const {
    std::vector<std::string> all = {"run", script_, "--set", "folder=" + folder_};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  ProcessResult train(const std::vector<std::string>& more) const { return mtf(words(more)); }
  ProcessResult train_on(int ranks, const std::vector<std::string>& more) const {
    std::vector<std::string> line = {kMtf};
    for (const std::string& word : words(more)) line.push_back(word);
    return run_on_ranks(ranks, line);
  }
  void forget() const { std::filesystem::remove_all(folder_); }
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder_))
      names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
  }
  std::string script_, folder_;
};

TEST_F(Checkpoint, ALoadedRunGoesOnAsTheWholeOneUnderAnyLayout) {
  const std::string whole = train({}).out;
  for (const char* layout : {"batch:all", "h:all", "a:all"}) {
    forget();
    std::string out = train({"--set", "steps=3", "--mesh", "all:4", "--layout", layout}).out;
    out += train({"--set", "resume=true", "--mesh", "r:2;c:3", "--layout", "batch:r;h:c"}).out;
    EXPECT_EQ(out, whole) << layout;
  }
}

TEST_F(Checkpoint, RanksWriteAndReadTheBlocksThatTheyHold) {
  if (!has_mpirun()) GTEST_SKIP() << "no mpirun";
  const std::string whole = train({}).out;
  forget();
  std::string out = train_on(3, {"--set", "steps=3", "--mesh", "r:2;c:3", "--layout", "batch:r;h:c"}).out;
  out += train_on(2, {"--set", "resume=true", "--mesh", "all:4", "--layout", "a:all"}).out;
  EXPECT_EQ(out, whole);
}

TEST_F(Checkpoint, TheSameVariablesAreTheSameBytesUnderAnyLayout) {
  train({"--set", "steps=1"});
  const std::string copy =
      kTraining.substr(0, kTraining.find("let begin")) +
      "option to = \"\"\nlet at = checkpoint.load(folder, net, opt)\ncheckpoint.save(to, net, opt, step: at)\n";
  const ProcessResult result = mtf({"run", write("copy.mtf", copy), "--set", "folder=" + folder_, "--set",
                                    "to=" + path("copies"), "--mesh", "r:2;c:3", "--layout", "a:r;h:c"});
  EXPECT_EQ(result.err, "");
  EXPECT_EQ(read("copies/step-00000001.safetensors"), read("checkpoints/step-00000001.safetensors"));
}

TEST_F(Checkpoint, TheDimOfAModelIsStoredByItsPlainName) {
  train({"--set", "steps=1"});
  const std::string bytes = read("checkpoints/step-00000001.safetensors");
  std::string with_own = kTraining;
  with_own.replace(with_own.find(", h = 7"), 7, "");
  with_own.replace(with_own.find("  let up"), 0, "  dim h = 7\n");
  script_ = write("own.mtf", with_own);
  const ProcessResult loaded = train({"--set", "steps=1", "--set", "resume=true"});
  EXPECT_EQ(loaded.err, "");
  forget();
  train({"--set", "steps=1"});
  EXPECT_EQ(read("checkpoints/step-00000001.safetensors"), bytes);
}

TEST_F(Checkpoint, AModelIsLoadedWithoutItsOptimizerAndAnOptimizerAlone) {
  for (const std::string& script : {kWithoutOptimizer, kInParts}) {
    forget();
    const ProcessResult found = mtf({"test", write("golden.mtf", "let folder = \"" + folder_ + "\"\n" + script)});
    EXPECT_EQ(found.status, 0) << found.out << found.err;
  }
}

TEST_F(Checkpoint, LayersOfAListBecomeStackedOnesAndAListAgainWithoutAChangeOfABit) {
  const std::string script = write("converted.mtf", kConverted);
  const std::vector<std::string> line = {kMtf, "run", script, "--set", "folder=" + folder_};
  std::string expected;
  for (int i = 0; i < 4; ++i) expected += "2 true\n2 true true\n2 true\n";
  const ProcessResult alone = run_process(line, {}, kPatience);
  EXPECT_EQ(alone.out, expected) << alone.err;
  if (!has_mpirun()) GTEST_SKIP() << "no mpirun";
  forget();
  std::vector<std::string> split = line;
  split.insert(split.end(), {"--mesh", "rows:2;cols:2", "--layout", "layers:rows;hidden:cols;vocab:cols"});
  const ProcessResult ranks = run_on_ranks(2, split);
  EXPECT_EQ(ranks.out, expected) << ranks.err;
}

TEST_F(Checkpoint, LayersInChunksAreStoredAsThoseWithout) {
  for (const char* mesh : {"", "p:2"}) {
    forget();
    const ProcessResult result = mtf({"run", write("chunks.mtf", kInChunks), "--set", "folder=" + folder_, "--mesh",
                                      mesh, "--layout", *mesh ? "layers:p" : ""});
    EXPECT_EQ(result.out, "1 true\ntrue true\n2 true\n") << result.err;
  }
}

TEST_F(Checkpoint, StackedLayersOfAnotherNumberAreRefused) {
  const std::string models =
      "import checkpoint\ndim a = 2, three = 3, four = 4\nmodel Layer { param w: [a] = 1 }\n"
      "model Listed(n: int) { let blocks = [Layer() for i in 0..n] }\n"
      "model Stack(layers: dim) { let blocks = stacked(layers, fn() = Layer()) }\n"
      "option folder = \"\"\ncheckpoint.save(folder, Listed(3), step: 1)\n";
  const auto loaded = [&](const std::string& model) {
    forget();
    return mtf({"run", write("load.mtf", models + "print(checkpoint.load(folder, " + model + "))\n"), "--set",
                "folder=" + folder_});
  };
  EXPECT_EQ(loaded("Stack(three)").out, "1\n");
  EXPECT_NE(loaded("Stack(four)").err.find("`blocks.w`, which is not there"), std::string::npos);
  EXPECT_NE(loaded("Listed(2)").err.find("no variable is called `blocks[2].w`"), std::string::npos);
}

TEST_F(Checkpoint, AFolderMayBeNamedByWhatOnlyTheRunKnows) {
  const std::string file = write("a.mtf",
                                 "import checkpoint\ndim a = 2\nmodel Net { param w: [a] = 1 }\nlet net = Net()\n"
                                 "checkpoint.save(\"" +
                                     folder_ + "{int(sum(net.w))}\", net, step: 1)\n");
  for (const char* command : {"check", "plan", "run"}) {
    const ProcessResult found = mtf({command, file});
    EXPECT_EQ(found.status, 0) << command << found.err;
  }
}

TEST_F(Checkpoint, OnlyTheLatestAreKept) {
  train({});
  EXPECT_EQ(files(), (std::vector<std::string>{".mtf-run", "step-00000005.safetensors", "step-00000006.safetensors"}));
}

TEST_F(Checkpoint, AKilledRunGoesOnFromItsLastOne) {
  if (!has_mpirun()) GTEST_SKIP() << "no mpirun";
  const std::string whole = train({"--set", "steps=400"}).out;
  forget();
  for (int kills = 0; kills < 3; ++kills) {
    MpiJob job(1, {kMtf, "run", script_, "--set", "folder=" + folder_, "--set", "steps=400", "--set",
                   kills ? "resume=true" : "resume=false"});
    ASSERT_TRUE(job.has_printed("step " + std::to_string(20 + 15 * kills) + ":"));
    for (const pid_t rank : job.ranks()) kill(rank, SIGKILL);
    job.end();
  }
  const std::string rest = train({"--set", "steps=400", "--set", "resume=true"}).out;
  ASSERT_FALSE(rest.empty());
  EXPECT_EQ(whole.substr(whole.size() - rest.size()), rest);
  for (const std::string& name : files()) EXPECT_TRUE(name.starts_with("step-") || name.starts_with(".mtf-")) << name;
}

TEST_F(Checkpoint, OfAnotherModelIsRefusedWithWhatDiffers) {
  train({"--set", "steps=1"});
  const ProcessResult other = train({"--set", "h=8", "--set", "resume=true"});
  EXPECT_EQ(other.status, 3);
  EXPECT_MENTIONS(other.err, "expected f32[h=8, a=10] for `down.w`, found F32 of [7, 10] for [h, a]");
}

TEST_F(Checkpoint, ADamagedOneIsRefused) {
  train({"--set", "steps=1"});
  const std::string file = "checkpoints/step-00000001.safetensors", bytes = read(file);
  write(file, bytes.substr(0, bytes.size() - 1));
  const ProcessResult cut = train({"--set", "resume=true"});
  EXPECT_EQ(cut.status, 3);
  EXPECT_MENTIONS(cut.err, "ends after the file");
}

TEST_F(Checkpoint, ATensorOfWhichABitHasFlippedIsRefused) {
  train({"--set", "steps=1"});
  const std::string file = "checkpoints/step-00000001.safetensors", bytes = read(file);
  const auto flipped = [&](std::size_t from_end) {
    std::string other = bytes;
    other[other.size() - from_end] = static_cast<char>(other[other.size() - from_end] ^ 4);
    write(file, other);
  };
  flipped(1);  // in the last tensor by name
  const std::string expected = "step-00000001.safetensors: tensor `up.w` has another checksum than the header says";
  for (const char* layout : {"", "h:all"}) {
    const ProcessResult result = train({"--set", "resume=true", "--mesh", "all:4", "--layout", layout});
    EXPECT_EQ(result.status, 3);
    EXPECT_MENTIONS(result.err, expected);
  }
  const ProcessResult one =
      mtf({"run", write("one.mtf", "import checkpoint\ndim a = 10, h = 7\nprint(checkpoint.tensor(\"" + path(file) +
                                       "\", \"up.w\", [a, h]))\n")});
  EXPECT_MENTIONS(one.err, expected);
  if (has_mpirun()) {
    const ProcessResult result = train_on(2, {"--set", "resume=true", "--mesh", "all:4", "--layout", "h:all"});
    EXPECT_EQ(result.status, 3);
    EXPECT_MENTIONS(result.err, expected);
  }
  write(file, bytes);
  EXPECT_EQ(train({"--set", "resume=true"}).status, 0);
}

/// As earlier versions of the format and other programs write them.
TEST_F(Checkpoint, OneWithoutChecksumsIsLoaded) {
  const std::string whole = train({}).out;
  forget();
  std::string out = train({"--set", "steps=3"}).out;
  for (const std::string& name : files()) {
    if (!name.starts_with("step-")) continue;
    std::string bytes = read("checkpoints/" + name);
    std::uint64_t length = 0;
    std::memcpy(&length, bytes.data(), sizeof length);
    auto header = nlohmann::ordered_json::parse(bytes.substr(8, length));
    auto& metadata = header["__metadata__"];
    ASSERT_TRUE(metadata.contains("checksum") && metadata.contains("sum:up.w"));
    for (auto at = metadata.begin(); at != metadata.end();)
      if (at.key() == "checksum" || at.key().starts_with("sum:")) at = metadata.erase(at);
      else ++at;
    std::string text = header.dump();
    text.resize(length, ' ');
    write("checkpoints/" + name, bytes.replace(8, length, text));
  }
  out += train({"--set", "resume=true"}).out;
  EXPECT_EQ(out, whole);
}

/// A file that no run writes: it lacks the checksum of the header, which would be found first.
TEST_F(Checkpoint, AStepThatIsNoCountOfStepsIsRefused) {
  train({"--set", "steps=1"});
  const std::string file = "checkpoints/step-00000001.safetensors", bytes = read(file);
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), sizeof length);
  const auto with = [&](const std::string& key, const std::string& number) {
    auto header = nlohmann::ordered_json::parse(bytes.substr(8, length));
    header["__metadata__"].erase("checksum");
    header["__metadata__"][key] = number;
    std::string text = header.dump();
    text.resize((text.size() + 7) / 8 * 8, ' ');
    const std::uint64_t size = text.size();
    write(file, std::string(reinterpret_cast<const char*>(&size), sizeof size) + text + bytes.substr(8 + length));
    return train(
        {"--set", "resume=true", "--set", "steps=1"});  // nothing is left to do, and no later checkpoint is written
  };
  EXPECT_EQ(with("step", "1").status, 0);
  for (const auto& [key, number] : std::vector<std::pair<std::string, std::string>>{{"step", "nan"},
                                                                                    {"step", "1e300"},
                                                                                    {"step", "-5"},
                                                                                    {"step", "1.5"},
                                                                                    {"step", ""},
                                                                                    {"step", "9223372036854775808"},
                                                                                    {"seed", "nan"},
                                                                                    {"random_calls", "-1"}}) {
    const ProcessResult result = with(key, number);
    EXPECT_EQ(result.status, 3);
    EXPECT_MENTIONS(result.err, " as its `" + key + "`, found `" + number + "`");
  }
}

TEST_F(Checkpoint, ANewRunDoesNotTakeTheFolderOfAnother) {
  train({"--set", "steps=3"});
  const std::vector<std::string> before = files();
  for (const int ranks : {1, 2}) {
    if (ranks > 1 && !has_mpirun()) continue;
    const ProcessResult other = ranks == 1 ? train({}) : train_on(ranks, {});
    EXPECT_EQ(other.status, 3);
    EXPECT_EQ(other.out, "") << "it is said before anything is computed";
    EXPECT_MENTIONS(other.err, "checkpoints: another run has saved 2 checkpoints here, up to step 3");
    EXPECT_MENTIONS(other.err, "`--set resume=true`");
    EXPECT_MENTIONS(other.err, "[folder_of_another_run]");
    EXPECT_EQ(files(), before);
  }
  EXPECT_EQ(mtf(words({})).status, 3);
  EXPECT_EQ(mtf({"plan", script_, "--set", "folder=" + folder_}).status, 0) << "a plan writes nothing";
  EXPECT_EQ(train({"--set", "resume=true"}).status, 0);
  forget();
  EXPECT_EQ(train({}).status, 0);
}

/// The first save reports an error that the check cannot know; no file is lost.
TEST_F(Checkpoint, AFolderThatOnlyTheRunKnowsIsNotTakenEither) {
  train({"--set", "steps=2"});
  const std::string text =
      "import checkpoint\ndim a = 2\nmodel M { param w: [a] = 0 }\nlet m = M()\nif sum(m.w) == 0 { checkpoint.load(\"" +
      path("nowhere") + "\", m) }\nprint(1)\ncheckpoint.save(if sum(m.w) == 0 { \"" + folder_ +
      "\" } else { \"x\" }, m, step: 7)\n";
  const ProcessResult other = mtf({"run", write("other.mtf", text)});
  EXPECT_EQ(other.status, 3);
  EXPECT_EQ(other.out, "1\n");
  EXPECT_MENTIONS(other.err, "up to step 2");
  EXPECT_EQ(files(), (std::vector<std::string>{".mtf-run", "step-00000001.safetensors", "step-00000002.safetensors"}));
}

/// Saves three steps after the loaded ones, of a param that identifies the writer: the last bytes of a file.
const std::string kWho = R"(import checkpoint
option folder = ""
option who = 0.0
option resume = false
dim a = 2
model Net { param w: [a] = 0 }
let net = Net()
let begin = if resume { checkpoint.load(folder, net) } else { 0 }
net.w := 0 * net.w + who
for i in 1..4 { checkpoint.save(folder, net, step: begin + i, keep: 0) }
)";

/// The number of races: MTF_RACES, or 20. On two ranks it is 8 otherwise, as mpirun takes half a second to start.
/// `MTF_RACES=200 build/tests/test_tool --gtest_filter='*Races*'` takes two minutes.
int races(int ranks) {
  const char* const given = std::getenv("MTF_RACES");
  if (given == nullptr) return ranks == 0 ? 20 : 8;
  return std::max(1, std::atoi(given));
}

/// Two runs at once in one folder.
class Race {
 public:
  Race(int ranks, const std::string& script, std::string folder, bool resumes)
      : folder_(std::move(folder)),
        resumes_(resumes),
        first_(ranks, line(script, 0)),
        second_(ranks, line(script, 1)) {}

  /// Waits for both runs. Either may win; the remaining files belong to the run without the error.
  void check() {
    const ProcessResult one = first_.end(), two = second_.end();
    const bool is_first = one.status == 0;
    const ProcessResult& other = is_first ? two : one;
    EXPECT_EQ((is_first ? one : two).status, 0) << one.err << two.err;
    // A run that loads after the other has ended continues from the other's checkpoint.
    if (resumes_ && other.status == 0) return;
    EXPECT_EQ(other.status, 3) << one.err << two.err;
    EXPECT_MENTIONS(other.err, "[folder_of_another_run]");
    // If it resumes, it may have loaded the other's earlier checkpoint.
    const int last = latest();
    for (int step = last - 2; step <= last; ++step) EXPECT_EQ(who_saved(step), who(is_first ? 0 : 1)) << step;
    if (!resumes_) { EXPECT_EQ(last, 3) << "the other run has saved nothing"; }
  }

 private:
  int who(int place) const { return (resumes_ ? 3 : 1) + place; }
  std::vector<std::string> line(const std::string& script, int place) const {
    return {kMtf,
            "run",
            script,
            "--set",
            "folder=" + folder_,
            "--set",
            fmt::format("who={}", who(place)),
            "--set",
            fmt::format("resume={}", resumes_)};
  }
  int latest() const {
    int last = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
      const std::string name = entry.path().filename().string();
      if (name.starts_with("step-")) last = std::max(last, std::stoi(name.substr(5)));
    }
    return last;
  }
  float who_saved(int step) const {
    std::ifstream file(fmt::format("{}/step-{:08}.safetensors", folder_, step), std::ios::binary);
    float who = 0;
    file.seekg(-static_cast<std::streamoff>(sizeof who), std::ios::end);
    file.read(reinterpret_cast<char*>(&who), sizeof who);
    return file ? who : -1;
  }

  std::string folder_;
  bool resumes_;
  MpiJob first_, second_;
};

class Races : public Checkpoint, public testing::WithParamInterface<int> {};

TEST_P(Races, OfTwoRunsAtOnceInOneFolderOneIsRefused) {
  const int ranks = GetParam(), iterations = races(ranks);
  constexpr int kAtOnce = 8;
  if (ranks > 0 && !has_mpirun()) GTEST_SKIP() << "no mpirun";
  // Else mpirun waits a second for the ranks of the refused run.
  setenv("OMPI_MCA_odls_base_sigkill_timeout", "0", 1);
  const std::string script = write("who.mtf", kWho);
  for (int begin = 0; begin < iterations; begin += kAtOnce)
    for (const bool resumes : {false, true}) {
      std::vector<std::unique_ptr<Race>> at_once;
      for (int iteration = begin; iteration < std::min(begin + kAtOnce, iterations); ++iteration)
        at_once.push_back(std::make_unique<Race>(ranks, script, path(fmt::format("race{}", iteration)), resumes));
      for (std::size_t i = 0; i < at_once.size(); ++i) {
        SCOPED_TRACE(fmt::format("turn {}, {}", begin + static_cast<int>(i), resumes ? "resumed" : "begun"));
        at_once[i]->check();
      }
    }
  unsetenv("OMPI_MCA_odls_base_sigkill_timeout");
}

INSTANTIATE_TEST_SUITE_P(OnRanks, Races, testing::Values(0, 2),
                         [](const auto& info) { return info.param == 0 ? std::string("One") : "Two"; });

TEST_F(Checkpoint, ARunWhoseFolderAnotherGoesOnWithEnds) {
  script_ =
      write("who.mtf",
            kWho + "print(\"has saved\")\nfor i in 4..1000000 { checkpoint.save(folder, net, step: begin + i) }\n");
  MpiJob first(0, {kMtf, "run", script_, "--set", "folder=" + folder_});
  ASSERT_TRUE(first.has_printed("has saved"));
  kill(first.process(), SIGSTOP);
  MpiJob second(0, {kMtf, "run", script_, "--set", "folder=" + folder_, "--set", "resume=true"});
  ASSERT_TRUE(second.has_printed("has saved"));
  kill(first.process(), SIGCONT);
  const ProcessResult result = first.end();
  kill(second.process(), SIGTERM);
  EXPECT_EQ(result.status, 3);
  EXPECT_MENTIONS(result.err, "another run has begun to save here");
}

TEST_F(Checkpoint, AStepBehindTheLatestIsRefused) {
  const std::string text =
      kWho + "checkpoint.save(folder, net, step: 3)\nprint(\"again\")\ncheckpoint.save(folder, net, step: 1)\n";
  script_ = write("who.mtf", text);
  const ProcessResult result = train({});
  EXPECT_EQ(result.status, 3);
  EXPECT_EQ(result.out, "again\n");
  EXPECT_MENTIONS(result.err, "step 1 comes behind step 3, which this run has here");
  EXPECT_EQ(files().size(), 4U) << "nothing is deleted";
}

TEST_F(Checkpoint, TheErrorOfADamagedOneNamesTheWholeOneBeforeIt) {
  train({"--set", "steps=6"});
  const std::string latest = "checkpoints/step-00000006.safetensors", bytes = read(latest);
  std::string flipped = bytes;
  flipped.back() = static_cast<char>(flipped.back() ^ 4);
  for (const std::string& damaged : {bytes.substr(0, bytes.size() - 1), flipped, std::string("{}")}) {
    write(latest, damaged);
    const ProcessResult result = train({"--set", "resume=true"});
    EXPECT_EQ(result.status, 3);
    EXPECT_MENTIONS(result.err, "step-00000005.safetensors is whole");
  }
  write("checkpoints/step-00000005.safetensors", "");
  EXPECT_EQ(train({"--set", "resume=true"}).err.find("is whole"), std::string::npos);
  write(latest, bytes);
  EXPECT_EQ(train({"--set", "resume=true"}).status, 0);
}

TEST_F(Checkpoint, AMarkThatIsNoFileIsRefusedAtOnce) {
  std::filesystem::create_directory(folder_);
  ASSERT_EQ(mkfifo(path("checkpoints/.mtf-run").c_str(), 0600), 0);
  const ProcessResult result = train({});
  EXPECT_EQ(result.status, 3);
  EXPECT_MENTIONS(result.err, ".mtf-run: expected a file");
}

TEST_F(Checkpoint, WithoutOneARunThatGoesOnBeginsAndSaysSo) {
  const std::string text =
      "import nn, optim, checkpoint, logs\ndim a = 3\noption folder = \"\"\n"
      "model M { param w: [a] = 1 }\nlet m = M()\nlet step = checkpoint.resume(folder, m)\n"
      "print(\"step {step}\")\nlogs.jsonl(\"{folder}/log.jsonl\", step: step)\n"
      "checkpoint.save(folder, m, step: step + 1)\n";
  const std::vector<std::string> line = {"run", write("resumed.mtf", text), "--set", "folder=" + folder_};
  std::filesystem::create_directory(folder_);
  write("checkpoints/log.jsonl", "{\"step\": 0}\n{\"st");
  EXPECT_EQ(mtf(line).out, "no checkpoint in " + folder_ + ": it begins at step 0\nstep 0\n");
  EXPECT_EQ(read("checkpoints/log.jsonl"), "{\"step\": 0}\n");
  EXPECT_EQ(read("checkpoints/log.jsonl.before"), "{\"step\": 0}\n{\"st") << "nothing is emptied";
  EXPECT_EQ(mtf(line).out, "step 1\n");
  EXPECT_EQ(read("checkpoints/log.jsonl"), "{\"step\": 0}\n{\"step\": 1}\n");
  write("checkpoints/log.jsonl", "{\"step\": 7}\n{\"step\": 8}\n");
  const ProcessResult result = mtf(line);
  EXPECT_EQ(result.status, 3);
  EXPECT_MENTIONS(result.err, "its first lines have been changed since");
  EXPECT_EQ(read("checkpoints/log.jsonl"), "{\"step\": 7}\n{\"step\": 8}\n");
}

/// A run that has not loaded leaves the lines of another run as they are.
TEST_F(Checkpoint, ARunThatSavesNothingAddsNoLineToTheLogOfAnother) {
  const std::string text =
      "import checkpoint, logs\noption folder = \"\"\noption saves = false\noption resume = false\ndim a = 3\n"
      "model M { param w: [a] = 1 }\nlet m = M()\nlet begin = if resume { checkpoint.load(folder, m) } else { 0 }\n"
      "for i in begin..begin + 2 {\n  logs.csv(\"{folder}/log.csv\", step: i)\n"
      "  if saves { checkpoint.save(folder, m, step: i + 1) }\n}\n";
  script_ = write("logs.mtf", text);
  EXPECT_EQ(train({}).out, "");
  EXPECT_EQ(read("checkpoints/log.csv"), "step\n0\n1\n");
  EXPECT_EQ(train({}).out, folder_ + "/log.csv was another run's: it is " + folder_ + "/log.csv.before now\n");
  EXPECT_EQ(read("checkpoints/log.csv"), "step\n0\n1\n");
  EXPECT_EQ(read("checkpoints/log.csv.before"), "step\n0\n1\n");
  forget();
  EXPECT_EQ(train({"--set", "saves=true"}).status, 0);
  const ProcessResult result = train({});
  EXPECT_EQ(result.status, 3);
  EXPECT_MENTIONS(result.err, "[folder_of_another_run]");
  EXPECT_MENTIONS(result.err, "another run logs here, which has saved 2 checkpoints beside it, up to step 2");
  EXPECT_EQ(read("checkpoints/log.csv"), "step\n0\n1\n");
  EXPECT_EQ(train({"--set", "resume=true"}).status, 0);
  EXPECT_EQ(read("checkpoints/log.csv"), "step\n0\n1\n2\n3\n");
}

TEST_F(Checkpoint, ANameThatSaysAnotherStepIsRefused) {
  train({"--set", "steps=6"});
  const auto file = [&](const std::string& name) { return path("checkpoints/" + name + ".safetensors"); };
  std::filesystem::rename(file("step-00000006"), file("step-00000099"));
  EXPECT_MENTIONS(train({"--set", "resume=true"}).err, "its name says step 99, and its metadata step 6");
  EXPECT_MENTIONS(train({"--set", "resume=true"}).err, "step-00000005.safetensors is whole");
  std::filesystem::rename(file("step-00000099"), file("step-6"));
  const ProcessResult result = train({"--set", "resume=true"});
  EXPECT_EQ(result.status, 3);
  EXPECT_MENTIONS(result.err, "expected the checkpoint of step 6 to be called `step-00000006.safetensors`");
}

TEST_F(Checkpoint, AFileWithoutANameIsRefused) {
  const std::string text = "import checkpoint\ndim a = 2\ncheckpoint.write(\"\", [\"x\"], [ones([a])])\n";
  const ProcessResult result = mtf({"run", write("nowhere.mtf", text)});
  EXPECT_EQ(result.status, 3);
  EXPECT_MENTIONS(result.err, "[cannot_write]");
}

TEST_F(Checkpoint, APipeInThePlaceOfACheckpointIsRefusedAtOnce) {
  std::filesystem::create_directory(folder_);
  ASSERT_EQ(mkfifo(path("checkpoints/step-00000001.safetensors").c_str(), 0600), 0);
  const auto begun = std::chrono::steady_clock::now();
  EXPECT_EQ(train({"--set", "resume=true"}).status, 3);
  EXPECT_EQ(train({}).status, 3);
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(60));
}

TEST_F(Checkpoint, ALinkIsFollowedAndADeviceStays) {
  const auto save = [&](const std::string& to) {
    return mtf({"run", write("write.mtf", "import checkpoint\ndim a = 2\ncheckpoint.write(\"" + to +
                                              "\", [\"w\"], [ones([a])])\n")});
  };
  write("target", "");
  std::filesystem::create_symlink("target", path("link"));
  EXPECT_EQ(save(path("link")).status, 0);
  EXPECT_TRUE(std::filesystem::is_symlink(path("link")));
  const std::string bytes = read("target");
  EXPECT_MENTIONS(bytes, "\"w\"");
  EXPECT_EQ(save("/dev/null").status, 0);
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
  EXPECT_EQ(save("/dev/stdout").out, bytes);
}

TEST_F(Checkpoint, AFolderThatCannotBeWrittenIsAnError) {
  const ProcessResult result = mtf({"run", script_, "--set", "folder=" + write("file", "") + "/checkpoints"});
  EXPECT_EQ(result.status, 3);
  EXPECT_MENTIONS(result.err, "[cannot_write]");
}

TEST_F(Checkpoint, TensorsOfAnyFileAreReadByName) {
  train({"--set", "steps=1"});
  const std::string file = folder_ + "/step-00000001.safetensors";
  const std::string text = "import checkpoint\ndim a = 10, h = 7, up = 7\nprint(checkpoint.names(\"" + file +
                           "\")[0])\n" + "print(sum(checkpoint.tensor(\"" + file +
                           "\", \"up.w\", [a, up])) == sum(checkpoint.tensor(\"" + file + "\", \"up.w\", [a, h])))\n";
  EXPECT_EQ(mtf({"run", write("read.mtf", text)}).out, "down.b\ntrue\n");
  const ProcessResult wrong =
      mtf({"run", write("wrong.mtf",
                        "import checkpoint\ndim a = 10\nprint(checkpoint.tensor(\"" + file + "\", \"up.v\", [a]))\n")});
  EXPECT_MENTIONS(wrong.err, "it has no tensor `up.v`");
}

/// A training with logs and checkpoints that are large enough to be interrupted while they are written.
class EndedRuns : public Checkpoint {
 protected:
  void SetUp() override {
    Checkpoint::SetUp();
    std::string text = kTraining;
    text.replace(text.find("import nn"), 9, "import logs, nn");
    text.replace(text.find("checkpoint.load"), 15, "checkpoint.resume");
    text.replace(text.find("  checkpoint.save"), 0,
                 "  logs.jsonl(\"{folder}/losses.jsonl\", step: step, loss: loss)\n"
                 "  logs.csv(\"{folder}/losses.csv\", step: step, loss: loss)\n");
    write("train.mtf", text);
  }
  std::size_t partial_files() const {
    std::size_t count = 0;
    if (std::error_code error; std::filesystem::exists(folder_, error))
      for (const std::string& name : files()) count += name.ends_with(".partial");
    return count;
  }
};

/// However and wherever the run is ended, the logs and numbers equal those of a run that never ended.
TEST_F(EndedRuns, TheLogsOfARunThatWentOnAreThoseOfAWholeOne) {
  train({"--set", "steps=60"});
  const std::string json = read("checkpoints/losses.jsonl"), csv = read("checkpoints/losses.csv"),
                    last = read("checkpoints/step-00000060.safetensors");
  for (const int ranks : {0, 2}) {
    if (ranks > 0 && !has_mpirun()) continue;
    for (const int number : {SIGKILL, SIGTERM, SIGINT}) {
      SCOPED_TRACE(std::to_string(ranks) + " ranks, signal " + std::to_string(number));
      forget();
      for (const int at : {0, 17, 38}) {
        std::vector<std::string> line = {kMtf};
        for (const std::string& word : words({"--set", "steps=60", "--set", "resume=true"})) line.push_back(word);
        MpiJob job(ranks, line);
        ASSERT_TRUE(job.has_printed("step " + std::to_string(at) + ":")) << job.result().err;
        usleep(static_cast<useconds_t>(1000 * at / 3));
        if (ranks == 0) kill(job.process(), number);
        else
          for (const pid_t rank : job.ranks()) kill(rank, number);
        job.end();
        // The traces of a run that could not finish its files: a line without its end, and lines of unsaved steps.
        std::ofstream(path("checkpoints/losses.jsonl"), std::ios::app)
            << "{\"step\": 59, \"loss\": 0}\n{\"step\": 60, \"lo";
      }
      EXPECT_EQ(train({"--set", "steps=60", "--set", "resume=true"}).status, 0);
      EXPECT_EQ(read("checkpoints/losses.jsonl"), json);
      EXPECT_EQ(read("checkpoints/losses.csv"), csv);
      EXPECT_EQ(read("checkpoints/step-00000060.safetensors"), last);
      EXPECT_EQ(partial_files(), 0u);
    }
  }
}

/// Writing 64 MB takes long enough to be interrupted.
TEST_F(EndedRuns, NoSignalLeavesAFileInTheMaking) {
  const std::string text =
      "import checkpoint\noption folder = \"\"\ndim a = 4000, b = 4000\n"
      "model M { param w: [a, b] = 1 }\nlet m = M()\nprint(\"start\")\n"
      "for step in 1..100000 { checkpoint.save(folder, m, step: step, keep: 1) }\n";
  const std::vector<std::string> line = {kMtf, "run", write("large.mtf", text), "--set", "folder=" + folder_};
  const auto is_being_written = [&] {
    for (int wait = 0; wait < 100000 && partial_files() == 0; ++wait) usleep(100);
    return partial_files() > 0;
  };
  for (const int ranks : {0, 2}) {
    if (ranks > 0 && !has_mpirun()) continue;
    for (const int number : {SIGTERM, SIGHUP, SIGINT, SIGKILL}) {
      SCOPED_TRACE(std::to_string(ranks) + " ranks, signal " + std::to_string(number));
      forget();
      MpiJob job(ranks, line);
      ASSERT_TRUE(job.has_printed("start")) << job.result().err;
      const std::vector<pid_t> processes = job.ranks();
      ASSERT_TRUE(is_being_written());
      const auto end = [&] {
        // Whatever ends mpirun except SIGKILL, it ends its ranks by SIGTERM and SIGKILL.
        if (ranks == 0 || number != SIGKILL) kill(job.process(), number);
        else
          for (const pid_t rank : processes) kill(rank, number);
      };
      end();
      if (number == SIGINT && ranks == 0) end();  // the second SIGINT makes mpirun kill its ranks at once
      job.end();
      ASSERT_TRUE(job.are_gone_within(std::chrono::seconds(10), processes));
      EXPECT_TRUE(number == SIGKILL || partial_files() == 0u);
    }
  }
  // The next checkpoint removes the files that SIGKILL has left.
  const std::string left =
      text.substr(0, text.find("for step")) + "checkpoint.load(folder, m)\ncheckpoint.save(folder, m, step: 100001)\n";
  EXPECT_EQ(mtf({"run", write("left.mtf", left), "--set", "folder=" + folder_}).err, "");
  EXPECT_EQ(partial_files(), 0u);
}

/// Names in a file may contain control sequences of a terminal.
TEST_F(Checkpoint, NamesOfFilesReachNoTerminalUnescaped) {
  const std::string header = R"({"a\u001b[31mred":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})";
  const std::uint64_t length = header.size();
  std::filesystem::create_directory(folder_);
  write("checkpoints/step-00000001.safetensors",
        std::string(reinterpret_cast<const char*>(&length), sizeof length) + header + "1234");
  const std::string script =
      write("names.mtf", "import checkpoint\nlet names = checkpoint.names(\"" + folder_ +
                             "/step-00000001.safetensors\")\nprint(names)\nprint(names[0], \"a\\tb\")\n");
  EXPECT_EQ(mtf({"run", script}).out, "[\"a\\x1b[31mred\"]\na\x1b[31mred a\tb\n")
      << "a file gets what the program says";
  PseudoTerminal terminal(10, 100, [&] { return execl(kMtf.c_str(), "mtf", "run", script.c_str(), nullptr); });
  EXPECT_TRUE(terminal.mentions("[\"a\\x1b[31mred\"]\na\\x1b[31mred a"));
  EXPECT_EQ(terminal.wait(), 0);
  EXPECT_MENTIONS(
      mtf_reading("import checkpoint\nlet name = checkpoint.names(\"" + folder_ + "/step-00000001.safetensors\")[0]\n",
                  "")
          .out,
      "name = a\\x1b[31mred");
  EXPECT_MENTIONS(train({"--set", "resume=true"}).err, "[file_shape_mismatch]");
  EXPECT_EQ(train({"--set", "resume=true"}).err.find('\x1b'), std::string::npos);
}

// A file as other programs write it: their names, the three products in one tensor, F32.
TEST_F(Checkpoint, AGpt2OfOthersIsLoadedByTheirNames) {
  const std::string text =
      "import checkpoint, transformer\n"
      "dim batch = 2, length = 5, vocab = 7, d_model = 6, heads = 2, d_head = 3, d_ff = 8, part = 3, thrice = 18, "
      "joined = 6\n"
      "fn make(stacked) = transformer.LanguageModel(vocab, length, d_model, heads, d_head, d_ff, layers: 2, epsilon: "
      "0.00001, stacked: stacked)\n"
      "let theirs = make(false)\n"
      "for p in theirs.params { p := random.normal(p.shape) }\n"
      "let names = [\"wte.weight\", \"wpe.weight\", \"ln_f.weight\", \"ln_f.bias\"]\n"
      "let tensors = [theirs.embedding.table, theirs.positions.table, theirs.norm.scale, theirs.norm.offset]\n"
      "for (i, b) in zip([0, 1], theirs.blocks) {\n"
      "  let a = b.attention\n"
      "  names := names + [\"h.{i}.ln_1.weight\", \"h.{i}.ln_1.bias\", \"h.{i}.ln_2.weight\", \"h.{i}.ln_2.bias\", "
      "\"h.{i}.attn.c_attn.weight\", \"h.{i}.attn.c_attn.bias\",\n"
      "    \"h.{i}.attn.c_proj.weight\", \"h.{i}.attn.c_proj.bias\", \"h.{i}.mlp.c_fc.weight\", "
      "\"h.{i}.mlp.c_fc.bias\", \"h.{i}.mlp.c_proj.weight\", \"h.{i}.mlp.c_proj.bias\"]\n"
      "  tensors := tensors + [b.norm1.scale, b.norm1.offset, b.norm3.scale, b.norm3.offset,\n"
      "    reshape(broadcast(stack([a.wq, a.wk, a.wv], part) -> [d_model, part, heads, d_head]) -> [d_model, "
      "thrice]), reshape(stack([a.bq, a.bk, a.bv], part) -> [thrice]),\n"
      "    reshape(a.wo -> [joined, d_model]), a.bo, b.feed_forward.up.w, b.feed_forward.up.b, "
      "b.feed_forward.down.w, b.feed_forward.down.b]\n"
      "}\n"
      "checkpoint.write(\"" +
      path("gpt2.safetensors") +
      "\", names, tensors)\n"
      "let ids = random.integers([batch, length], 0, 7)\n"
      "for is_stacked in [false, true] {\n"
      "  let ours = make(is_stacked)\n"
      "  transformer.load_gpt2(ours, \"" +
      path("gpt2.safetensors") +
      "\")\n"
      "  print(max(abs(ours(ids) - theirs(ids))) < 0.0001)\n"
      "}\n";
  const ProcessResult result = mtf({"run", write("gpt2.mtf", text)});
  EXPECT_EQ(result.err, "");
  EXPECT_EQ(result.out, "true\ntrue\n");
}

// Published names, each matrix with what it gives first, each expert apart.
TEST_F(Checkpoint, AMixtralOfOthersIsLoadedByTheirNames) {
  const std::string script = write("mixtral.mtf", R"(import transformer, checkpoint
option path = ""
dim batch = 2, length = 5, vocab = 7, features = 6, heads = 4, head_size = 2, hidden = 10, experts = 3, joined = 8, of_keys = 4
fn made(is_stack) = transformer.Llama(vocab, length, features, heads, head_size, hidden, layers: 2, key_heads: 2, experts: experts, stacked: is_stack)
let theirs = made(false)
for p in theirs.params { p := random.normal(p.shape) }
let names = ["model.embed_tokens.weight", "model.norm.weight", "lm_head.weight"]
let tensors = [theirs.embedding.table, theirs.norm.scale, broadcast(theirs.head.w -> [vocab, features])]
fn add(name, x) {
  names := names + [name]
  tensors := tensors + [x]
}
# As others keep a matrix: what it gives first.
fn add_matrix(name, x, gives: list, takes: list, row: dim, column: dim) { add(name, reshape(broadcast(x -> gives + takes) -> [row, column])) }
for (i, b) in zip([0, 1], theirs.blocks) {
  let at = "model.layers.{i}."
  let (a, f) = (b.attention, b.feed_forward)
  add(at + "input_layernorm.weight", b.norm1.scale)
  add(at + "post_attention_layernorm.weight", b.norm3.scale)
  add_matrix(at + "self_attn.q_proj.weight", a.wq, [heads, head_size], [features], joined, features)
  add_matrix(at + "self_attn.k_proj.weight", a.wk, [a.group, head_size], [features], of_keys, features)
  add_matrix(at + "self_attn.v_proj.weight", a.wv, [a.group, head_size], [features], of_keys, features)
  add_matrix(at + "self_attn.o_proj.weight", a.wo, [features], [heads, head_size], features, joined)
  let moe_at = at + "block_sparse_moe."
  add_matrix(moe_at + "gate.weight", f.gate, [f.routes], [features], experts, features)
  for j in 0..size(experts) {
    add_matrix(moe_at + "experts.{j}.w1.weight", f.open[experts: j], [hidden], [features], hidden, features)
    add_matrix(moe_at + "experts.{j}.w3.weight", f.up[experts: j], [hidden], [features], hidden, features)
    add_matrix(moe_at + "experts.{j}.w2.weight", f.down[experts: j], [features], [hidden], features, hidden)
  }
}
checkpoint.write(path, names, tensors)
let listed = made(false)
transformer.load_llama(listed, path)
print(sum([int(all(p == q)) for (p, q) in zip(listed.params, theirs.params)]) == len(theirs.params))
let stack_one = made(true)
transformer.load_llama(stack_one, path)
let ids = random.integers([batch, length], 0, 7)
print(max(abs(stack_one(ids) - theirs(ids))) < 0.0001)
)");
  const ProcessResult result = mtf({"run", script, "--set", "path=" + path("mixtral.safetensors")});
  EXPECT_EQ(result.out, "true\ntrue\n") << result.err;
}

// As models that are larger than a file are published.
TEST_F(Checkpoint, TensorsOfSeveralFilesAreReadBehindTheirIndex) {
  const std::string at = path("");
  write("model.safetensors.index.json", R"({"metadata": {"total_size": 24}, "weight_map": {"up": "1.safetensors",
    "down": "2.safetensors", "lost": "2.safetensors"}})");
  const std::string text =
      "import checkpoint\ndim a = 2\noption folder = \"\"\n"
      "checkpoint.write(folder + \"/1.safetensors\", [\"up\"], [fill([a], 3)])\n"
      "checkpoint.write(folder + \"/2.safetensors\", [\"down\"], [fill([a], 4)])\n"
      "let index = folder + \"/model.safetensors.index.json\"\n"
      "print(checkpoint.names(index))\n"
      "print(checkpoint.tensor(index, \"up\", [a]), checkpoint.tensor(index, \"down\", [a]))\n";
  const std::string script = write("index.mtf", text);
  EXPECT_EQ(mtf({"run", script, "--set", "folder=" + at}).out, "[\"down\", \"lost\", \"up\"]\n[3, 3] [4, 4]\n");
  const auto refused = [&](const std::string& line) {
    return mtf({"run", write("more.mtf", text + line), "--set", "folder=" + at}).err;
  };
  EXPECT_NE(refused("print(checkpoint.tensor(index, \"upp\", [a]))\n").find("did you mean `up`"), std::string::npos);
  EXPECT_NE(refused("print(checkpoint.tensor(index, \"lost\", [a]))\n").find("2.safetensors: it has no tensor `lost`"),
            std::string::npos);
  write("model.safetensors.index.json", R"({"weight_map": {"up": "../1.safetensors"}})");
  EXPECT_NE(refused("").find("expected a file beside the index"), std::string::npos);
  write("model.safetensors.index.json", R"({"weights": {}})");
  EXPECT_NE(refused("").find("`weight_map`"), std::string::npos);
}

}  // namespace
}  // namespace mtf::tool
