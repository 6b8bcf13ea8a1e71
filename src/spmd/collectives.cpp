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

Cost constant(int64_t number) {
  Product product;
  product.numerator = number;
  return Cost(product);
}

Cost operand_values(const LocalValue& from, const LocalValue&, AxisSet) { return Cost(block_elements(from)); }
Cost result_values(const LocalValue&, const LocalValue& to, AxisSet) { return Cost(block_elements(to)); }

/// Returns the maximum of `of(coordinates)` over all processors.
template <typename F>
int64_t largest_over(const LocalValue& from, const LocalValue& to, F of) {
  int64_t most = 0;
  for (const Coordinates& at : different_blocks({&from, &to})) most = std::max(most, of(at));
  return most;
}

// ---- sent elements --------------------------------------------------------------------------------------------------

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

int64_t sent_by_all_reduce(const LocalValue& from, const LocalValue&, AxisSet axes) {
  const int64_t elements = elements_of_largest(from);
  return program_of(from.mesh->group_size(axes), elements, size_of(from.element)).sent(0, elements);
}

/// Each processor keeps its own part of its operand and sends the rest.
int64_t sent_by_scatter(const LocalValue& from, const LocalValue& to, AxisSet) {
  return largest_over(from, to, [&](const Coordinates& at) { return elements_at(from, at) - elements_at(to, at); });
}

/// Each processor sends its block to every other one.
int64_t sent_by_gather(const LocalValue& from, const LocalValue&, AxisSet axes) {
  return mtf::saturating_multiply(from.mesh->group_size(axes) - 1, elements_of_largest(from));
}

/// In each dim a processor keeps the shorter of its two blocks, which is part of the longer one.
int64_t sent_by_all_to_all(const LocalValue& from, const LocalValue& to, AxisSet) {
  return largest_over(from, to, [&](const Coordinates& at) {
    int64_t kept = 1;
    for (size_t d = 0; d < from.dims.size(); ++d)
      kept = mtf::saturating_multiply(
          kept, std::min(bounds(from.dims[d], *from.mesh, at).size(), bounds(to.dims[d], *to.mesh, at).size()));
    return elements_at(from, at) - kept;
  });
}

/// Returns the size of the largest block that moves when axes change positions. The owner of this block is first along
/// all of these axes but one, unless all blocks have one size.
int64_t sent_by_transpose(const LocalValue& from, const LocalValue&, AxisSet axes) {
  int64_t most = 0;
  for (int axis = 0; axis < from.mesh->order(); ++axis) {
    if (!(axes & axis_bit(axis))) continue;
    Coordinates at{};
    at[static_cast<size_t>(axis)] = 1;
    most = std::max(most, elements_at(from, at));
  }
  return most;
}

/// Each stage except the last sends its whole block to the next stage.
int64_t sent_by_take_over(const LocalValue& from, const LocalValue&, AxisSet) { return elements_of_largest(from); }

/// The owner sends its whole block to every other processor.
int64_t sent_by_owner(const LocalValue& from, const LocalValue& to, AxisSet axes) {
  return mtf::saturating_multiply(from.mesh->group_size(axes) - 1, elements_of_largest(to));
}

/// The other processors send their whole blocks; nothing is sent if each already has the sum.
int64_t sent_to_owner(const LocalValue& from, const LocalValue&, AxisSet axes) {
  return from.partial & axes ? elements_of_largest(from) : 0;
}

int64_t sent_by_exchange(const LocalValue& from, const LocalValue& to, AxisSet axes) {
  int64_t most = 1;
  for (size_t d = 0; d < from.dims.size(); ++d)
    most = mtf::saturating_multiply(most, from.dims[d] == to.dims[d]
                                              ? largest_block(from.dims[d], *from.mesh)
                                              : most_exchanged(from.dims[d], to.dims[d], *from.mesh, axes));
  return most;
}

/// Only one dim differs: there `from` is an interval that extends beyond the blocks of `to`.
int64_t sent_by_exchange_add(const LocalValue& from, const LocalValue& to, AxisSet) {
  int64_t most = 1;
  for (size_t d = 0; d < from.dims.size(); ++d)
    most = mtf::saturating_multiply(most, from.dims[d] == to.dims[d]
                                              ? largest_block(from.dims[d], *from.mesh)
                                              : most_given_back(from.dims[d], to.dims[d], *from.mesh));
  return most;
}

// ---- payloads that equal the sent elements --------------------------------------------------------------------------

Cost transposed_values(const LocalValue& from, const LocalValue& to, AxisSet axes) {
  const Cost even(block_elements(from));
  const int64_t most = sent_by_transpose(from, to, axes);
  return even.value() == most ? even : constant(most);
}

