#pragma once
// One record for each kind of collective: its names in a program, a schedule and the counters, its cost, its memory,
// and its movement. Planner, schedule and executor read these records. A new kind is an enumerator
// (spmd/local_program.h), a record, and its cases in the few switches that src/README.md lists.
#include <string_view>
#include <vector>

#include "spmd/local_program.h"
#include "spmd/transfers.h"

namespace mtf::spmd {

/// How an executor moves the data of a collective.
enum class Movement : uint8_t {
  kReduce,         ///< adds up over the group; each processor gets the whole sum (spmd/reduction_tree.h)
  kReduceScatter,  ///< adds up over the group; each processor gets the part that its result describes
  kFromGroup,      ///< each processor takes the elements of its result from the group members that have them
  kAddFromGroup,   ///< each processor adds up, for the elements of its result, the contributions of all group members
  kFromStage,      ///< each stage takes the value that another stage has left (spmd/pipeline.h)
  kFromOwner,     ///< each processor gets the value of the owner, the one member of the group that has it (run/relay.h)
  kToOwner,       ///< adds up over the group, on the member that owns the position of the iteration
  kFromPermuted,  ///< each processor takes the block of one other processor (spmd/axis_permutation.h)
};

/// The data whose size a collective is counted by.
enum class Payload : uint8_t {
  kOperand,  ///< the operand's block
  kResult,   ///< the result's block
  kSent,     ///< the elements that are sent
};

/// The record of one kind.
struct CollectiveRecord {
  InstructionKind kind;
  std::string_view word;  ///< in a schedule
  CollectiveKind counted_as;
  std::string_view counted_name;  ///< in a program (`c.all_reduce`), in plans, in the language
  Movement movement;
  Payload payload;
  /// False if an instruction that sends nothing is not counted as a collective.
  bool counts_if_nothing_moves;
  /// The bytes of memory that it needs besides its operand and result.
  int64_t (*staging)(int64_t operand_bytes, int64_t result_bytes);
  bool goes_in_rounds = false;  ///< a large one needs less: Rounds::staging
};

const std::vector<CollectiveRecord>& collective_records();

/// The record of a kind of instruction, or null if it does not communicate.
const CollectiveRecord* find_collective(InstructionKind kind);
const CollectiveRecord& record_of(InstructionKind kind);

/// Returns what the busiest processor sends, by the program of a reduction (spmd/reduce_program.h) or by transfers
/// (spmd/transfers.h). An all_reduce is neither merged nor cut.
Sent most_sent(InstructionKind kind, const LocalValue& from, const LocalValue& to, AxisSet axes);

/// Returns the data that a collective is counted by, in elements of the largest processor.
Cost payload_of(const CollectiveRecord& record, const LocalValue& from, const LocalValue& to, const Sent& sent);

/// Returns the bytes that each of several merged all_reduces over one group of `members` adds to the wire bytes of the
/// ones before it. `elements` holds the sizes for the largest group.
std::vector<int64_t> wire_bytes_of_merged(int64_t members, const std::vector<int64_t>& elements, int64_t element_bytes);

}  // namespace mtf::spmd
