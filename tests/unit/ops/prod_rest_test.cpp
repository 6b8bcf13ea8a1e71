// A product of all other elements needs no division.
#include "node_runner.h"

namespace mtf::test {
namespace prod_rest_test {

const ElementType kF64 = ElementType::kF64;
const Dim a{Name("a"), 5}, b{Name("b"), 6};

const graph::Attributes over_b = read_attributes(ops::kProdRest, "over: b");

TEST(ProdRest, is_the_product_of_the_others_and_so_are_its_gradients) {
  Graph graph;
  Array numbers = random_array({a, b}, 3, kF64);
  numbers.numbers[1] = numbers.numbers[8] = numbers.numbers[20] = 0;
  const graph::Value x = graph.input(numbers);
  const graph::Value rest = graph.builder.add(ops::kProdRest, {x}, over_b);
  const std::vector<double> got = graph.run(rest).numbers;
  for (size_t i = 0; i < got.size(); ++i) {
    double product = 1;
    for (size_t k = i / 6 * 6; k < i / 6 * 6 + 6; ++k)
      if (k != i) product *= numbers.numbers[k];
    EXPECT_NEAR(got[i], product, 1e-12);
  }
  graph.check_gradient(rest, {x});
  const graph::Value g = graph.input(random_array({a, b}, 4, kF64)), h = graph.input(random_array({a, b}, 5, kF64));
  const graph::Value second = graph.builder.add(ops::kProdRest, {x, g}, over_b),
                     third = graph.builder.add(ops::kProdRest, {x, g, h}, over_b);
  graph.check_splits(second);
  graph.check_gradient(second, {x, g});
  graph.check_gradient(third, {x, g, h});
}

}  // namespace prod_rest_test
}  // namespace mtf::test
