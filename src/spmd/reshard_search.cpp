#include "spmd/reshard_search.h"

#include <algorithm>
#include <array>
#include <optional>
#include <queue>
#include <tuple>

#include "spmd/axis_permutation.h"
#include "spmd/reshard_problem.h"
#include "support/diagnostics.h"

namespace mtf::spmd {
namespace {

/// The most states whose moves are tried before the search is given up.
constexpr int kMostStates = 400;

/// True if `list` begins `whole` and is shorter.
bool begins(const AxisList& list, const AxisList& whole) {
  return list.size() < whole.size() && common_prefix(list, whole) == list.size();
}

class Search {
 public:
  explicit Search(const ReshardProblem& problem) : problem_(problem) {}

  /// Nothing where there are too many states.
  std::optional<ReshardWay> run() {
    add(problem_.from, -1, {}, {});
    for (int tried = 0; !queue_.empty();) {
      const int index = std::get<3>(queue_.top());
      queue_.pop();
      if (best_[code(states_[index].sharding)] != index) continue;  // a cheaper way to it was found
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

  /// Reduces, gathers what does not stay, and slices.
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
    // A little less than what is still due, so that of ways that cost the same none is passed over for a rounding.
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

  /// Bytes that a processor must still receive on the average, whatever the way: of the block that is wanted what it
  /// does not hold; all of it while it is partial.
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
      bool apart = true;  // what the other axes say of the two blocks has nothing in common
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
      default: return 0;
    }
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

  // Split a dim by the next axis that is wanted and along which all processors hold the same: no communication.
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

  // All at once, those that do not split what is wanted, or one.
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

  // Onto one dim: a single axis, or a run of axes that the wanted list continues with.
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

  /// Every axis taken off that does not stand where it is wanted.
  ReshardMove gathered(const Sharding& here) const {
    ReshardMove all{InstructionKind::kAllGather, 0, here};
    for (size_t d = 0; d < here.dims.size(); ++d)
      while (all.to.dims[d].size() > common_prefix(here.dims[d], problem_.wanted.dims[d])) {
        all.axes |= axis_bit(all.to.dims[d].back());
        all.to.dims[d].pop_back();
      }
    return all;
  }

  // Take the last axes off one dim, or all that do not stand where they are wanted off every dim.
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

  // Move the last axes of one dim behind those of another.
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

  /// The axes that stand where they are wanted.
  AxisSet settled(const Sharding& here) const {
    AxisSet axes = 0;
    for (size_t d = 0; d < here.dims.size(); ++d)
      for (int i = 0; i < common_prefix(here.dims[d], problem_.wanted.dims[d]); ++i) axes |= axis_bit(here.dims[d][i]);
    return axes;
  }

  // Axes of one size change places in the sharding, so that every processor sends its block to one other: any two, or
  // all at once that can stand where they are wanted.
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
  std::unordered_map<std::string, int> best_;               ///< for each sharding that was met, its cheapest state
  using Entry = std::tuple<double, int64_t, int64_t, int>;  // bytes at least, collectives, order of arrival, state
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue_;
  int64_t arrivals_ = 0;
};

/// The axes of more than one processor.
AxisList without_ones(const AxisList& list, const Mesh& mesh) {
  AxisList rest;
  for (int axis : list)
    if (mesh.axis_size(axis) > 1) rest.push_back(axis);
  return rest;
}

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

/// Axes of one processor change nothing: they are taken off first and put on last.
ReshardWay find_way(const TensorType& type, const Sharding& from, const Sharding& wanted, const Mesh& mesh) {
  AxisSet ones = 0;
  for (int axis = 0; axis < mesh.order(); ++axis)
    if (mesh.axis_size(axis) == 1) ones |= axis_bit(axis);
  if (!ones) return search(type, from, wanted, mesh);
  Sharding begin = from, end = wanted;
  begin.partial &= ~ones | wanted.partial;
  for (AxisList& list : begin.dims) list = without_ones(list, mesh);
  for (AxisList& list : end.dims) list = without_ones(list, mesh);
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

}  // namespace

const ReshardWay& ReshardWays::find(const TensorType& type, const Sharding& from, const Sharding& wanted,
                                    const Mesh& mesh) {
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
  if (fresh && !(from == wanted)) at->second = find_way(type, from, wanted, mesh);
  return at->second;
}

}  // namespace mtf::spmd
