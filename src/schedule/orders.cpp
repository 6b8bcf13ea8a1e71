#include "schedule/orders.h"

#include <algorithm>

#include "graph/region.h"
#include "schedule/schedule.h"
#include "support/diagnostics.h"

namespace mtf::schedule {
namespace {

/// True if no block of the value has more than one element of the dim.
bool is_one_element(const spmd::LocalValue& value, int8_t d) {
  const spmd::LocalDim& dim = value.dims[d];
  return (value.mesh ? largest_block(dim, *value.mesh) : dim.dim.size) <= 1;
}

/// Returns the order in which blocks of `from` are moved to blocks of `to`. This is the order of `from`, except that
/// dims with at most one element take their positions from `to`.
StorageOrder order_of_move(const spmd::LocalValue& from, const spmd::LocalValue& to) {
  StorageOrder order = from.order;
  std::erase_if(order, [&](int8_t d) { return is_one_element(from, d); });
  auto next = order.end();
  for (auto d = to.order.rbegin(); d != to.order.rend(); ++d) {
    const auto at = std::find(order.begin(), order.end(), *d);
    next = at != order.end() ? at : order.insert(next, *d);
  }
  return order;
}

void state_orders_of_loop(const spmd::LocalProgram& program, const spmd::Instruction& loop, StatedOrders& stated) {
  const graph::Region& region = *loop.node->region;
  const spmd::LocalProgram& iteration = *loop.iteration;
  const auto as_around = [&](const spmd::LocalValue& value, bool has_loop_dim, int outside) {
    const spmd::LocalValue& all = program.values[outside];
    const bool has_chunks = region.hands_on && all.dims.size() > value.dims.size();
    StorageOrder order = has_chunks || (has_loop_dim && !region.hands_on) ? behind_first_dim(value.order) : value.order;
    return region.hands_on ? with_turns_outermost(all, std::move(order), region.micro, has_chunks) : order;
  };
  for (const spmd::Instruction& input : iteration.instructions) {
    if (input.kind != spmd::InstructionKind::kInput || input.sum >= 0 || is_host_number(input)) continue;
    const auto k = static_cast<size_t>(input.input);
    stated.reads[k] = as_around(iteration.values[input.results[0]], region.is_placed(k), loop.operands[k]);
  }
  for (size_t r = 0; r < iteration.outputs.size(); ++r) {
    const bool is_stacked = r >= static_cast<size_t>(region.carried) &&
                            r < static_cast<size_t>(region.carried) + static_cast<size_t>(region.stacked);
    stated.writes[r] = as_around(iteration.values[iteration.outputs[r][0]], is_stacked, loop.results[r]);
  }
}

void compare_orders(const spmd::LocalValue& value, const std::optional<StorageOrder>& stated, std::string_view what) {
  MTF_CHECK(!stated || has_same_memory(value, *stated), "{} is{}, but {}{}", value.name,
            stored_text(value.order, value.type().dims), what, stored_text(*stated, value.type().dims));
}

/// Checks that the outputs of one iteration, or stage, are stored in the order in which the next one reads them.
void verify_handed_on(const spmd::LocalProgram& iteration, const graph::Region& region) {
  const auto compare = [&](int read, size_t output) {
    compare_orders(iteration.values[iteration.outputs[output][0]], iteration.values[read].order,
                   "the next turn reads what is");
  };
  for (const spmd::Instruction& instruction : iteration.instructions) {
    if (instruction.kind == spmd::InstructionKind::kTakeOver)
      compare(instruction.results[0], static_cast<size_t>(output_taken_over(iteration, instruction)));
    if (instruction.kind != spmd::InstructionKind::kInput || is_host_number(instruction)) continue;
    if (instruction.sum >= 0)
      compare(instruction.results[0], static_cast<size_t>(region.carried + region.stacked + instruction.sum));
    else if (instruction.input < region.carried)
      compare(instruction.results[0], static_cast<size_t>(instruction.input));
  }
}

}  // namespace

StorageOrder behind_first_dim(StorageOrder order) {
  for (int8_t& d : order) ++d;
  order.insert(order.begin(), 0);
  return order;
}

StorageOrder with_turns_outermost(const spmd::LocalValue& value, StorageOrder order, Name micro, bool has_chunks) {
  const auto is_chunk = [&](int8_t d) { return has_chunks && d == 0; };
  std::stable_partition(order.begin(), order.end(),
                        [&](int8_t d) { return !is_chunk(d) && value.dims[d].dim.name == micro; });
  std::stable_partition(order.begin(), order.end(), is_chunk);
  return order;
}

std::vector<bool> operands_in_chunks(const spmd::LocalProgram& program, const spmd::Instruction& loop) {
  std::vector<bool> in_chunks(loop.operands.size());
  if (!loop.node->region->hands_on) return in_chunks;
  for (const spmd::Instruction& input : loop.iteration->instructions) {
    if (input.kind != spmd::InstructionKind::kInput || input.sum >= 0 || is_host_number(input)) continue;
    const auto k = static_cast<size_t>(input.input);
    in_chunks[k] = program.values[loop.operands[k]].dims.size() > loop.iteration->values[input.results[0]].dims.size();
  }
  return in_chunks;
}

bool has_same_memory(const spmd::LocalValue& value, const StorageOrder& order) {
  const auto that_matter = [&](StorageOrder dims) {
    std::erase_if(dims, [&](int8_t d) { return is_one_element(value, d); });
    return dims;
  };
  return that_matter(value.order) == that_matter(order);
}

int output_taken_over(const spmd::LocalProgram& iteration, const spmd::Instruction& taken) {
  MTF_CHECK(taken.input >= 0 && static_cast<size_t>(taken.input) < iteration.outputs.size(),
            "a stage takes over what no stage leaves");
  return taken.input;
}

StatedOrders stated_orders(const spmd::LocalProgram& program, const spmd::Instruction& instruction) {
  StatedOrders stated;
  stated.reads.resize(instruction.operands.size());
  stated.writes.resize(instruction.results.size());
  if (instruction.kind == spmd::InstructionKind::kInput) return stated;  // its tensor determines the order
  if (instruction.iteration) state_orders_of_loop(program, instruction, stated);
  else if (instruction.kind != spmd::InstructionKind::kCompute)
    stated.reads[0] = stated.writes[0] =
        order_of_move(program.values[instruction.operands[0]], program.values[instruction.results[0]]);
  return stated;
}

void verify_orders(const spmd::LocalProgram& program) {
  for (const spmd::Instruction& instruction : program.instructions) {
    for (int result : instruction.results) {
      const spmd::LocalValue& value = program.values[result];
      StorageOrder order = value.order;
      std::sort(order.begin(), order.end());
      MTF_CHECK(order == written_order(value.dims.size()), "{} is not stored in an order of its dims", value.name);
    }
    const StatedOrders stated = stated_orders(program, instruction);
    for (size_t k = 0; k < stated.reads.size(); ++k)
      compare_orders(program.values[instruction.operands[k]], stated.reads[k], "an instruction reads what is");
    for (size_t r = 0; r < stated.writes.size(); ++r)
      compare_orders(program.values[instruction.results[r]], stated.writes[r], "an instruction writes what is");
    if (!instruction.iteration) continue;
    verify_orders(*instruction.iteration);
    verify_handed_on(*instruction.iteration, *instruction.node->region);
  }
}

}  // namespace mtf::schedule
