// The reasons of collectives: their texts, and the dims and axes in them.
#include "spmd/reasons.h"

#include <gtest/gtest.h>

#include "ops/ops.h"

namespace mtf::spmd {
namespace {

const MeshPtr kGrid = std::make_shared<const Mesh>(Name("grid"), std::vector<Axis>{{"rows", 2}, {"cols", 4}});

TEST(Reasons, AreSaidInTheNamesOfTheScript) {
  using Kind = Reason::Kind;
  const auto said = [](Reason reason) {
    reason.mesh = kGrid;
    return to_string(reason);
  };
  EXPECT_EQ(said({.kind = Kind::kReduced, .parts = {{"hidden", {1}}, {"a", {1, 0}, {}, false}}}),
            "hidden is summed, and split over cols; a is reduced, and split over cols+rows");
  EXPECT_EQ(said({.kind = Kind::kCompleted, .axes = 3}), "a sum over rows+cols is completed");
  EXPECT_EQ(said({.kind = Kind::kNeeded, .axes = 2, .value = "h", .op = &ops::kCopy}),
            "h is a sum over cols that copy needs complete");
  EXPECT_EQ(said({.kind = Kind::kMoved, .parts = {{"a", {}, {0}}, {"b", {0, 1}, {}}}}),
            "a is whole and needed split over rows, b is split over rows+cols and needed whole");
  EXPECT_EQ(said({.kind = Kind::kMoved, .parts = {{"a", {1}, {}}}, .micro = "micro"}),
            "a is split over cols and needed whole; a stage keeps the result for all places of micro");
  EXPECT_EQ(said({.kind = Kind::kFromLastStage, .axes = 1}),
            "the last stage over rows sends what it has made to the others");
  EXPECT_EQ(said({.kind = Kind::kScanned, .parts = {{{}, {1}}}}),
            "a running sum needs the totals of the other blocks over cols");
  EXPECT_EQ(said({.kind = Kind::kApart, .parts = {{{}, {0}}}, .from = {{"a", 6}}, .to = {{"b", 2}, {"c", 3}}}),
            "blocks of [a=6] and [b=2, c=3] do not coincide over rows");
}

TEST(Reasons, SpeakOfTheirDims) {
  EXPECT_EQ((Reason{.parts = {{"hidden", {1}}, {{}, {0}}}, .from = {{"a", 6}}}).dims(),
            (std::vector<Name>{"hidden", "a"}));
}

}  // namespace
}  // namespace mtf::spmd
