#include <cmath>
#include <limits>

#include "programs.h"

namespace mtf::run {
namespace layouts_test {

const Dim batch{"batch", 5}, io{"io", 6}, hidden{"hidden", 7};
const std::vector<std::pair<std::string, std::string>> kSplits = {{"p:4", "batch:p"},
                                                                  {"p:4", "io:p"},
                                                                  {"p:4", "hidden:p"},
                                                                  {"p:2;q:2", "batch:p;io:q"},
                                                                  {"p:2;q:2", "batch:p;hidden:q"},
                                                                  {"p:2;q:2", "io:p+q"},
                                                                  {"p:2;q:2", "hidden:q+p"},
                                                                  {"p:3;q:2", "batch:q;io:p;hidden:p"},
                                                                  {"p:9", "batch:p"}};

TEST(Layouts, OfTwoLayersDoNotChangeTheResult) {
  expect_same(
      [](Script& b) {
        graph::Value x = b.input({batch, io}), w = b.input({io, hidden}), v = b.input({hidden, io});
        graph::Value h = b.map(ops::kRelu, b.einsum({x, w}, {batch, hidden}));
        return b.einsum({h, v}, {batch, io});
      },
      kSplits);
}

TEST(Layouts, OfAWholeSumDoNotChangeIt) {
  expect_same([](Script& b) { return b.sum_to(b.input({batch, io, hidden}), {}); }, kSplits);
}

TEST(Layouts, OfASumOverOneDimDoNotChangeIt) {
  expect_same([](Script& b) { return b.sum_to(b.input({batch, io, hidden}), {io}); }, kSplits);
}

TEST(Layouts, OfAMaxWithANanKeepTheNan) {
  for (const auto& [axes, rules] : kSplits) {
    plan::HostTensor data = counting({ElementType::kF32, {batch, io}});
    float nan = std::numeric_limits<float>::quiet_NaN();
    std::memcpy(data.bytes.data() + 4 * 17, &nan, 4);
    plan::HostTensor most = result_of(
        execution(), [&](Script& b) { return b.reduce(ops::kMax, b.input(data), {}); }, axes, rules);
    EXPECT_TRUE(std::isnan(most.number(0))) << axes << "  " << rules;
  }
}

TEST(Layouts, OfARenamedTensorDoNotChangeIt) {
  expect_same([](Script& b) { return b.rename(b.input({batch, io}), {{"hidden", 5}, {"batch", 6}}); }, kSplits);
}

TEST(Layouts, OfAReshapedTensorDoNotChangeIt) {
  expect_same([](Script& b) { return b.reshape(b.input({batch, io}), {{"hidden", 15}, {"w", 2}}); }, kSplits);
}

TEST(Layouts, OfABroadcastSumDoNotChangeIt) {
  expect_same(
      [](Script& b) {
        graph::Value bias = b.input({io});
        return b.map(ops::kAdd, b.map(ops::kMul, b.input({batch, io}), bias), b.map(ops::kMul, bias, 3.0));
      },
      kSplits);
}

TEST(Layouts, OfASliceDoNotChangeIt) {
  expect_same([](Script& b) { return b.slice(b.input({batch, io}), 1, 1, 4); }, kSplits);
}

TEST(Layouts, OfIntegersDoNotChangeTheirSum) {
  expect_same([](Script& b) { return b.sum_to(b.input({batch, io}, ElementType::kI32), {batch}); }, kSplits);
}

TEST(Layouts, OfLargeSumsCutInPiecesDoNotChangeThem) {
  Dim wide{"wide", 3 << 20};
  expect_same(
      [&](Script& b) {
        return b.sum_to(b.input({{"batch", 4}, wide}), {wide});
      },
      {{"p:4", "batch:p"}, {"p:2;q:2", "batch:q"}});
}

TEST(Layouts, OfDimsThatChangeSlotsInLargeGroupsDoNotChangeIt) {
  const Dim rows{"rows", 50}, columns{"columns", 61}, other{"other", 3};
  expect_same(
      [&](Script& b) {
        const graph::Value x = b.input({rows, columns, other});
        Sharding moved = x.sharding();
        std::swap(moved.dims[0], moved.dims[1]);
        graph::GivenLayout layout;
        layout.inherited = moved.split();
        layout.sharding = std::move(moved);
        return b.laid_out(x, std::move(layout));
      },
      {{"p:40", "rows:p"},
       {"p:40", "columns:p"},
       {"p:20;q:3", "rows:p;other:q"},
       {"p:3;q:20", "rows:q;other:p"},
       {"q:2;p:30", "rows:p"},
       {"p:6;q:7", "rows:p+q"},
       {"p:6;q:7", "rows:q+p"},
       {"p:24;q:2", "rows:p"}});
}

TEST(Layouts, PlacedAndFetchedATensorIsTheSame) {
  for (const auto& [axes, rules] : kSplits) {
    plan::HostTensor data = counting({ElementType::kI32, {batch, io, hidden}}, 211);
    plan::HostTensor back = result_of(
        execution(), [&](Script& b) { return b.input(data); }, axes, rules);
    EXPECT_EQ(data.bytes, back.bytes) << axes << "  " << rules;
  }
}

TEST(Layouts, WhatFollowsAValueNeverFollowsAnotherFollower) {
  Script script(execution(), "rows:2;cols:2", "a:rows");
  const graph::Value x = script.input({{"a", 4}});
  graph::Value y = x;
  for (int iteration = 0; iteration < 3; ++iteration) y = script.laid_like(script.map(ops::kTanh, y), y);
  EXPECT_EQ(y.operation().why.like, x.node->operation);
}

}  // namespace layouts_test
}  // namespace mtf::run
