// Kernels that look up, add, order and compare along a dim equal plain loops to the last bit. Sizes, storage orders,
// blocks and elements are random, with equal numbers, -0 and NaN.
#include <bit>
#include <functional>
#include <numeric>

#include "node_runner.h"
#include "ops/index.h"
#include "ops/scan.h"

namespace mtf::test {
namespace lookups_test {

using Numbers = std::vector<double>;
using Positions = std::vector<int64_t>;

/// Random choices, and one operation on blocks with random storage orders.
class Lookups : public testing::Test {
 protected:
  int64_t draw(int64_t low, int64_t high) { return low + static_cast<int64_t>(generator_() % (high - low + 1)); }
  /// Mostly small sizes, some larger than kernels handle at once.
  int64_t draw_size() { return draw(0, 3) == 0 ? draw(1, 700) : draw(1, 20); }
  ElementType draw_element() {
    return std::array{ElementType::kF32, ElementType::kF32, ElementType::kBf16, ElementType::kF64,
                      ElementType::kI32}[draw(0, 4)];
  }
  /// Few different numbers, so that many are equal.
  Array draw_array(const Dims& dims, ElementType element, bool with_nan) {
    Array array = array_of(dims, {}, element);
    const bool few = draw(0, 1) == 0, nans = with_nan && is_float(element) && draw(0, 2) == 0;
    for (int64_t i = 0; i < size_of(dims); ++i) {
      double number = few ? static_cast<double>(draw(-3, 3)) / 2 : static_cast<double>(draw(-1000000, 1000000)) / 999;
      if (number == 0 && draw(0, 1) == 0) number = -0.0;
      if (nans && draw(0, 30) == 0) number = std::nan("");
      ops::by_element(element, [&](auto zero) { number = ops::to_number(ops::to_element<decltype(zero)>(number)); });
      array.numbers.push_back(number);
    }
    return array;
  }
  Dims draw_dims(std::vector<std::string> names) {
    Dims dims;
    for (const std::string& name : names) dims.push_back({Name(name), draw(0, 5) == 0 ? 1 : draw(1, 9)});
    return dims;
  }

  /// Returns the results of a call on gathered operands. Only dim `split` of the first operand or, if `splits_result`,
  /// of the first result, is a block of `size` positions from `first` on.
  std::vector<Numbers> run(const graph::Value& value, std::vector<const Array*> operands, int split = -1,
                           int64_t first = 0, int64_t size = 0, bool splits_result = false) {
    const graph::Operation& operation = *value.node->operation;
    std::vector<Memory> memory;
    auto add = [&](const TensorType& type, bool is_split) {
      std::vector<kernels::BlockDim> dims;
      for (const Dim& dim : type.dims) dims.push_back({0, dim.size, dim.size, 0});
      if (is_split) dims[split].first = first, dims[split].size = size;
      std::vector<int> order = ops::in_order(dims.size());
      std::shuffle(order.begin(), order.end(), generator_);
      memory.emplace_back(type.element, dims, order);
    };
    for (size_t k = 0; k < operands.size(); ++k) {
      add(operands[k]->type, split >= 0 && !splits_result && k == 0);
      memory.back().load(*operands[k]);
    }
    for (size_t r = 0; r < operation.results.size(); ++r)
      add(operation.results[r], split >= 0 && splits_result && r == 0);
    std::vector<kernels::Block> blocks;
    for (const Memory& each : memory) blocks.push_back(each.block);
    const std::span<const kernels::Block> all(blocks);
    kernels::Threads threads(static_cast<int>(draw(1, 3)));
    graph::KernelCall call{operation, all.first(operands.size()), all.subspan(operands.size()), operation.inputs,
                           threads};
    operation.op->kernel(call);
    std::vector<Numbers> results;
    for (size_t r = 0; r < operation.results.size(); ++r) {
      results.emplace_back(size_of(operation.results[r].dims), 0.0);
      memory[operands.size() + r].each(
          [&](int64_t position, auto element) { results[r][position] = static_cast<double>(ops::to_number(element)); });
    }
    return results;
  }

  static void expect_same_bits(const Numbers& found, const Numbers& expected) {
    ASSERT_EQ(found.size(), expected.size());
    for (size_t i = 0; i < found.size(); ++i) {
      if (std::isnan(found[i]) && std::isnan(expected[i])) continue;
      ASSERT_EQ(std::bit_cast<uint64_t>(found[i]), std::bit_cast<uint64_t>(expected[i]))
          << "element " << i << ": " << found[i] << ", expected " << expected[i];
    }
  }

  /// Dims of the row only, of rows and ids, and of ids only. Sometimes there are many ids, or long rows.
  struct Kinds {
    Dims row, both, own;
  };
  Kinds draw_kinds() {
    Dims row = draw_dims({"r", "s"}), both = draw_dims({"z"}), own = draw_dims({"n", "m"});
    if (draw(0, 1) == 0) own[0].size = draw_size();
    if (draw(0, 2) == 0) row[0].size = draw(1, 90);
    return {row, both, own};
  }

