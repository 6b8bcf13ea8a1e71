// Numbers that operations read.
#include "whole_graph.h"

namespace mtf::test {
namespace builder_test {

const Dim a{Name("a"), 5};

class Numbers : public testing::Test {
 protected:
  graph::NodePtr number_of(const graph::Value& product) const { return product.node->operands()[1].node; }
  graph::Value times(double factor) { return builder.map(ops::kMul, x, factor); }

  WholeGraph graph;
  ops::Builder& builder = graph.builder;
  graph::Value x = graph.input(random_array({a}, 1));
};

TEST_F(Numbers, AreOneNodeForAllThatReadThem) {
  const graph::Value two = times(2), again = times(2), three = times(3);
  EXPECT_EQ(number_of(two), number_of(again));
  EXPECT_NE(number_of(two), number_of(three));
  EXPECT_NE(number_of(times(0.0)), number_of(times(-0.0)));
}

TEST_F(Numbers, OfAnotherMeshOrWithoutGradientsAreOthers) {
  const graph::Value here = times(2);
  builder.context.no_grad = true;
  const graph::Value apart = times(2);
  EXPECT_NE(number_of(here), number_of(apart));
  builder.context.mesh = std::make_shared<Mesh>(Name("n"), std::vector<Axis>{{Name("all"), 1}});
  EXPECT_NE(number_of(times(2)), number_of(apart));
}

TEST_F(Numbers, AsValuesAreNobodyElses) {
  const graph::Value two = builder.number(2), product = times(2);
  EXPECT_NE(two.node, number_of(product));
  EXPECT_NE(two.node, builder.number(2).node);
}

TEST_F(Numbers, CountAsIfNobodySharedThem) {
  const int64_t before = builder.added;
  const graph::Value one = times(2);
  const int64_t each = builder.added - before;
  const graph::Value other = times(2);
  EXPECT_EQ(builder.added - before, 2 * each);
}

TEST_F(Numbers, GoWithTheirReaders) {
  std::weak_ptr<graph::Node> number;
  { number = number_of(times(2)); }
  EXPECT_TRUE(number.expired());
  for (int i = 0; i < 1000; ++i) times(i);  // more than the builder remembers
  EXPECT_EQ(graph.run(times(2)).numbers[0], 2 * graph.run(x).numbers[0]);
}

}  // namespace builder_test
}  // namespace mtf::test
