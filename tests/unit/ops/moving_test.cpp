// Kernels, splits and gradients of the operations that move elements.
#include "node_runner.h"
#include "ops/index.h"
#include "ops/scan.h"
#include "ops/shape.h"

namespace mtf::test {
namespace moving_test {

const ElementType kF64 = ElementType::kF64;
const Dim a{Name("a"), 5}, b{Name("b"), 6}, c{Name("c"), 3};

class Moving : public testing::Test {
 protected:
  /// Checks every split and the gradient.
  void check(const graph::Value& value, const graph::Values& inputs) {
    graph.check_splits(value, 1e-12);
    graph.check_gradient(value, inputs);
  }
  graph::Value add(const graph::Op& op, graph::Values operands, std::string_view attributes,
                   std::vector<double> inputs = {}) {
    return builder.add(op, std::move(operands), read_attributes(op, attributes), std::move(inputs));
  }
  std::vector<double> numbers(const graph::Value& value) { return graph.run(value).numbers; }
  graph::Value line(std::vector<double> numbers, ElementType element = ElementType::kF32) {
    const auto size = static_cast<int64_t>(numbers.size());
    return graph.input(array_of({{Name("n"), size}}, std::move(numbers), element));
  }

  Graph graph;
  ops::Builder& builder = graph.builder;
  graph::Value x = graph.input(random_array({a, b, c}, 1, kF64));
  using Numbers = std::vector<double>;
};

TEST_F(Moving, reshape_keeps_the_order_written) {
  const Dim ab{Name("ab"), 30}, two{Name("two"), 2}, nine{Name("nine"), 9};
  check(builder.reshape(x, {ab, c}), {x});
  check(builder.reshape(x, {a, two, nine}), {x});
  check(builder.reshape(x, {b, c, a}), {x});
  EXPECT_EQ(numbers(builder.reshape(x, {b, c, a})), numbers(x));
}

TEST_F(Moving, reshape_groups_are_as_small_as_they_can_be) {
  const Dim bc{Name("bc"), 18}, one{Name("one"), 1};
  const graph::Value y = builder.reshape(x, {one, a, bc});
  const graph::IterationSpace space = y.operation().op->space(y.operation());
  ASSERT_EQ(space.dims.size(), 2u);
  EXPECT_EQ(space.dims[0].kind, graph::SplitKind::kFree);
  EXPECT_EQ(space.dims[1].kind, graph::SplitKind::kFactors);
  EXPECT_EQ(space.dims[1].operand_granule, 3);
  EXPECT_EQ(space.dims[1].result_granule, 1);
}

TEST_F(Moving, rename_and_broadcast_go_by_name) {
  check(builder.rename(x, {a, {Name("b2"), 6}, c}), {x});
  check(builder.broadcast(x, {{Name("d"), 4}, c, a, b}), {x});
}

TEST_F(Moving, slices_with_and_without_a_stride) {
  check(slice_dim(builder, x, 1, 1, 4, 1, {}), {x});
  check(slice_dim(builder, x, 1, 1, 6, 2, {}), {x});
  check(slice_dim(builder, x, 0, 0, 5, 3, {}), {x});
  EXPECT_EQ(numbers(slice_dim(builder, line({0, 1, 2, 3, 4, 5}), 0, 1, 6, 2, {})), (Numbers{1, 3, 5}));
}

TEST_F(Moving, slices_outside_the_dim_are_refused) {
  EXPECT_THROW(slice_dim(builder, x, 1, 1, 7, 1, {}), UserError);
  EXPECT_THROW(slice_dim(builder, x, 1, -1, 2, 1, {}), UserError);
  EXPECT_THROW(slice_dim(builder, x, 1, 2, 2, 1, {}), UserError);
}

TEST_F(Moving, spread_is_the_opposite_of_a_slice) {
  const graph::Value y =
      add(ops::kSpread, {slice_dim(builder, x, 1, 1, 6, 2, {})}, "over: b, first: 1, stride: 2, size: 6");
  graph.check_splits(y);
  graph.check_gradient(y, {y.node->operands()[0]});
}

TEST_F(Moving, pad_has_its_value_outside) {
  check(add(ops::kPad, {x}, "over: b, before: 2, after: 1"), {x});
  check(add(ops::kPad, {x}, "over: c, before: 0, after: 9"), {x});
  EXPECT_EQ(numbers(add(ops::kPad, {line({1, 2, 3})}, "over: n, before: 2, after: 1")), (Numbers{0, 0, 1, 2, 3, 0}));
  EXPECT_EQ(numbers(add(ops::kPadWith, {line({1, 2})}, "over: n, before: 1, after: 1", {7.5})),
            (Numbers{7.5, 1, 2, 7.5}));
}

TEST_F(Moving, shift_moves_zeros_in_or_wraps) {
  const graph::Value y = line({1, 2, 3, 4, 5, 6, 7, 8});
  const auto by_text = [](std::string_view over, int64_t by, bool wrap) {
    return fmt::format("over: {}, by: {}, wrap: {}", over, by, wrap);
  };
  auto shifted = [&](int64_t by, bool wrap) { return numbers(add(ops::kShift, {y}, by_text("n", by, wrap))); };
  EXPECT_EQ(shifted(1, true), (Numbers{8, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(shifted(-1, false), (Numbers{2, 3, 4, 5, 6, 7, 8, 0}));
  EXPECT_EQ(shifted(-5, false), (Numbers{6, 7, 8, 0, 0, 0, 0, 0}));
  EXPECT_EQ(shifted(9, true), shifted(1, true));
  for (int64_t by : {1, 2, -1, -4, 5})
    for (bool wrap : {false, true}) check(add(ops::kShift, {x}, by_text("b", by, wrap)), {x});
}

TEST_F(Moving, reverse_over_several_dims) {
  check(add(ops::kReverse, {x}, "over: a"), {x});
  check(add(ops::kReverse, {x}, "over: [c, b]"), {x});
  EXPECT_EQ(numbers(add(ops::kReverse, {line({1, 2, 3})}, "over: n")), (Numbers{3, 2, 1}));
}

TEST_F(Moving, concat_takes_operands_of_other_orders_and_sizes) {
  const graph::Value y = graph.input(random_array({c, {Name("b"), 2}, a}, 2, kF64));
  check(add(ops::kConcat, {x, y, x}, "over: b"), {y});
}

TEST_F(Moving, stack_and_unstack) {
  const graph::Value y = graph.input(random_array({c, a, b}, 3, kF64));
  const graph::Value z = add(ops::kStack, {x, y}, "dim: n=2");
  check(z, {x, y});
  EXPECT_EQ(numbers(add(ops::kUnstack, {z}, "over: n")), numbers(x));
  const graph::Value second{add(ops::kUnstack, {x}, "over: c").node, 1};
  check(second, {x});
}

TEST_F(Moving, index_takes_one_position_of_any_block) {
  for (double position : {0.0, 3.0, 5.0}) check(index_dim(builder, x, 1, position, {}), {x});
  EXPECT_THROW(index_dim(builder, x, 1, 6, {}), UserError);
  EXPECT_THROW(index_dim(builder, x, 1, -1, {}), UserError);
  EXPECT_THROW(graph.run(add(ops::kIndex, {x}, "over: b", {6})), graph::ElementError);
}

TEST_F(Moving, a_masked_index_keeps_every_bit) {
  const graph::Value y = line({-0.0, 1});
  const graph::Value at_zero = index_dim(builder, y, 0, 0, {});
  const double joined = graph.run_split(at_zero.node, 0, 2, false)[0].numbers[0];
  EXPECT_EQ(joined, 0);
}

TEST_F(Moving, gather_and_scatter_add) {
  const Dim n{Name("n"), 4};
  const graph::Value ids = graph.input(random_array({c, n}, 4, ElementType::kI32, 0, 6));
  check(gather(builder, x, ids, b, x.element()), {x});  // c belongs to the table
  const graph::Value other = graph.input(random_array({n}, 5, ElementType::kI32, 0, 6));
  check(gather(builder, x, other, b, x.element()), {x});
  const graph::Value along = graph.input(random_array({a, b}, 6, ElementType::kI32, 0, 6));
  check(gather(builder, x, along, b, x.element()), {x});  // the result's b is the dim of the ids
  const Dim vocab{Name("vocab"), 7};
  const graph::Value positions = graph.input(random_array({b, a}, 7, ElementType::kI32, 0, 7));
  check(scatter_add(builder, x, positions, vocab, {vocab, c}, x.element()), {x});
  check(scatter_add(builder, x, positions, vocab, {a, vocab, c}, x.element()), {x});
  EXPECT_EQ(
      numbers(gather(builder, line({10, 20, 30}), line({2, 0}, ElementType::kI32), {Name("n"), 3}, ElementType::kF32)),
      (Numbers{30, 10}));
}

TEST_F(Moving, ids_outside_the_whole_are_refused_by_every_block) {
  const graph::Value table = line({10, 20, 30});
  const graph::Value ids = graph.input(array_of({c}, {0, 3, 1}, ElementType::kI32));
  const graph::Value y = gather(builder, table, ids, table.dims()[0], table.element());
  EXPECT_THROW(graph.run(y), graph::ElementError);
  EXPECT_THROW(graph.run_split(y.node, 0, 3, false), graph::ElementError);
}

TEST_F(Moving, cumsum_in_all_directions) {
  for (std::string over : {"over: a", "over: b", "over: c"})
    for (std::string_view how : {"", ", exclusive: true", ", reverse: true", ", exclusive: true, reverse: true"})
      check(add(ops::kCumsum, {x}, over.append(how)), {x});
  EXPECT_EQ(numbers(add(ops::kCumsum, {line({1, 2, 3, 4})}, "over: n")), (Numbers{1, 3, 6, 10}));
  EXPECT_EQ(numbers(add(ops::kCumsum, {line({1, 2, 3, 4})}, "over: n, exclusive: true")), (Numbers{0, 1, 3, 6}));
  EXPECT_EQ(numbers(add(ops::kCumsum, {line({1, 2, 3, 4})}, "over: n, reverse: true")), (Numbers{10, 9, 7, 4}));
}

TEST_F(Moving, cumsum_of_blocks_is_local_sums_and_totals) {
  const Dim blocks{Name("blocks"), 4};
  for (bool exclusive : {false, true})
    for (bool backwards : {false, true}) {
      const graph::Value whole = builder.add(ops::kCumsum, {x}, ops::CumsumAttributes{b.name, exclusive, backwards});
      const graph::Value total = builder.add(ops::kBlockTotal, {x}, ops::BlocksAttributes{b.name, blocks});
      const graph::Value totals = graph.input(graph.run_split(total.node, 1, 4, true)[0]);
      const graph::Value joined =
          builder.add(ops::kAddTotals, {x, totals, totals}, ops::CumsumAttributes{b.name, exclusive, backwards});
      const Numbers expected = numbers(whole), found = graph.run_split(joined.node, 1, 4, false)[0].numbers;
      for (size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(expected[i], found[i], 1e-12);
    }
}

TEST_F(Moving, random_numbers_do_not_depend_on_the_blocks) {
  for (const graph::Op* op : {&ops::kRandomUniform, &ops::kRandomNormal, &ops::kRandomTruncatedNormal})
    for (ElementType element : {ElementType::kF32, ElementType::kF64, ElementType::kBf16})
      graph.check_splits(builder.add(*op, {}, ops::TypeAttributes{{element, {a, b, c}}}, {7, 3, -1, 2}));
  const graph::Value i =
      builder.add(ops::kRandomIntegers, {}, ops::TypeAttributes{{ElementType::kI32, {a, b, c}}}, {7, 3, -1, 2});
  graph.check_splits(i);
  for (double number : numbers(i)) EXPECT_TRUE(number >= -1 && number <= 1) << number;
}

TEST_F(Moving, sort_argsort_and_top_k) {
  for (std::string_view over : {"over: a", "over: b", "over: a, descending: true", "over: b, descending: true"})
    check(add(ops::kSort, {x}, over), {x});
  const double nan = std::nan("");
  const graph::Value y = line({3, nan, 1, 3, 1});
  EXPECT_EQ(numbers(add(ops::kArgsort, {y}, "over: n")), (Numbers{2, 4, 0, 3, 1}));
  EXPECT_EQ(numbers(add(ops::kArgsort, {y}, "over: n, descending: true")), (Numbers{1, 0, 3, 2, 4}));
  check(add(ops::kTopK, {x}, "k: k=2, over: b"), {x});
  const graph::Value top = add(ops::kTopK, {line({3, 1, 4, 1, 4})}, "k: k=2, over: n");
  EXPECT_EQ(numbers(top), (Numbers{4, 4}));
  EXPECT_EQ(numbers({top.node, 1}), (Numbers{2, 4}));
}

TEST_F(Moving, top_k_from_candidates_of_blocks) {
  // Blocks of 2, 2, 1 and 0 elements; -inf must win over missing elements.
  const double low = -INFINITY;
  const graph::Value y = line({low, 2, low, low, 2});
  const graph::Value best = add(ops::kBlockTopK, {y}, "candidates: candidates=16, count: 4, over: n");
  const std::vector<Array> parts = graph.run_split(best.node, 0, 4, false);
  const graph::Value values = graph.input(parts[0]), positions = graph.input(parts[1]);
  const graph::Value merged = add(ops::kMergeTopK, {values, positions}, "k: k=4, over: candidates");
  EXPECT_EQ(numbers(merged), (Numbers{2, 2, low, low}));
  EXPECT_EQ(numbers({merged.node, 1}), (Numbers{1, 4, 0, 2}));
}

TEST_F(Moving, tensors_are_made_block_by_block) {
  graph.check_splits(builder.range(b));
  graph.check_splits(add(ops::kTensor, {}, "-> f64[a=5, c=3]", {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}));
  const graph::Value labels = graph.input(random_array({a}, 8, ElementType::kI32, 0, 6));
  graph.check_splits(add(ops::kOneHot, {labels}, "classes: b=6, element: f64"));
  EXPECT_EQ(numbers(add(ops::kOneHot, {line({2, 0}, ElementType::kI32)}, "classes: c=3, element: f64")),
            (Numbers{0, 0, 1, 1, 0, 0}));
  EXPECT_THROW(graph.run(add(ops::kOneHot, {line({3}, ElementType::kI32)}, "classes: c=3, element: f64")),
               graph::ElementError);
}

}  // namespace moving_test
}  // namespace mtf::test
