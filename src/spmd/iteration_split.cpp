#include "spmd/iteration_split.h"

#include <algorithm>
#include <array>
#include <optional>
#include <tuple>

#include "spmd/transfers.h"
#include "support/diagnostics.h"

namespace mtf::spmd {
namespace {

/// The most assignments of axes that are compared. Beyond this number, only the first claim of each further axis
/// counts.
constexpr size_t kMostWays = 256;

bool can_split(const graph::IterationDim& dim) {
  return dim.kind != graph::SplitKind::kExpand && dim.kind != graph::SplitKind::kWhole;
}

/// Returns the axes over which operands are partial and the operation may leave its result partial.
AxisSet carried_axes(Arithmetic arithmetic, const std::vector<Placed>& operands, const std::vector<Placed>& results) {
  AxisSet axes = 0;
  size_t partials = 0, zeros = 0;
  for (const Placed& operand : operands) {
    if (operand.zero && !operand.sharding.partial) ++zeros;
    if (!operand.sharding.partial) continue;
    ++partials;
    if (partials > 1 && operand.sharding.partial != axes) return 0;
    axes = operand.sharding.partial;
  }
  bool may = false;
  switch (arithmetic.linear) {
    case graph::Linear::kNo: break;
    case graph::Linear::kEach: may = partials == 1; break;
    case graph::Linear::kFirst: may = partials == 1 && operands[0].sharding.partial; break;
    case graph::Linear::kJoint: may = partials > 0 && partials + zeros == operands.size(); break;
  }
  if (!may) return 0;
  for (const Placed& operand : operands)  // an axis cannot also split another operand
    if (operand.sharding.split() & axes) return 0;
  for (const Placed& result : results)
    if (arithmetic.work != graph::Work::kNone && !arithmetic.joins && (result.sharding.split() & axes)) return 0;
  return axes;
}

class Chooser {
 public:
  Chooser(const graph::IterationSpace& space, const std::vector<Placed>& operands, const std::vector<Placed>& results,
          const Mesh& mesh, ReshardWays& ways, AxisSet carried, graph::Work work)
      : space_(space),
        operands_(operands),
        results_(results),
        mesh_(mesh),
        ways_(ways),
        carried_(carried),
        work_(work) {
    claims_.resize(space.dims.size());
    for (size_t j = 0; j < space.dims.size(); ++j) collect(static_cast<int>(j));
    for (size_t j = 0; j < space.dims.size(); ++j) move_away(static_cast<int>(j));
    give_up();
  }

  IterationSplit choose() {
    IterationSplit best;
    if (std::optional<std::vector<AxisList>> way = only_way()) {
      best = make(*way);
      best.is_only = true;
      return best;
    }
    std::vector<std::vector<AxisList>> ways = assignments();
    add_followers(ways);
    if (ways.size() == 1) return make(ways[0]);
    std::optional<std::tuple<int, double, int64_t>> least;
    for (const auto& way : ways) {
      IterationSplit split = make(way);
      const ReshardCost cost = cost_of(split);
      const std::tuple rank(undone(way), cost.wire_bytes, cost.count);
      if (least && rank >= *least) continue;
      least = rank;
      best = std::move(split);
    }
    return best;
  }

 private:
  /// For each axis of the mesh, the dim that it splits, or -1.
  using Owners = std::array<int, kMaxAxes>;

  void claim(int j, const AxisList& list) {
    const AxisList rest = list.without(carried_);
    if (!rest.empty() && std::find(claims_[j].begin(), claims_[j].end(), rest) == claims_[j].end())
      claims_[j].push_back(rest);
  }

  // Results claim first, so a tie goes to the choice that leaves the result in place.
  void collect(int j) {
    const graph::IterationDim& dim = space_.dims[j];
    if (!can_split(dim)) return;
    for (size_t r = 0; r < results_.size(); ++r)
      if (dim.results[r] >= 0) claim(j, results_[r].sharding.dims[dim.results[r]]);
    for (size_t k = 0; k < operands_.size(); ++k)
      if (dim.operands[k] >= 0) claim(j, operands_[k].sharding.dims[dim.operands[k]]);
  }

