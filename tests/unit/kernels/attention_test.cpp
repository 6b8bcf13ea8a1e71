// Attention of few queries, which reads keys and values in place, against the same queries among more of them, for
// which keys and values are packed.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <memory>
#include <random>
#include <vector>

#include "kernels/kernel_table.h"

namespace mtf::kernels {
namespace {

using Int = std::int64_t;

constexpr Int kMore = 9, kHeads = 3;  // a cache of keys has those of all heads in a row

template <class Number>
ElementType element_of() {
  return std::is_same_v<Number, Bf16> ? ElementType::kBf16
         : sizeof(Number) == 4        ? ElementType::kF32
                                      : ElementType::kF64;
}

template <class Number>
Number not_a_number() {
  if constexpr (std::is_same_v<Number, Bf16>) return mtf::to_bf16(NAN);
  else return static_cast<Number>(NAN);
}

template <class Number>
void fill(std::vector<Number>& x, unsigned seed) {
  std::mt19937 generator(seed);
  std::normal_distribution<float> normal;
  for (Number& each : x) {
    if constexpr (std::is_same_v<Number, Bf16>) each = mtf::to_bf16(normal(generator));
    else each = static_cast<Number>(normal(generator));
  }
}

/// kMore queries of one head, the last at position memory - 1 - behind. The queries and the keys do not begin at a
/// tile's border.
template <class T, class Number>
class Head {
 public:
  Head(Int memory, Int features, const Sight& sight, bool bf16_product, bool biased, Int behind, bool turned)
      : rule_{.queries = kMore,
              .memory = memory,
              .features = features,
              .values = features,
              .first_query = 60,
              .first_key = biased ? 100 : 0,
              .scale = 0.3,
              .sight = sight,
              .bf16_product = bf16_product,
              .drop = {}},
        q_(kMore * features),
        bias_(biased ? kMore * memory : 0),
        mask_(bias_.size()),
        k_(memory * kHeads * features),
        v_(k_.size()),
        row_(turned ? 1 : kHeads * features),
        column_(turned ? memory : 1) {
    rule_.sight.first = memory - behind - kMore;
    fill(q_, 1), fill(bias_, 2), fill(k_, 3), fill(v_, 4);
    for (std::size_t i = 0; i < mask_.size(); ++i) mask_[i] = i % 5 != 0;
  }

  /// Returns [queries, values], then a log sum for each query. Keys and values that these queries cannot see are NaN.
  std::vector<T> run(Int first, Int queries) const {
    const Int features = rule_.features, memory = rule_.memory;
    AttentionRule rule = rule_;
    rule.queries = queries, rule.first_query += first, rule.sight.first += first;
    std::vector<T> q = q_, bias = bias_, result(queries * (features + 1));
    std::vector<std::uint8_t> mask = mask_;
    std::vector<Number> k = seen_by(rule, k_), v = seen_by(rule, v_);
    const auto head = [&](std::vector<Number>& x) {
      return StridedMatrix{element_of<Number>(), x.data() + features * column_, row_, column_};
    };
    AttentionQueries position;
    position.q = {element_of<T>(), q.data() + first * features, features, 1};
    position.out = {element_of<T>(), result.data(), features, 1};
    position.log_sum = {element_of<T>(), result.data() + queries * features, 1, 0};
    if (!bias.empty()) position.bias = {element_of<T>(), bias.data() + first * memory, memory, 1};
    if (!bias.empty()) position.mask = {ElementType::kBool, mask.data() + first * memory, memory, 1};
    const std::unique_ptr<Attention> attention = table().attention(element_of<T>(), rule);
    attention->load(head(k), head(v), false);
    for (Int tile = 0; tile < Attention::query_tiles(rule); ++tile) attention->forward(position, tile);
    return result;
  }

 private:
  std::vector<Number> seen_by(const AttentionRule& rule, const std::vector<Number>& rows) const {
    const Sight& sight = rule.sight;
    const Int last = sight.first + rule.queries - 1;
    Int end = sight.causal ? last + 1 : rule.memory;
    if (sight.window > 0) end = std::min(end, last + sight.window);
    std::vector<Number> seen = rows;
    for (Int j = end; j < rule.memory; ++j)
      for (Int c = 0; c < kHeads * rule.features; ++c) seen[j * row_ + c * column_] = not_a_number<Number>();
    return seen;
  }

  AttentionRule rule_;
  std::vector<T> q_, bias_;
  std::vector<std::uint8_t> mask_;
  std::vector<Number> k_, v_;
  const Int row_, column_;
};

template <class T, class Number>
void few_queries_are_the_same_among_more(bool bf16_product) {
  const Sight sights[] = {{}, {.causal = true}, {.causal = true, .window = 70}, {.window = 133}};
  for (const Int memory : {kMore, Int{16}, Int{17}, Int{63}, Int{64}, Int{127}, Int{130}, Int{255}, Int{257}, Int{301}})
    for (const Int features : {Int{24}, Int{33}, Int{64}, Int{72}})
      for (const Sight& sight : sights)
        for (const bool biased : {false, true})
          for (const Int behind : {Int{0}, sight.causal ? memory - kMore : Int{0}}) {
            const bool turned = features == 72;
            const Head<T, Number> head(memory, features, sight, bf16_product, biased, behind, turned);
            const std::vector<T> all = head.run(0, kMore);
            for (const Int queries : {1, 2, 3, 6})
              for (const Int first : {Int{0}, kMore - queries}) {
                const std::vector<T> few = head.run(first, queries);
                ASSERT_EQ(std::memcmp(few.data(), &all[first * features], queries * features * sizeof(T)), 0)
                    << memory << ' ' << features << ' ' << sight.causal << ' ' << sight.window << ' ' << queries;
                ASSERT_EQ(std::memcmp(&few[queries * features], &all[kMore * features + first], queries * sizeof(T)),
                          0);
                for (const T x : few) ASSERT_TRUE(std::isfinite(x));
              }
          }
}

TEST(Attention, AFewQueriesHaveTheBitsThatTheyHaveAmongMore) {
  few_queries_are_the_same_among_more<double, double>(false);
  few_queries_are_the_same_among_more<float, float>(false);
}
TEST(Attention, SoHaveThoseWhoseProductsAreOfBf16) {
  few_queries_are_the_same_among_more<float, float>(true);
  few_queries_are_the_same_among_more<float, Bf16>(true);
}
TEST(Attention, NoQueriesWithinATileAreNoTile) {
  EXPECT_EQ(Attention::query_tiles({.first_query = 60, .sight = {}, .drop = {}}), 0);
}

}  // namespace
}  // namespace mtf::kernels
