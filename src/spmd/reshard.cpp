// Resharding: the cheapest way from one sharding to another, by a search over shardings.
//
// A state of the search is a sharding; a move is one instruction. Moves are few and local (split a dim by one more
// axis, take an axis off a dim, move it to another dim, reduce or scatter partial axes, let two axes trade places), and
// their costs are bytes on the wire, then collectives. A tie goes to the state found first, moves being tried in a
// fixed order, so that every rank and every machine finds the same sequence.
#include <algorithm>
#include <map>
#include <queue>
#include <tuple>

#include "spmd/reshard.h"
#include "support/diagnostics.h"
#include "support/text.h"

namespace mtf {
namespace {

/// Where a block is stored and how it is reached: a move of the search.
struct Move {
  InstructionKind kind;
  AxisSet axes;
  Sharding to;
};

double block_bytes(const TensorType& type, const Sharding& sharding, const Mesh& mesh) {
  double bytes = static_cast<double>(size_of(type.element));
  for (size_t i = 0; i < type.dims.size(); ++i)
    bytes *= static_cast<double>(block_size(type.dims[i].size, sharding.dims[i], mesh));
  return bytes;
}

class Search {
 public:
  Search(const TensorType& type, const Sharding& from, const Sharding& wanted, const Mesh& mesh)
      : type_(type), from_(from), wanted_(wanted), mesh_(mesh) {}

  std::vector<Move> run(ReshardCost& total) {
    std::map<std::vector<int>, ReshardCost> best;
    using Entry = std::tuple<double, int64_t, int64_t, int>;  // wire bytes, collectives, order of arrival, state
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
    struct State { Sharding sharding; int parent; Move move; ReshardCost cost; };
    std::vector<State> states{{from_, -1, {}, {}}};
    queue.push({0, 0, 0, 0});
    best[code(from_)] = {};
    int64_t arrivals = 0;
    while (!queue.empty()) {
      auto [wire, count, arrival, index] = queue.top();
      queue.pop();
      const Sharding here = states[index].sharding;
      const ReshardCost& reached = best[code(here)];
      if (wire > reached.wire_bytes || (wire == reached.wire_bytes && count > reached.count)) continue;
      if (here == wanted_) {
        total = states[index].cost;
        std::vector<Move> moves;
        for (int at = index; states[at].parent >= 0; at = states[at].parent) moves.push_back(states[at].move);
        std::reverse(moves.begin(), moves.end());
        return moves;
      }
      for (Move& move : moves_from(here)) {
        ReshardCost cost = states[index].cost;
        cost.wire_bytes += wire_bytes(here, move);
        cost.count += is_collective(move.kind) && mesh_.group_size(move.axes) > 1 ? 1 : 0;
        auto key = code(move.to);
        auto at = best.find(key);
        if (at != best.end() && std::tie(at->second.wire_bytes, at->second.count) <= std::tie(cost.wire_bytes, cost.count)) continue;
        best[key] = cost;
        states.push_back({move.to, index, move, cost});
        queue.push({cost.wire_bytes, cost.count, ++arrivals, static_cast<int>(states.size()) - 1});
      }
    }
    internal::check_failed(__FILE__, __LINE__, "a way is found", "no way from {} to {}", to_string(type_, from_, mesh_), to_string(type_, wanted_, mesh_));
  }

 private:
  static std::vector<int> code(const Sharding& sharding) {
    std::vector<int> key{static_cast<int>(sharding.partial)};
    for (const AxisList& list : sharding.dims) {
      for (int axis : list) key.push_back(axis);
      key.push_back(-1);
    }
    return key;
  }