  // Axes of a dim that must be gathered may split a free dim instead, so that work is still divided.
  void move_away(int j) {
    const graph::IterationDim& dim = space_.dims[j];
    if (can_split(dim)) return;
    AxisList homeless;
    auto take = [&](const AxisList& list) {
      for (int axis : list)
        if (!homeless.has(axis) && !(carried_ & axis_bit(axis)) && !claimed(axis)) homeless.push_back(axis);
    };
    for (size_t k = 0; k < operands_.size(); ++k)
      if (dim.operands[k] >= 0) take(operands_[k].sharding.dims[dim.operands[k]]);
    for (size_t r = 0; r < results_.size(); ++r)
      if (dim.results[r] >= 0) take(results_[r].sharding.dims[dim.results[r]]);
    if (homeless.empty()) return;
    for (size_t other = 0; other < space_.dims.size(); ++other) {
      const graph::IterationDim& free = space_.dims[other];
      if (!free.is_free() || free.operands[0] < 0) continue;
      int64_t parts = mesh_.group_size(homeless.set());
      if (!claims_[other].empty()) parts *= mesh_.group_size(claims_[other][0].set());
      if (operands_[0].type.dims[free.operands[0]].size >= parts) claims_[other].push_back(homeless);
    }
    if (work_ == graph::Work::kNone) may_be_dropped_ |= homeless.set();
  }

  // For an element-wise operation: finds axes that split no result, where the result splits the dim over other axes.
  void give_up() {
    if (work_ != graph::Work::kPerResult) return;
    AxisSet kept = 0;
    for (const Placed& result : results_) kept |= result.sharding.split();
    for (size_t j = 0; j < claims_.size(); ++j) {
      const graph::IterationDim& dim = space_.dims[j];
      const bool split_otherwise = dim.results[0] >= 0 && !results_[0].sharding.dims[dim.results[0]].empty();
      for (const AxisList& list : claims_[j]) (split_otherwise ? may_be_dropped_ : kept) |= list.set();
    }
    may_be_dropped_ &= ~kept;
  }

  bool claimed(int axis) const {
    for (const std::vector<AxisList>& lists : claims_)
      for (const AxisList& list : lists)
        if (list.has(axis)) return true;
    return false;
  }

  /// Returns the claims if no dim has two of them and no two dims claim the same axis, as for most operations.
  std::optional<std::vector<AxisList>> only_way() const {
    std::vector<AxisList> way(claims_.size());
    AxisSet used = 0;
    for (size_t j = 0; j < claims_.size(); ++j) {
      if (claims_[j].empty()) continue;
      const AxisSet axes = claims_[j][0].set();
      if (claims_[j].size() > 1 || (axes & (used | may_be_dropped_))) return std::nullopt;
      used |= axes;
      way[j] = claims_[j][0];
    }
    for (const graph::IterationDim& dim : space_.dims)
      if (dim.follows >= 0 && !way[dim.follows].empty()) return std::nullopt;
    return way;
  }

  /// Adds, for each assignment, one in which following dims use the axes of the dims that they follow.
  void add_followers(std::vector<std::vector<AxisList>>& ways) const {
    for (size_t j = 0; j < space_.dims.size(); ++j) {
      const int8_t followed = space_.dims[j].follows;
      if (followed < 0) continue;
      for (size_t w = 0, count = ways.size(); w < count; ++w) {
        if (ways[w][followed].empty()) continue;
        ways.push_back(ways[w]);
        ways.back()[j] = ways.back()[followed];
      }
    }
  }

  /// Returns every way to give each claimed axis to one of its claimants, with every order that a claim has.
  std::vector<std::vector<AxisList>> assignments() const {
    std::vector<Owners> owners(1);
    owners[0].fill(-1);
    for (int axis = 0; axis < mesh_.order(); ++axis) {
      std::vector<int> claimants;
      for (size_t j = 0; j < claims_.size(); ++j)
        for (const AxisList& list : claims_[j])
          if (list.has(axis)) {
            claimants.push_back(static_cast<int>(j));
            break;
          }
      if (claimants.empty()) continue;
      if (may_be_dropped_ & axis_bit(axis))
        claimants.insert(work_ == graph::Work::kNone ? claimants.begin() : claimants.end(), -1);
      if (owners.size() * claimants.size() > kMostWays) claimants.erase(claimants.begin() + 1, claimants.end());
      std::vector<Owners> next;
      for (const Owners& owner : owners)
        for (int j : claimants) {
          next.push_back(owner);
          next.back()[axis] = j;
        }
      owners = std::move(next);
    }
    std::vector<std::vector<AxisList>> ways;
    for (const Owners& owner : owners) add_orders(owner, ways);
    return ways;
  }

