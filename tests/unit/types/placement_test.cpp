#include "types/placement.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace mtf {
namespace {

std::string refused(const std::string& text) {
  try {
    Placement::parse(text);
  } catch (const std::invalid_argument& error) { return error.what(); }
  return "accepted";
}

const Mesh kMesh("", parse_axes("stage:2;data:3"));

TEST(PlacementTest, OfAllProcessorsIsWhatItSays) {
  const Placement placement = Placement::parse("5, 4,3,2,1,0");
  EXPECT_EQ(placement.on(kMesh), (std::vector<std::int64_t>{5, 4, 3, 2, 1, 0}));
  EXPECT_EQ(placement.text(), "5,4,3,2,1,0");
}

TEST(PlacementTest, AlongAnAxisMovesAllProcessorsOfAStage) {
  EXPECT_EQ(Placement::parse("stage:1,0").on(kMesh), (std::vector<std::int64_t>{3, 4, 5, 0, 1, 2}));
  EXPECT_EQ(Placement::parse("data:0,2,1").on(kMesh), (std::vector<std::int64_t>{0, 2, 1, 3, 5, 4}));
  const Placement both = Placement::parse("stage:1,0; data:0,2,1");
  EXPECT_EQ(both.on(kMesh), (std::vector<std::int64_t>{3, 5, 4, 0, 2, 1}));
  EXPECT_EQ(both.text(), "stage:1,0;data:0,2,1");
}

TEST(PlacementTest, ThatDoesNotFitLeavesProcessorsInTheirPlaces) {
  for (const char* text : {"1,0", "stage:1,0,2", "model:1,0"}) {
    EXPECT_FALSE(Placement::parse(text).fits(kMesh)) << text;
    EXPECT_TRUE(Placement::parse(text).on(kMesh).empty()) << text;
  }
  EXPECT_EQ(Placement::parse("stage:1,0,2").misfit("[stage: 2, data: 3]"),
            "--placement \"stage:1,0,2\": expected axes of the mesh [stage: 2, data: 3], found [stage: 3]");
}

TEST(PlacementTest, TextsThatAreNoneAreRefusedWithWhatWasExpected) {
  EXPECT_EQ(refused("1,1"), "2 numbers must be 0 to 1, each once");
  EXPECT_EQ(refused("0,x"), "expected a processor's number, found `x`");
  EXPECT_EQ(refused("stage:"), "expected a processor's number, found ``");
  EXPECT_EQ(refused("stage:1,0;2"), "expected an axis, `:` and numbers, found `2`");
  EXPECT_EQ(refused("stage:1,0;stage:0,1"), "the axis `stage` is placed twice");
}

}  // namespace
}  // namespace mtf
