// Gradients, first and second, against finite differences; expansions against kernels, with their flops.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "call_text.h"
#include "graph/program.h"
#include "support/restore.h"
#include "whole_graph.h"

namespace mtf::test {
namespace gradient_test {

const Dim a{"a", 3}, b{"b", 4}, c{"c", 2};

double total(const std::vector<double>& numbers) {
  double sum = 0;
  for (double number : numbers) sum += number;
  return sum;
}

/// Checks d sum(y * weights) / dx and the gradient of this gradient, for f64 inputs.
void check_gradient(WholeGraph& graph, const graph::Value& y, const graph::Values& inputs, int order) {
  ops::Builder& builder = graph.builder;
  const graph::Value weights = graph.input(random_array(y.dims(), 100 + order, ElementType::kF64));
  const graph::Value loss = builder.reduce(ops::kSum, builder.map(ops::kMul, y, weights), {});
  const graph::Values d = gradients(builder, loss, inputs);
  for (size_t k = 0; k < inputs.size(); ++k) {
    const std::vector<double> found = graph.numbers(d[k]);
    for (size_t i = 0; i < found.size(); ++i) {
      graph.change(inputs[k], i, 1e-5);
      const double after = total(graph.numbers(loss));
      graph.change(inputs[k], i, -2e-5);
      const double before = total(graph.numbers(loss));
      graph.change(inputs[k], i, 1e-5);
      ASSERT_NEAR(found[i], (after - before) / 2e-5, 2e-6 * (1 + std::abs(found[i])))
          << y.operation().op->name << ", derivative " << order << " of input " << k << ", element " << i;
    }
    if (order < 2) check_gradient(graph, d[k], inputs, order + 1);
  }
}

/// Numbers from low to high, all different.
Array spread(const Dims& dims, int seed, double low, double high) {
  Array array = random_array(dims, seed, ElementType::kF64);
  for (double& number : array.numbers) number = low + (number + 2) / 4 * (high - low);
  return array;
}

TEST(Gradients, of_one_operand) {
  const std::map<std::string, std::vector<std::pair<double, double>>> ranges = {{"neg", {{-2, 2}}},
                                                                                {"abs", {{0.5, 2}, {-2, -0.5}}},
                                                                                {"sqrt", {{0.5, 2}}},
                                                                                {"rsqrt", {{0.5, 2}}},
                                                                                {"exp", {{-2, 2}}},
                                                                                {"log", {{0.5, 2}}},
                                                                                {"sin", {{-2, 2}}},
                                                                                {"cos", {{-2, 2}}},
                                                                                {"tanh", {{-2, 2}}},
                                                                                {"sigmoid", {{-2, 2}}},
                                                                                {"relu", {{0.5, 2}, {-2, -0.5}}},
                                                                                {"gelu", {{-2, 2}}},
                                                                                {"swish", {{-2, 2}}},
                                                                                {"elu", {{0.5, 2}, {-2, -0.5}}},
                                                                                {"selu", {{0.5, 2}, {-2, -0.5}}},
                                                                                {"softplus", {{-2, 2}}},
                                                                                {"square", {{-2, 2}}},
                                                                                {"reciprocal", {{0.5, 2}}},
                                                                                {"floor", {{0.1, 0.9}}},
                                                                                {"round", {{0.6, 1.4}}},
                                                                                {"sign", {{0.5, 2}}},
                                                                                {"leaky_relu", {{0.5, 2}, {-2, -0.5}}}};
  for (const auto& [op, list] : ranges)
    for (const auto& [low, high] : list) {
      WholeGraph graph;
      const graph::Value x = graph.input(spread({a, b}, 1, low, high));
      CallText call(graph, {{"x", x}});
      const graph::Value y = op == "leaky_relu" ? graph.builder.map(ops::kLeakyRelu, x, 0.2) : call(op, {"x"});
      check_gradient(graph, y, {x}, 1);
    }
}

TEST(Gradients, of_two_operands_that_broadcast) {
  for (const graph::Op* op :
       {&ops::kAdd, &ops::kSub, &ops::kMul, &ops::kDiv, &ops::kPow, &ops::kMinimum, &ops::kMaximum, &ops::kMod}) {
    WholeGraph graph;
    const graph::Value x = graph.input(spread({a, b}, 1, 0.5, 0.9)), y = graph.input(spread({b}, 2, 1.1, 2));
    check_gradient(graph, graph.builder.map(*op, x, y), {x, y}, 1);
    check_gradient(graph, graph.builder.map(*op, y, x), {x, y}, 1);
  }
}

TEST(Gradients, of_where_and_clip) {
  WholeGraph graph;
  const graph::Value x = graph.input(spread({a, b}, 1, -2, 2)), y = graph.input(spread({b}, 2, 1, 2)),
                     low = graph.input(spread({}, 3, -0.9, -0.8));
  check_gradient(graph,
                 graph.builder.where(graph.builder.map(ops::kGt, x, 0.0), graph.builder.map(ops::kMul, x, y),
                                     graph.builder.map(ops::kSquare, y)),
                 {x, y}, 1);
  CallText call(graph, {{"x", x}, {"low", low}, {"high", y}});
  check_gradient(graph, call("clip", {"x", "low", "high"}), {x, low, y}, 1);
}

TEST(Gradients, of_reductions) {
  for (const char* op : {"sum", "mean", "max", "min", "prod", "logsumexp"}) {
    WholeGraph graph;
    const graph::Value x = graph.input(spread({a, b, c}, 1, 0.5, 2));
    CallText call(graph, {{"x", x}});
    check_gradient(graph, call(op, {"x"}), {x}, 1);
    check_gradient(graph, call(op, {"x"}, {{"over", {b}}}), {x}, 1);
    check_gradient(graph, call(op, {"x"}, {}, Dims{c, a}), {x}, 1);
  }
}

TEST(Gradients, of_einsum) {
  WholeGraph graph;
  const graph::Value x = graph.input(spread({a, b}, 1, -2, 2)), y = graph.input(spread({b, c}, 2, -2, 2)),
                     z = graph.input(spread({c, a}, 3, -2, 2));
  CallText call(graph, {{"x", x}, {"y", y}, {"z", z}});
  check_gradient(graph, call("einsum", {"x", "y"}, {}, Dims{c, a}), {x, y}, 1);
  check_gradient(graph, call("einsum", {"x", "y"}, {}, Dims{c}), {x, y}, 1);
  check_gradient(graph, call("einsum", {"x", "z"}, {}, Dims{}), {x, z}, 1);
  check_gradient(graph, call("einsum", {"x"}, {}, Dims{b}), {x}, 1);
  check_gradient(graph, call("einsum", {"x", "y", "z"}, {}, Dims{a}), {x, y, z}, 1);
}

TEST(Gradients, of_normalising_operations) {
  for (const char* op : {"softmax", "log_softmax", "layer_norm"}) {
    WholeGraph graph;
    const graph::Value x = graph.input(spread({a, b, c}, 1, -2, 2));
    CallText call(graph, {{"x", x}});
    check_gradient(graph, call(op, {"x"}, {{"over", {b}}}), {x}, 1);
    check_gradient(graph, call(op, {"x"}, {{"over", {a, c}}}), {x}, 1);
  }
}

TEST(Gradients, of_cross_entropy) {
  for (const bool smoothed : {false, true}) {
    WholeGraph graph;
    const graph::Value x = graph.input(spread({a, b, c}, 1, -2, 2)), t = graph.input(spread({b, c}, 2, 0, 1));
    const graph::Value i = graph.input(random_array({c, a}, 3, ElementType::kI32, 0, 4));
    CallText call(graph, {{"x", x}, {"t", t}, {"i", i}});
    std::map<std::string, NamedArgument> named{{"over", {b}}};
    if (smoothed) named.insert({{"label_smoothing", 0.2}, {"z_loss", 0.1}});
    check_gradient(graph, call("cross_entropy", {"x", "i"}, named), {x}, 1);
    check_gradient(graph, call("cross_entropy", {"x", "t"}, named), {x, t}, 1);
  }
}

TEST(Gradients, of_segments_compute_each_again_with_the_operations_that_it_has) {
  WholeGraph graph;
  ops::Builder& builder = graph.builder;
  const graph::Value x = graph.input(spread({a}, 1, -1, 1));
  const auto segment = [&](const graph::Value& value) {
    const Restore inside(builder.context.segment, std::make_shared<const graph::Segment>());
    return builder.map(ops::kTanh, builder.map(ops::kSin, value));
  };
  const graph::Value y = segment(segment(x));
  check_gradient(graph, y, {x}, 1);
  const graph::Value loss = builder.reduce(ops::kSum, y, {});
  const graph::Values roots{loss, gradients(builder, loss, {x})[0]};
  std::map<int32_t, std::vector<const graph::LaidOutOperation*>> made;
  for (const graph::ProgramOperation& entry : capture(graph::pending(roots), roots).program.operations)
    made[entry.replica].push_back(entry.operation.get());
  ASSERT_EQ(made.size(), 3U);
  for (const int32_t replica : {1, 2}) {
    EXPECT_EQ(made[replica].size(), 2U);
    for (const graph::LaidOutOperation* operation : made[replica])
      EXPECT_EQ(std::count(made[0].begin(), made[0].end(), operation), 1);
  }
}

/// The kernel's results and flops equal those of the expansion, in both storage orders.
void check_expansion(WholeGraph& graph, const graph::Value& y) {
  const graph::Values expanded = graph.expansion(y);
  for (size_t r = 0; r < expanded.size(); ++r) {
    const graph::Value result{y.node, static_cast<int>(r)};
    EXPECT_EQ(expanded[r].type(), result.type());
    for (const bool transposed : {false, true}) {
      graph.transposed = transposed;
      graph.flops = 0;
      const std::vector<double> whole = graph.numbers(result);
      const int64_t flops = graph.flops;
      graph.flops = 0;
      expect_near(graph.numbers(expanded[r]), whole, 1e-5);
      if (r > 0 || y.operation().op->saved_results > 0) continue;
      EXPECT_EQ(graph.flops, flops) << y.operation().op->name;
    }
  }
}

TEST(Expansions, give_what_the_kernel_gives_and_count_the_same) {
  WholeGraph graph;
  const graph::Value x = graph.input(random_array({a, b, c}, 1)), t = graph.input(random_array({b, c}, 2));
  const graph::Value i = graph.input(random_array({c, a}, 3, ElementType::kI32, 0, 4));
  CallText call(graph, {{"x", x}, {"t", t}, {"i", i}});
  for (const char* op : {"softmax", "log_softmax", "layer_norm", "logsumexp"})
    for (const Dims& over : {Dims{b}, Dims{a, c}, Dims{a, b, c}}) {
      NamedArgument argument({});
      argument.dims = over;
      check_expansion(graph, call(op, {"x"}, {{"over", argument}}));
    }
  for (const char* op : {"argmax", "argmin"}) check_expansion(graph, call(op, {"x"}, {{"over", {b}}}));
  check_expansion(graph, call("logsumexp", {"x"}, {}, Dims{c, a}));
  for (const char* labels : {"i", "t"}) {
    check_expansion(graph, call("cross_entropy", {"x", labels}, {{"over", {b}}}));
    check_expansion(graph,
                    call("cross_entropy", {"x", labels}, {{"over", {b}}, {"label_smoothing", 0.1}, {"z_loss", 0.1}}));
  }
}

/// Counts the expansion of the first result, which computes the saved results on its way.
TEST(Expansions, of_cross_entropy_and_layer_norm_count_the_same) {
  WholeGraph graph;
  const graph::Value x = graph.input(random_array({a, b, c}, 1)),
                     i = graph.input(random_array({c, a}, 3, ElementType::kI32, 0, 4));
  const graph::Value t = graph.input(random_array({b, c}, 2));
  CallText call(graph, {{"x", x}, {"i", i}, {"t", t}});
  for (const graph::Value& y :
       {call("layer_norm", {"x"}, {{"over", {b}}}), call("cross_entropy", {"x", "i"}, {{"over", {b}}}),
        call("cross_entropy", {"x", "t"}, {{"over", {b}}, {"label_smoothing", 0.1}}),
        call("cross_entropy", {"x", "i"}, {{"over", {b}}, {"label_smoothing", 0.1}, {"z_loss", 0.1}})}) {
    graph.flops = 0;
    graph.run(y);
    const int64_t whole = graph.flops;
    graph.flops = 0;
    graph.run(graph.expansion(y)[0]);
    EXPECT_EQ(graph.flops, whole) << y.operation().op->name;
  }
}

}  // namespace gradient_test
}  // namespace mtf::test
