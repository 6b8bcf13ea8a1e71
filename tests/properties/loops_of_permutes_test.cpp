// A product as a loop of permutes, under every layout of its operands and its result.
#include <gtest/gtest.h>

#include "compare.h"
#include "script.h"
#include "support/diagnostics.h"

namespace mtf::properties {
namespace {

/// Returns every sharding of a tensor with two dims over the axes p and q, in the notation of `@`.
std::vector<std::string> shardings_of(const std::string& first, const std::string& second) {
  std::vector<std::string> all;
  for (int way = 0; way < 9; ++way) {  // each axis splits the first dim, the second, or none
    std::string rules;
    for (const std::string& dim : {first, second}) {
      std::string axes;
      for (const auto& [axis, splits] : {std::pair{"p", way % 3}, std::pair{"q", way / 3}})
        if (splits == (dim == first ? 1 : 2)) axes += (axes.empty() ? "" : ", ") + std::string(axis);
      if (!axes.empty()) rules += (rules.empty() ? "" : ", ") + dim + " -> [" + axes + "]";
    }
    all.push_back("{" + rules + "}");
  }
  return all;
}

class ProductsAsLoops : public testing::TestWithParam<const char*> {};

TEST_P(ProductsAsLoops, AreThoseOfTheWholeHoweverAllIsLaidOut) {
  const std::string inputs = std::string("dim b = 12\n") + GetParam() +
                             "let x = cast(random.integers([b, d], 0, 9), f32)\n"
                             "let w = cast(random.integers([d, f], 0, 9), f32)\n";
  const Script whole{inputs, "let y = einsum(x, w -> [b, f])\n", {"y"}};
  const Outcome expected = run(execution(), whole, {});
  const auto xs = shardings_of("b", "d"), ws = shardings_of("d", "f"), ys = shardings_of("b", "f");
  int tried = 0;
  for (const char* mesh : {"p:2;q:2", "p:2;q:3"}) {
    for (size_t way = 0; way < xs.size() * ws.size() * ys.size(); ++way) {
      const std::string x = xs[way % 9], w = ws[way / 9 % 9], y = ys[way / 81];
      const Script split{inputs, "let y = einsum(x @ " + x + ", w @ " + w + " -> [b, f]) @ " + y + "\n", {"y"}};
      SCOPED_TRACE(split.body + mesh);
      try {
        const Outcome looped = run(looping_execution(), split, {mesh, ""});
        EXPECT_EQ(tensor_difference(expected.results[0], looped.results[0], {}), "");
        ++tried;
      } catch (const InternalError& error) { ADD_FAILURE() << error.what(); }
    }
  }
  EXPECT_EQ(tried, 2 * 9 * 9 * 9);
}

// Each of the three matrices is the largest once, because the cheaper ones are gathered or reduced. The sizes of the
// last case cannot all be cut into equal blocks.
INSTANTIATE_TEST_SUITE_P(Sizes, ProductsAsLoops,
                         testing::Values("dim d = 6, f = 24\n", "dim d = 24, f = 6\n", "dim d = 24, f = 24\n",
                                         "dim d = 5, f = 7\n"));

}  // namespace
}  // namespace mtf::properties