Cost exchanged_values(const LocalValue& from, const LocalValue& to, AxisSet axes) {
  Product product;
  for (size_t d = 0; d < from.dims.size(); ++d) {
    if (from.dims[d] == to.dims[d]) product.factors.push_back(block_factor(from.dims[d], *from.mesh));
    else
      product.numerator =
          mtf::saturating_multiply(product.numerator, most_exchanged(from.dims[d], to.dims[d], *from.mesh, axes));
  }
  return Cost(product);
}

Cost given_back_values(const LocalValue& from, const LocalValue& to, AxisSet) {
  Product product;
  for (size_t d = 0; d < from.dims.size(); ++d) {
    if (from.dims[d] == to.dims[d]) product.factors.push_back(block_factor(from.dims[d], *from.mesh));
    else
      product.numerator =
          mtf::saturating_multiply(product.numerator, most_given_back(from.dims[d], to.dims[d], *from.mesh));
  }
  return Cost(product);
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
       .values = operand_values,
       .sent = sent_by_all_reduce,
       .counts_if_nothing_moves = true,
       .staging = one_piece},
      {.kind = InstructionKind::kReduceScatter,
       .word = "reduce_scatter",
       .counted_as = CollectiveKind::kReduceScatter,
       .counted_name = "reduce_scatter",
       .movement = Movement::kReduceScatter,
       .payload = Payload::kOperand,
       .values = operand_values,
       .sent = sent_by_scatter,
       .counts_if_nothing_moves = true,
       .staging = two_operands},
      {.kind = InstructionKind::kAllGather,
       .word = "all_gather",
       .counted_as = CollectiveKind::kAllGather,
       .counted_name = "all_gather",
       .movement = Movement::kFromGroup,
       .payload = Payload::kResult,
       .values = result_values,
       .sent = sent_by_gather,
       .counts_if_nothing_moves = true,
       .staging = one_result},
      {.kind = InstructionKind::kAllToAll,
       .word = "all_to_all",
       .counted_as = CollectiveKind::kAllToAll,
       .counted_name = "all_to_all",
       .movement = Movement::kFromGroup,
       .payload = Payload::kOperand,
       .values = operand_values,
       .sent = sent_by_all_to_all,
       .counts_if_nothing_moves = false,
       .staging = operand_and_result},
      {.kind = InstructionKind::kTranspose,
       .word = "transpose",
       .counted_as = CollectiveKind::kPermute,
       .counted_name = "permute",
       .movement = Movement::kFromPermuted,
       .payload = Payload::kSent,
       .values = transposed_values,
       .sent = sent_by_transpose,
       .counts_if_nothing_moves = false,
       .staging = operand_and_result},
      {.kind = InstructionKind::kExchange,
       .word = "exchange",
       .counted_as = CollectiveKind::kPermute,
       .counted_name = "permute",
       .movement = Movement::kFromGroup,
       .payload = Payload::kSent,
       .values = exchanged_values,
       .sent = sent_by_exchange,
       .counts_if_nothing_moves = false,
       .staging = operand_and_result},
      {.kind = InstructionKind::kExchangeAdd,
       .word = "exchange_add",
       .counted_as = CollectiveKind::kPermute,
       .counted_name = "permute",
       .movement = Movement::kAddFromGroup,
       .payload = Payload::kSent,
       .values = given_back_values,
       .sent = sent_by_exchange_add,
       .counts_if_nothing_moves = false,
       .staging = two_of_each},
      {.kind = InstructionKind::kTakeOver,
       .word = "take_over",
       .counted_as = CollectiveKind::kPermute,
       .counted_name = "permute",
       .movement = Movement::kFromStage,
       .payload = Payload::kSent,
       .values = operand_values,
       .sent = sent_by_take_over,
       .counts_if_nothing_moves = false,
       .staging = nothing},
      {.kind = InstructionKind::kFromOwner,
       .word = "from_owner",
       .counted_as = CollectiveKind::kAllGather,
       .counted_name = "all_gather",
       .movement = Movement::kFromOwner,
       .payload = Payload::kResult,
       .values = result_values,
       .sent = sent_by_owner,
       .counts_if_nothing_moves = true,
       .staging = nothing},
      {.kind = InstructionKind::kToOwner,
       .word = "to_owner",
       .counted_as = CollectiveKind::kReduceScatter,
       .counted_name = "reduce_scatter",
       .movement = Movement::kToOwner,
       .payload = Payload::kOperand,
       .values = operand_values,
       .sent = sent_to_owner,
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
