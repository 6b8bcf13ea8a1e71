#include "graph/iteration_space.h"

#include <algorithm>
#include <optional>

namespace mtf::graph {

Interval needed_unclipped(const AccessMap& map, Interval block) {
  if (block.size() <= 0) return {0, 0};
  if (map.reversed) block = {map.from - block.last, map.from - block.first};
  if (map.base_dilation == 1)
    return {block.first * map.stride + map.offset, (block.last - 1) * map.stride + map.offset + map.extent()};
  // The pattern of elements and zeros repeats after base_dilation indices, and after as many steps of the window. So
  // the first and the last element, if there are any, are within that many indices and steps of either end.
  const int64_t indices = std::min(block.size(), map.base_dilation), steps = std::min(map.window, map.base_dilation);
  const int64_t start = block.first * map.stride + map.offset,
                end = (block.last - 1) * map.stride + map.offset + map.extent() - 1;
  std::optional<int64_t> first, last;
  for (int64_t i = 0; i < indices; ++i)
    for (int64_t k = 0; k < steps; ++k) {
      const int64_t in = i * map.stride + k * map.dilation;
      if ((start + in) % map.base_dilation == 0) first = std::min(first.value_or(start + in), start + in);
      if ((end - in) % map.base_dilation == 0) last = std::max(last.value_or(end - in), end - in);
    }
  return first ? Interval{*first / map.base_dilation, *last / map.base_dilation + 1} : Interval{0, 0};
}

Interval needed(const AccessMap& map, Interval block) {
  Interval need = needed_unclipped(map, block);
  if (map.wrap) return need;
  need.first = std::clamp<int64_t>(need.first, 0, map.to);
  need.last = std::clamp<int64_t>(need.last, need.first, map.to);
  return need;
}

int64_t count_reads(const AccessMap& map, Interval block) {
  if (block.size() <= 0) return 0;
  if (map.base_dilation == 1) return block.size() * map.window;
  if (map.reversed) block = {map.from - block.last, map.from - block.first};
  // The steps of the window that meet elements repeat after base_dilation indices.
  int64_t reads = 0;
  for (int64_t i = 0; i < std::min(block.size(), map.base_dilation); ++i) {
    const int64_t alike = (block.size() - i + map.base_dilation - 1) / map.base_dilation;
    for (int64_t k = 0; k < map.window; ++k)
      if (((block.first + i) * map.stride + map.offset + k * map.dilation) % map.base_dilation == 0) reads += alike;
  }
  return reads;
}

}  // namespace mtf::graph
