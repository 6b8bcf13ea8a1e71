// einsum on blocks, against plain sums.
#include <gtest/gtest.h>

#include <random>

#include "../work_time.h"
#include "ops/contract.h"
#include "whole_graph.h"

namespace mtf::test {
namespace {

/// The dims of a word, `abc`: a has 2 elements, b 3, and so on.
Dims dims_of(const std::string& word) {
  Dims dims;
  for (char letter : word) dims.push_back({Name(std::string(1, letter)), letter - 'a' + 2});
  return dims;
}

std::vector<double> written_out(const std::vector<Array>& operands, const Dims& result) {
  Dims labels = result;
  for (const Array& operand : operands)
    for (const Dim& dim : operand.type.dims)
      if (!has_dim(labels, dim.name)) labels.push_back(dim);
  std::vector<double> sums(size_of(result));
  std::vector<int64_t> at(labels.size(), 0);
  const auto position = [&](const Dims& dims) {
    int64_t p = 0;
    for (const Dim& dim : dims) p = p * dim.size + at[find_dim(labels, dim.name)];
    return p;
  };
  for (int64_t point = 0; point < size_of(labels); ++point) {
    int64_t rest = point;
    for (size_t d = labels.size(); d-- > 0;) at[d] = rest % labels[d].size, rest /= labels[d].size;
    double product = 1;
    for (const Array& operand : operands) product *= operand.numbers[position(operand.type.dims)];
    sums[position(result)] += product;
  }
  return sums;
}

/// A block of dims stored in some order.
class Stored {
 public:
  Stored(const TensorType& type, std::mt19937& generator) {
    block.element = type.element;
    for (const Dim& dim : type.dims) block.dims.push_back({0, dim.size, dim.size, 0});
    std::vector<size_t> order(type.dims.size());
    for (size_t d = 0; d < order.size(); ++d) order[d] = d;
    std::shuffle(order.begin(), order.end(), generator);
    int64_t stride = 1;
    for (size_t d : order) block.dims[d].stride = stride, stride *= block.dims[d].size;
    memory_.resize(stride * size_of(type.element) + 64);
    block.data = memory_.data() + (64 - reinterpret_cast<uintptr_t>(memory_.data()) % 64) % 64;
  }
  template <typename Fn>
  void each(Fn fn) {
    ops::Walk<1> walk;
    for (const kernels::BlockDim& dim : block.dims) walk.add(dim.size, {dim.stride});
    ops::by_element(block.element, [&](auto zero) {
      for (int64_t n = 0; n < walk.count(); ++n, walk.next()) fn(n, block.as<decltype(zero)>()[walk.offset(0)]);
    });
  }
  kernels::Block block;

