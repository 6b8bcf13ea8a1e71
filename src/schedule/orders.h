#pragma once
// The storage orders in which instructions read and write.
#include <optional>
#include <vector>

#include "spmd/local_program.h"

namespace mtf::schedule {

/// True if the blocks of a value have the same memory in this order as in its own order. A dim whose blocks have at
/// most one element may be in any position.
bool has_same_memory(const spmd::LocalValue& value, const StorageOrder& order);

/// Returns the index of the output that the next stage receives through the kTakeOver instruction `taken`. Output and
/// input of the instruction have the same index.
int output_taken_over(const spmd::LocalProgram& iteration, const spmd::Instruction& taken);

/// Returns the order that a value has with one more dim, which is its first one and outermost.
StorageOrder behind_first_dim(StorageOrder order);
/// Returns the order with the dim `micro` of micro-batches outermost, if the value has that dim. With `has_chunks`, the
/// value's first dim, its chunks of layers, comes before it.
StorageOrder with_turns_outermost(const spmd::LocalValue& value, StorageOrder order, Name micro, bool has_chunks);
/// Returns, for each operand of a loop, whether an iteration reads one chunk of layers of it (spmd/join_pipelines.h).
std::vector<bool> operands_in_chunks(const spmd::LocalProgram& program, const spmd::Instruction& loop);

/// The storage orders of an instruction's operands and results. An empty entry means that the instruction uses the
/// strides of the value, in any order, as kernels do.
struct StatedOrders {
  std::vector<std::optional<StorageOrder>> reads, writes;
};

/// Returns the orders in which an instruction reads and writes memory. A collective moves blocks in one order. A loop
/// gives its iteration a part of each value.
StatedOrders stated_orders(const spmd::LocalProgram& program, const spmd::Instruction& instruction);

}  // namespace mtf::schedule
