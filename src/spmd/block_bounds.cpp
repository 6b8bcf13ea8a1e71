#include "spmd/block_bounds.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <set>

#include "support/diagnostics.h"
#include "support/integers.h"
#include "types/saturating.h"

namespace mtf::spmd {
namespace {

/// Positions are numbered along dim.axes, the last axis fastest.
int64_t positions_of(const LocalDim& dim, const Mesh& mesh) { return mesh.group_size(dim.axes.set()); }

/// The positions that may have the maximum.
class Candidates {
 public:
  explicit Candidates(int64_t positions) : positions_(positions) {}
  void add(int64_t first, int64_t last) {
    first = std::max<int64_t>(first, 0);
    last = std::min(last, positions_ - 1);
    if (first > last) return;
    ranges_.push_back({first, last + 1});
  }
  template <typename F>
  void for_each(F f) {
    std::sort(ranges_.begin(), ranges_.end(), [](Interval a, Interval b) { return a.first < b.first; });
    int64_t next = 0;
    for (const Interval& range : ranges_)
      for (next = std::max(next, range.first); next < range.last; ++next) f(next);
  }

 private:
  int64_t positions_;
  std::vector<Interval> ranges_;
};

/// Adds the positions at which an interval that slides over a dim of `size` begins or ends to be clipped.
void add_clipped(Candidates& candidates, const Progression& parts, int64_t size) {
  candidates.add(-1, 1);
  candidates.add(parts.full - 2, parts.full + 1);
  for (int64_t edge : {int64_t{0}, size})
    for (int64_t reach : {int64_t{0}, parts.length}) {
      const int64_t at = floor_div(edge - reach - parts.first, parts.slope);
      candidates.add(at - 1, at + 2);
    }
}

/// Adds the positions at which the pattern of held over wanted intervals begins, ends or breaks, with one period on
/// both sides. Elsewhere the amount that a processor sends depends only on its number modulo the period.
void add_edges(Candidates& candidates, const Progression& have, const Progression& want, const LocalDim& to) {
  const int64_t a = have.slope, b = want.slope;
  int64_t first_iteration = 0, last_iteration = 0;
  if (to.mapped && to.map.wrap) {
    const int64_t end = want.first + (want.full + 1) * b;
    first_iteration = floor_div(std::min(want.first, end), to.dim.size);
    last_iteration = floor_div(std::max(want.first, end) + want.length, to.dim.size);
  }
  const int64_t margin = std::abs(b) / std::gcd(a, b) + 2;
  for (int64_t edge : {int64_t{0}, have.full, have.positions}) candidates.add(edge - margin, edge + margin);
  for (int64_t iteration = first_iteration; iteration <= last_iteration; ++iteration) {
    const int64_t origin = want.first - iteration * to.dim.size;
    for (int64_t p : {int64_t{-1}, int64_t{0}, want.full - 1, want.full})
      candidates.add(floor_div(origin + p * b, a) - margin, floor_div(origin + p * b + want.length, a) + margin);
    if (a == b) continue;
    // A processor wants part of its own block if (a - b) q lies between these two bounds.
    const int64_t one = floor_div(origin - a, a - b), other = floor_div(origin + want.length, a - b);
    candidates.add(std::min(one, other) - 1, std::max(one, other) + 2);
  }
}

/// Adds the positions at which an interval that extends beyond the block it belongs to passes an end of that block.
void add_crossings(Candidates& candidates, const Progression& has, const Progression& owns, int64_t size) {
  add_clipped(candidates, has, size);
  candidates.add(owns.full - 2, owns.full + 1);
  const int64_t faster = has.slope - owns.slope;
  if (faster == 0) return;
  for (int64_t end : {int64_t{0}, has.length})
    for (int64_t other : {int64_t{0}, owns.length}) {
      const int64_t at = floor_div(other - end - has.first, faster);
      candidates.add(at - 1, at + 2);
    }
}

/// Adds, for each axis of a dim, the coordinates that give every possible length of its blocks.
void add_coordinates(const LocalDim& dim, const Mesh& mesh, std::vector<std::set<int32_t>>& of_axis) {
  std::set<int64_t> lengths = {dim.mapped ? dim.map.from : dim.dim.size};
  for (int axis : dim.axes) {
    const int64_t indices = mesh.axis_size(axis);
    std::set<int64_t> next;
    for (int64_t length : lengths) {
      const int64_t step = ceil_div(length, indices), full = step == 0 ? 0 : length / step;
      for (int64_t at : {int64_t{0}, full, full + 1}) {
        if (at >= indices) continue;
        of_axis[axis].insert(static_cast<int32_t>(at));
        next.insert(std::clamp<int64_t>(length - at * step, 0, step));
      }
    }
    lengths = std::move(next);
  }
}

}  // namespace

Coordinates coordinates_of(const LocalDim& dim, const Mesh& mesh, int64_t position) {
  Coordinates at{};
  for (int i = dim.axes.size(); i-- > 0;) {
    at[dim.axes[i]] = static_cast<int32_t>(position % mesh.axis_size(dim.axes[i]));
    position /= mesh.axis_size(dim.axes[i]);
  }
  return at;
}

std::optional<Progression> progression_of(const LocalDim& dim, const Mesh& mesh) {
  const int64_t size = dim.mapped ? dim.map.from : dim.dim.size;
  Progression result;
  result.positions = positions_of(dim, mesh);
  if (dim.axes.size() > 1 && size % result.positions != 0) return std::nullopt;
  const int64_t step = ceil_div(size, result.positions);
  if (step == 0) return std::nullopt;
  result.full = size / step;
  if (!dim.mapped) {
    result.slope = result.length = step;
    return result;
  }
  const int64_t indices = step * dim.map.stride;
  const Interval first = needed_unclipped(dim.map, {0, step});
  if (indices % dim.map.base_dilation != 0 || first.size() == 0) return std::nullopt;
  result.slope = (dim.map.reversed ? -indices : indices) / dim.map.base_dilation;
  result.first = first.first;
  result.length = first.size();
  return result;
}

int64_t largest_block(const LocalDim& dim, const Mesh& mesh) {
  if (!dim.mapped) return block_size(dim.dim.size, dim.axes, mesh);
  int64_t largest = 0;
  const auto look = [&](int64_t position) {
    largest = std::max(largest, bounds(dim, mesh, coordinates_of(dim, mesh, position)).size());
  };
  const std::optional<Progression> parts = progression_of(dim, mesh);
  if (!parts) {
    for (int64_t i = 0; i < positions_of(dim, mesh); ++i) look(i);
    return largest;
  }
  Candidates candidates(parts->positions);
  add_clipped(candidates, *parts, dim.map.to);
  candidates.for_each(look);
  return largest;
}

int64_t most_reads(const LocalDim& dim, const graph::AccessMap& map, const Mesh& mesh) {
  int64_t most = 0;
  const auto look = [&](int64_t position) {
    most = std::max(most, graph::count_reads(map, bounds(dim, mesh, coordinates_of(dim, mesh, position))));
  };
  const std::optional<Progression> parts = progression_of(dim, mesh);
  // The reads of full blocks repeat after base_dilation blocks.
  const int64_t full = parts ? std::min(parts->full, map.base_dilation) : 0;
  for (int64_t i = 0; i < full; ++i) look(i);
  for (int64_t i = parts ? parts->full : 0; i < std::min(positions_of(dim, mesh), parts ? parts->full + 1 : kMost); ++i)
    look(i);
  return most;
}

std::vector<int64_t> busy_senders(const LocalDim& from, const LocalDim& to, const Mesh& mesh) {
  const std::optional<Progression> have = progression_of(from, mesh), want = progression_of(to, mesh);
  Candidates candidates(positions_of(from, mesh));
  const bool is_even = have && want && have->slope > 0 && want->slope != 0 && !(from.mapped && from.map.wrap);
  if (is_even && have->length == have->slope) add_edges(candidates, *have, *want, to);
  else if (is_even && !to.mapped) add_crossings(candidates, *have, *want, from.map.to);
  else candidates.add(0, kMost);
  std::vector<int64_t> positions;
  candidates.for_each([&](int64_t position) { positions.push_back(position); });
  return positions;
}

std::vector<Coordinates> different_blocks(const std::vector<const LocalDim*>& dims, const Mesh& mesh) {
  std::vector<std::set<int32_t>> of_axis(static_cast<size_t>(mesh.order()), std::set<int32_t>{0});
  for (const LocalDim* dim : dims) add_coordinates(*dim, mesh, of_axis);
  std::vector<Coordinates> all(1);
  for (int axis = 0; axis < mesh.order(); ++axis) {
    std::vector<Coordinates> next;
    for (const Coordinates& at : all)
      for (int32_t index : of_axis[static_cast<size_t>(axis)]) {
        next.push_back(at);
        next.back()[static_cast<size_t>(axis)] = index;
      }
    all = std::move(next);
  }
  return all;
}

int64_t elements_at(const LocalValue& value, const Coordinates& at) {
  int64_t elements = 1;
  for (const LocalDim& dim : value.dims)
    elements = mtf::saturating_multiply(elements, bounds(dim, *value.mesh, at).size());
  return elements;
}

}  // namespace mtf::spmd