  double wire_bytes(const Sharding& here, const Move& move) const {
    const double n = static_cast<double>(mesh_.group_size(move.axes));
    if (n <= 1) return 0;
    switch (move.kind) {
      case InstructionKind::kAllReduce: return 2 * (n - 1) / n * block_bytes(type_, here, mesh_);
      case InstructionKind::kReduceScatter:
      case InstructionKind::kAllToAll: return (n - 1) / n * block_bytes(type_, here, mesh_);
      case InstructionKind::kAllGather: return (n - 1) / n * block_bytes(type_, move.to, mesh_);
      case InstructionKind::kTranspose: return block_bytes(type_, here, mesh_);
      default: return 0;
    }
  }

  std::vector<Move> moves_from(const Sharding& here) const {
    std::vector<Move> moves;
    slices(here, moves);
    reductions(here, moves);
    gathers(here, moves);
    exchanges(here, moves);
    transposes(here, moves);
    return moves;
  }

  /// True if `list` begins `whole` and is shorter.
  static bool begins(const AxisList& list, const AxisList& whole) {
    if (list.size() >= whole.size()) return false;
    for (int i = 0; i < list.size(); ++i)
      if (list[i] != whole[i]) return false;
    return true;
  }

  // Split a dim by the next axis that is wanted and along which all processors hold the same: no communication.
  void slices(const Sharding& here, std::vector<Move>& moves) const {
    for (size_t d = 0; d < here.dims.size(); ++d) {
      if (!begins(here.dims[d], wanted_.dims[d])) continue;
      int axis = wanted_.dims[d][here.dims[d].size()];
      if (here.varies() & axis_bit(axis)) continue;
      Move move{InstructionKind::kSlice, axis_bit(axis), here};
      move.to.dims[d].push_back(axis);
      moves.push_back(move);
    }
  }

  void reductions(const Sharding& here, std::vector<Move>& moves) const {
    const AxisSet open = here.partial & ~wanted_.partial;
    if (!open) return;
    for (AxisSet axes = open; axes; axes = (axes - 1) & open) {
      Move move{InstructionKind::kAllReduce, axes, here};
      move.to.partial &= ~axes;
      moves.push_back(move);
    }
    for (size_t d = 0; d < here.dims.size(); ++d) {
      // Onto one dim: a single axis, or a run of axes that the wanted list continues with.
      for (int axis = 0; axis < mesh_.order(); ++axis) {
        if (!(open & axis_bit(axis))) continue;
        Move move{InstructionKind::kReduceScatter, axis_bit(axis), here};
        move.to.partial &= ~axis_bit(axis);
        move.to.dims[d].push_back(axis);
        moves.push_back(move);
      }
      if (!begins(here.dims[d], wanted_.dims[d])) continue;
      Move move{InstructionKind::kReduceScatter, 0, here};
      for (int i = here.dims[d].size(); i < wanted_.dims[d].size() && (open & axis_bit(wanted_.dims[d][i])); ++i) {
        move.axes |= axis_bit(wanted_.dims[d][i]);
        move.to.dims[d].push_back(wanted_.dims[d][i]);
        move.to.partial &= ~axis_bit(wanted_.dims[d][i]);
        if (i > here.dims[d].size()) moves.push_back(move);
      }
    }
  }

  // Take the last axes off one dim; or off every dim, down to what its wanted list begins with.
  void gathers(const Sharding& here, std::vector<Move>& moves) const {
    Move all{InstructionKind::kAllGather, 0, here};
    for (size_t d = 0; d < here.dims.size(); ++d) {
      Move move{InstructionKind::kAllGather, 0, here};
      while (!move.to.dims[d].empty()) {
        move.axes |= axis_bit(move.to.dims[d].back());
        move.to.dims[d].pop_back();
        moves.push_back(move);
      }
      while (!all.to.dims[d].empty() && !begins(all.to.dims[d], wanted_.dims[d]) && all.to.dims[d] != wanted_.dims[d]) {
        all.axes |= axis_bit(all.to.dims[d].back());
        all.to.dims[d].pop_back();
      }
    }
    if (all.axes) moves.push_back(all);
  }

