// The sets of possible values in a check, and their operations.
#include "eval/possible_values.h"

#include <gtest/gtest.h>

namespace mtf::eval {
namespace {

using Kind = UnknownKind;

HostValue of(Kind kind) { return unknown(kind); }
HostValue number(int64_t i) { return i; }

TEST(PossibleValues, AJoinHasBothSets) {
  EXPECT_TRUE(is_same_set(join(number(1), number(1)), number(1)));
  EXPECT_TRUE(is_same_set(join(number(1), number(2)), of(Kind::kInt)));
  EXPECT_TRUE(is_same_set(join(number(1), 2.5), of(Kind::kNumber)));
  EXPECT_TRUE(is_same_set(join(of(Kind::kInt), of(Kind::kFloat)), of(Kind::kNumber)));
  EXPECT_TRUE(is_same_set(join(true, number(1)), of(Kind::kAny)));
  EXPECT_TRUE(is_same_set(join(make_text("a"), make_text("b")), of(Kind::kString)));
  EXPECT_TRUE(is_same_set(join(None{}, number(1)), of(Kind::kAny)));
  EXPECT_TRUE(is_same_set(join(of(Kind::kTensor), of(Kind::kTensor)), of(Kind::kTensor)));
  EXPECT_TRUE(join(Poison{}, number(1)).is_poison());
}

TEST(PossibleValues, ListsOfOneLengthAreJoinedItemByItem) {
  const HostValue pair = make_tuple({number(1), make_text("a")}), other = make_tuple({number(2), make_text("a")});
  EXPECT_TRUE(is_same_set(join(pair, other), make_tuple({of(Kind::kInt), make_text("a")})));
  EXPECT_TRUE(is_same_set(join(make_list({number(1)}), make_list({})), of(Kind::kAny)));
  EXPECT_TRUE(is_same_set(join(make_list({number(1)}), make_tuple({number(1)})), of(Kind::kAny)));
}

TEST(PossibleValues, OneOfTheItemsIsAnyOfThem) {
  EXPECT_TRUE(is_same_set(join_of({number(1), number(2)}), of(Kind::kInt)));
  EXPECT_TRUE(is_same_set(join_of({}), of(Kind::kAny)));
}

TEST(PossibleValues, NothingLeavesAWidenedSet) {
  EXPECT_TRUE(is_same_set(widened(number(1)), of(Kind::kNumber)));
  EXPECT_TRUE(is_same_set(widened(make_list({})), of(Kind::kAny)));
  EXPECT_TRUE(is_same_set(widened(make_text("a")), of(Kind::kString)));
}

TEST(PossibleValues, OperandsThatAreOpenDecideNothing) {
  EXPECT_FALSE(undecided(number(1), make_text("a")).has_value());
  EXPECT_TRUE(undecided(number(1), HostValue(Poison{})).value().is_poison());
  EXPECT_TRUE(is_same_set(*undecided(of(Kind::kTensor), number(1)), of(Kind::kAny)));
  EXPECT_TRUE(has_unknown(make_list({make_list({of(Kind::kInt)})})));
  EXPECT_TRUE(are_apart(make_text("a"), of(Kind::kInt)));
  EXPECT_FALSE(are_apart(None{}, number(1)));
}

}  // namespace
}  // namespace mtf::eval
