#include "run/block_index.h"

#include <algorithm>

namespace mtf::run {
namespace {

int64_t floor_div(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }

}  // namespace

std::vector<Segment> overlap(Interval from, Interval to, int64_t wrap) {
  std::vector<Segment> result;
  if (from.size() <= 0 || to.size() <= 0) return result;
  int64_t first_turn = wrap ? floor_div(to.first - from.last, wrap) : 0;
  int64_t last_turn = wrap ? floor_div(to.last - from.first, wrap) : 0;
  for (int64_t turn = first_turn; turn <= last_turn; ++turn) {
    int64_t first = std::max(from.first + turn * wrap, to.first);
    int64_t last = std::min(from.last + turn * wrap, to.last);
    if (first < last) result.push_back({first - turn * wrap - from.first, first - to.first, last - first});
  }
  return result;
}

BlockIndex::BlockIndex(const spmd::LocalValue& value, AxisSet axes, std::vector<int64_t> wraps)
    : value_(value),
      mesh_(*value.mesh),
      varying_(axes & value.varies()),
      replicas_(mesh_.group_size(axes & ~varying_)),
      wraps_(std::move(wraps)) {}

const BlockIndex::Side& BlockIndex::entries(size_t dim, const Coordinates& at) const {
  const spmd::LocalDim& local = value_.dims[dim];
  const AxisSet moving = local.axes.set() & varying_;
  int64_t fixed = 0;
  for (int axis : local.axes)
    if (!(moving & axis_bit(axis))) fixed += at[static_cast<size_t>(axis)] * mesh_.stride(axis);
  auto [found, is_new] = dims_.try_emplace({dim, fixed});
  Side& result = found->second;
  if (!is_new) return result;
  Coordinates base = at;
  for (int a = 0; a < mesh_.order(); ++a)
    if (moving & axis_bit(a)) base[static_cast<size_t>(a)] = 0;
  const int64_t origin = mesh_.processor(base);
  for (int64_t processor : mesh_.group(origin, moving)) {
    const Interval interval = bounds(local, mesh_, mesh_.coordinates(processor));
    if (interval.size() > 0) result.entries.push_back({interval, processor - origin, interval.last});
  }
  std::sort(result.entries.begin(), result.entries.end(), [](const Entry& a, const Entry& b) {
    return std::pair(a.interval.first, a.interval.last) < std::pair(b.interval.first, b.interval.last);
  });
  for (size_t i = 1; i < result.entries.size(); ++i)
    result.entries[i].reach = std::max(result.entries[i].reach, result.entries[i - 1].reach);
  return result;
}

/// Calls f(entry, number of shared elements) for each entry that overlaps `interval`.
template <typename F>
void BlockIndex::for_meeting(size_t dim, const Coordinates& at, Interval interval, F f) const {
  const std::vector<Entry>& all = entries(dim, at).entries;
  if (all.empty() || interval.size() <= 0) return;
  const int64_t wrap = wraps_[dim];
  const int64_t least = all.front().interval.first, most = all.back().reach;
  const int64_t first_turn = wrap ? floor_div(least - interval.last, wrap) : 0,
                last_turn = wrap ? floor_div(most - interval.first, wrap) + 1 : 0;
  for (int64_t turn = first_turn; turn <= last_turn; ++turn) {
    const Interval here{interval.first + turn * wrap, interval.last + turn * wrap};
    auto entry = std::partition_point(all.begin(), all.end(), [&](const Entry& e) { return e.reach <= here.first; });
    for (; entry != all.end() && entry->interval.first < here.last; ++entry)
      if (entry->interval.last > here.first)
        f(*entry, std::min(here.last, entry->interval.last) - std::max(here.first, entry->interval.first));
  }
}

std::vector<int64_t> BlockIndex::meeting(const Coordinates& at, const std::vector<Interval>& box) const {
  Coordinates base = at;
  for (int a = 0; a < mesh_.order(); ++a)
    if (varying_ & axis_bit(a)) base[static_cast<size_t>(a)] = 0;
  std::vector<int64_t> processors = {mesh_.processor(base)};
  for (size_t d = 0; d < box.size(); ++d) {
    std::vector<int64_t> offsets;
    for_meeting(d, at, box[d], [&](const Entry& entry, int64_t) { offsets.push_back(entry.offset); });
    std::sort(offsets.begin(), offsets.end());
    // A wrapped interval may meet a block twice.
    offsets.erase(std::unique(offsets.begin(), offsets.end()), offsets.end());
    if (offsets.size() == 1 && offsets[0] == 0) continue;
    std::vector<int64_t> next;
    next.reserve(processors.size() * offsets.size());
    for (int64_t processor : processors)
      for (int64_t offset : offsets) next.push_back(processor + offset);
    processors = std::move(next);
  }
  std::sort(processors.begin(), processors.end());
  return processors;
}

int64_t BlockIndex::shared(const Coordinates& at, const std::vector<Interval>& box) const {
  int64_t product = replicas_;
  for (size_t d = 0; d < box.size(); ++d) {
    const auto found = entries(d, at).sums.try_emplace({box[d].first, box[d].last}, 0);
    int64_t& sum = found.first->second;
    if (found.second) for_meeting(d, at, box[d], [&](const Entry&, int64_t elements) { sum += elements; });
    product *= sum;
  }
  return product;
}

}  // namespace mtf::run
