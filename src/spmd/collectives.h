#pragma once
// The kinds of collective, a record each: what a program, a schedule and the counters call it, what it costs, what it
// needs, and how it is bound to processors. Planner, schedule and executor read these records; none of them tells the
// kinds apart by itself. A new kind is an enumerator (spmd/local_program.h) and a record.
#include <string_view>
#include <vector>

#include "spmd/local_program.h"

namespace mtf::spmd {

/// What an executor does for a collective.
enum class Movement : uint8_t {
  kReduce,         ///< adds up over the group, the whole to each (spmd/reduction_tree.h)
  kReduceScatter,  ///< adds up over the group, to each what its result says
  kFromGroup,      ///< each takes what its result says from those of its group that have it
  kAddFromGroup,   ///< each adds up what its result says of all that those of its group have
  kFromStage,      ///< each takes what another has left of it (spmd/pipeline.h)
  kFromOwner,      ///< each takes what the one of its group has that owns the place of the turn
  kToOwner,        ///< adds up over the group, to the one that owns the place of the turn
  kFromPermuted,   ///< each takes the block of one other (spmd/axis_permutation.h)
};

/// What a collective is counted by.
enum class Payload : uint8_t {
  kOperand,  ///< the block that goes in
  kResult,   ///< the block that comes out
  kSent,     ///< what is sent
};

/// The numbers that a record computes are of the processor for which they are largest, in elements.
struct CollectiveRecord {
  InstructionKind kind;
  std::string_view word;  ///< in a schedule
  CollectiveKind counted_as;
  std::string_view counted_name;  ///< in a program (`c.all_reduce`), in plans, in the language
  Movement movement;
  Payload payload;
  /// The payload as a formula, in elements.
  Cost (*values)(const LocalValue& from, const LocalValue& to, AxisSet axes);
  /// What a processor sends by the algorithm that the executor uses, in elements. Of an all_reduce that is not merged.
  int64_t (*sent)(const LocalValue& from, const LocalValue& to, AxisSet axes);
  /// False: where nobody sends anything it is no collective.
  bool counts_if_nothing_moves;
  /// Bytes that it needs beside its operand and result, from their bytes.
  int64_t (*staging)(int64_t operand_bytes, int64_t result_bytes);
};

const std::vector<CollectiveRecord>& collective_records();

/// The record of a kind of instruction, or null if it does not communicate.
const CollectiveRecord* find_collective(InstructionKind kind);
const CollectiveRecord& record_of(InstructionKind kind);

/// Bytes that merging these all_reduces over one group of `members` puts on the wire, each one's share: what it adds to
/// those before it. `elements` are those of the largest group.
std::vector<int64_t> wire_bytes_of_merged(int64_t members, const std::vector<int64_t>& elements, int64_t element_bytes);

}  // namespace mtf::spmd