  void add_orders(const Owners& owner, std::vector<std::vector<AxisList>>& ways) const {
    std::vector<std::vector<AxisList>> some(1, std::vector<AxisList>(claims_.size()));
    for (size_t j = 0; j < claims_.size(); ++j) {
      std::vector<AxisList> orders;
      for (const AxisList& list : claims_[j]) {
        AxisList order;
        auto take = [&](const AxisList& from) {
          for (int axis : from)
            if (owner[axis] == static_cast<int>(j) && !order.has(axis)) order.push_back(axis);
        };
        take(list);
        for (const AxisList& other : claims_[j]) take(other);
        if (std::find(orders.begin(), orders.end(), order) == orders.end()) orders.push_back(order);
      }
      if (orders.empty()) continue;
      if (some.size() * orders.size() > kMostWays) orders.erase(orders.begin() + 1, orders.end());
      std::vector<std::vector<AxisList>> next;
      for (const auto& way : some)
        for (const AxisList& order : orders) {
          next.push_back(way);
          next.back()[j] = order;
        }
      some = std::move(next);
    }
    ways.insert(ways.end(), some.begin(), some.end());
  }

  IterationSplit make(const std::vector<AxisList>& dims) const {
    IterationSplit split;
    split.dims = dims;
    split.carried = carried_;
    for (const Placed& operand : operands_) split.operands.push_back(replicated(operand.type.dims.size()));
    for (const Placed& result : results_) split.results.push_back(replicated(result.type.dims.size()));
    for (size_t j = 0; j < dims.size(); ++j) {
      const graph::IterationDim& dim = space_.dims[j];
      for (size_t k = 0; k < operands_.size(); ++k)
        if (dim.operands[k] >= 0 && dim.follows < 0) split.operands[k].dims[dim.operands[k]] = dims[j];
      for (size_t r = 0; r < results_.size(); ++r)
        if (dim.results[r] >= 0) split.results[r].dims[dim.results[r]] = dims[j];
        else if (dim.kind == graph::SplitKind::kReduce && !is_followed(j, dims, r))
          split.results[r].partial |= dims[j].set();
    }
    for (size_t k = 0; k < operands_.size(); ++k) split.operands[k].partial = operands_[k].sharding.partial & carried_;
    for (size_t j = 0; j < dims.size(); ++j) {
      const graph::IterationDim& dim = space_.dims[j];
      if (dim.follows < 0 || dims[j].empty()) continue;
      for (size_t k = 0; k < operands_.size(); ++k)
        if (dim.operands[k] >= 0) bring_near(dim, dims[j], k, split.operands[k]);
    }
    for (size_t r = 0; r < results_.size(); ++r) split.results[r].partial |= carried_;
    return split;
  }

  /// For a product: counts the axes that split a dim which a line keeps replicated, and along which an operand is
  /// gathered.
  int undone(const std::vector<AxisList>& way) const {
    if (work_ != graph::Work::kContraction && work_ != graph::Work::kProducts) return 0;
    int count = 0;
    for (size_t j = 0; j < way.size(); ++j) {
      const graph::IterationDim& dim = space_.dims[j];
      AxisSet gathered = 0, left_whole = 0;
      for (size_t k = 0; k < operands_.size(); ++k)
        if (dim.operands[k] < 0) gathered |= operands_[k].sharding.split() & way[j].set();
      auto add = [&](const std::vector<Placed>& all, const std::vector<int8_t>& indices) {
        for (size_t k = 0; k < all.size(); ++k)
          if (all[k].written && indices[k] >= 0) left_whole |= way[j].set() & ~all[k].written->dims[indices[k]].set();
      };
      add(operands_, dim.operands);
      add(results_, dim.results);
      for (int axis : way[j]) count += (gathered & left_whole & axis_bit(axis)) != 0;
    }
    return count;
  }

  /// True if result `r` lacks dim `j` but has a dim that follows it. A block of j then computes an interval of the
  /// result.
  bool is_followed(size_t j, const std::vector<AxisList>& dims, size_t r) const {
    for (size_t other = 0; other < dims.size(); ++other)
      if (space_.dims[other].follows == static_cast<int8_t>(j) && !dims[other].empty() &&
          space_.dims[other].results[r] >= 0)
        return true;
    return false;
  }

  /// Splits an operand's following dim by the axes of the dim that it follows, if resharding with a halo is cheaper
  /// than gathering. `needed` is the operand's sharding so far. An operand that also has the followed dim needs the
  /// following dim gathered.
  void bring_near(const graph::IterationDim& dim, const AxisList& axes, size_t k, Sharding& needed) const {
    if (space_.dims[dim.follows].operands[k] >= 0) return;
    const Placed& operand = operands_[k];
    Sharding blocks = needed;
    blocks.dims[dim.operands[k]] = axes;
    ReshardCost near = to_bring(operand, blocks);
    add_halo(operand.type, blocks, dim, dim.operands[k], false, near);
    const ReshardCost whole = to_bring(operand, needed);
    if (std::tie(near.wire_bytes, near.count) < std::tie(whole.wire_bytes, whole.count)) needed = blocks;
  }

