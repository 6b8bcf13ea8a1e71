#include "spmd/reshard.h"

#include <algorithm>
#include <array>
#include <optional>
#include <queue>
#include <tuple>

#include "spmd/axis_permutation.h"
#include "spmd/reasons.h"
#include "support/diagnostics.h"

namespace mtf::spmd {
namespace {

// ---- the problem of the search -------------------------------------------------------------------------------------

/// A search problem: two shardings without the parts that do not change. It leaves out axes of one processor and axes
/// that begin a dim's list in both shardings. Its axes have their own numbers, and each stands for one mesh axis or
/// for several that stay together. Its shardings use these numbers.
struct ReshardProblem {
  std::vector<int64_t> sizes;  ///< of the dims, or of their blocks if axes begin both lists of a dim
  std::vector<bool> even;      ///< for each dim: all of these blocks have one size
  double element_bytes = 4;
  std::vector<AxisList> axes;                ///< for each axis: its mesh axes
  std::vector<int64_t> members;              ///< the size of each axis
  std::vector<std::vector<int64_t>> shapes;  ///< for each axis: the sizes of its mesh axes
  Sharding from, wanted;

  int64_t group(AxisSet set) const {
    int64_t count = 1;
    for (size_t a = 0; a < members.size(); ++a)
      if (set & axis_bit(static_cast<int>(a))) count *= members[a];
    return count;
  }
  int64_t parts(const AxisList& list) const {
    int64_t count = 1;
    for (int i = 0; i < list.size(); ++i) count *= members[list[i]];
    return count;
  }
  /// True if the list splits the dim into blocks of one size.
  bool splits_evenly(size_t dim, const AxisList& list) const { return even[dim] && sizes[dim] % parts(list) == 0; }
  double block_bytes(const Sharding& sharding) const {
    double bytes = element_bytes;
    for (size_t d = 0; d < sizes.size(); ++d) {
      const int64_t n = parts(sharding.dims[d]);
      bytes *= static_cast<double>((sizes[d] + n - 1) / n);
    }
    return bytes;
  }
};

/// Translates between axes of the mesh and axes of a problem.
class ReshardTranslation {
 public:
  /// `from` and `wanted` have no axes of one processor. `together`: axes that stay side by side become one axis.
  ReshardTranslation(const TensorType& type, const Sharding& from, const Sharding& wanted, const Mesh& mesh,
                     bool together);

  const ReshardProblem& problem() const { return problem_; }

  /// Returns the sequence in axes of the mesh.
  ReshardWay outward(ReshardWay way) const;

 private:
  Sharding inward(const Sharding& sharding) const;
  AxisSet outward(AxisSet set) const;

