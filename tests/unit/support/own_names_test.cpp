#include "support/own_names.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "support/diagnostics.h"

namespace mtf {
namespace {

const Name kHalf("half"), kOfRotary = Name::own("half", "rotary", "1"),
                          kOfSinusoid = Name::own("half", "sinusoid", "2");

TEST(OwnNames, DifferFromEachOtherAndFromThePlainName) {
  EXPECT_EQ((std::set<Name>{kHalf, kOfRotary, kOfSinusoid, Name::own("half", "rotary", "3")}.size()), 4u);
  EXPECT_EQ(kOfRotary, Name::own("half", "rotary", "1"));
}

TEST(OwnNames, KnowThePlainName) {
  EXPECT_EQ(kOfRotary.plain(), kHalf);
  EXPECT_EQ(kHalf.plain(), kHalf);
  EXPECT_EQ(Name().plain(), Name());
}

TEST(OwnNames, KeepTheirOwnerWithASuffix) {
  EXPECT_EQ(kOfRotary.followed_by("'"), Name::own("half'", "rotary", "1"));
  EXPECT_EQ(kOfRotary.followed_by("'").plain(), Name("half'"));
  EXPECT_EQ(kHalf.followed_by("'"), Name("half'"));
}

TEST(OwnNames, AreShownAsThePlainNameWhereTheyAreAlone) {
  EXPECT_EQ(settled("[" + kOfRotary.str() + "=2, d=4]"), "[half=2, d=4]");
  EXPECT_EQ(settled(kOfRotary.str()), "half");
  EXPECT_EQ(settled("half the elements of " + kOfRotary.str() + "=2"), "half the elements of half=2");
  EXPECT_EQ(settled("[half=2]"), "[half=2]");
}

TEST(OwnNames, AreShownWithTheirOwnerWhereTwoMeet) {
  EXPECT_EQ(settled("[half=2, " + kOfRotary.str() + "=4]"), "[half=2, rotary::half=4]");
  EXPECT_EQ(settled(kOfSinusoid.str() + "=2 and " + kOfRotary.str() + "=4"), "sinusoid::half=2 and rotary::half=4");
  EXPECT_EQ(settled("`half` is not `" + kOfRotary.str() + "`"), "`half` is not `rotary::half`");
  EXPECT_EQ(settled("2·" + kOfRotary.str() + "·half"), "2·rotary::half·half");
}

TEST(OwnNames, OfOneOwnerAreNumbered) {
  const std::string first = kOfRotary.str(), second = Name::own("half", "rotary", "7").str();
  EXPECT_EQ(settled("[" + first + "=2, " + second + "=3, " + first + "=2]"),
            "[rotary::half=2, rotary.2::half=3, rotary::half=2]");
}

TEST(OwnNames, OfTwinsAreShownAsThoseOfTheDim) {
  const std::string twin = kOfRotary.followed_by("'").str();
  EXPECT_EQ(settled("[" + kOfRotary.str() + "=2, " + twin + "=2]"), "[half=2, half'=2]");
  EXPECT_EQ(settled("[half=2, " + twin + "=2]"), "[half=2, rotary::half'=2]");
}

TEST(OwnNames, AreReadAsTheyAreShown) {
  EXPECT_EQ(name_from_settled("half"), kHalf);
  EXPECT_EQ(name_from_settled("rotary::half").plain(), kHalf);
  const std::string text = "[half=2, rotary::half=4, rotary.2::half=8]";
  EXPECT_EQ(settled("[half=2, " + name_from_settled("rotary::half").str() + "=4, " +
                    name_from_settled("rotary.2::half").str() + "=8]"),
            text);
}

TEST(OwnNames, MeetInAllThatAMessageSays) {
  Diagnostics found;
  found.add(Diagnostic(Kind::shape_mismatch, {}, "found " + kOfRotary.str() + "=2").help("write `half`"));
  EXPECT_EQ(found.list()[0].label(), "found rotary::half=2");
  const UserError alone(Diagnostic(Kind::shape_mismatch, {}, "found " + kOfRotary.str() + "=2"));
  EXPECT_EQ(alone.diagnostic().label(), "found half=2");
}

}  // namespace
}  // namespace mtf
