#pragma once
// The storage orders in which instructions read and write.
#include <optional>
#include <vector>

#include "spmd/local_program.h"

namespace mtf::schedule {

/// True if the blocks of a value are the same memory in this order as in its own: a dim of which no block has more
/// than one element may stand anywhere.
bool has_same_memory(const spmd::LocalValue& value, const StorageOrder& order);

/// Returns which output of a stage another stage takes over by an instruction of its turn: the output that has the
/// number of the instruction's input.
int output_taken_over(const spmd::LocalProgram& turn, const spmd::Instruction& taken);

/// The storage orders of an instruction, by operand and by result. Nothing: the instruction goes by the strides of the
/// value, whatever its order, as kernels do.
struct StatedOrders {
  std::vector<std::optional<StorageOrder>> reads, writes;
};

/// Returns the orders in which an instruction reads and writes memory. A collective moves blocks
/// in one order. A loop shows its turn a part of each value.
StatedOrders stated_orders(const spmd::LocalProgram& program, const spmd::Instruction& instruction);

}  // namespace mtf::schedule