  ReshardProblem problem_;
  std::vector<AxisList> prefixes_;      ///< for each dim: the leading axes that stay
  std::array<int, kMaxAxes> number_{};  ///< for each mesh axis: the problem's axis that begins with it, or -1
};

ReshardTranslation::ReshardTranslation(const TensorType& type, const Sharding& from, const Sharding& wanted,
                                       const Mesh& mesh, bool together) {
  problem_.element_bytes = static_cast<double>(size_of(type.element));
  std::array<int, kMaxAxes> after_from, after_wanted;  // which axis follows each
  after_from.fill(-1);
  after_wanted.fill(-1);
  AxisSet moving = from.partial | wanted.partial;
  for (size_t d = 0; d < type.dims.size(); ++d) {
    const AxisList &a = from.dims[d], &b = wanted.dims[d];
    const int same = common_prefix(a, b);
    AxisList prefix;
    for (int i = 0; i < same; ++i) prefix.push_back(a[i]);
    prefixes_.push_back(prefix);
    problem_.sizes.push_back(block_size(type.dims[d].size, prefix, mesh));
    problem_.even.push_back(splits_evenly(type.dims[d].size, prefix, mesh));
    for (int i = same; i < a.size(); ++i) moving |= axis_bit(a[i]);
    for (int i = same; i < b.size(); ++i) moving |= axis_bit(b[i]);
    for (int i = same; i + 1 < a.size(); ++i) after_from[a[i]] = a[i + 1];
    for (int i = same; i + 1 < b.size(); ++i) after_wanted[b[i]] = b[i + 1];
  }
  AxisSet second = 0;  // axes that move together with the axis before them
  for (int axis = 0; together && axis < mesh.order(); ++axis)
    if (after_from[axis] >= 0 && after_from[axis] == after_wanted[axis]) second |= axis_bit(after_from[axis]);
  number_.fill(-1);
  for (int axis = 0; axis < mesh.order(); ++axis) {
    if (!(moving & ~second & axis_bit(axis))) continue;
    AxisList all{axis};
    while (second && after_from[all.back()] >= 0 && (second & axis_bit(after_from[all.back()])))
      all.push_back(after_from[all.back()]);
    number_[axis] = static_cast<int>(problem_.axes.size());
    int64_t members = 1;
    for (int i = 0; i < all.size(); ++i) members *= mesh.axis_size(all[i]);
    problem_.axes.push_back(all);
    problem_.shapes.emplace_back();
    for (int i = 0; i < all.size(); ++i) problem_.shapes.back().push_back(mesh.axis_size(all[i]));
    problem_.members.push_back(members);
  }
  problem_.from = inward(from);
  problem_.wanted = inward(wanted);
}

ReshardWay ReshardTranslation::outward(ReshardWay way) const {
  for (ReshardMove& move : way.moves) {
    move.axes = outward(move.axes);
    move.to.partial = outward(move.to.partial);
    for (size_t d = 0; d < move.to.dims.size(); ++d) {
      AxisList list = prefixes_[d];
      for (int axis : move.to.dims[d])
        for (int one : problem_.axes[axis]) list.push_back(one);
      move.to.dims[d] = list;
    }
  }
  return way;
}

Sharding ReshardTranslation::inward(const Sharding& sharding) const {
  Sharding result;
  for (size_t d = 0; d < sharding.dims.size(); ++d) {
    AxisList list;
    for (int i = prefixes_[d].size(); i < sharding.dims[d].size(); ++i)
      if (const int axis = number_[sharding.dims[d][i]]; axis >= 0) list.push_back(axis);
    result.dims.push_back(list);
  }
  for (size_t axis = 0; axis < problem_.axes.size(); ++axis)
    if (sharding.partial & axis_bit(problem_.axes[axis][0])) result.partial |= axis_bit(static_cast<int>(axis));
  return result;
}

AxisSet ReshardTranslation::outward(AxisSet set) const {
  AxisSet axes = 0;
  for (size_t axis = 0; axis < problem_.axes.size(); ++axis)
    if (set & axis_bit(static_cast<int>(axis))) axes |= problem_.axes[axis].set();
  return axes;
}

// ---- the search ----------------------------------------------------------------------------------------------------

/// The most states that the search expands before it gives up.
constexpr int kMostStates = 400;

/// True if `list` begins `whole` and is shorter.
bool begins(const AxisList& list, const AxisList& whole) {
  return list.size() < whole.size() && common_prefix(list, whole) == list.size();
}

/// Completes a partial one-to-one map of axes to a permutation (-1: no target yet). Maps the last axis of each chain
/// to its first.
void close_chains(std::array<int8_t, kMaxAxes>& map) {
  std::array<int8_t, kMaxAxes> before;
  before.fill(-1);
  for (int axis = 0; axis < kMaxAxes; ++axis)
    if (map[axis] >= 0) before[map[axis]] = static_cast<int8_t>(axis);
  for (int axis = 0; axis < kMaxAxes; ++axis) {
    if (map[axis] >= 0) continue;
    int first = axis;
    while (before[first] >= 0) first = before[first];
    map[axis] = static_cast<int8_t>(first);
  }
}

class Search {
 public:
  explicit Search(const ReshardProblem& problem) : problem_(problem) {}

