// Adding into a part of a tensor equals adding the part padded with zeros.
#include "node_runner.h"

namespace mtf::test {
namespace accumulate_test {

const ElementType kF64 = ElementType::kF64;
const Dim a{Name("a"), 5}, b{Name("b"), 6}, c{Name("c"), 3};

class Accumulate : public testing::Test {
 protected:
  /// `op` of a part pads it. The record's accumulate adds the same to x, split or not.
  void check(const graph::Op& op, const Dims& dims, std::string_view text, std::vector<double> inputs = {}) {
    const graph::Attributes attributes = read_attributes(op, text);
    const graph::Value part = graph.input(random_array(dims, 2, kF64));
    const graph::Value padded = builder.add(op, {part}, attributes, inputs);
    const graph::Value sum = builder.add(*padded.operation().op->accumulate, {x, part}, attributes, inputs);
    const std::vector<double> whole = graph.run(sum).numbers;
    for (size_t i = 0; i < whole.size(); ++i)
      EXPECT_EQ(whole[i], graph.run(x).numbers[i] + graph.run(padded).numbers[i]) << op.name << ", element " << i;
    graph.check_splits(sum);
    graph.check_gradient(sum, {x, part});
  }

  Graph graph;
  ops::Builder& builder = graph.builder;
  graph::Value x = graph.input(random_array({a, b, c}, 1, kF64));
};

TEST_F(Accumulate, at_a_position) {
  check(ops::kPlaceAt, {a, c}, "dim: b=6, position: 1", {4});
  check(ops::kPlaceAt, {b, c}, "dim: a=5, position: 0", {0});
}

TEST_F(Accumulate, in_an_interval) {
  check(ops::kPad, {a, {b.name, 2}, c}, "over: b, before: 3, after: 1");
  check(ops::kPad, {{a.name, 1}, b, c}, "over: a, before: 4, after: 0");
}

TEST_F(Accumulate, with_a_stride) { check(ops::kSpread, {a, {b.name, 2}, c}, "over: b, first: 1, stride: 3, size: 6"); }

TEST_F(Accumulate, counts_the_part) {
  const graph::Value part = graph.input(random_array({a, c}, 2, kF64));
  const graph::Value sum =
      builder.add(ops::kAddAt, {x, part}, read_attributes(ops::kAddAt, "dim: b=6, position: 1"), {2});
  graph.flops = 0;
  graph.run(sum);
  EXPECT_EQ(graph.flops, 15);
}

}  // namespace accumulate_test
}  // namespace mtf::test
