#include "schedule/pack.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "../work_time.h"

namespace mtf::schedule {
namespace {

/// Expects that live items do not overlap at any step, and that all are inside the arena.
void expect_apart(const std::vector<PackItem>& items, int64_t arena) {
  std::vector<std::pair<int, const PackItem*>> begins, ends;
  for (const PackItem& item : items) {
    if (item.bytes == 0) continue;
    EXPECT_GE(item.offset, 0);
    EXPECT_LE(item.offset + item.bytes, arena);
    begins.emplace_back(item.first, &item);
    ends.emplace_back(item.last, &item);
  }
  std::sort(begins.begin(), begins.end());
  std::sort(ends.begin(), ends.end());
  std::map<int64_t, int64_t> used;  // begin → end
  auto ended = ends.begin();
  for (const auto& [first, item] : begins) {
    for (; ended->first < first; ++ended) used.erase(ended->second->offset);
    const auto above = used.lower_bound(item->offset);
    if (above != used.end()) { ASSERT_LE(item->offset + item->bytes, above->first); }
    if (above != used.begin()) { ASSERT_LE(std::prev(above)->second, item->offset); }
    used[item->offset] = item->offset + item->bytes;
  }
}

/// Buffers of a training step: each layer has some that live until its backward pass, and some with short live ranges.
std::vector<PackItem> training_step(int layers) {
  std::mt19937 random(3);
  const int64_t sizes[] = {1 << 20, 3 << 20, 4 << 20, 1 << 18, 4096};
  const int steps = 20;  // steps of a layer in each pass
  std::vector<PackItem> items;
  for (int layer = 0; layer < layers; ++layer)
    for (int k = 0; k < steps; ++k) {
      const int forward = layer * steps + k, backward = 2 * layers * steps - forward;
      items.push_back({sizes[random() % 5], forward, forward + 1 + static_cast<int>(random() % 3)});
      items.push_back({sizes[random() % 5], backward, backward + 1 + static_cast<int>(random() % 3)});
      if (k % 2 == 0) items.push_back({sizes[k / 2 % 5], forward, backward});
      if (k % 8 == 0) items.push_back({sizes[k / 8], backward, 2 * layers * steps});  // a gradient
    }
  return items;
}

TEST(Pack, KeepsWhatIsInUseApart) {
  std::mt19937 random(5);
  for (int iteration = 0; iteration < 200; ++iteration) {
    std::vector<PackItem> items(1 + random() % 600);
    for (PackItem& item : items) {
      item.bytes = static_cast<int64_t>(random() % 40) * 64;
      item.first = static_cast<int>(random() % 300);
      item.last = item.first + static_cast<int>(random() % (iteration % 2 ? 5 : 200));
    }
    const int64_t arena = pack(items);
    expect_apart(items, arena);
    EXPECT_GE(arena, most_in_use(items));
    EXPECT_LE(arena, most_in_use(items) * 5 / 4) << iteration;
  }
}

TEST(Pack, NeedsHardlyMoreThanIsInUse) {
  for (int layers : {1, 4, 24, 200}) {
    std::vector<PackItem> items = training_step(layers);
    const int64_t arena = pack(items);
    expect_apart(items, arena);
    EXPECT_LE(static_cast<double>(arena), 1.05 * static_cast<double>(most_in_use(items))) << layers;
  }
}

TEST(Pack, BuffersOfDifferentTimesShareMemory) {
  std::vector<PackItem> items = {{128, 0, 1, 0}, {64, 1, 2, 0}, {128, 2, 3, 0}};
  EXPECT_EQ(pack(items), 192);
  EXPECT_EQ(items[0].offset, items[2].offset);
}

TEST(Pack, OfNothingIsEmpty) {
  std::vector<PackItem> none, empty = {{0, 0, 3}, {0, 2, 2}};
  EXPECT_EQ(pack(none), 0);
  EXPECT_EQ(pack(empty), 0);
}

double seconds_to_pack(int layers) {
  std::vector<PackItem> items = training_step(layers);
  const double start = processor_seconds();
  pack(items);
  return processor_seconds() - start;
}

TEST(Pack, TakesTimeInProportionToItsItems) {
  double ratio = 1e9;
  for (int iteration = 0; iteration < 5; ++iteration)
    ratio = std::min(ratio, seconds_to_pack(800) / seconds_to_pack(200));
  EXPECT_LT(ratio, 6);
}

}  // namespace
}  // namespace mtf::schedule