  /// Returns nothing if there are too many states.
  std::optional<ReshardWay> run() {
    add(problem_.from, -1, {}, {});
    for (int tried = 0; !queue_.empty();) {
      const int index = std::get<3>(queue_.top());
      queue_.pop();
      if (best_[code(states_[index].sharding)] != index) continue;  // a cheaper path to it was found
      if (states_[index].sharding == problem_.wanted) return way_to(index);
      if (++tried > kMostStates) return std::nullopt;
      const Sharding here = states_[index].sharding;
      for (ReshardMove& move : moves_from(here)) {
        ReshardCost cost = states_[index].cost;
        cost.wire_bytes += wire_bytes(here, move);
        cost.count += is_collective(move.kind) ? 1 : 0;
        add(move.to, index, move, cost);
      }
    }
    return std::nullopt;
  }

  /// Returns the simple sequence: reduces, gathers the axes that move, and slices.
  ReshardWay plain() const {
    ReshardWay way;
    Sharding here = problem_.from;
    auto go = [&](ReshardMove move) {
      way.cost.wire_bytes += wire_bytes(here, move);
      way.cost.count += is_collective(move.kind) ? 1 : 0;
      here = move.to;
      way.moves.push_back(std::move(move));
    };
    if (here.partial & ~problem_.wanted.partial) go(reduced(here, here.partial & ~problem_.wanted.partial));
    if (ReshardMove all = gathered(here); all.axes) go(all);
    for (std::vector<ReshardMove> some; !(here == problem_.wanted);) {
      some.clear();
      slices(here, some);
      MTF_CHECK(!some.empty(), "a gathered value cannot be sliced as it is wanted");
      go(some[0]);
    }
    return way;
  }

 private:
  struct State {
    Sharding sharding;
    int parent;
    ReshardMove move;
    ReshardCost cost;
  };

  static std::string code(const Sharding& sharding) {
    std::string key;
    for (const AxisList& list : sharding.dims) {
      for (int axis : list) key.push_back(static_cast<char>(axis + 1));
      key.push_back(0);
    }
    for (AxisSet rest = sharding.partial; rest; rest >>= 6) key.push_back(static_cast<char>(rest & 63));
    return key;
  }

  void add(const Sharding& sharding, int parent, const ReshardMove& move, const ReshardCost& cost) {
    auto [at, fresh] = best_.try_emplace(code(sharding), -1);
    if (!fresh) {
      const ReshardCost& known = states_[at->second].cost;
      if (std::tie(known.wire_bytes, known.count) <= std::tie(cost.wire_bytes, cost.count)) return;
    }
    at->second = static_cast<int>(states_.size());
    // A little less than the real bound, so that rounding excludes no state among paths of equal cost.
    queue_.push({cost.wire_bytes + (1 - 1e-9) * still_due(sharding), cost.count, ++arrivals_, at->second});
    states_.push_back({sharding, parent, move, cost});
  }

  ReshardWay way_to(int index) const {
    ReshardWay way;
    way.cost = states_[index].cost;
    for (int at = index; states_[at].parent >= 0; at = states_[at].parent) way.moves.push_back(states_[at].move);
    std::reverse(way.moves.begin(), way.moves.end());
    return way;
  }

  /// Returns a lower bound of the bytes that a processor must still receive, on average. This is the part of the wanted
  /// block that it does not hold, or the whole block as long as the value is partial.
  double still_due(const Sharding& here) const {
    double wanted = problem_.element_bytes, held = problem_.element_bytes;
    for (size_t d = 0; d < problem_.sizes.size(); ++d) {
      const AxisList &has = here.dims[d], &needs = problem_.wanted.dims[d];
      const double n = static_cast<double>(problem_.sizes[d]);
      const double block = n / static_cast<double>(problem_.parts(needs));
      wanted *= block;
      const int same = common_prefix(has, needs);
      AxisList rest;
      for (int i = same; i < has.size(); ++i) rest.push_back(has[i]);
      bool apart = true;  // the remaining axes of the two blocks are independent
      for (int i = same; i < needs.size(); ++i) apart = apart && !rest.has(needs[i]);
      for (size_t e = 0; e < problem_.sizes.size(); ++e)
        for (int axis : rest) apart = apart && (e == d || !problem_.wanted.dims[e].has(axis));
      held *= apart ? block / static_cast<double>(problem_.parts(rest))
                    : std::min(block, n / static_cast<double>(problem_.parts(has)));
    }
    if (here.partial & ~problem_.wanted.partial) return wanted;
    return std::max(0.0, wanted - held);
  }