 private:
  std::vector<std::byte> memory_;
};

void check(const std::string& first, const std::string& second, const std::string& result, ElementType element,
           int seed) {
  WholeGraph graph;
  std::mt19937 generator(seed);
  std::vector<Array> arrays{random_array(dims_of(first), seed, element, element == ElementType::kI32 ? -3 : 0,
                                         element == ElementType::kI32 ? 4 : 0)};
  if (second != "-")
    arrays.push_back(random_array(dims_of(second), seed + 1, element, element == ElementType::kI32 ? -3 : 0,
                                  element == ElementType::kI32 ? 4 : 0));
  graph::Values operands;
  for (const Array& array : arrays) operands.push_back(graph.input(array));
  const graph::Value product =
      graph.builder.add(ops::kEinsum, operands, ops::EinsumAttributes{.result = names_of(dims_of(result))});
  std::vector<Stored> stored;
  for (const Array& array : arrays) {
    stored.emplace_back(array.type, generator);
    stored.back().each([&](int64_t n, auto& e) { e = ops::to_element<std::decay_t<decltype(e)>>(array.numbers[n]); });
  }
  Stored into({element, dims_of(result)}, generator);
  std::vector<kernels::Block> from, to{into.block};
  for (Stored& s : stored) from.push_back(s.block);
  kernels::Threads threads(2);
  graph::KernelCall call{product.operation(), from, to, {}, threads};
  ops::contract_kernel(call);
  const std::vector<double> expected = written_out(arrays, dims_of(result));
  Dims all = dims_of(result);
  for (const Array& array : arrays)
    for (const Dim& dim : array.type.dims)
      if (!has_dim(all, dim.name)) all.push_back(dim);
  EXPECT_EQ(call.flops, 2 * size_of(all)) << first << ", " << second << " -> " << result;
  into.each([&](int64_t n, auto e) {
    const double tolerance = element == ElementType::kBf16 ? 0.02 * (1 + std::abs(expected[n])) : 1e-3;
    ASSERT_NEAR(static_cast<double>(ops::to_number(e)), expected[n], tolerance)
        << first << ", " << second << " -> " << result << " element " << n;
  });
}

TEST(Einsum, works_on_operands_stored_in_any_order) {
  const std::vector<std::array<std::string, 3>> cases = {
      {"ab", "bc", "ac"},   {"abc", "cbd", "ad"}, {"abcd", "cdef", "abef"}, {"abcd", "abec", "abde"},
      {"abc", "abc", "a"},  {"abc", "abc", ""},   {"a", "b", "ab"},         {"ab", "ab", "ba"},
      {"abc", "cb", "abc"}, {"abc", "bd", "a"},   {"a", "b", ""},           {"abcd", "bdea", "eac"},
      {"ab", "-", "b"},     {"abc", "-", "cab"},  {"abc", "-", ""},         {"abcdef", "fdbg", "gcae"}};
  for (const auto& [first, second, result] : cases)
    for (ElementType element : {ElementType::kF32, ElementType::kF64, ElementType::kI32, ElementType::kBf16})
      for (int seed = 0; seed < 6; ++seed) check(first, second, result, element, seed);
}

TEST(Einsum, products_of_bf16_are_rounded_once) {
  // Sums of small integers in f32 are exact, so the result is the nearest bf16 in any order of summation.
  const std::vector<std::array<std::string, 3>> cases = {{"ab", "bc", "ac"}, {"abc", "bd", "a"}, {"a", "b", ""},
                                                         {"az", "a", "a"},   {"az", "y", ""},    {"z", "ay", "a"},
                                                         {"azy", "ab", "b"}, {"az", "ab", "ab"}, {"zab", "bcy", "ac"}};
  for (const auto& [first, second, result] : cases)
    for (const bool narrow : {true, false}) {
      WholeGraph graph;
      const ElementType element = narrow ? ElementType::kBf16 : ElementType::kF32;
      const int most = narrow ? 40 : 600;  // f32 is multiplied as bf16, which rounds odd numbers above 256
      const std::vector<Array> arrays{random_array(dims_of(first), 1, element, -most, most),
                                      random_array(dims_of(second), 2, element, -9, 9)};
      std::vector<Array> multiplied = arrays;
      for (Array& array : multiplied)
        for (double& number : array.numbers) number = to_float(to_bf16(static_cast<float>(number)));
      const graph::Value product =
          graph.builder.add(ops::kEinsum, {graph.input(arrays[0]), graph.input(arrays[1])},
                            ops::EinsumAttributes{.product = narrow ? ops::Product::kPlain : ops::Product::kAsBf16,
                                                  .result = names_of(dims_of(result))});
      const std::vector<double> expected = written_out(multiplied, dims_of(result));
      const std::vector<double>& found = graph.run(product).numbers;
      for (size_t i = 0; i < expected.size(); ++i) {
        const auto exact = static_cast<float>(expected[i]);
        ASSERT_EQ(found[i], narrow ? to_float(to_bf16(exact)) : exact) << first << ", " << second << " -> " << result;
      }
    }
}

TEST(Einsum, pairs_so_that_the_fewest_points_are_visited) {
  // [a] [a, b] [b, c]: from the left, each product is a vector.
  const Dims a{{"a", 100}}, ab{{"a", 100}, {"b", 50}}, bc{{"b", 50}, {"c", 200}};
  EXPECT_EQ(ops::pair_by_flops({ab, bc, a}, {{"c", 200}}), (std::vector<std::pair<int, int>>{{0, 2}, {1, 3}}));
}

TEST(Einsum, pairs_of_many_operands_are_found_in_time_that_grows_with_them) {
  // A vector times a chain of matrices: each product is a vector, for any number of matrices.
  const auto points_of = [](int matrices) {
    std::vector<Dims> operands{{Dim{Name("d0"), 8}}};
    for (int i = 0; i < matrices; ++i)
      operands.push_back({Dim{Name("d" + std::to_string(i)), 8}, Dim{Name("d" + std::to_string(i + 1)), 8}});
    const Dims result{Dim{Name("d" + std::to_string(matrices)), 8}};
    const auto pairs = ops::pair_by_flops(operands, result);
    EXPECT_EQ(pairs.size(), operands.size() - 1);
    int64_t points = 0;
    std::vector<bool> used(2 * operands.size(), false);
    for (const auto& [i, j] : pairs) {
      EXPECT_FALSE(used[i] || used[j] || i >= j);
      used[i] = used[j] = true;
      Dims all = operands[i];
      for (const Dim& dim : operands[j])
        if (!has_dim(all, dim.name)) all.push_back(dim);
      points += size_of(all);
      Dims kept;  // each inner dim is in two operands
      for (const Dim& dim : all)
        if (!(has_dim(operands[i], dim.name) && has_dim(operands[j], dim.name)) || has_dim(result, dim.name))
          kept.push_back(dim);
      operands.push_back(kept);
    }
    return points;
  };
  EXPECT_EQ(points_of(20), 20 * 64);
  EXPECT_EQ(points_of(200), 200 * 64);
  const double before = processor_seconds();
  EXPECT_EQ(points_of(10000), 10000 * 64);
  EXPECT_LT(processor_seconds() - before, 60);  // trying all pairs would take hours
}

TEST(Einsum, results_keep_the_order_in_which_their_operands_store_dims) {
  WholeGraph graph;
  const graph::Value x = graph.input(random_array(dims_of("efg"), 1)), w = graph.input(random_array(dims_of("ga"), 2));
  const graph::Value y = graph.builder.einsum({w, x}, dims_of("aef"));
  const std::vector<StorageOrder> orders{{1, 0}, {1, 0, 2}};  // w stored a last, x stored f, e, g
  EXPECT_EQ(y.operation().op->result_order(y.operation(), orders), (StorageOrder{0, 2, 1}));
}

TEST(Einsum, results_are_stored_as_written_unless_the_other_order_is_faster) {
  WholeGraph graph;
  const graph::Value x = graph.input(random_array(dims_of("ab"), 1)), y = graph.input(random_array(dims_of("bc"), 2));
  const graph::Op& einsum = *graph.builder.einsum({x, y}, dims_of("ac")).operation().op;
  auto order = [&](const char* result, StorageOrder of_x, StorageOrder of_y) {
    const std::vector<StorageOrder> orders{std::move(of_x), std::move(of_y)};
    return einsum.result_order(graph.builder.einsum({x, y}, dims_of(result)).operation(), orders);
  };
  EXPECT_EQ(order("ac", {0, 1}, {0, 1}), (StorageOrder{0, 1}));  // c is innermost in y, the summed b in x
  EXPECT_EQ(order("ca", {0, 1}, {0, 1}), (StorageOrder{1, 0}));
  EXPECT_EQ(order("ac", {1, 0}, {1, 0}), (StorageOrder{1, 0}));  // a is innermost in x, the summed b in y
  EXPECT_EQ(order("ac", {1, 0}, {0, 1}), (StorageOrder{0, 1}));  // no difference: as written
  EXPECT_EQ(order("ca", {1, 0}, {0, 1}), (StorageOrder{0, 1}));
}

}  // namespace
}  // namespace mtf::test
