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

int64_t floor_div(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }

/// The intervals of a dim that its positions hold, if the intervals advance evenly. Each of the first `full` positions
/// i has [first + i * slope, … + length), clipped or wrapped at the ends of the dim. The next position may have the
/// beginning of such an interval, and the rest have nothing.
struct Progression {
  int64_t positions = 1;
  int64_t full = 0;
  int64_t slope = 0;
  int64_t first = 0;
  int64_t length = 0;
};

/// Positions are numbered along dim.axes, the last axis fastest.
int64_t positions_of(const LocalDim& dim, const Mesh& mesh) { return mesh.group_size(dim.axes.set()); }

Coordinates coordinates_of(const LocalDim& dim, const Mesh& mesh, int64_t position) {
  Coordinates at{};
  for (int i = dim.axes.size(); i-- > 0;) {
    at[dim.axes[i]] = static_cast<int32_t>(position % mesh.axis_size(dim.axes[i]));
    position /= mesh.axis_size(dim.axes[i]);
  }
  return at;
}

/// Returns nothing if a further axis splits the blocks again at different lengths.
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
  const int64_t places = step * dim.map.stride;
  const Interval first = needed_unclipped(dim.map, {0, step});
  if (places % dim.map.base_dilation != 0 || first.size() == 0) return std::nullopt;
  result.slope = (dim.map.reversed ? -places : places) / dim.map.base_dilation;
  result.first = first.first;
  result.length = first.size();
  return result;
}

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

/// Counts the indices of a dim that one processor sends to all others.
class Sender {
 public:
  Sender(const LocalDim& from, const LocalDim& to, const Mesh& mesh, Progression have, Progression want)
      : from_(from), to_(to), mesh_(mesh), have_(have), want_(want), whole_(to.dim.size) {
    if (!(to.mapped && to.map.wrap)) return;
    const int64_t end = want_.first + (want_.full + 1) * want_.slope;
    first_turn_ = floor_div(std::min(want_.first, end), whole_);
    last_turn_ = floor_div(std::max(want_.first, end) + want_.length, whole_);
  }

  int64_t most() const {
    Candidates candidates(have_.positions);
    add_edges(candidates);
    int64_t most = 0;
    candidates.for_each([&](int64_t q) { most = std::max(most, sent(q)); });
    return most;
  }

 private:
  /// Adds the positions at which the pattern of held over wanted intervals begins, ends or breaks, with one period on
  /// both sides. Elsewhere the amount that a processor sends depends only on its number modulo the period.
  void add_edges(Candidates& candidates) const {
    const int64_t a = have_.slope, b = want_.slope;
    const int64_t margin = std::abs(b) / std::gcd(a, b) + 2;
    for (int64_t edge : {int64_t{0}, have_.full, have_.positions}) candidates.add(edge - margin, edge + margin);
    for (int64_t turn = first_turn_; turn <= last_turn_; ++turn) {
      const int64_t origin = want_.first - turn * whole_;
      for (int64_t p : {int64_t{-1}, int64_t{0}, want_.full - 1, want_.full})
        candidates.add(floor_div(origin + p * b, a) - margin, floor_div(origin + p * b + want_.length, a) + margin);
      if (a == b) continue;
      // A processor wants part of its own block if (a - b) q lies between these two bounds.
      const int64_t low = origin - a, high = origin + want_.length;
      const int64_t one = floor_div(low, a - b), other = floor_div(high, a - b);
      candidates.add(std::min(one, other) - 1, std::max(one, other) + 2);
    }
  }

  int64_t sent(int64_t q) const {
    const Interval own = bounds(from_, mesh_, coordinates_of(from_, mesh_, q));
    if (own.size() <= 0) return 0;
    int64_t sum = 0;
    for (int64_t turn = first_turn_; turn <= last_turn_; ++turn) {
      // first + p * slope + length > own.first, and first + p * slope < own.last
      const int64_t shift = turn * whole_ - want_.first;
      int64_t low = floor_div(own.first + shift - want_.length, want_.slope),
              high = floor_div(own.last + shift, want_.slope);
      if (low > high) std::swap(low, high);
      low = std::max<int64_t>(low - 1, 0);
      high = std::min({high + 1, want_.positions - 1, want_.full});
      for (int64_t p = low; p <= high; ++p) {
        if (p == q) continue;
        const Interval wanted = bounds(to_, mesh_, coordinates_of(to_, mesh_, p));
        sum += std::max<int64_t>(
            0, std::min(own.last, wanted.last - turn * whole_) - std::max(own.first, wanted.first - turn * whole_));
      }
    }
    return sum;
  }

  const LocalDim& from_;
  const LocalDim& to_;
  const Mesh& mesh_;
  const Progression have_, want_;
  const int64_t whole_;
  int64_t first_turn_ = 0, last_turn_ = 0;
};

