#include "run/hosting.h"

#include <gtest/gtest.h>

#include "run/combine.h"
#include "run/redistribution.h"
#include "support/diagnostics.h"

#include <cmath>

namespace mtf::run {
namespace {

MeshPtr mesh(const std::string& axes) { return std::make_shared<Mesh>("m", parse_axes(axes)); }

TEST(Hosting, TheFirstRanksHostOneMore) {
  Hosting hosting(mesh("all:6"), 1, 4, {});
  EXPECT_EQ(hosting.processors(0), (std::vector<int64_t>{0, 1}));
  EXPECT_EQ(hosting.processors(), (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(hosting.processors(3), (std::vector<int64_t>{5}));
}

TEST(Hosting, ReplicasShareASlot) {
  Hosting hosting(mesh("rows:2;cols:2"), 0, 1, {});
  EXPECT_EQ(hosting.slots(0b10).of, (std::vector<int>{0, 1, 0, 1}));
  EXPECT_EQ(hosting.slots(0b01).of, (std::vector<int>{0, 0, 1, 1}));
  EXPECT_EQ(hosting.slots(0).count(), 1);
}

TEST(Hosting, APlacementPermutesProcessors) {
  Hosting hosting(mesh("all:4"), 0, 2, Placement::parse("0,2,1,3"));
  EXPECT_EQ(hosting.processors(0), (std::vector<int64_t>{0, 2}));
  EXPECT_EQ(hosting.rank_of(1), 1);
}

TEST(Hosting, AStageIsPutOnOtherRanks) {
  Hosting hosting(mesh("stage:2;data:2"), 0, 2, Placement::parse("stage:1,0"));
  EXPECT_EQ(hosting.processors(0), (std::vector<int64_t>{2, 3}));
}

TEST(Hosting, AMeshSmallerThanTheRanksIsRefused) {
  Hostings hostings(0, 4, {});
  EXPECT_THROW(hostings.of(mesh("all:2")), UserError);
}

TEST(Hosting, SaysWhereAllProcessorsAre) {
  for (int ranks : {1, 2, 4, 5}) {
    const Hosting hosting(mesh("all:7"), 0, ranks, Placement::parse("3,1,2,0,6,5,4"));
    for (int rank = 0; rank < ranks; ++rank)
      for (size_t i = 0; i < hosting.processors(rank).size(); ++i) {
        EXPECT_EQ(hosting.rank_of(hosting.processors(rank)[i]), rank);
        EXPECT_EQ(hosting.index_of(hosting.processors(rank)[i]), static_cast<int>(i));
      }
  }
}

TEST(Hosting, MoreProcessorsThanARankHostsAreRefused) {
  EXPECT_THROW(Hosting(mesh("all:1000000000"), 0, 4, {}), UserError);
}

spmd::LocalValue value_on(const MeshPtr& on, std::vector<spmd::LocalDim> dims) {
  spmd::LocalValue value{"x", ElementType::kF32, on, std::move(dims), 0, {}};
  for (size_t d = 0; d < value.dims.size(); ++d) value.order.push_back(static_cast<int8_t>(d));
  return value;
}

TEST(Redistribution, PiecesDoNotGrowWithPairsOfProcessors) {
  const MeshPtr on = mesh("p:4096");
  const Hosting hosting(on, 0, 1, {});
  const Dim a{"a", 8192};
  const spmd::LocalValue own = value_on(on, {{a, {0}, false, {}}});
  spmd::LocalValue shifted = own;
  shifted.dims[0] = {a, {0}, true, {.offset = -1, .wrap = true, .from = a.size, .to = a.size}};
  const spmd::LocalValue whole = value_on(on, {{a, {}, false, {}}});
  EXPECT_EQ(redistribute(hosting, {own, shifted, spmd::Sources::kGroup, 1}).local.size(), 8192u);
  EXPECT_EQ(redistribute(hosting, {own, whole, spmd::Sources::kGroup, 1}).local.size(), 4096u);
}

int64_t received(const Redistribution& plan) {
  int64_t bytes = 0;
  for (const Message& message : plan.receives) bytes += message.bytes;
  return bytes;
}

TEST(Redistribution, ALargeMovementGoesInRoundsThatNeedLittleMemory) {
  const MeshPtr on = mesh("p:4");
  const Hosting hosting(on, 3, 4, {});
  const Dim layers{"layers", 19}, a{"a", 1001}, b{"b", 256};
  const spmd::LocalValue own = value_on(on, {{layers, {}, false, {}}, {a, {}, false, {}}, {b, {0}, false, {}}});
  const spmd::LocalValue whole = value_on(on, {{layers, {}, false, {}}, {a, {}, false, {}}, {b, {}, false, {}}});
  const spmd::Transfers transfers(own, whole, spmd::Sources::kGroup, 1);
  const spmd::Rounds rounds = rounds_of(own, whole, 1);
  EXPECT_EQ(rounds.dim, 0u);
  EXPECT_EQ(rounds.count(), 10);  // of two layers each, the last one of one
  const Redistribution at_once = redistribute(hosting, transfers);
  int64_t bytes = 0;
  for (const Redistribution& round : redistribute_in_rounds(hosting, transfers, rounds)) {
    bytes += received(round);
    EXPECT_LE(2 * round.staging_bytes, rounds.staging(at_once.staging_bytes));
  }
  EXPECT_EQ(bytes, received(at_once));
}

TEST(Redistribution, ASmallMovementIsOneRound) {
  const MeshPtr on = mesh("p:4");
  const Dim a{"a", 100}, b{"b", 256};
  const spmd::LocalValue own = value_on(on, {{a, {}, false, {}}, {b, {0}, false, {}}});
  const spmd::LocalValue whole = value_on(on, {{a, {}, false, {}}, {b, {}, false, {}}});
  EXPECT_EQ(rounds_of(own, whole, 1).count(), 1);
}

TEST(Combine, AllAreJoinedAlongTheTree) {
  // 1e8 + 1 is 1e8 in f32: only the right order keeps the ones.
  const float terms[] = {1, 1, 1, 1, 1e8f, -1e8f};
  std::vector<const std::byte*> at;
  for (const float& term : terms) at.push_back(reinterpret_cast<const std::byte*>(&term));
  float sum = 0;
  const std::vector<int64_t> tree = {2, 3};
  combine_all({ElementType::kF32, kernels::Reduction::kSum}, tree, at, reinterpret_cast<std::byte*>(&sum), 1);
  EXPECT_EQ(sum, 4);
}

TEST(Combine, TheResultMayBeAnyOfTheTerms) {
  const std::vector<int64_t> tree = {2, 2};
  for (size_t into = 0; into < 4; ++into) {
    std::vector<std::vector<int32_t>> terms(4, std::vector<int32_t>(3000));
    std::vector<const std::byte*> at;
    for (size_t t = 0; t < 4; ++t) {
      for (size_t i = 0; i < 3000; ++i) terms[t][i] = static_cast<int32_t>(t * 10000 + i);
      at.push_back(reinterpret_cast<const std::byte*>(terms[t].data()));
    }
    combine_all({ElementType::kI32, kernels::Reduction::kSum}, tree, at,
                reinterpret_cast<std::byte*>(terms[into].data()), 3000);
    for (size_t i = 0; i < 3000; ++i) ASSERT_EQ(terms[into][i], static_cast<int32_t>(60000 + 4 * i));
  }
}

TEST(Combine, AMaxWithNanIsNan) {
  float a[] = {1, NAN, 3}, b[] = {NAN, 2, 4}, c[3];
  combine(ElementType::kF32, kernels::Reduction::kMax, a, b, c, 3);
  EXPECT_TRUE(std::isnan(c[0]) && std::isnan(c[1]));
  EXPECT_EQ(c[2], 4);
}

}  // namespace
}  // namespace mtf::run
