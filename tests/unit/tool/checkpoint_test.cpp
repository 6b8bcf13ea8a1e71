// Checkpoints: a run that was ended, however, goes on as if nothing had happened, under any mesh, layout and ranks.
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <filesystem>

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
    for (const auto& entry : std::filesystem::directory_iterator(folder_)) names.push_back(entry.path().filename().string());
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
  const std::string copy = kTraining.substr(0, kTraining.find("let begin")) +
                           "option to = \"\"\nlet at = checkpoint.load(folder, net, opt)\ncheckpoint.save(to, net, opt, step: at)\n";
  const ProcessResult result = mtf({"run", write("copy.mtf", copy), "--set", "folder=" + folder_, "--set", "to=" + path("copies"), "--mesh", "r:2;c:3", "--layout", "a:r;h:c"});
  EXPECT_EQ(result.err, "");
  EXPECT_EQ(read("copies/step-00000001.safetensors"), read("checkpoints/step-00000001.safetensors"));
}

TEST_F(Checkpoint, OnlyTheLatestAreKept) {
  train({});
  EXPECT_EQ(files(), (std::vector<std::string>{"step-00000005.safetensors", "step-00000006.safetensors"}));
}

TEST_F(Checkpoint, AKilledRunGoesOnFromItsLastOne) {
  if (!has_mpirun()) GTEST_SKIP() << "no mpirun";
  const std::string whole = train({"--set", "steps=400"}).out;
  forget();
  for (int kills = 0; kills < 3; ++kills) {
    MpiJob job(1, {kMtf, "run", script_, "--set", "folder=" + folder_, "--set", "steps=400", "--set", kills ? "resume=true" : "resume=false"});
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

TEST_F(Checkpoint, AFolderThatCannotBeWrittenIsAnError) {
  const ProcessResult result = mtf({"run", script_, "--set", "folder=" + write("file", "") + "/checkpoints"});
  EXPECT_EQ(result.status, 3);
  EXPECT_MENTIONS(result.err, "[cannot_write]");
}

TEST_F(Checkpoint, TensorsOfAnyFileAreReadByName) {
  train({"--set", "steps=1"});
  const std::string file = folder_ + "/step-00000001.safetensors";
  const std::string text = "import checkpoint\ndim a = 10, h = 7, up = 7\nprint(checkpoint.names(\"" + file + "\")[0])\n" +
                           "print(sum(checkpoint.tensor(\"" + file + "\", \"up.w\", [a, up])) == sum(checkpoint.tensor(\"" + file + "\", \"up.w\", [a, h])))\n";
  EXPECT_EQ(mtf({"run", write("read.mtf", text)}).out, "down.b\ntrue\n");
  const ProcessResult wrong = mtf({"run", write("wrong.mtf", "import checkpoint\ndim a = 10\nprint(checkpoint.tensor(\"" + file + "\", \"up.v\", [a]))\n")});
  EXPECT_MENTIONS(wrong.err, "it has no tensor `up.v`");
}

// A file as others write one: names, the three products in one, F32.
TEST_F(Checkpoint, AGpt2OfOthersIsLoadedByTheirNames) {
  const std::string text =
      "import checkpoint, transformer\n"
      "dim batch = 2, length = 5, vocab = 7, d_model = 6, heads = 2, d_head = 3, d_ff = 8, part = 3, thrice = 18, joined = 6\n"
      "fn make() = transformer.LanguageModel(vocab, length, d_model, heads, d_head, d_ff, layers: 2, epsilon: 0.00001)\n"
      "let theirs = make()\n"
      "for p in theirs.params { p := random.normal(p.shape) }\n"
      "let names = [\"wte.weight\", \"wpe.weight\", \"ln_f.weight\", \"ln_f.bias\"]\n"
      "let tensors = [theirs.embedding.table, theirs.positions.table, theirs.norm.scale, theirs.norm.offset]\n"
      "for (i, b) in zip([0, 1], theirs.blocks) {\n"
      "  let a = b.attention\n"
      "  names := names + [\"h.{i}.ln_1.weight\", \"h.{i}.ln_1.bias\", \"h.{i}.ln_2.weight\", \"h.{i}.ln_2.bias\", \"h.{i}.attn.c_attn.weight\", \"h.{i}.attn.c_attn.bias\",\n"
      "    \"h.{i}.attn.c_proj.weight\", \"h.{i}.attn.c_proj.bias\", \"h.{i}.mlp.c_fc.weight\", \"h.{i}.mlp.c_fc.bias\", \"h.{i}.mlp.c_proj.weight\", \"h.{i}.mlp.c_proj.bias\"]\n"
      "  tensors := tensors + [b.norm1.scale, b.norm1.offset, b.norm3.scale, b.norm3.offset,\n"
      "    reshape(broadcast(stack([a.wq, a.wk, a.wv], part) -> [d_model, part, heads, d_head]) -> [d_model, thrice]), reshape(stack([a.bq, a.bk, a.bv], part) -> [thrice]),\n"
      "    reshape(a.wo -> [joined, d_model]), a.bo, b.feed_forward.up.w, b.feed_forward.up.b, b.feed_forward.down.w, b.feed_forward.down.b]\n"
      "}\n"
      "checkpoint.write(\"" + path("gpt2.safetensors") + "\", names, tensors)\n"
      "let ours = make()\n"
      "transformer.load_gpt2(ours, \"" + path("gpt2.safetensors") + "\")\n"
      "let ids = random.integers([batch, length], 0, 7)\n"
      "print(all(ours(ids) == theirs(ids)))\n";
  const ProcessResult result = mtf({"run", write("gpt2.mtf", text)});
  EXPECT_EQ(result.err, "");
  EXPECT_EQ(result.out, "true\n");
}

}  // namespace
}  // namespace mtf::tool
