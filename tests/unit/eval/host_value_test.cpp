// Values of the host: copies, moves and assignments between kinds that own memory and kinds that do not.
#include "eval/host_value.h"

#include <gtest/gtest.h>

namespace mtf::eval {
namespace {

std::vector<HostValue> of_many_kinds() {
  return {None{},
          Poison{},
          unknown(UnknownKind::kInt),
          true,
          int64_t{-7},
          2.5,
          ElementType::kF32,
          Dim{"batch", 4},
          Range{.first = 1, .last = 3},
          make_text("a text that has memory of its own"),
          make_list({int64_t{1}, make_text("two")})};
}

TEST(HostValue, ACopyIsWhatItIsCopiedFrom) {
  for (const HostValue& value : of_many_kinds()) {
    const HostValue copy(value);
    EXPECT_EQ(copy.data, value.data) << describe(value);
  }
}

TEST(HostValue, EveryKindTakesThePlaceOfEveryOther) {
  for (const HostValue& before : of_many_kinds())
    for (const HostValue& after : of_many_kinds()) {
      HostValue copied(before), moved(before), source(after);
      copied = after;
      moved = std::move(source);
      EXPECT_EQ(copied.data, after.data) << describe(before) << ", then " << describe(after);
      EXPECT_EQ(moved.data, after.data) << describe(before) << ", then " << describe(after);
    }
}

TEST(HostValue, AssignedToItselfItStays) {
  for (const HostValue& before : of_many_kinds()) {
    HostValue value(before);
    HostValue& same = value;
    value = same;
    EXPECT_EQ(value.data, before.data) << describe(before);
    value = std::move(same);
    EXPECT_EQ(value.data, before.data) << describe(before);
  }
}

TEST(HostValue, WhatItHeldIsLetGo) {
  const auto list = std::make_shared<List>();
  {
    HostValue value = list;
    HostValue copy = value;
    HostValue taken = std::move(copy);
    EXPECT_EQ(list.use_count(), 3);
    value = int64_t{1};
    EXPECT_EQ(list.use_count(), 2);
  }
  EXPECT_EQ(list.use_count(), 1);
}

}  // namespace
}  // namespace mtf::eval
