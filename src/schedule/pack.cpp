#include "schedule/pack.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "support/interrupt.h"

namespace mtf::schedule {
namespace {

/// Up to kFew items are always packed largest first too; up to kMany if the other rule gives a poor result.
constexpr size_t kFew = 256, kMany = 4096;

std::vector<int> sorted(const std::vector<PackItem>& items, auto before) {
  std::vector<int> order(items.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return before(items[a], items[b]); });
  return order;
}

int64_t largest_first(std::vector<PackItem>& items) {
  std::vector<int> placed;  // by offset
  int64_t arena = 0;
  const auto larger = [](const PackItem& a, const PackItem& b) { return a.bytes > b.bytes; };
  for (int i : sorted(items, larger)) {
    check_interrupt();
    PackItem& item = items[i];
    int64_t offset = 0;
    for (int j : placed) {
      const PackItem& other = items[j];
      if (other.last < item.first || item.last < other.first) continue;
      if (other.offset - offset >= item.bytes) break;
      offset = std::max(offset, other.offset + other.bytes);
    }
    item.offset = offset;
    arena = std::max(arena, offset + item.bytes);
    placed.insert(std::upper_bound(placed.begin(), placed.end(), i,
                                   [&](int a, int b) { return items[a].offset < items[b].offset; }),
                  i);
  }
  return arena;
}

/// Unlimited memory with a record of its free holes.
class FreeMemory {
 public:
  FreeMemory() { add(0, kEnd); }

  /// Takes `bytes` from the smallest hole that is large enough, at its lower or upper end. The last hole has no end,
  /// so its upper end is `top`, or as near to `top` as possible.
  int64_t take(int64_t bytes, bool upper, int64_t top) {
    const auto [size, begin] = *by_size_.lower_bound({bytes, 0});
    const int64_t end = begin + size;
    remove(holes_.find(begin));
    const int64_t offset = !upper ? begin : end == kEnd ? std::max(begin, top - bytes) : end - bytes;
    add(begin, offset);
    add(offset + bytes, end);
    return offset;
  }

  void give_back(int64_t begin, int64_t end) {
    if (auto next = holes_.find(end); next != holes_.end()) {
      end = next->second;
      remove(next);
    }
    if (auto behind = holes_.lower_bound(begin); behind != holes_.begin() && std::prev(behind)->second == begin) {
      begin = std::prev(behind)->first;
      remove(std::prev(behind));
    }
    add(begin, end);
  }

 private:
  static constexpr int64_t kEnd = INT64_MAX;

  void add(int64_t begin, int64_t end) {
    if (begin == end) return;
    holes_.emplace(begin, end);
    by_size_.emplace(end - begin, begin);
  }

  void remove(std::map<int64_t, int64_t>::iterator hole) {
    by_size_.erase({hole->second - hole->first, hole->first});
    holes_.erase(hole);
  }

  std::map<int64_t, int64_t> holes_;               // begin → end
  std::set<std::pair<int64_t, int64_t>> by_size_;  // size and begin of each hole
};

/// Packs in order of time. Items that live for fewer than `brief` steps go to upper ends, below `top`.
int64_t in_times_order(std::vector<PackItem>& items, int brief, int64_t top) {
  FreeMemory memory;
  int64_t arena = 0;
  const std::vector<int> ends = sorted(items, [](const PackItem& a, const PackItem& b) { return a.last < b.last; });
  auto end = ends.begin();
  const auto earlier = [](const PackItem& a, const PackItem& b) {
    return a.first != b.first ? a.first < b.first : a.bytes > b.bytes;
  };
  for (int i : sorted(items, earlier)) {
    check_interrupt();
    PackItem& item = items[i];
    for (; items[*end].last < item.first; ++end)
      if (items[*end].bytes > 0) memory.give_back(items[*end].offset, items[*end].offset + items[*end].bytes);
    item.offset = item.bytes == 0 ? 0 : memory.take(item.bytes, item.last - item.first < brief, top);
    arena = std::max(arena, item.offset + item.bytes);
  }
  return arena;
}

}  // namespace

int64_t most_in_use(const std::vector<PackItem>& items) {
  int steps = 0;
  for (const PackItem& item : items) steps = std::max(steps, item.last + 1);
  std::vector<int64_t> change(steps + 1, 0);
  for (const PackItem& item : items) {
    change[item.first] += item.bytes;
    change[item.last + 1] -= item.bytes;
  }
  std::partial_sum(change.begin(), change.end(), change.begin());
  return *std::max_element(change.begin(), change.end());
}

int64_t pack(std::vector<PackItem>& items) {
  const int64_t most = most_in_use(items);
  int64_t arena = INT64_MAX;
  std::vector<PackItem> trial = items;
  auto attempt = [&](int64_t bytes) {
    if (bytes >= arena) return;
    arena = bytes;
    items = trial;
  };
  if (items.size() <= kFew) attempt(largest_first(trial));
  for (int brief : {0, 4, 16})
    if (arena > most) attempt(in_times_order(trial, brief, most));
  if (items.size() > kFew && items.size() <= kMany && arena > most + most / 128) attempt(largest_first(trial));
  return arena;
}

}  // namespace mtf::schedule
