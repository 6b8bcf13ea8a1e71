#include "exec/hosting.h"

#include <gtest/gtest.h>

#include "exec/combine.h"
#include "exec/redistribution.h"
#include "support/diagnostics.h"

#include <cmath>

namespace mtf {
namespace {

MeshPtr mesh(const std::string& axes) { return std::make_shared<Mesh>("m", parse_axes(axes)); }

TEST(Hosting, TheFirstRanksHostOneMore) {
  Hosting hosting(mesh("all:6"), 1, 4, {});
  EXPECT_EQ(hosting.processors(0), (std::vector<int64_t>{0, 1}));
  EXPECT_EQ(hosting.processors(), (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(hosting.processors(3), (std::vector<int64_t>{5}));
}

TEST(Hosting, ReplicasShareAPlace) {
  Hosting hosting(mesh("rows:2;cols:2"), 0, 1, {});
  EXPECT_EQ(hosting.places(0b10).of, (std::vector<int>{0, 1, 0, 1}));
  EXPECT_EQ(hosting.places(0b01).of, (std::vector<int>{0, 0, 1, 1}));
  EXPECT_EQ(hosting.places(0).count(), 1);
}

TEST(Hosting, APlacementPermutesProcessors) {
  Hosting hosting(mesh("all:4"), 0, 2, {0, 2, 1, 3});
  EXPECT_EQ(hosting.processors(0), (std::vector<int64_t>{0, 2}));
  EXPECT_EQ(hosting.rank_of(1), 1);
}

TEST(Hosting, AMeshSmallerThanTheRanksIsRefused) {
  Hostings hostings(0, 4, {});
  EXPECT_THROW(hostings.of(mesh("all:2")), UserError);
}

TEST(Redistribution, AnIntervalWrapsAround) {
  std::vector<Segment> segments = overlap({6, 8}, {-1, 2}, 8);
  ASSERT_EQ(segments.size(), 1u);
  EXPECT_EQ(segments[0].from, 1);
  EXPECT_EQ(segments[0].to, 0);
  EXPECT_EQ(segments[0].size, 1);
  EXPECT_EQ(overlap({0, 2}, {-1, 2}, 8)[0].to, 1);
  EXPECT_TRUE(overlap({2, 4}, {-1, 2}, 8).empty());
}

TEST(Combine, AMaxWithNanIsNan) {
  float a[] = {1, NAN, 3}, b[] = {NAN, 2, 4}, c[3];
  combine(ElementType::kF32, Reduction::kMax, a, b, c, 3);
  EXPECT_TRUE(std::isnan(c[0]) && std::isnan(c[1]));
  EXPECT_EQ(c[2], 4);
}

}  // namespace
}  // namespace mtf
