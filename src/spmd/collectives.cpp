#include "spmd/collectives.h"

#include <algorithm>

#include "spmd/block_bounds.h"
#include "spmd/reduce_program.h"
#include "spmd/reduction_tree.h"
#include "spmd/work.h"
#include "support/diagnostics.h"
#include "types/saturating.h"

namespace mtf::spmd {
namespace {

int64_t elements_of_largest(const LocalValue& value) {
  int64_t elements = 1;
  for (const LocalDim& dim : value.dims) elements = mtf::saturating_multiply(elements, largest_block(dim, *value.mesh));
  return elements;
}

/// The program of an all_reduce of `elements` in the largest group. Its first member is the busiest sender, because no
/// other has larger slices.
ReduceProgram program_of(int64_t members, int64_t elements, int64_t element_bytes) {
  return ReduceProgram::all_reduce(tree_over(members), elements, elements, element_bytes);
}

/// Returns what a member of a reduce_scatter sends.
Sent sent_of_scatter(int64_t members, int64_t elements) {
  return {elements, ReduceProgram::messages_of_scatter(tree_over(members)), {}};
}

/// Returns the most elements of a block of `from` that are outside of the block of `to` on the same processor.
int64_t most_given_up(const LocalValue& from, const LocalValue& to) {
  std::vector<const LocalDim*> dims;
  for (const LocalValue* value : {&from, &to})
    for (const LocalDim& dim : value->dims) dims.push_back(&dim);
  int64_t most = 0;
  for (const Coordinates& at : different_blocks(dims, *from.mesh))
    most = std::max(most, ReduceProgram::sent_by_scatter(elements_at(from, at), elements_at(to, at)));
  return most;
}

// ---- staging --------------------------------------------------------------------------------------------------------

int64_t nothing(int64_t, int64_t) { return 0; }
int64_t one_piece(int64_t operand, int64_t) { return std::min(operand, kLargestAllReduce); }
int64_t two_operands(int64_t operand, int64_t) { return mtf::saturating_multiply(2, operand); }
int64_t one_result(int64_t, int64_t result) { return result; }
int64_t two_of_each(int64_t operand, int64_t result) {
  return mtf::saturating_multiply(2, mtf::saturating_add(operand, result));
}
int64_t operand_and_result(int64_t operand, int64_t result) { return mtf::saturating_add(operand, result); }

}  // namespace

const std::vector<CollectiveRecord>& collective_records() {
  static const std::vector<CollectiveRecord> records = {
      {.kind = InstructionKind::kAllReduce,
       .word = "all_reduce",
       .counted_as = CollectiveKind::kAllReduce,
       .counted_name = "all_reduce",
       .movement = Movement::kReduce,
       .payload = Payload::kOperand,
       .counts_if_nothing_moves = true,
       .staging = one_piece},
      {.kind = InstructionKind::kReduceScatter,
       .word = "reduce_scatter",
       .counted_as = CollectiveKind::kReduceScatter,
       .counted_name = "reduce_scatter",
       .movement = Movement::kReduceScatter,
       .payload = Payload::kOperand,
       .counts_if_nothing_moves = true,
       .staging = two_operands},
      {.kind = InstructionKind::kAllGather,
       .word = "all_gather",
       .counted_as = CollectiveKind::kAllGather,
       .counted_name = "all_gather",
       .movement = Movement::kFromGroup,
       .payload = Payload::kResult,
       .counts_if_nothing_moves = true,
       .staging = one_result,
       .goes_in_rounds = true},
      {.kind = InstructionKind::kAllToAll,
       .word = "all_to_all",
       .counted_as = CollectiveKind::kAllToAll,
       .counted_name = "all_to_all",
       .movement = Movement::kFromGroup,
       .payload = Payload::kOperand,
       .counts_if_nothing_moves = false,
       .staging = operand_and_result},
      {.kind = InstructionKind::kTranspose,
       .word = "transpose",
       .counted_as = CollectiveKind::kPermute,
       .counted_name = "permute",
       .movement = Movement::kFromPermuted,
       .payload = Payload::kSent,
       .counts_if_nothing_moves = false,
       .staging = operand_and_result,
       .goes_in_rounds = true},
      {.kind = InstructionKind::kExchange,
       .word = "exchange",
       .counted_as = CollectiveKind::kPermute,
       .counted_name = "permute",
       .movement = Movement::kFromGroup,
       .payload = Payload::kSent,
       .counts_if_nothing_moves = false,
       .staging = operand_and_result,
       .goes_in_rounds = true},
      {.kind = InstructionKind::kExchangeAdd,
       .word = "exchange_add",
       .counted_as = CollectiveKind::kPermute,
       .counted_name = "permute",
       .movement = Movement::kAddFromGroup,
       .payload = Payload::kSent,
       .counts_if_nothing_moves = false,
       .staging = two_of_each},
      {.kind = InstructionKind::kTakeOver,
       .word = "take_over",
       .counted_as = CollectiveKind::kPermute,
       .counted_name = "permute",
       .movement = Movement::kFromStage,
       .payload = Payload::kSent,
       .counts_if_nothing_moves = false,
       .staging = nothing},
      {.kind = InstructionKind::kFromOwner,
       .word = "from_owner",
       .counted_as = CollectiveKind::kAllGather,
       .counted_name = "all_gather",
       .movement = Movement::kFromOwner,
       .payload = Payload::kResult,
       .counts_if_nothing_moves = true,
       .staging = nothing},
      {.kind = InstructionKind::kToOwner,
       .word = "to_owner",
       .counted_as = CollectiveKind::kReduceScatter,
       .counted_name = "reduce_scatter",
       .movement = Movement::kToOwner,
       .payload = Payload::kOperand,
       .counts_if_nothing_moves = false,
       .staging = two_operands},
  };
  return records;
}

const CollectiveRecord* find_collective(InstructionKind kind) {
  for (const CollectiveRecord& record : collective_records())
    if (record.kind == kind) return &record;
  return nullptr;
}

const CollectiveRecord& record_of(InstructionKind kind) {
  const CollectiveRecord* record = find_collective(kind);
  MTF_CHECK(record != nullptr, "instruction kind {} is no collective", static_cast<int>(kind));
  return *record;
}

Sent most_sent(InstructionKind kind, const LocalValue& from, const LocalValue& to, AxisSet axes) {
  const int64_t members = from.mesh->group_size(axes);
  switch (record_of(kind).movement) {
    case Movement::kReduce: {
      const int64_t elements = elements_of_largest(from);
      const ReduceProgram program = program_of(members, elements, size_of(from.element));
      return {program.sent(0, elements), program.messages(), {}};
    }
    case Movement::kReduceScatter: return sent_of_scatter(members, most_given_up(from, to));
    case Movement::kFromGroup:
    case Movement::kAddFromGroup: return Transfers(from, to, Sources::kGroup, axes).most_sent();
    case Movement::kFromPermuted: return Transfers(from, to, Sources::kPermuted, axes).most_sent();
    case Movement::kFromStage:  // each stage except the last sends its whole block to the next stage
      return {elements_of_largest(from), 1, Cost(block_elements(from))};
    case Movement::kFromOwner:  // the block goes from processor to processor, so the last one waits for all messages
      return members > 1 ? Sent{elements_of_largest(to), members - 1, {}} : Sent{};
    case Movement::kToOwner:  // the others send their whole blocks; nothing is sent if each already has the sum
      return from.partial & axes ? sent_of_scatter(members, elements_of_largest(from)) : Sent{};
  }
  return {};
}

Cost payload_of(const CollectiveRecord& record, const LocalValue& from, const LocalValue& to, const Sent& sent) {
  switch (record.payload) {
    case Payload::kOperand: return Cost(block_elements(from));
    case Payload::kResult: return Cost(block_elements(to));
    case Payload::kSent: return sent.formula;
  }
  return {};
}

std::string_view name(CollectiveKind kind) {
  for (const CollectiveRecord& record : collective_records())
    if (record.counted_as == kind) return record.counted_name;
  return {};
}

bool is_collective(InstructionKind kind) { return find_collective(kind) != nullptr; }
CollectiveKind counted_as(InstructionKind kind) { return record_of(kind).counted_as; }

std::vector<int64_t> wire_bytes_of_merged(int64_t members, const std::vector<int64_t>& elements,
                                          int64_t element_bytes) {
  int64_t total = 0;
  for (int64_t each : elements) total = mtf::saturating_add(total, each);
  const ReduceProgram program = program_of(members, total, element_bytes);
  std::vector<int64_t> shares;
  int64_t before = 0, sum = 0;
  for (int64_t each : elements) {
    sum = mtf::saturating_add(sum, each);
    const int64_t sent = mtf::saturating_multiply(program.sent(0, sum), element_bytes);
    shares.push_back(sent - before);
    before = sent;
  }
  return shares;
}

}  // namespace mtf::spmd