/// Adds, for each axis of a dim, the coordinates that give every possible length of its blocks.
void add_coordinates(const LocalDim& dim, const Mesh& mesh, std::vector<std::set<int32_t>>& of_axis) {
  std::set<int64_t> lengths = {dim.mapped ? dim.map.from : dim.dim.size};
  for (int axis : dim.axes) {
    const int64_t places = mesh.axis_size(axis);
    std::set<int64_t> next;
    for (int64_t length : lengths) {
      const int64_t step = ceil_div(length, places), full = step == 0 ? 0 : length / step;
      for (int64_t at : {int64_t{0}, full, full + 1}) {
        if (at >= places) continue;
        of_axis[axis].insert(static_cast<int32_t>(at));
        next.insert(std::clamp<int64_t>(length - at * step, 0, step));
      }
    }
    lengths = std::move(next);
  }
}

}  // namespace

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

int64_t most_given_back(const LocalDim& from, const LocalDim& to, const Mesh& mesh) {
  int64_t most = 0;
  const auto look = [&](int64_t position) {
    const Coordinates at = coordinates_of(from, mesh, position);
    const Interval has = bounds(from, mesh, at), owns = bounds(to, mesh, at);
    const int64_t own = std::min(has.last, owns.last) - std::max(has.first, owns.first);
    most = std::max(most, has.size() - std::max<int64_t>(0, own));
  };
  const std::optional<Progression> has = progression_of(from, mesh), owns = progression_of(to, mesh);
  if (!has || !owns || has->slope == 0) {
    for (int64_t i = 0; i < positions_of(from, mesh); ++i) look(i);
    return most;
  }
  Candidates candidates(has->positions);
  add_clipped(candidates, *has, from.map.to);
  candidates.add(owns->full - 2, owns->full + 1);
  // Positions at which an end of the interval passes an end of the block.
  if (const int64_t faster = has->slope - owns->slope)
    for (int64_t end : {int64_t{0}, has->length})
      for (int64_t other : {int64_t{0}, owns->length}) {
        const int64_t at = floor_div(other - end - has->first, faster);
        candidates.add(at - 1, at + 2);
      }
  candidates.for_each(look);
  return most;
}

int64_t most_exchanged(const LocalDim& from, const LocalDim& to, const Mesh& mesh, AxisSet axes) {
  const std::optional<Progression> have = progression_of(from, mesh), want = progression_of(to, mesh);
  const bool evenly = have && want && have->slope > 0 && want->slope != 0 && from.axes == to.axes &&
                      from.axes.set() == axes && !(from.mapped && from.map.wrap) && have->length == have->slope;
  return evenly ? Sender(from, to, mesh, *have, *want).most() : most_exchanged_by_walk(from, to, mesh, axes);
}

int64_t most_exchanged_by_walk(const LocalDim& from, const LocalDim& to, const Mesh& mesh, AxisSet axes) {
  struct Part {
    Interval have;
    int64_t sent = 0;
  };
  std::vector<Part> parts;
  std::vector<Interval> wanted;
  for (int64_t processor : mesh.group(0, axes)) {
    Coordinates at = mesh.coordinates(processor);
    parts.push_back({bounds(from, mesh, at), 0});
    wanted.push_back(bounds(to, mesh, at));
  }
  // Holders in the order of their intervals; each wanted interval meets a run of holders.
  std::vector<size_t> order;
  for (size_t i = 0; i < parts.size(); ++i)
    if (parts[i].have.size() > 0) order.push_back(i);
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return parts[a].have.first < parts[b].have.first; });
  const int64_t whole = to.dim.size;
  for (size_t r = 0; r < wanted.size(); ++r) {
    for (int64_t place = wanted[r].first; place < wanted[r].last;) {
      const int64_t inside = ((place % whole) + whole) % whole;
      auto holder = std::upper_bound(order.begin(), order.end(), inside,
                                     [&](int64_t p, size_t i) { return p < parts[i].have.first; });
      const size_t owner = *--holder;
      const int64_t run = std::min(parts[owner].have.last - inside, wanted[r].last - place);
      if (owner != r) parts[owner].sent += run;
      place += run;
    }
  }
  int64_t most = 0;
  for (const Part& part : parts) most = std::max(most, part.sent);
  return most;
}

std::vector<Coordinates> different_blocks(const std::vector<const LocalValue*>& values) {
  const Mesh& mesh = *values[0]->mesh;
  std::vector<std::set<int32_t>> of_axis(static_cast<size_t>(mesh.order()), std::set<int32_t>{0});
  for (const LocalValue* value : values)
    for (const LocalDim& dim : value->dims) add_coordinates(dim, mesh, of_axis);
  std::vector<Coordinates> all(1);
  for (int axis = 0; axis < mesh.order(); ++axis) {
    std::vector<Coordinates> next;
    for (const Coordinates& at : all)
      for (int32_t place : of_axis[static_cast<size_t>(axis)]) {
        next.push_back(at);
        next.back()[static_cast<size_t>(axis)] = place;
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
