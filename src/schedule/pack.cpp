#include "schedule/pack.h"

#include <algorithm>
#include <numeric>

namespace mtf {

int64_t pack(std::vector<PackItem>& items) {
  std::vector<int> by_size(items.size());
  std::iota(by_size.begin(), by_size.end(), 0);
  std::stable_sort(by_size.begin(), by_size.end(), [&](int a, int b) { return items[a].bytes > items[b].bytes; });
  std::vector<int> placed;  // by offset
  int64_t arena = 0;
  for (int i : by_size) {
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

}  // namespace mtf
