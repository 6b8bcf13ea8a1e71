#include "spmd/reshard.h"

#include <gtest/gtest.h>

#include "../work_time.h"

namespace mtf::spmd {
namespace {

/// Returns the instructions that reshard an f32 tensor.
LocalProgram resharded(const Sharding& from, const Sharding& to, const std::string& axes, const Dims& dims,
                       ReshardCost* cost = nullptr) {
  LocalProgram program;
  LocalValue value{"x", ElementType::kF32, std::make_shared<Mesh>("m", parse_axes(axes)), {}, from.partial, {}};
  for (size_t i = 0; i < dims.size(); ++i) value.dims.push_back({dims[i], from.dims[i], false, {}});
  program.values.push_back(value);
  ReshardWays ways;
  const std::shared_ptr<const ReshardWay> way = ways.find(value.type(), value.sharding(), to, *value.mesh);
  if (cost != nullptr) *cost = way->cost;
  const int last = reshard(program, 0, *way, nullptr, nullptr);
  EXPECT_EQ(program.values[last].sharding(), to);
  return program;
}

/// Returns the kinds of the instructions that reshard `a` (an f32 tensor [a=4, b=2], or with `dims`) from one sharding
/// to another, with values and axes: `all_gather 8 over p`.
std::string way(const Sharding& from, const Sharding& to, const std::string& axes, Dims dims = {{"a", 4}, {"b", 2}}) {
  const LocalProgram program = resharded(from, to, axes, dims);
  std::string text;
  for (const Instruction& instruction : program.instructions) {
    if (!text.empty()) text += ", ";
    if (!is_collective(instruction.kind)) {
      text += "slice";
      continue;
    }
    text += std::string(name(counted_as(instruction.kind))) + " " +
            std::to_string(cost_of(program, instruction).values.value()) + " over " +
            program.values[0].mesh->axes_to_string(instruction.axes);
  }
  return text;
}

const AxisList kWhole;

TEST(Reshard, FromSplitToWholeGathers) {
  EXPECT_EQ(way({{{0}, kWhole}}, {{kWhole, kWhole}}, "p:2"), "all_gather 8 over p");
}
TEST(Reshard, FromWholeToSplitIsFree) { EXPECT_EQ(way({{kWhole, kWhole}}, {{{0}, kWhole}}, "p:2"), "slice"); }
TEST(Reshard, FromOneDimToAnotherIsAnAllToAll) {
  EXPECT_EQ(way({{{0}, kWhole}}, {{kWhole, {0}}}, "p:2"), "all_to_all 4 over p");
}
TEST(Reshard, TwoDimsThatSwapAxesArePermuted) {
  EXPECT_EQ(way({{{0}, {1}}}, {{{1}, {0}}}, "p:2;q:2"), "permute 2 over p+q");
}
TEST(Reshard, ThreeDimsThatRotateAxesArePermutedOnce) {
  EXPECT_EQ(way({{{0}, {1}, {2}}}, {{{1}, {2}, {0}}}, "p:2;q:2;r:2", {{"a", 4}, {"b", 2}, {"c", 2}}),
            "permute 2 over p+q+r");
}
TEST(Reshard, AnAxisOfReplicasTakesTheOthersIndex) {
  EXPECT_EQ(way({{{0}, kWhole}}, {{{1}, kWhole}}, "p:3;q:3", {{"a", 12}, {"b", 2}}), "permute 8 over p+q");
}
TEST(Reshard, AxesInAnotherOrderArePermutedHoweverLongTheyAre) {
  EXPECT_EQ(way({{{0, 1}, kWhole}}, {{{1, 0}, kWhole}}, "p:2;q:4", {{"a", 16}, {"b", 2}}), "permute 4 over p+q");
}
TEST(Reshard, ALongAxisIsReplacedByTwoShortOnes) {
  EXPECT_EQ(way({{{0}, kWhole}}, {{{1, 2}, kWhole}}, "p:4;q:2;r:2", {{"a", 16}, {"b", 2}}), "permute 8 over p+q+r");
}
TEST(Reshard, DimsThatSwapALongAxisForTwoShortOnesArePermutedOnce) {
  EXPECT_EQ(way({{{0}, {1, 2}}}, {{{1, 2}, {0}}}, "p:4;q:2;r:2", {{"a", 16}, {"b", 4}}), "permute 4 over p+q+r");
}
TEST(Reshard, UnevenBlocksInAnotherOrderAreNotTheSameBlocks) {
  EXPECT_EQ(way({{{0, 1}, kWhole}}, {{{1, 0}, kWhole}}, "p:2;q:4", {{"a", 12}, {"b", 2}}).find("permute"),
            std::string::npos);
}
TEST(Reshard, DimsThatSwapAxesOfDifferentSizesStillArrive) {
  EXPECT_NE(way({{{0}, {1}}}, {{{1}, {0}}}, "p:2;q:3"), "");
}
TEST(Reshard, APartialValueIsAllReduced) {
  EXPECT_EQ(way({{kWhole, kWhole}, 1}, {{kWhole, kWhole}}, "p:2"), "all_reduce 8 over p");
}
TEST(Reshard, APartialValueThatIsThenSplitIsReduceScattered) {
  EXPECT_EQ(way({{kWhole, kWhole}, 1}, {{{0}, kWhole}}, "p:2"), "reduce_scatter 8 over p");
}
TEST(Reshard, OneCollectiveReducesOverTwoAxes) {
  EXPECT_EQ(way({{kWhole, kWhole}, 3}, {{kWhole, kWhole}}, "p:2;q:2"), "all_reduce 8 over p+q");
}
TEST(Reshard, APartialValueIsSlicedBeforeItIsReduced) {
  EXPECT_EQ(way({{kWhole, kWhole}, 1}, {{{1}, kWhole}}, "p:2;q:2"), "slice, all_reduce 4 over p");
}
TEST(Reshard, SeveralAxesOfOneDimAreGatheredAtOnce) {
  EXPECT_EQ(way({{{0, 1}, kWhole}}, {{kWhole, kWhole}}, "p:2;q:2"), "all_gather 8 over p+q");
}
TEST(Reshard, UnevenBlocksCountTheLargest) {
  EXPECT_EQ(way({{{0}, kWhole}}, {{kWhole, {0}}}, "p:3", {{"a", 5}, {"b", 2}}), "all_to_all 4 over p");
}
/// Calls `f(from, to)` for each two shardings of two dims over two axes, of which the second is whole.
template <typename F>
void for_shardings(const F& f) {
  std::vector<Sharding> all;
  const std::vector<AxisList> lists{{}, {0}, {1}, {0, 1}, {1, 0}};
  for (const AxisList& a : lists)
    for (const AxisList& b : lists)
      for (AxisSet partial = 0; partial < 4; ++partial)
        if (!(a.set() & b.set()) && !((a.set() | b.set()) & partial)) all.push_back({{a, b}, partial});
  for (const Sharding& from : all)
    for (const Sharding& to : all)
      if (!to.partial) f(from, to);
}

TEST(Reshard, EveryShardingReachesEveryOther) {
  for_shardings([](const Sharding& from, const Sharding& to) { way(from, to, "p:2;q:3", {{"a", 5}, {"b", 7}}); });
}

TEST(Reshard, TheSearchCountsTheBytesThatAreSent) {
  for_shardings([](const Sharding& from, const Sharding& to) {
    ReshardCost cost;
    const LocalProgram program = resharded(from, to, "p:2;q:3", {{"a", 144}, {"b", 288}}, &cost);
    int64_t sent = 0, count = 0;
    for (const Instruction& instruction : program.instructions) {
      sent += cost_of(program, instruction).wire_bytes;
      count += cost_of(program, instruction).count;
    }
    EXPECT_NEAR(cost.wire_bytes, static_cast<double>(sent), 1e-6);
    EXPECT_EQ(cost.count, count);
  });
}

/// Permutes six axes arbitrarily, in two and in three dims.
TEST(Reshard, SixAxesThatAllChangeIndicesAreFoundAtOnce) {
  const Mesh mesh("m", parse_axes("u:2;v:3;w:2;x:5;y:2;z:3"));
  const TensorType type{ElementType::kF32, {{"a", 360}, {"b", 720}, {"c", 60}}};
  std::vector<Sharding> all{{{{0, 1, 2}, {3, 4, 5}, kWhole}}, {{{5, 4, 3}, {2, 1, 0}, kWhole}},
                            {{{3, 0}, {5, 2}, {1, 4}}},       {{{0, 2}, {1}, {4}}, axis_bit(3) | axis_bit(5)},
                            {{{4, 0, 2}, kWhole, {1, 5, 3}}}, {{kWhole, {0, 1, 2, 3, 4, 5}, kWhole}}};
  ReshardWays ways;
  const double begin = processor_seconds();
  for (const Sharding& from : all)
    for (const Sharding& to : all) {
      if (to.partial) continue;
      const ReshardWay& way = *ways.find(type, from, to, mesh);
      EXPECT_EQ(way.moves.empty() ? from : way.moves.back().to, to);
    }
  EXPECT_LT(processor_seconds() - begin, 10);  // an exhaustive search takes hours
}
TEST(Reshard, AxesOfOneProcessorCostNothing) {
  EXPECT_EQ(way({{{0}, {1}}}, {{{1}, {0}}}, "p:1;q:1"), "all_gather 0 over p+q, slice");
  EXPECT_EQ(way({{{0, 1}, kWhole}}, {{{0, 1}, kWhole}}, "p:2;q:1"), "");
}

}  // namespace
}  // namespace mtf::spmd