  double wire_bytes(const Sharding& here, const ReshardMove& move) const {
    const double n = static_cast<double>(problem_.group(move.axes));
    switch (move.kind) {
      case InstructionKind::kAllReduce: return 2 * (n - 1) / n * problem_.block_bytes(here);
      case InstructionKind::kReduceScatter:
      case InstructionKind::kAllToAll: return (n - 1) / n * problem_.block_bytes(here);
      case InstructionKind::kAllGather: return (n - 1) / n * problem_.block_bytes(move.to);
      case InstructionKind::kTranspose: return problem_.block_bytes(here);
      case InstructionKind::kSlice: return 0;
      case InstructionKind::kInput:
      case InstructionKind::kCompute:
      case InstructionKind::kExchange:
      case InstructionKind::kExchangeAdd:
      case InstructionKind::kTakeOver:
      case InstructionKind::kFromOwner:
      case InstructionKind::kToOwner:
      case InstructionKind::kRemesh: break;
    }
    MTF_CHECK(false, "a resharding has no such move");
    return 0;
  }

  std::vector<ReshardMove> moves_from(const Sharding& here) const {
    std::vector<ReshardMove> moves;
    slices(here, moves);
    reductions(here, moves);
    gathers(here, moves);
    exchanges(here, moves);
    transposes(here, moves);
    return moves;
  }

  // Splits a dim by its next wanted axis if processors along that axis hold replicas: no communication.
  void slices(const Sharding& here, std::vector<ReshardMove>& moves) const {
    for (size_t d = 0; d < here.dims.size(); ++d) {
      if (!begins(here.dims[d], problem_.wanted.dims[d])) continue;
      const int axis = problem_.wanted.dims[d][here.dims[d].size()];
      if (here.varies() & axis_bit(axis)) continue;
      ReshardMove move{InstructionKind::kSlice, axis_bit(axis), here};
      move.to.dims[d].push_back(axis);
      moves.push_back(move);
    }
  }

  static ReshardMove reduced(const Sharding& here, AxisSet axes) {
    ReshardMove move{InstructionKind::kAllReduce, axes, here};
    move.to.partial &= ~axes;
    return move;
  }

  // Reduces all partial axes at once, or those that do not split the wanted value, or a single one.
  void reductions(const Sharding& here, std::vector<ReshardMove>& moves) const {
    const AxisSet open = here.partial & ~problem_.wanted.partial;
    if (!open) return;
    const AxisSet whole = open & ~problem_.wanted.split();
    moves.push_back(reduced(here, open));
    if (whole && whole != open) moves.push_back(reduced(here, whole));
    for (size_t axis = 0; axis < problem_.members.size(); ++axis)
      if (const AxisSet one = axis_bit(static_cast<int>(axis)); (open & one) && one != open && one != whole)
        moves.push_back(reduced(here, one));
    for (size_t d = 0; d < here.dims.size(); ++d) scatters(here, d, open, moves);
  }

