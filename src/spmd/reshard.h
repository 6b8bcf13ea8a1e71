#pragma once
// Resharding: from any sharding of a value to any other, at the least cost.
//
// One function for all: several axes on one dim, dims that trade axes, uneven blocks and partial values included. The
// cheapest sequence has the fewest bytes on the wire, then the fewest collectives, then comes first in a fixed order;
// never a measured time, so that counters are the same on every machine.
//
// The way is found by a search. A state of the search is a sharding; a move is one instruction. Moves are few and
// local (split a dim by one more axis, take axes off a dim, move them to another dim, reduce or scatter partial axes,
// let axes trade places), and their costs are bytes on the wire, then collectives. What a processor still has to
// receive, whatever the way, leads the search (A*). A tie goes to the state found first, moves being tried in a fixed
// order, so that every rank and every machine finds the same way.
//
// What the ends of the way have in common takes no part: axes that begin a dim's list on both sides stay where they
// are. Where the search would grow too large (many axes that all change places) axes that stay together move as one,
// and at last there is always one way: reduce, gather what does not stay, slice.
#include <string>
#include <unordered_map>
#include <vector>

#include "spmd/local_program.h"

namespace mtf::spmd {

/// One instruction of a way.
struct ReshardMove {
  InstructionKind kind = InstructionKind::kSlice;
  AxisSet axes = 0;
  Sharding to;
};

struct ReshardCost {
  double wire_bytes = 0;  ///< of the largest processor
  int64_t count = 0;      ///< collectives in groups of more than one
};

struct ReshardWay {
  std::vector<ReshardMove> moves;
  ReshardCost cost;
};

/// What was found is kept: a program asks for the same few ways again and again.
class ReshardWays {
 public:
  /// The cheapest way. Partial axes that `wanted` keeps stay partial.
  const ReshardWay& find(const TensorType& type, const Sharding& from, const Sharding& wanted, const Mesh& mesh);

 private:
  std::unordered_map<std::string, ReshardWay> found_;
};

/// Adds the instructions that bring `value` to `wanted`, on its own mesh, and returns the value that is there. Partial
/// axes that `wanted` keeps stay partial. `reason` says why a partial value is to be reduced.
int reshard(LocalProgram& program, ReshardWays& ways, int value, const Sharding& wanted,
            const graph::OperationRef& node, const ReasonRef& reason);

}  // namespace mtf::spmd
