// The largest block and the largest message, found without a loop over processors, equal those found by a loop.
#include "spmd/block_bounds.h"

#include <gtest/gtest.h>

#include <optional>
#include <random>

#include "spmd/collectives.h"
#include "spmd/reduction_tree.h"

namespace mtf::spmd {
namespace {

class Dice {
 public:
  int64_t roll(int64_t least, int64_t most) { return std::uniform_int_distribution<int64_t>(least, most)(random_); }

 private:
  std::mt19937 random_{7};
};

MeshPtr mesh(const std::string& axes) { return std::make_shared<Mesh>("m", parse_axes(axes)); }

/// One way in which operations read a dim of `size`: shifts, slices, strides, pads, halos, reversals, windows with
/// gaps, and operands with gaps.
graph::AccessMap random_map(Dice& dice, int64_t size) {
  switch (dice.roll(0, 7)) {
    case 0: return {.offset = dice.roll(-size, size), .wrap = true, .from = size, .to = size};
    case 1: {
      const int64_t first = dice.roll(0, size - 1), stride = dice.roll(1, 4),
                    count = dice.roll(1, (size - first - 1) / stride + 1);
      return {.stride = stride, .offset = first, .from = count, .to = size};
    }
    case 2: return {.offset = -dice.roll(0, 5), .from = size + dice.roll(5, 9), .to = size};
    case 3:
      return {.offset = -dice.roll(0, 6),
              .window = dice.roll(1, 12),
              .wrap = dice.roll(0, 1) == 1,
              .from = size,
              .to = size};
    case 4: return {.reversed = true, .from = size, .to = size};
    case 5:
      return {.stride = dice.roll(1, 3),
              .offset = -dice.roll(0, 6),
              .window = dice.roll(1, 5),
              .dilation = dice.roll(1, 4),
              .from = dice.roll(1, size),
              .to = size};
    case 6:
      return {.stride = dice.roll(1, 4),
              .offset = -dice.roll(0, 8),
              .window = dice.roll(1, 5),
              .dilation = dice.roll(1, 3),
              .base_dilation = dice.roll(1, 4),
              .reversed = dice.roll(0, 1) == 1,
              .from = dice.roll(1, 2 * size),
              .to = size};
    default: return {.offset = dice.roll(-size, size), .from = size, .to = size};
  }
}

TEST(AccessMap, WhatABlockNeedsIsTheSmallestIntervalWithAllThatItReads) {
  Dice dice;
  for (int i = 0; i < 20000; ++i) {
    const int64_t size = dice.roll(1, 40);
    const graph::AccessMap map = random_map(dice, size);
    const int64_t first = dice.roll(0, map.from - 1), last = dice.roll(first, map.from);
    std::optional<Interval> read;
    for (int64_t at = first; at < last; ++at)
      for (int64_t k = 0; k < map.window; ++k) {
        const int64_t place = (map.reversed ? map.from - 1 - at : at) * map.stride + map.offset + k * map.dilation;
        if (place % map.base_dilation != 0) continue;
        const int64_t element = place / map.base_dilation;
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

TEST(BlockBounds, TheMostSentIsThatOfAWalk) {
  Dice dice;
  for (int i = 0; i < 20000; ++i) {
    const int64_t size = dice.roll(1, dice.roll(0, 3) == 0 ? 2000 : 90), places = dice.roll(1, 40);
    const MeshPtr on = mesh("p:" + std::to_string(places));
    const LocalDim own{{"a", size}, {0}, false, {}};
    LocalDim from = own, to{{"a", size}, {0}, true, random_map(dice, size)};
    if (dice.roll(0, 4) == 0) {
      const int64_t a = dice.roll(1, 6), b = dice.roll(1, 6), c = dice.roll(1, 6);  // a reshape of a * b * c
      const Dim flat{"flat", a * b * c};
      from = {flat, {0}, true, {.stride = b * c, .window = b * c, .from = a, .to = flat.size}};
      to = {flat, {0}, true, {.stride = c, .window = c, .from = a * b, .to = flat.size}};
    }
    ASSERT_EQ(most_exchanged(from, to, *on, 1), most_exchanged_by_walk(from, to, *on, 1))
        << size << " over " << places << ", stride " << to.map.stride << ", offset " << to.map.offset << ", window "
        << to.map.window << ", dilation " << to.map.dilation << " and " << to.map.base_dilation
        << (to.map.wrap ? ", wraps" : "") << (to.map.reversed ? ", reversed" : "") << ", from " << to.map.from;
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

TEST(BlockBounds, TheMostGivenBackIsThatOfAWalk) {
  Dice dice;
  for (int i = 0; i < 20000; ++i) {
    const int64_t size = dice.roll(1, dice.roll(0, 3) == 0 ? 900 : 60),
                  blocks = dice.roll(0, 1) == 0 ? size : dice.roll(1, 90);
    const MeshPtr on = mesh("p:" + std::to_string(dice.roll(1, 20)) + ";q:" + std::to_string(dice.roll(1, 5)));
    const AxisList axes = dice.roll(0, 1) == 0 ? AxisList{0} : AxisList{1, 0};
    const LocalDim own{{"a", size}, axes, false, {}};
    const LocalDim wide{
        {"a", size}, axes, true, {.offset = -dice.roll(0, 30), .window = dice.roll(1, 60), .from = blocks, .to = size}};
    int64_t walked = 0;
    for (int64_t p = 0; p < on->size(); ++p) {
      const Interval has = bounds(wide, *on, on->coordinates(p)), owns = bounds(own, *on, on->coordinates(p));
      walked = std::max(
          walked, has.size() - std::max<int64_t>(0, std::min(has.last, owns.last) - std::max(has.first, owns.first)));
    }
    ASSERT_EQ(most_given_back(wide, own, *on), walked)
        << size << " over " << to_string(*on) << ", offset " << wide.map.offset << ", window " << wide.map.window
        << ", from " << blocks;
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
    for (const Coordinates& at : different_blocks({&value})) found.insert(lengths(at));
    ASSERT_EQ(there, found) << to_string(*on);
  }
}

TEST(BlockBounds, TakeNoTimeOnAMeshOfAThousandMillions) {
  const MeshPtr on = mesh("p:1000000000");
  const Dim a{"a", int64_t{1} << 40};
  const LocalDim own{a, {0}, false, {}}, next{a, {0}, true, {.offset = 3, .wrap = true, .from = a.size, .to = a.size}};
  EXPECT_EQ(largest_block(next, *on), 1100);
  EXPECT_EQ(most_exchanged(own, next, *on, 1), 3);
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