  ReshardCost to_bring(const Placed& operand, const Sharding& wanted) const {
    if (operand.has_copy && operand.has_copy(wanted)) return {};
    return ways_.find(operand.type, operand.sharding, wanted, mesh_)->cost;
  }

  /// Adds the cost of fetching the halo of dim `d` of blocks in this sharding, or of adding the halo back.
  void add_halo(const TensorType& type, const Sharding& blocks, const graph::IterationDim& dim, int d, bool back,
                ReshardCost& cost) const {
    const AxisList& axes = blocks.dims[d];
    if (axes.empty()) return;
    const LocalDim own{type.dims[d], axes, false, {}}, wide{type.dims[d], axes, true, dim.reach};
    const int64_t sent = back ? most_sent(wide, own, mesh_) : most_sent(own, wide, mesh_);
    if (sent == 0) return;
    double bytes = static_cast<double>(sent * size_of(type.element));
    for (size_t other = 0; other < type.dims.size(); ++other)
      if (static_cast<int>(other) != d)
        bytes *= static_cast<double>(block_size(type.dims[other].size, blocks.dims[other], mesh_));
    cost.wire_bytes += bytes;
    ++cost.count;
  }

  /// Returns the cost of giving a result its layout. `joins`: its sum may join another one, which is reduced in any
  /// case. The parts then fill memory until the other sum is there, which counts as a quarter of their bytes.
  ReshardCost to_leave(const Placed& result, Sharding computed, bool joins) const {
    Sharding wanted = result.sharding;
    const AxisSet parts = computed.partial;
    joins = joins && parts && !(parts & ~result.joined);
    if (joins) {
      for (AxisList& axes : wanted.dims) axes = axes.without(parts);
      computed.partial = 0;
    }
    ReshardCost cost = ways_.find(result.type, computed, wanted, mesh_)->cost;
    if (joins) {
      const double elements =
          static_cast<double>(size_of(result.type.dims)) / static_cast<double>(mesh_.group_size(computed.split()));
      cost.wire_bytes += elements * static_cast<double>(size_of(result.type.element)) / 4;
    }
    return cost;
  }

  ReshardCost cost_of(const IterationSplit& split) const {
    ReshardCost total;
    const auto add = [&](const ReshardCost& cost) {
      total.wire_bytes += cost.wire_bytes;
      total.count += cost.count;
    };
    for (size_t k = 0; k < operands_.size(); ++k) add(to_bring(operands_[k], split.operands[k]));
    const bool joins = total.count == 0;
    for (size_t r = 0; r < results_.size(); ++r) add(to_leave(results_[r], split.results[r], joins));
    for (const graph::IterationDim& dim : space_.dims) {
      if (dim.follows < 0) continue;
      for (size_t k = 0; k < operands_.size(); ++k)
        if (dim.operands[k] >= 0) add_halo(operands_[k].type, split.operands[k], dim, dim.operands[k], false, total);
      for (size_t r = 0; r < results_.size(); ++r)
        if (dim.results[r] >= 0) add_halo(results_[r].type, split.results[r], dim, dim.results[r], true, total);
    }
    return total;
  }

  const graph::IterationSpace& space_;
  const std::vector<Placed>& operands_;
  const std::vector<Placed>& results_;
  const Mesh& mesh_;
  ReshardWays& ways_;
  AxisSet carried_;
  graph::Work work_;
  AxisSet may_be_dropped_ = 0;                 ///< axes that may be left unused
  std::vector<std::vector<AxisList>> claims_;  ///< for each dim, the axis lists of operands and results
};

}  // namespace

IterationSplit split_iteration(const graph::IterationSpace& space, Arithmetic arithmetic,
                               const std::vector<Placed>& operands, const std::vector<Placed>& results,
                               const Mesh& mesh, ReshardWays& ways) {
  for (const graph::IterationDim& dim : space.dims)
    MTF_CHECK(dim.operands.size() == operands.size() && dim.results.size() == results.size(),
              "an iteration dim names {} operands of {}", dim.operands.size(), operands.size());
  return Chooser(space, operands, results, mesh, ways, carried_axes(arithmetic, operands, results), arithmetic.work)
      .choose();
}

}  // namespace mtf::spmd