  // Scatters onto one dim: a single axis, or a run of axes that continues the wanted list.
  void scatters(const Sharding& here, size_t d, AxisSet open, std::vector<ReshardMove>& moves) const {
    const AxisList& wanted = problem_.wanted.dims[d];
    for (int axis = 0; axis < static_cast<int>(problem_.members.size()); ++axis) {
      if (!(open & axis_bit(axis)) || !problem_.wanted.split()) continue;
      ReshardMove move{InstructionKind::kReduceScatter, axis_bit(axis), here};
      move.to.partial &= ~axis_bit(axis);
      move.to.dims[d].push_back(axis);
      moves.push_back(move);
    }
    if (!begins(here.dims[d], wanted)) return;
    ReshardMove move{InstructionKind::kReduceScatter, 0, here};
    for (int i = here.dims[d].size(); i < wanted.size() && (open & axis_bit(wanted[i])); ++i) {
      move.axes |= axis_bit(wanted[i]);
      move.to.dims[d].push_back(wanted[i]);
      move.to.partial &= ~axis_bit(wanted[i]);
      if (i > here.dims[d].size()) moves.push_back(move);
    }
  }

  /// Returns the move that gathers every axis that is not at its wanted position.
  ReshardMove gathered(const Sharding& here) const {
    ReshardMove all{InstructionKind::kAllGather, 0, here};
    for (size_t d = 0; d < here.dims.size(); ++d)
      while (all.to.dims[d].size() > common_prefix(here.dims[d], problem_.wanted.dims[d])) {
        all.axes |= axis_bit(all.to.dims[d].back());
        all.to.dims[d].pop_back();
      }
    return all;
  }

  // Gathers the last axes of one dim, or all axes of all dims that are not at their wanted positions.
  void gathers(const Sharding& here, std::vector<ReshardMove>& moves) const {
    for (size_t d = 0; d < here.dims.size(); ++d) {
      ReshardMove move{InstructionKind::kAllGather, 0, here};
      while (move.to.dims[d].size() > common_prefix(here.dims[d], problem_.wanted.dims[d])) {
        move.axes |= axis_bit(move.to.dims[d].back());
        move.to.dims[d].pop_back();
        moves.push_back(move);
      }
    }
    if (ReshardMove all = gathered(here); all.axes) moves.push_back(all);
  }

  // Moves the last axes of one dim behind the axes of another.
  void exchanges(const Sharding& here, std::vector<ReshardMove>& moves) const {
    for (size_t from = 0; from < here.dims.size(); ++from)
      for (size_t to = 0; to < here.dims.size(); ++to) {
        if (from == to) continue;
        const AxisList& list = here.dims[from];
        const int stay = common_prefix(list, problem_.wanted.dims[from]);
        for (int count = 1; count <= list.size() - stay; ++count) {
          ReshardMove move{InstructionKind::kAllToAll, 0, here};
          for (int i = list.size() - count; i < list.size(); ++i) {
            move.axes |= axis_bit(list[i]);
            move.to.dims[to].push_back(list[i]);
          }
          for (int i = 0; i < count; ++i) move.to.dims[from].pop_back();
          moves.push_back(move);
        }
      }
  }

  /// Returns the axes that are at their wanted positions.
  AxisSet settled(const Sharding& here) const {
    AxisSet axes = 0;
    for (size_t d = 0; d < here.dims.size(); ++d)
      for (int i = 0; i < common_prefix(here.dims[d], problem_.wanted.dims[d]); ++i) axes |= axis_bit(here.dims[d][i]);
    return axes;
  }

  // Lets axes of one size exchange positions, so that each processor sends its block to one other. Tries each pair of
  // axes, and all axes at once that can reach their wanted positions.
  void transposes(const Sharding& here, std::vector<ReshardMove>& moves) const {
    const AxisSet fixed = settled(here) | here.partial;
    const int count = static_cast<int>(problem_.members.size());
    std::array<int8_t, kMaxAxes> map;
    for (int x = 0; x < count; ++x)
      for (int y = x + 1; y < count; ++y) {
        const AxisSet pair = axis_bit(x) | axis_bit(y);
        if (problem_.shapes[x] != problem_.shapes[y] || !(here.split() & pair) || (fixed & pair)) continue;
        map.fill(-1);
        map[x] = static_cast<int8_t>(y);
        moves.push_back(permuted(here, map));
      }
    map.fill(-1);
    AxisSet taken = fixed;
    for (size_t d = 0; d < here.dims.size(); ++d) {
      const AxisList &has = here.dims[d], &needs = problem_.wanted.dims[d];
      for (int i = common_prefix(has, needs); i < has.size() && i < needs.size(); ++i) {
        if ((taken & axis_bit(needs[i])) || problem_.shapes[has[i]] != problem_.shapes[needs[i]]) break;
        taken |= axis_bit(needs[i]);
        map[has[i]] = static_cast<int8_t>(needs[i]);
      }
    }
    if (ReshardMove all = permuted(here, map); all.axes) moves.push_back(all);
    renumberings(here, moves);
  }

