#include "spmd/block_index.h"

#include <algorithm>
#include <array>
#include <optional>

#include "spmd/block_bounds.h"
#include "support/integers.h"

namespace mtf::spmd {

namespace {

/// Returns what the first `full` intervals of a progression share with `interval`. As an interval advances, the shared
/// part changes linearly, except at four positions: where one end of it passes an end of `interval`. So the time does
/// not depend on the number of intervals.
DimIndex::Met met_by_all(Progression parts, Interval interval) {
  if (parts.slope < 0) parts.first += (parts.full - 1) * parts.slope, parts.slope = -parts.slope;
  const auto shared_at = [&](int64_t position) {
    const int64_t first = parts.first + position * parts.slope;
    return shared(interval, {first, first + parts.length});
  };
  std::array<int64_t, 6> ends = {0, 0, 0, 0, 0, parts.full};
  size_t next = 1;
  for (int64_t begin : {interval.first - parts.length, interval.first, interval.last - parts.length, interval.last})
    ends[next++] = std::clamp<int64_t>(ceil_div(begin - parts.first, parts.slope), 0, parts.full);
  std::sort(ends.begin(), ends.end());
  DimIndex::Met met;
  for (size_t i = 0; i + 1 < ends.size(); ++i) {
    const int64_t count = ends[i + 1] - ends[i];
    if (count == 0) continue;
    const int64_t first = shared_at(ends[i]), last = shared_at(ends[i + 1] - 1);
    met.elements += count * (first + last) / 2;
    if (first > 0 || last > 0) met.blocks += count - (first == 0) - (last == 0);
  }
  return met;
}

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

DimIndex::DimIndex(const LocalDim& dim, const Mesh& mesh, AxisSet axes, int64_t wrap)
    : dim_(dim), mesh_(mesh), axes_(axes & dim.axes.set()), wrap_(wrap) {}

DimIndex::Side& DimIndex::side(const Coordinates& at) const {
  int64_t fixed = 0;
  for (int axis : dim_.axes)
    if (!(axes_ & axis_bit(axis))) fixed += at[static_cast<size_t>(axis)] * mesh_.stride(axis);
  auto [found, is_new] = sides_.try_emplace(fixed);
  Side& result = found->second;
  if (!is_new) return result;
  Coordinates base = at;
  for (int a = 0; a < mesh_.order(); ++a)
    if (axes_ & axis_bit(a)) base[static_cast<size_t>(a)] = 0;
  const int64_t origin = mesh_.processor(base);
  for (int64_t processor : mesh_.group(origin, axes_)) {
    const Interval interval = bounds(dim_, mesh_, mesh_.coordinates(processor));
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
void DimIndex::for_meeting(const Side& side, Interval interval, const F& f) const {
  const std::vector<Entry>& all = side.entries;
  if (all.empty() || interval.size() <= 0) return;
  const int64_t least = all.front().interval.first, most = all.back().reach;
  const int64_t first_turn = wrap_ ? floor_div(least - interval.last, wrap_) : 0,
                last_turn = wrap_ ? floor_div(most - interval.first, wrap_) + 1 : 0;
  for (int64_t turn = first_turn; turn <= last_turn; ++turn) {
    const Interval here{interval.first + turn * wrap_, interval.last + turn * wrap_};
    auto entry = std::partition_point(all.begin(), all.end(), [&](const Entry& e) { return e.reach <= here.first; });
    for (; entry != all.end() && entry->interval.first < here.last; ++entry)
      if (entry->interval.last > here.first) f(*entry, shared(here, entry->interval));
  }
}

std::vector<int64_t> DimIndex::meeting(const Coordinates& at, Interval interval) const {
  std::vector<int64_t> offsets;
  for_meeting(side(at), interval, [&](const Entry& entry, int64_t) { offsets.push_back(entry.offset); });
  std::sort(offsets.begin(), offsets.end());
  // A wrapped interval may meet a block twice.
  offsets.erase(std::unique(offsets.begin(), offsets.end()), offsets.end());
  return offsets;
}

DimIndex::Met DimIndex::met(const Coordinates& at, Interval interval) const {
  Met met;
  if (interval.size() <= 0 || met_in_parts(at, interval, met) || met_evenly(interval, met)) return met;
  Side& there = side(at);
  const auto [known, is_new] = there.met.try_emplace({interval.first, interval.last});
  if (!is_new) return known->second;
  for_meeting(there, interval, [&](const Entry&, int64_t elements) { met.elements += elements; });
  met.blocks = static_cast<int64_t>(meeting(at, interval).size());
  return known->second = met;
}

/// If the group's axes are the last of the dim's, its blocks are the parts of one interval. Returns false if not, or if
/// they have no common size.
bool DimIndex::met_in_parts(const Coordinates& at, Interval interval, Met& met) const {
  if (dim_.mapped || wrap_ != 0) return false;
  LocalDim outer = dim_;
  int parting = 0;
  for (; !outer.axes.empty() && (axes_ & axis_bit(outer.axes.back())); ++parting) outer.axes.pop_back();
  if (outer.axes.set() & axes_) return false;
  const Interval whole = bounds(outer, mesh_, at);
  const int64_t parts = mesh_.group_size(axes_);
  if (parting > 1 && whole.size() % parts != 0) return false;
  const int64_t first = std::max(interval.first, whole.first), last = std::min(interval.last, whole.last);
  if (first >= last) return true;
  const int64_t step = ceil_div(whole.size(), parts);
  met = {last - first, (last - 1 - whole.first) / step - (first - whole.first) / step + 1};
  return true;
}

/// Finds blocks of a dim by their common distance. Returns false if there is none.
bool DimIndex::met_evenly(Interval interval, Met& met) const {
  if (axes_ != dim_.axes.set()) return false;
  const std::optional<Progression> parts = progression_of(dim_, mesh_);
  if (!parts || parts->slope == 0) return false;
  const int64_t size = dim_.mapped ? dim_.map.to : dim_.dim.size;
  if (wrap_ == 0 && !(dim_.mapped && dim_.map.wrap) && interval.first >= 0 && interval.last <= size) {
    met = met_by_all(*parts, interval);
    if (parts->full >= parts->positions) return true;
    const int64_t rest = shared(interval, bounds(dim_, mesh_, coordinates_of(dim_, mesh_, parts->full)));
    met.elements += rest;
    met.blocks += rest > 0;
    return true;
  }
  const int64_t end = parts->first + parts->full * parts->slope;
  const int64_t least = std::min(parts->first, end), most = std::max(parts->first, end) + parts->length;
  const int64_t first_turn = wrap_ ? floor_div(least - interval.last, wrap_) : 0,
                last_turn = wrap_ ? floor_div(most - interval.first, wrap_) + 1 : 0;
  std::vector<int64_t> positions;
  for (int64_t turn = first_turn; turn <= last_turn; ++turn) {
    const Interval here{interval.first + turn * wrap_, interval.last + turn * wrap_};
    // first + p * slope + length > here.first, and first + p * slope < here.last
    int64_t low = floor_div(here.first - parts->first - parts->length, parts->slope),
            high = floor_div(here.last - parts->first, parts->slope);
    if (low > high) std::swap(low, high);
    high = std::min({high + 1, parts->positions - 1, parts->full});
    for (int64_t p = std::max<int64_t>(low - 1, 0); p <= high; ++p) {
      const int64_t elements = shared(here, bounds(dim_, mesh_, coordinates_of(dim_, mesh_, p)));
      if (elements == 0) continue;
      met.elements += elements;
      positions.push_back(p);
    }
  }
  std::sort(positions.begin(), positions.end());
  met.blocks = std::unique(positions.begin(), positions.end()) - positions.begin();
  return true;
}

}  // namespace mtf::spmd