  /// Calls `fn(position of each name)` for all positions of the dims. A name that occurs twice in `names` is one dim.
  static void for_positions(const Dims& dims, const std::function<void(const Positions&)>& fn) {
    Positions positions(dims.size(), 0);
    for (int64_t n = 0; n < size_of(dims); ++n) {
      fn(positions);
      for (size_t d = dims.size(); d-- > 0 && ++positions[d] == dims[d].size;) positions[d] = 0;
    }
  }
  /// Returns the index of an array's element at the positions of `dims`, with `over` at `position`.
  static int64_t offset(const Dims& array, const Dims& dims, const Positions& positions, Name over = {},
                        int64_t position = 0) {
    int64_t result = 0;
    for (const Dim& dim : array)
      result = result * dim.size + (dim.name == over ? position : positions[find_dim(dims, dim.name)]);
    return result;
  }

  Graph graph;
  ops::Builder& builder = graph.builder;
  std::mt19937 generator_{5};
};

TEST_F(Lookups, gather_takes_what_its_ids_say_or_nothing) {
  for (int iteration = 0; iteration < 400; ++iteration) {
    auto [row, both, own] = draw_kinds();
    const Dim over{Name("v"), draw(1, 40)};
    Dims table_dims = row, id_dims = own;
    if (draw(0, 2) == 0) table_dims.pop_back();
    if (draw(0, 3) == 0) table_dims.clear();
    if (draw(0, 2) == 0) id_dims.pop_back();
    if (draw(0, 2) == 0) table_dims.push_back(both[0]), id_dims.push_back(both[0]);
    table_dims.push_back(over);
    std::shuffle(table_dims.begin(), table_dims.end(), generator_);
    std::shuffle(id_dims.begin(), id_dims.end(), generator_);
    const ElementType element = draw_element();
    const Array table = draw_array(table_dims, element, true),
                ids = random_array(id_dims, iteration, ElementType::kI32, 0, static_cast<int>(over.size));
    const ElementType wanted = element == ElementType::kBf16 && draw(0, 1) == 0 ? ElementType::kF32 : element;
    const graph::Value value = gather(builder, graph.input(table), graph.input(ids), over, wanted);
    const bool is_split = draw(0, 1) == 0;
    const int64_t first = is_split ? draw(0, over.size - 1) : 0,
                  size = is_split ? draw(0, over.size - first) : over.size;
    Numbers expected;
    for_positions(value.dims(), [&](const Positions& positions) {
      const auto id = static_cast<int64_t>(ids.numbers[offset(id_dims, value.dims(), positions)]);
      const double nothing = is_float(element) ? ops::kNothing : 0;
      expected.push_back(id < first || id >= first + size
                             ? nothing
                             : table.numbers[offset(table_dims, value.dims(), positions, over.name, id)]);
    });
    expect_same_bits(run(value, {&table, &ids}, find_dim(table_dims, over.name), first, size)[0], expected);
  }
}

TEST_F(Lookups, scatter_add_rounds_its_sums_a_few_times) {
  for (int iteration = 0; iteration < 400; ++iteration) {
    auto [row, both, own] = draw_kinds();
    const Dim into{Name("v"), draw(1, 40)};
    Dims id_dims = own, result = {into};
    if (draw(0, 2) == 0) row.pop_back();
    if (draw(0, 3) == 0) row.clear();
    if (draw(0, 2) == 0) id_dims.pop_back();
    if (draw(0, 2) == 0) id_dims.push_back(both[0]), result.push_back(both[0]);
    std::shuffle(id_dims.begin(), id_dims.end(), generator_);
    Dims value_dims = id_dims;
    for (const Dim& dim : row) value_dims.push_back(dim), result.push_back(dim);
    std::shuffle(value_dims.begin(), value_dims.end(), generator_);
    std::shuffle(result.begin(), result.end(), generator_);
    const ElementType element = draw_element();
    const Array values = draw_array(value_dims, element, false),
                ids = random_array(id_dims, iteration, ElementType::kI32, 0, static_cast<int>(into.size));
    const ElementType given = element == ElementType::kI32 ? ElementType::kF64 : element;
    const graph::Value value = scatter_add(builder, graph.input(values), graph.input(ids), into, result, given);
    const bool is_split = draw(0, 1) == 0;
    const int64_t first = is_split ? draw(0, into.size - 1) : 0,
                  size = is_split ? draw(0, into.size - first) : into.size;
    Numbers expected(size_of(result), 0.0), sizes(size_of(result), 0.0);
    Dims all = id_dims;
    for (const Dim& dim : row) all.push_back(dim);
    for_positions(all, [&](const Positions& positions) {
      const auto id = static_cast<int64_t>(ids.numbers[offset(id_dims, all, positions)]);
      if (id < first || id >= first + size) return;
      const int64_t at = offset(result, all, positions, into.name, id);
      expected[at] += values.numbers[offset(value_dims, all, positions)];
      sizes[at] += std::abs(values.numbers[offset(value_dims, all, positions)]);
    });
    const Numbers found = run(value, {&values, &ids}, find_dim(result, into.name), first, size, true)[0];
    for (size_t i = 0; i < found.size(); ++i) {
      const double error = std::abs(found[i] - expected[i]);
      if (element == ElementType::kI32) ASSERT_EQ(error, 0);
      else if (element == ElementType::kF64) ASSERT_LE(error, 1e-12 * sizes[i]);
      else
        ASSERT_LE(error,
                  (element == ElementType::kBf16 ? 0x1p-8 : 0x1p-24) * std::abs(expected[i]) + 0x1p-22 * sizes[i]);
      ASSERT_TRUE(found[i] != 0 || !std::signbit(found[i]));
    }
  }
}

TEST_F(Lookups, sums_by_index_do_not_drift) {
  // Numbers, short rows and long rows; few and many positions, one of them with nearly all ids.
  const Dim n{Name("n"), 100000};
  for (const int64_t width : {1, 3, 40})
    for (const int64_t positions : {2, 1000, 1000000}) {
      if (width * positions > 3000000) continue;
      const Dim d{Name("d"), width}, into{Name("v"), positions};
      Array values = array_of({n, d}, Numbers(n.size * width, 0.1F)), ids = array_of({n}, {}, ElementType::kI32);
      for (int64_t i = 0; i < n.size; ++i)
        ids.numbers.push_back(i % 1000 == 0 ? static_cast<double>(positions - 1) : 1);
      const graph::Value value =
          scatter_add(builder, graph.input(values), graph.input(ids), into, {into, d}, ElementType::kF32);
      const Numbers found = run(value, {&values, &ids})[0];
      const double most = 0.1F * static_cast<double>(positions == 2 ? n.size : n.size - n.size / 1000);
      for (int64_t j = 0; j < width; ++j)
        ASSERT_NEAR(found[width + j], most, most * 0x1p-22) << width << ' ' << positions;
      ASSERT_EQ(found[0], 0);
    }
}

TEST_F(Lookups, the_first_id_outside_is_named_wherever_it_stands) {
  const Dim n{Name("n"), 900}, v{Name("v"), 50}, d{Name("d"), 3};
  for (int iteration = 0; iteration < 30; ++iteration) {
    Array ids = random_array({n}, iteration, ElementType::kI32, 0, 50);
    const int64_t wrong = std::array<int64_t, 4>{50, -1, INT32_MIN, INT32_MAX}[draw(0, 3)];
    const int64_t position = draw(0, 899);
    ids.numbers[position] = static_cast<double>(wrong);
    if (position < 899) ids.numbers[draw(position + 1, 899)] = 77;
    const Array table = draw_array({v, d}, ElementType::kF32, false),
                values = draw_array({n, d}, ElementType::kF32, false);
    const std::string expected = fmt::format("expected an index from 0 to 49 for v=50, found {}", wrong);
    for (const graph::Value& value :
         {gather(builder, graph.input(table), graph.input(ids), v, ElementType::kF32),
          scatter_add(builder, graph.input(values), graph.input(ids), v, {v, d}, ElementType::kF32)}) {
      const bool gathers = value.node->operation->op == &ops::kGather;
      try {
        run(value, {gathers ? &table : &values, &ids}, gathers ? 0 : -1, 10, 20);
        FAIL() << "nothing was refused";
      } catch (const graph::ElementError& error) { EXPECT_EQ(error.message, expected); }
    }
  }
}

TEST_F(Lookups, extremes_are_the_first_of_equals_and_the_first_nan) {
  for (int iteration = 0; iteration < 400; ++iteration) {
    Dims dims = draw_dims({"a", "b", "c"});
    const size_t along = draw(0, 2);
    dims[along].size = draw(0, 9) == 0 ? draw(1000, 3000) : draw_size();
    const ElementType element = draw(0, 6) == 0 ? ElementType::kBool : draw_element();
    const Array x = draw_array(dims, element, true);
    for (const bool largest : {false, true}) {
      const graph::Value value = builder.add(largest ? ops::kArgmax : ops::kArgmin, {graph.input(x)},
                                             read_attributes(ops::kArgmax, "over: " + dims[along].name.str()));
      Numbers expected;
      for_positions(value.dims(), [&](const Positions& positions) {
        auto at = [&](int64_t i) { return x.numbers[offset(dims, value.dims(), positions, dims[along].name, i)]; };
        int64_t best = 0;
        for (int64_t i = 1; i < dims[along].size && !std::isnan(at(best)); ++i)
          if (std::isnan(at(i)) || (largest ? at(i) > at(best) : at(i) < at(best))) best = i;
        expected.push_back(static_cast<double>(best));
      });
      expect_same_bits(run(value, {&x})[0], expected);
    }
  }
}

TEST_F(Lookups, the_first_position_of_an_extreme_is_found_in_a_block) {
  for (int iteration = 0; iteration < 200; ++iteration) {
    const Dim a{Name("a"), draw(1, 5)}, b{Name("b"), draw_size()};
    const Array x = draw_array({a, b}, draw_element(), true);
    Array wanted = array_of({a}, {}, x.type.element);
    for (int64_t i = 0; i < a.size; ++i) wanted.numbers.push_back(x.numbers[draw(0, x.numbers.size() - 1)]);
    const graph::Value value = builder.add(ops::kFirstPlace, {graph.input(x), graph.input(wanted)},
                                           read_attributes(ops::kFirstPlace, "over: b"));
    const int64_t first = draw(0, b.size - 1), size = draw(0, b.size - first);
    Numbers expected;
    for (int64_t i = 0; i < a.size; ++i) {
      const double* row = x.numbers.data() + i * b.size;
      int64_t k = first;
      while (k < first + size && row[k] != wanted.numbers[i] && !std::isnan(row[k])) ++k;
      expected.push_back(static_cast<double>(k < first + size ? k : b.size));
    }
    expect_same_bits(run(value, {&x, &wanted}, 1, first, size)[0], expected);
  }
}

TEST_F(Lookups, running_sums_add_in_the_order_of_the_dim) {
  for (int iteration = 0; iteration < 400; ++iteration) {
    Dims dims = draw_dims({"a", "b", "c"});
    const size_t along = draw(0, 2);
    dims[draw(0, 2)].size = draw_size();
    ElementType element = draw_element();
    const Array x = draw_array(dims, element, true);
    const bool exclusive = draw(0, 1) == 0, backwards = draw(0, 1) == 0;
    const graph::Value value =
        builder.add(ops::kCumsum, {graph.input(x)}, ops::CumsumAttributes{dims[along].name, exclusive, backwards});
    Numbers expected(x.numbers.size());
    for_positions({dims[(along + 1) % 3], dims[(along + 2) % 3]}, [&](const Positions& positions) {
      double sum = 0;
      for (int64_t i = 0; i < dims[along].size; ++i) {
        const int64_t k = offset(dims, {dims[(along + 1) % 3], dims[(along + 2) % 3]}, positions, dims[along].name,
                                 backwards ? dims[along].size - 1 - i : i);
        const double before = sum;
        sum += x.numbers[k];
        double& number = expected[k] = exclusive ? before : sum;
        ops::by_element(element, [&](auto zero) { number = ops::to_number(ops::to_element<decltype(zero)>(number)); });
      }
    });
    expect_same_bits(run(value, {&x})[0], expected);
  }
}

TEST_F(Lookups, top_k_takes_the_first_of_equals_and_nans_before_all) {
  for (int iteration = 0; iteration < 300; ++iteration) {
    const Dim a{Name("a"), draw(1, 4)}, b{Name("b"), draw(0, 9) == 0 ? draw(1000, 3000) : draw_size()};
    const Dim k{Name("k"), std::min(b.size, draw(0, 3) == 0 ? draw_size() : draw(1, 9))};
    Array x = draw_array({a, b}, draw_element(), true);
    if (draw(0, 5) == 0)
      std::sort(x.numbers.begin(), x.numbers.end(),
                [](double c, double d) { return std::isnan(d) ? !std::isnan(c) : c < d; });
    const graph::Value value =
        builder.add(ops::kTopK, {graph.input(x)}, read_attributes(ops::kTopK, fmt::format("k: k={}, over: b", k.size)));
    Numbers values, positions;
    for (int64_t i = 0; i < a.size; ++i) {
      const double* row = x.numbers.data() + i * b.size;
      std::vector<int64_t> order(b.size);
      std::iota(order.begin(), order.end(), 0);
      std::stable_sort(order.begin(), order.end(), [&](int64_t c, int64_t d) {
        if (std::isnan(row[c]) || std::isnan(row[d])) return std::isnan(row[c]) && !std::isnan(row[d]);
        return row[c] > row[d];
      });
      for (int64_t n = 0; n < k.size; ++n) {
        values.push_back(row[order[n]]);
        positions.push_back(static_cast<double>(order[n]));
      }
    }
    const std::vector<Numbers> found = run(value, {&x});
    expect_same_bits(found[0], values);
    expect_same_bits(found[1], positions);
  }
}

}  // namespace lookups_test
}  // namespace mtf::test