  /// The axes behind those that begin both lists of a dim.
  AxisList rest_of(const AxisList& list, size_t dim, const Sharding& here) const {
    AxisList rest;
    for (int i = common_prefix(here.dims[dim], problem_.wanted.dims[dim]); i < list.size(); ++i)
      rest.push_back(list[i]);
    return rest;
  }

  // Lets the wanted axes of a dim number its blocks in the place of the axes that it has, if there are as many blocks
  // of one size: of each such dim, and of all at once.
  void renumberings(const Sharding& here, std::vector<ReshardMove>& moves) const {
    ReshardMove all{InstructionKind::kTranspose, 0, here};
    const auto is_valid = [](const ReshardMove& move) {
      AxisSet seen = move.to.partial;
      for (const AxisList& list : move.to.dims) {
        if (seen & list.set()) return false;
        seen |= list.set();
      }
      return move.axes != 0;
    };
    int renumbered = 0;
    for (size_t d = 0; d < here.dims.size(); ++d) {
      const AxisList has = rest_of(here.dims[d], d, here), gets = rest_of(problem_.wanted.dims[d], d, here);
      if (has.empty() || problem_.parts(has) != problem_.parts(gets) || !problem_.splits_evenly(d, here.dims[d]))
        continue;
      ReshardMove one{InstructionKind::kTranspose, has.set() | gets.set(), here};
      one.to.dims[d] = all.to.dims[d] = problem_.wanted.dims[d];
      all.axes |= one.axes;
      ++renumbered;
      if (is_valid(one)) moves.push_back(std::move(one));
    }
    if (renumbered > 1 && is_valid(all)) moves.push_back(std::move(all));
  }

  static ReshardMove permuted(const Sharding& here, std::array<int8_t, kMaxAxes> map) {
    close_chains(map);
    ReshardMove move{InstructionKind::kTranspose, 0, here};
    for (int axis = 0; axis < kMaxAxes; ++axis)
      if (map[axis] != axis) move.axes |= axis_bit(axis);
    for (AxisList& list : move.to.dims) {
      AxisList changed;
      for (int axis : list) changed.push_back(map[axis]);
      list = changed;
    }
    return move;
  }

