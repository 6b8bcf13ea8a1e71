// Answers from other sources, to the last digit of an f32.
#include <gtest/gtest.h>

#include "call_text.h"
#include "whole_graph.h"

namespace mtf::test {
namespace known_answers_test {

const Dim a{"a", 2}, b{"b", 2}, c{"c", 2}, n{"n", 4}, three{"n", 3};
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

class KnownAnswers : public testing::Test {
 protected:
  graph::Value vector(std::vector<double> numbers, ElementType element = ElementType::kF32) {
    return graph.input(array_of({{"n", static_cast<int64_t>(numbers.size())}}, numbers, element));
  }
  graph::Values gradient(const graph::Value& y, const graph::Values& of) {
    return gradients(graph.builder, graph.builder.reduce(ops::kSum, y, {}), of);
  }
  void expect(const graph::Value& value, const std::vector<double>& expected, double tolerance = 1e-6) {
    expect_near(graph.numbers(value), expected, tolerance);
  }
  WholeGraph graph;
  ops::Builder& builder = graph.builder;
};

TEST_F(KnownAnswers, gelu_is_the_tanh_form) {
  expect(builder.map(ops::kGelu, vector({-1, 0, 1, 2})), {-.158808, 0, .841192, 1.954598});
}
TEST_F(KnownAnswers, swish) {
  expect(builder.map(ops::kSwish, vector({-1, 0, 1, 2})), {-.268941, 0, .731059, 1.761594});
}

TEST_F(KnownAnswers, gradients_of_relu_and_abs_at_0_are_0) {
  const graph::Value x = vector({0, -1, 2});
  expect(gradient(builder.map(ops::kRelu, x), {x})[0], {0, 0, 1});
  expect(gradient(builder.map(ops::kAbs, x), {x})[0], {0, -1, 1});
}

TEST_F(KnownAnswers, where_lets_no_nan_of_the_other_side_through) {
  const graph::Value condition = vector({1, 0}, ElementType::kBool), x = vector({1, kNan}), y = vector({5, 6});
  const graph::Value selected = builder.where(condition, x, y);
  expect(selected, {1, 6});
  const graph::Values d = gradient(builder.map(ops::kSquare, selected), {x, y});
  expect(d[0], {2, 0});
  expect(d[1], {0, 12});
}

TEST_F(KnownAnswers, integers_divide_and_leave_as_floor_does) {
  expect(builder.map(ops::kFloordiv, vector({-7, 7}, ElementType::kI32), vector({2, -2}, ElementType::kI32)), {-4, -4});
  expect(builder.map(ops::kMod, vector({-7, 7}, ElementType::kI32), vector({3, -3}, ElementType::kI32)), {2, -2});
}

TEST_F(KnownAnswers, einsum_is_the_matrix_product) {
  const graph::Value x = graph.input(array_of({a, b}, {1, 2, 3, 4})), y = graph.input(array_of({b, c}, {5, 6, 7, 8}));
  expect(builder.einsum({x, y}, {a, c}), {19, 22, 43, 50});
  expect(builder.einsum({x, y}, {c, a}), {19, 43, 22, 50});
}

TEST_F(KnownAnswers, second_derivative_of_a_cube) {
  const graph::Value x = vector({3, 4});
  const graph::Value first = gradient(builder.map(ops::kPow, x, 3.0), {x})[0];
  expect(first, {27, 48});
  expect(gradient(first, {x})[0], {18, 24});
}

TEST_F(KnownAnswers, stop_gradient_is_a_constant) {
  const graph::Value x = vector({3, 4});
  expect(gradient(builder.map(ops::kMul, x, builder.map(ops::kStopGradient, x)), {x})[0], {3, 4});
}

TEST_F(KnownAnswers, softmax_whole_and_expanded) {
  CallText call(graph, {{"x", vector({1, 2, 3, 4})}});
  const graph::Value y = call("softmax", {"x"}, {{"over", {n}}});
  const std::vector<double> expected{.0320586, .0871443, .2368828, .6439142};
  expect(y, expected);
  expect(graph.expansion(y)[0], expected);
}

TEST_F(KnownAnswers, logsumexp_whole_and_expanded) {
  CallText call(graph, {{"x", vector({1, 2, 3, 4})}});
  const graph::Value y = call("logsumexp", {"x"});
  expect(y, {4.4401898});
  expect(graph.expansion(y)[0], {4.4401898});
}

TEST_F(KnownAnswers, logsumexp_of_infinities_is_an_infinity) {
  CallText call(graph, {{"x", vector({-kInfinity, -kInfinity})}});
  expect(call("logsumexp", {"x"}), {-kInfinity});
  expect(graph.expansion(call("logsumexp", {"x"}))[0], {-kInfinity});
}

TEST_F(KnownAnswers, layer_norm_whole_and_expanded) {
  CallText call(graph, {{"x", vector({1, 2, 3, 4})}});
  const graph::Value y = call("layer_norm", {"x"}, {{"over", {n}}});
  const std::vector<double> expected{-1.3416404, -.4472134, .4472134, 1.3416404};
  expect(y, expected);
  expect(graph.expansion(y)[0], expected);
}

TEST_F(KnownAnswers, cross_entropy_and_its_gradient) {
  const graph::Value x = vector({1, 2, 3}), zeros = vector({0, 0, 0});
  const graph::Value two = graph.input(array_of({}, {2}, ElementType::kI32)),
                     none = graph.input(array_of({}, {0}, ElementType::kI32));
  CallText call(graph, {{"x", x}, {"zeros", zeros}, {"two", two}, {"none", none}});
  const graph::Value loss = call("cross_entropy", {"x", "two"}, {{"over", {three}}});
  expect(loss, {.4076061});
  expect(graph.expansion(loss)[0], {.4076061});
  expect(call("cross_entropy", {"zeros", "none"}, {{"over", {three}}}), {1.0986123});
  expect(gradient(loss, {x})[0], {.0900306, .2447284, -.3347591});
}

TEST_F(KnownAnswers, the_first_of_equal_elements_and_the_first_nan_win) {
  for (const auto& [numbers, largest, smallest] : {std::tuple<std::vector<double>, double, double>{{1, 3, 3, 1}, 1, 0},
                                                   {{1, kNan, 5, kNan}, 1, 1},
                                                   {{kNan, 1, 2, 3}, 0, 0}}) {
    CallText call(graph, {{"x", vector(numbers)}});
    for (const auto& [op, position] : {std::pair<const char*, double>{"argmax", largest}, {"argmin", smallest}}) {
      const graph::Value y = call(op, {"x"});
      expect(y, {position});
      expect(graph.expansion(y)[0], {position});
    }
  }
}

TEST_F(KnownAnswers, gradients_of_products_with_zeros) {
  const graph::Value x = vector({2, 0, 3}), y = vector({0, 0, 3}), z = vector({2, 4, 3});
  expect(gradient(builder.reduce(ops::kProd, x, {}), {x})[0], {0, 6, 0});
  expect(gradient(builder.reduce(ops::kProd, y, {}), {y})[0], {0, 0, 0});
  expect(gradient(builder.reduce(ops::kProd, z, {}), {z})[0], {12, 6, 8});
}

TEST_F(KnownAnswers, powers_have_gradients_at_0) {
  const graph::Value x = vector({0, 2}), e = vector({0, 3});
  expect(gradient(builder.map(ops::kPow, x, 2.0), {x})[0], {0, 4});
  expect(gradient(builder.map(ops::kPow, x, 0.0), {x})[0], {0, 0});
  expect(gradient(builder.map(ops::kPow, x, e), {x, e})[0], {0, 12});
  expect(gradient(builder.map(ops::kPow, x, e), {x, e})[1], {0, 8 * std::log(2.0)});
}

TEST_F(KnownAnswers, a_label_outside_the_classes_is_refused) {
  const graph::Value x = vector({1, 2, 3}), label = graph.input(array_of({}, {3}, ElementType::kI32));
  CallText call(graph, {{"x", x}, {"label", label}});
  try {
    graph.run(call("cross_entropy", {"x", "label"}, {{"over", {three}}}));
    FAIL() << "expected an error";
  } catch (const graph::ElementError& error) { EXPECT_EQ(error.message, "expected labels from 0 to 2, found 3"); }
}

}  // namespace known_answers_test
}  // namespace mtf::test