  // Move the last axes of one dim behind those of another.
  void exchanges(const Sharding& here, std::vector<Move>& moves) const {
    for (size_t from = 0; from < here.dims.size(); ++from)
      for (size_t to = 0; to < here.dims.size(); ++to) {
        if (from == to) continue;
        for (int count = 1; count <= here.dims[from].size(); ++count) {
          Move move{InstructionKind::kAllToAll, 0, here};
          AxisList& list = move.to.dims[from];
          for (int i = here.dims[from].size() - count; i < here.dims[from].size(); ++i) {
            move.axes |= axis_bit(here.dims[from][i]);
            move.to.dims[to].push_back(here.dims[from][i]);
          }
          for (int i = 0; i < count; ++i) list.pop_back();
          moves.push_back(move);
        }
      }
  }

  // Two axes of one size trade places in the sharding: every processor sends its block to one other.
  void transposes(const Sharding& here, std::vector<Move>& moves) const {
    for (int x = 0; x < mesh_.order(); ++x)
      for (int y = x + 1; y < mesh_.order(); ++y) {
        const AxisSet pair = axis_bit(x) | axis_bit(y);
        if (mesh_.axis_size(x) != mesh_.axis_size(y) || !(here.split() & pair) || (here.partial & pair)) continue;
        Move move{InstructionKind::kTranspose, pair, here};
        for (AxisList& list : move.to.dims) {
          AxisList swapped;
          for (int axis : list) swapped.push_back(axis == x ? y : axis == y ? x : axis);
          list = swapped;
        }
        moves.push_back(move);
      }
  }

  const TensorType& type_;
  const Sharding& from_;
  const Sharding& wanted_;
  const Mesh& mesh_;
};

std::string axes_text(const AxisList& axes, const Mesh& mesh) {
  std::string text;
  for (int axis : axes) text += (text.empty() ? "" : "+") + mesh.axes()[axis].name.str();
  return text;
}

/// Why a move is made, in words.
std::string reason_of(const TensorType& type, const Sharding& from, const Move& move, const Mesh& mesh, const std::string& reason) {
  if (from.partial & move.axes) return reason;
  std::string text;
  for (size_t d = 0; d < from.dims.size(); ++d) {
    if (from.dims[d] == move.to.dims[d]) continue;
    auto how = [&](const AxisList& axes) { return axes.empty() ? std::string("whole") : "split over " + axes_text(axes, mesh); };
    text += (text.empty() ? "" : ", ") + type.dims[d].name.str() + " is " + how(from.dims[d]) + " and needed " + how(move.to.dims[d]);
  }
  return text;
}

}  // namespace

ReshardCost reshard_cost(const TensorType& type, const Sharding& from, const Sharding& wanted, const Mesh& mesh) {
  ReshardCost cost;
  if (from == wanted) return cost;
  Search(type, from, wanted, mesh).run(cost);
  return cost;
}

int reshard(LocalProgram& program, int value, const Sharding& wanted, const OperationRef& node, const std::string& reason) {
  Sharding here = program.values[value].sharding();
  if (here == wanted) return value;
  const TensorType type = program.values[value].type();
  const MeshPtr mesh = program.values[value].mesh;
  ReshardCost cost;
  for (const Move& move : Search(type, here, wanted, *mesh).run(cost)) {
    LocalValue result = program.values[value];
    result.partial = move.to.partial;
    for (size_t d = 0; d < result.dims.size(); ++d) result.dims[d].axes = move.to.dims[d];
    Instruction instruction;
    instruction.kind = move.kind;
    instruction.node = node;
    instruction.operands = {value};
    instruction.axes = move.axes;
    if (is_collective(move.kind)) instruction.reason = reason_of(type, here, move, *mesh, reason);
    value = static_cast<int>(program.values.size());
    instruction.results = {value};
    program.values.push_back(std::move(result));
    program.instructions.push_back(std::move(instruction));
    here = move.to;
  }
  return value;
}

}  // namespace mtf
