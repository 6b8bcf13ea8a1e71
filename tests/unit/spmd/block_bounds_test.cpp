// The largest block, found without a loop over processors, equals the one found by a loop.
#include "spmd/block_bounds.h"

#include <gtest/gtest.h>

#include <optional>
#include <set>

#include "random_map.h"
#include "spmd/collectives.h"
#include "spmd/reduction_tree.h"

namespace mtf::spmd {
namespace {

TEST(AccessMap, WhatABlockNeedsIsTheSmallestIntervalWithAllThatItReads) {
  Dice dice;
  for (int i = 0; i < 20000; ++i) {
    const int64_t size = dice.roll(1, 40);
    const graph::AccessMap map = random_map(dice, size);
    const int64_t first = dice.roll(0, map.from - 1), last = dice.roll(first, map.from);
    std::optional<Interval> read;
    for (int64_t at = first; at < last; ++at)
      for (int64_t k = 0; k < map.window; ++k) {
        const int64_t index = (map.reversed ? map.from - 1 - at : at) * map.stride + map.offset + k * map.dilation;
        if (index % map.base_dilation != 0) continue;
        const int64_t element = index / map.base_dilation;
        read = read ? Interval{std::min(read->first, element), std::max(read->last, element + 1)}
                    : Interval{element, element + 1};
      }
    Interval expected = read.value_or(Interval{0, 0});
    if (!map.wrap)
      expected = {std::clamp<int64_t>(expected.first, 0, size), std::clamp<int64_t>(expected.last, 0, size)};
    const Interval found = needed(map, {first, last});
    ASSERT_TRUE(found.first == expected.first && found.last == expected.last)
        << first << ".." << last << " needs " << found.first << ".." << found.last << ", expected " << expected.first
        << ".." << expected.last << ": stride " << map.stride << ", offset " << map.offset << ", window " << map.window
        << ", dilation " << map.dilation << " and " << map.base_dilation << ", from " << map.from;
  }
}

TEST(BlockBounds, TheLargestBlockIsThatOfAWalk) {
  Dice dice;
  for (int i = 0; i < 20000; ++i) {
    const int64_t size = dice.roll(1, 200);
    const MeshPtr on = mesh("p:" + std::to_string(dice.roll(1, 12)) + ";q:" + std::to_string(dice.roll(1, 5)));
    const AxisList axes = dice.roll(0, 1) == 0 ? AxisList{0} : AxisList{1, 0};
    const LocalDim dim{{"a", size}, axes, true, random_map(dice, size)};
    int64_t walked = 0;
    for (int64_t p = 0; p < on->size(); ++p) walked = std::max(walked, bounds(dim, *on, on->coordinates(p)).size());
    ASSERT_EQ(largest_block(dim, *on), walked)
        << size << " over " << to_string(*on) << ", stride " << dim.map.stride << ", offset " << dim.map.offset
        << ", window " << dim.map.window << ", from " << dim.map.from;
  }
}

TEST(BlockBounds, EveryCombinationOfLengthsIsAmongTheDifferentBlocks) {
  Dice dice;
  for (int i = 0; i < 2000; ++i) {
    const MeshPtr on = mesh("p:" + std::to_string(dice.roll(1, 7)) + ";q:" + std::to_string(dice.roll(1, 7)));
    LocalValue value{"x", ElementType::kF32, on, {}, 0, {}};
    const auto pick = [&]() -> AxisList { return dice.roll(0, 1) == 0 ? AxisList{0, 1} : AxisList{1}; };
    value.dims = {{{"a", dice.roll(1, 30)}, pick(), false, {}}, {{"b", dice.roll(1, 30)}, {0}, false, {}}};
    if (value.dims[0].axes.has(0)) value.dims.pop_back();
    const auto lengths = [&](const Coordinates& at) {
      std::vector<int64_t> all;
      for (const LocalDim& dim : value.dims) all.push_back(bounds(dim, *on, at).size());
      return all;
    };
    std::set<std::vector<int64_t>> there, found;
    for (int64_t p = 0; p < on->size(); ++p) there.insert(lengths(on->coordinates(p)));
    std::vector<const LocalDim*> dims;
    for (const LocalDim& dim : value.dims) dims.push_back(&dim);
    for (const Coordinates& at : different_blocks(dims, *on)) found.insert(lengths(at));
    ASSERT_EQ(there, found) << to_string(*on);
  }
}

TEST(BlockBounds, TakeNoTimeOnAMeshOfAThousandMillions) {
  const MeshPtr on = mesh("p:1000000000");
  const Dim a{"a", int64_t{1} << 40};
  const LocalDim own{a, {0}, false, {}}, next{a, {0}, true, {.offset = 3, .wrap = true, .from = a.size, .to = a.size}};
  EXPECT_EQ(largest_block(next, *on), 1100);
  EXPECT_EQ(most_sent(own, next, *on), 3);
}

TEST(ReductionTree, IsMadeOfPrimeFactors) {
  EXPECT_EQ(tree_over(12), (std::vector<int64_t>{2, 2, 3}));
  EXPECT_EQ(tree_over(1), std::vector<int64_t>());
  EXPECT_EQ(exchange_levels(tree_over(64)), (std::vector<int64_t>{8, 8}));
  EXPECT_EQ(exchange_levels(tree_over(12)), (std::vector<int64_t>{4, 3}));
  EXPECT_EQ(exchange_levels(tree_over(11)), (std::vector<int64_t>{11}));
}

TEST(Collectives, EachKindHasARecord) {
  for (int kind = 0; kind < kCollectiveKinds; ++kind) EXPECT_NE(name(static_cast<CollectiveKind>(kind)), "");
  EXPECT_EQ(name(CollectiveKind::kPermute), "permute");
  EXPECT_FALSE(is_collective(InstructionKind::kSlice));
}

}  // namespace
}  // namespace mtf::spmd
