#pragma once
// Resharding: converts any sharding of a value to any other at the lowest cost.
//
// One function covers all cases: several axes on one dim, dims that exchange axes, uneven blocks, and partial values.
// The cheapest sequence has the fewest wire bytes, then the fewest collectives, then the first position in a fixed
// order. No measured time is used, so counters are the same on every machine.
//
// An A* search finds the sequence. Its states are shardings, and a move is one instruction. The moves are few and
// local:
// - split a dim by one more axis
// - take axes off a dim
// - move axes to another dim
// - reduce or scatter partial axes
// - let axes exchange positions
//
// A move costs wire bytes, then collectives. The bytes that a processor must still receive on any path guide the
// search. In a tie, the state that was found first wins. Moves are tried in a fixed order, so every rank and machine
// finds the same sequence.
//
// Axes that begin a dim's list in both shardings stay where they are and take no part in the search. If the search
// grows too large (many axes that all change positions), axes that stay together move as one. If it is still too
// large, a simple sequence remains: reduce, gather the axes that move, slice.
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "spmd/local_program.h"

namespace mtf::spmd {

/// One instruction of a sequence.
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

/// Keeps the sequences that it finds, because a program needs the same few again and again.
class ReshardWays {
 public:
  /// Returns the cheapest sequence. Partial axes that `wanted` keeps stay partial.
  const std::shared_ptr<const ReshardWay>& find(const TensorType& type, const Sharding& from, const Sharding& wanted,
                                                const Mesh& mesh);

 private:
  std::unordered_map<std::string, std::shared_ptr<const ReshardWay>> found_;
};

/// Returns `value` with blocks in `sharding`.
LocalValue in_sharding(LocalValue value, const Sharding& sharding);

/// Adds the instructions that reshard `value` in the given way, and returns the new value. `reason` explains the
/// reduction of a partial value.
int reshard(LocalProgram& program, int value, const ReshardWay& way, const graph::OperationRef& node,
            const ReasonRef& reason);

}  // namespace mtf::spmd