  const ReshardProblem& problem_;
  std::vector<State> states_;
  std::unordered_map<std::string, int> best_;               ///< the cheapest state of each sharding that was found
  using Entry = std::tuple<double, int64_t, int64_t, int>;  // bound of bytes, collectives, order of arrival, state
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue_;
  int64_t arrivals_ = 0;
};

ReshardWay search(const TensorType& type, const Sharding& from, const Sharding& wanted, const Mesh& mesh) {
  for (bool together : {false, true}) {
    ReshardTranslation translation(type, from, wanted, mesh, together);
    Search search(translation.problem());
    std::optional<ReshardWay> way = search.run();
    if (!way && together) way = search.plain();
    if (way) return translation.outward(std::move(*way));
  }
  return {};
}

/// Finds a sequence. Axes of one processor need no search: they are removed first and added last.
ReshardWay find_way(const TensorType& type, const Sharding& from, const Sharding& wanted, const Mesh& mesh) {
  const AxisSet ones = mesh.axes_of_one();
  if (!ones) return search(type, from, wanted, mesh);
  Sharding begin = from, end = wanted;
  begin.partial &= ~ones | wanted.partial;
  for (AxisList& list : begin.dims) list = list.without(ones);
  for (AxisList& list : end.dims) list = list.without(ones);
  ReshardWay way;
  Sharding here = from;
  if (const AxisSet axes = from.partial & ~begin.partial) {
    here.partial = begin.partial;
    way.moves.push_back({InstructionKind::kAllReduce, axes, here});
  }
  if (!(here == wanted) && !(here == begin))
    way.moves.push_back({InstructionKind::kAllGather, here.split() & ones, begin});
  if (here == wanted) return way;
  ReshardWay middle = search(type, begin, end, mesh);
  way.cost = middle.cost;
  for (ReshardMove& move : middle.moves) way.moves.push_back(std::move(move));
  if (!(end == wanted)) way.moves.push_back({InstructionKind::kSlice, wanted.split() & ones, wanted});
  return way;
}

// ---- instructions --------------------------------------------------------------------------------------------------

/// Returns the reason for a move: `reason` if it reduces, otherwise a new one with the micro-batches of `reason`.
ReasonRef reason_of(const TensorType& type, const Sharding& from, const ReshardMove& move, const MeshPtr& mesh,
                    const ReasonRef& reason) {
  if (from.partial & move.axes) return reason;
  std::vector<Reason::Part> parts;
  for (size_t d = 0; d < from.dims.size(); ++d)
    if (from.dims[d] != move.to.dims[d]) parts.push_back({type.dims[d].name, from.dims[d], move.to.dims[d]});
  return std::make_shared<const Reason>(Reason{
      .kind = Reason::Kind::kMoved, .mesh = mesh, .parts = std::move(parts), .micro = reason ? reason->micro : Name()});
}

}  // namespace

const std::shared_ptr<const ReshardWay>& ReshardWays::find(const TensorType& type, const Sharding& from,
                                                           const Sharding& wanted, const Mesh& mesh) {
  std::string key;
  auto append = [&key](const auto& value) { key.append(reinterpret_cast<const char*>(&value), sizeof value); };
  const Mesh* of = &mesh;
  append(of);
  append(from.partial);
  append(wanted.partial);
  append(type.element);
  for (size_t d = 0; d < type.dims.size(); ++d) {
    append(type.dims[d].size);
    for (const AxisList* list : {&from.dims[d], &wanted.dims[d]}) {
      for (int axis : *list) key.push_back(static_cast<char>(axis + 1));
      key.push_back(0);
    }
  }
  auto [at, fresh] = found_.try_emplace(std::move(key));
  if (fresh)
    at->second = std::make_shared<const ReshardWay>(from == wanted ? ReshardWay() : find_way(type, from, wanted, mesh));
  return at->second;
}

LocalValue in_sharding(LocalValue value, const Sharding& sharding) {
  value.partial = sharding.partial;
  for (size_t d = 0; d < value.dims.size(); ++d) value.dims[d].axes = sharding.dims[d];
  return value;
}

int reshard(LocalProgram& program, int value, const ReshardWay& way, const graph::OperationRef& node,
            const ReasonRef& reason) {
  Sharding here = program.values[value].sharding();
  const TensorType type = program.values[value].type();
  const MeshPtr mesh = program.values[value].mesh;
  for (const ReshardMove& move : way.moves) {
    LocalValue result = in_sharding(program.values[value], move.to);
    Instruction instruction;
    instruction.kind = move.kind;
    instruction.node = node;
    instruction.operands = {value};
    instruction.axes = move.axes;
    if (is_collective(move.kind)) instruction.reason = reason_of(type, here, move, mesh, reason);
    value = static_cast<int>(program.values.size());
    instruction.results = {value};
    program.values.push_back(std::move(result));
    program.instructions.push_back(std::move(instruction));
    here = move.to;
  }
  return value;
}

}  // namespace mtf::spmd
