// What processors send, found by arithmetic, equals the sum of the parts that every other processor takes.
#include "spmd/transfers.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

#include "random_map.h"

namespace mtf::spmd {
namespace {

LocalValue value_on(const MeshPtr& on, std::vector<LocalDim> dims) {
  return {"x", ElementType::kF32, on, std::move(dims), 0, {}};
}

/// Returns the elements that the blocks of two processors share.
int64_t shared_by(const Transfers& transfers, const Mesh& mesh, int64_t holder, int64_t reader) {
  int64_t elements = 1;
  for (size_t d = 0; d < transfers.from().dims.size(); ++d) {
    int64_t along = 0;
    for (const Segment& part :
         transfers.shared_parts(d, bounds(transfers.from().dims[d], mesh, mesh.coordinates(holder)),
                                bounds(transfers.to().dims[d], mesh, mesh.coordinates(reader))))
      along += part.size;
    elements *= along;
  }
  return elements;
}

void expect_that_of_a_walk(const LocalValue& from, const LocalValue& to, AxisSet axes, const std::string& what) {
  const Mesh& mesh = *from.mesh;
  const Transfers transfers(from, to, Sources::kGroup, axes);
  Sent most;
  for (int64_t q = 0; q < mesh.size(); ++q) {
    Sent sent;
    std::set<int64_t> readers;
    for (int64_t p : mesh.group(q, axes)) {
      const int64_t elements = shared_by(transfers, mesh, q, p);
      if (elements > 0) readers.insert(p);
      if (elements == 0 || p == q) continue;
      sent.elements += elements;
      ++sent.messages;
    }
    const Sent found = transfers.sent_by(mesh.coordinates(q));
    ASSERT_EQ(found.elements, sent.elements) << what << ", processor " << q;
    ASSERT_EQ(found.messages, sent.messages) << what << ", processor " << q;
    const std::vector<int64_t> asked = transfers.readers_of(q);
    ASSERT_EQ(std::set<int64_t>(asked.begin(), asked.end()), readers) << what << ", processor " << q;
    most.elements = std::max(most.elements, sent.elements);
    most.messages = std::max(most.messages, sent.messages);
  }
  ASSERT_EQ(transfers.most_sent().elements, most.elements) << what;
  ASSERT_EQ(transfers.most_sent().formula.value(), most.elements) << what;
  ASSERT_GE(transfers.most_sent().messages, most.elements > 0 ? 1 : 0) << what;
  ASSERT_LE(transfers.most_sent().messages, most.messages) << what;
}

std::string text(const LocalDim& dim) {
  return fmt::format("{}: stride {}, offset {}, window {}, dilation {} and {}{}{}, from {}", dim.dim.size,
                     dim.map.stride, dim.map.offset, dim.map.window, dim.map.dilation, dim.map.base_dilation,
                     dim.map.wrap ? ", wraps" : "", dim.map.reversed ? ", reversed" : "", dim.map.from);
}

TEST(Transfers, AnIntervalWrapsAround) {
  std::vector<Segment> segments = overlap({6, 8}, {-1, 2}, 8);
  ASSERT_EQ(segments.size(), 1u);
  EXPECT_EQ(segments[0].from, 1);
  EXPECT_EQ(segments[0].to, 0);
  EXPECT_EQ(segments[0].size, 1);
  EXPECT_EQ(overlap({0, 2}, {-1, 2}, 8)[0].to, 1);
  EXPECT_TRUE(overlap({2, 4}, {-1, 2}, 8).empty());
}

TEST(Transfers, AnExchangeSendsWhatAWalkFinds) {
  Dice dice;
  for (int i = 0; i < 3000; ++i) {
    const int64_t size = dice.roll(1, dice.roll(0, 3) == 0 ? 2000 : 90), indices = dice.roll(1, 40);
    const MeshPtr on = mesh("p:" + std::to_string(indices));
    LocalDim from{{"a", size}, {0}, false, {}}, to{{"a", size}, {0}, true, random_map(dice, size)};
    if (dice.roll(0, 4) == 0) {
      const int64_t a = dice.roll(1, 6), b = dice.roll(1, 6), c = dice.roll(1, 6);  // a reshape of a * b * c
      const Dim flat{"flat", a * b * c};
      from = {flat, {0}, true, {.stride = b * c, .window = b * c, .from = a, .to = flat.size}};
      to = {flat, {0}, true, {.stride = c, .window = c, .from = a * b, .to = flat.size}};
    }
    expect_that_of_a_walk(value_on(on, {from}), value_on(on, {to}), 1, fmt::format("{} over {}", text(to), indices));
    ASSERT_EQ(most_sent(from, to, *on),
              Transfers(value_on(on, {from}), value_on(on, {to}), Sources::kGroup, 1).most_sent().elements);
  }
}

TEST(Transfers, PartsThatAreGivenBackAreThoseOfAWalk) {
  Dice dice;
  for (int i = 0; i < 1000; ++i) {
    const int64_t size = dice.roll(1, dice.roll(0, 3) == 0 ? 900 : 60),
                  blocks = dice.roll(0, 1) == 0 ? size : dice.roll(1, 90);
    const MeshPtr on = mesh("p:" + std::to_string(dice.roll(1, 12)) + ";q:" + std::to_string(dice.roll(1, 4)));
    const AxisList axes = dice.roll(0, 1) == 0 ? AxisList{0} : AxisList{1, 0};
    const LocalDim own{{"a", size}, axes, false, {}};
    const LocalDim wide{
        {"a", size}, axes, true, {.offset = -dice.roll(0, 30), .window = dice.roll(1, 60), .from = blocks, .to = size}};
    expect_that_of_a_walk(value_on(on, {wide}), value_on(on, {own}), axes.set(), text(wide) + to_string(*on));
  }
}

TEST(Transfers, AGatherAndAnAllToAllSendWhatAWalkFinds) {
  Dice dice;
  for (int i = 0; i < 500; ++i) {
    const MeshPtr on = mesh(fmt::format("p:{};q:{};r:{}", dice.roll(1, 4), dice.roll(1, 5), dice.roll(1, 3)));
    const Dim a{"a", dice.roll(1, 30)}, b{"b", dice.roll(1, 30)}, c{"c", dice.roll(1, 5)};
    const LocalDim c_over_r{c, {2}, false, {}};
    const AxisList outer = dice.roll(0, 1) == 0 ? AxisList{} : AxisList{0};
    AxisList both = outer;
    both.push_back(1);
    const LocalValue split = value_on(on, {{a, both, false, {}}, {b, {}, false, {}}, c_over_r}),
                     gathered = value_on(on, {{a, outer, false, {}}, {b, {}, false, {}}, c_over_r}),
                     moved = value_on(on, {{a, outer, false, {}}, {b, {1}, false, {}}, c_over_r});
    const std::string what = fmt::format("{} and {} over {}", a.size, b.size, to_string(*on));
    expect_that_of_a_walk(split, gathered, axis_bit(1), "gather of " + what);
    expect_that_of_a_walk(split, moved, axis_bit(1), "all_to_all of " + what);
  }
}

TEST(Transfers, ATransposeSendsTheLargestBlockThatMoves) {
  const MeshPtr on = mesh("p:3;q:3");
  const LocalValue from = value_on(on, {{{"a", 7}, {0}, false, {}}, {{"b", 5}, {1}, false, {}}}),
                   to = value_on(on, {{{"a", 7}, {1}, false, {}}, {{"b", 5}, {0}, false, {}}});
  const Transfers transfers(from, to, Sources::kPermuted, 0b11);
  EXPECT_EQ(transfers.most_sent().elements, 6);
  EXPECT_EQ(transfers.sent_by(on->coordinates(1)).elements, 6);
  EXPECT_EQ(transfers.sent_by(on->coordinates(4)).elements, 0) << "the diagonal stays";
  EXPECT_EQ(transfers.readers_of(1), std::vector<int64_t>{3});
  EXPECT_EQ(transfers.sources_of(3), std::vector<int64_t>{1});
}

TEST(Transfers, AHaloComesFromNeighboursAlone) {
  const MeshPtr on = mesh("p:64");
  const Dim a{"a", 640};
  const LocalValue own = value_on(on, {{a, {0}, false, {}}}),
                   wide = value_on(on, {{a, {0}, true, {.offset = -1, .window = 3, .from = 640, .to = 640}}});
  EXPECT_EQ(Transfers(own, wide, Sources::kGroup, 1).most_sent().messages, 2);
  EXPECT_EQ(Transfers(own, value_on(on, {{a, {}, false, {}}}), Sources::kGroup, 1).most_sent().messages, 63);
}

}  // namespace
}  // namespace mtf::spmd
