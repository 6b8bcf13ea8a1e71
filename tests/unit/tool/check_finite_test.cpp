// `--check-finite`: the first NaN or infinity that finite operands give, wherever and under whatever layout.
#include <gtest/gtest.h>

#include "command.h"
#include "mpi_job.h"

namespace mtf::tool {
namespace {

class CheckFinite : public CommandTest {
 protected:
  /// The error of a run; it is the same under a layout, by the reference and on two ranks.
  std::string error_of(const std::string& script, const std::vector<std::string>& layout = {"--layout", "n:all"}) {
    const std::string file = write("script.mtf", script);
    const std::vector<std::string> line = {"run", "--check-finite", file};
    const ProcessResult alone = mtf(line);
    std::vector<std::string> split = line;
    split.insert(split.end(), {"--mesh", "all:2"});
    split.insert(split.end(), layout.begin(), layout.end());
    EXPECT_EQ(mtf(split).err, alone.err);
    std::vector<std::string> whole = line;
    whole.emplace_back("--reference");
    EXPECT_EQ(mtf(whole).err, alone.err);
    if (has_mpirun()) {
      split.insert(split.begin(), kMtf);
      const ProcessResult ranks = run_on_ranks(2, split);
      EXPECT_MENTIONS(ranks.err, alone.err);
      EXPECT_EQ(ranks.status, alone.status);
    }
    EXPECT_EQ(alone.status, alone.err.empty() ? 0 : 1);
    return alone.err;
  }
};

const std::string kDims = "dim n = 4, k = 3\nlet x = tensor([2, 0, 1, 4], [n])\n";

TEST_F(CheckFinite, SaysLineOperationOperandsAndPlace) {
  const std::string error = error_of(kDims + "let w = ones([n, k])\nlet y = w / x\nprint(sum(y))\n");
  EXPECT_MENTIONS(error, "script.mtf:4:9");
  EXPECT_MENTIONS(error, "`/` gives inf at [n=1, k=0]");
  EXPECT_MENTIONS(error, "w: f32[n=4, k=3]");
  EXPECT_MENTIONS(error, "[not_finite]");
}

TEST_F(CheckFinite, LooksAtWhatAFusedLoopKeepsInRegisters) {
  EXPECT_MENTIONS(error_of(kDims + "let l = log(x)\nlet y = exp(tanh(l * 2))\nprint(sum(y))\n", {}), "`log` gives");
}

TEST_F(CheckFinite, NamesTheCallsAroundTheOperation) {
  const std::string error = error_of(kDims + "fn f(x) = log(x - 1)\nfn g(x) = f(x) + 1\nprint(sum(g(x)))\n");
  EXPECT_MENTIONS(error, "`log` gives NaN at [n=1]");
  EXPECT_MENTIONS(error, "fn g(x) = f(x) + 1");
  EXPECT_MENTIONS(error, "in this call");
}

TEST_F(CheckFinite, LooksAtGradients) {
  const std::string error = error_of(kDims + "let y = sum(sqrt(x))\nprint(grad(y, [x])[0])\n");
  EXPECT_MENTIONS(error, "gives inf at [n=1]");
  EXPECT_MENTIONS(error, "in the gradient of this");
}

TEST_F(CheckFinite, SaysInWhichIterationOfAScan) {
  const std::string error = error_of(
      kDims +
      "let h = scan(fn(c, x) {\n  let q = c / x\n  return where(q > 5, c, q)\n}, ones([k]), x, over: n)\nprint(h)\n");
  EXPECT_MENTIONS(error, "`/` gives inf at [n=1, k=0]");
  EXPECT_MENTIONS(error, "script.mtf:4:11");
}

TEST_F(CheckFinite, SaysInWhichIterationsOfScansInsideAScan) {
  const std::string error = error_of(
      kDims +
      "let t = tensor([1, 0.5, 0], [k])\n"
      "let h = scan(fn(c, x) = scan(fn(d, t) = d + log(x + t) * 0, c, t, over: k), ones([]), x, over: n)\nprint(h)\n");
  EXPECT_MENTIONS(error, "`log` gives -inf at [n=1, k=2]");
}

TEST_F(CheckFinite, LooksAtTheIterationsOfGradients) {
  const std::string error = error_of(
      kDims + "let h = scan(fn(c, x) = c + sqrt(x * c), ones([k]), x, over: n)\nprint(grad(sum(h), [x])[0])\n");
  EXPECT_MENTIONS(error, "[not_finite]");
  EXPECT_MENTIONS(error, "n=1");
}

TEST_F(CheckFinite, LooksAtIterationsThatARunWouldReplay) {
  const std::string error = error_of(
      "import optim\ndim n = 4\nmodel Net { param w: [n] = 1 }\nlet net = Net()\nlet opt = optim.Sgd(net.params, lr: "
      "3)\n"
      "for i in 0..200 {\n  opt.minimize(sum(net.w ^ 4))\n}\nprint(net.w)\n");
  EXPECT_MENTIONS(error, "[not_finite]");
}

TEST_F(CheckFinite, WhatIsLeftOutOrWrittenIsNoError) {
  EXPECT_EQ(error_of(kDims + "let y = where(x > 0, x * log(x), 0)\nprint(y, grad(sum(y), [x])[0])\n"
                             "print(softmax(where(x > 0, x, -inf), over: n), max(where(x > 5, x, -inf)))\n"),
            "");
}

TEST_F(CheckFinite, ThePromptTakesBackTheStatement) {
  const ProcessResult result =
      mtf_reading("dim n = 2\nlet x = tensor([0, 1], [n])\nlet y = 1 / x\nlet y = x + 1\nprint(y)\n", "--check-finite");
  EXPECT_MENTIONS(result.err, "`/` gives inf at [n=0]");
  EXPECT_MENTIONS(result.out, "[1, 2]");
}

}  // namespace
}  // namespace mtf::tool
