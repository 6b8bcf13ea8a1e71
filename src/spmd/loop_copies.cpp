#include "spmd/loop_copies.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "graph/op.h"
#include "ops/ops.h"
#include "ops/shape.h"

namespace mtf::spmd {
namespace {

/// The axis of micro-batches in the iterations of a pipeline; the mesh around the loop lacks it.
int axis_of_micro(const graph::LaidOutOperation& loop) { return loop.mesh->order(); }

bool is_tensor_input(const Instruction& instruction) {
  return instruction.kind == InstructionKind::kInput && instruction.sum < 0 &&
         instruction.node->op->role != graph::Role::kNumber;
}

/// The loop's operation under construction.
struct LoopOperation {
  explicit LoopOperation(const graph::OperationRef& was)
      : node(std::make_shared<graph::LaidOutOperation>(*was)), region(*was->region) {}

  graph::OperationRef done() {
    node->region = with_form(std::move(region));
    return std::move(node);
  }

  std::shared_ptr<graph::LaidOutOperation> node;
  graph::Region region;
};

template <typename T>
void insert_at(std::vector<T>& all, size_t index, T value) {
  all.insert(all.begin() + static_cast<std::ptrdiff_t>(index), std::move(value));
}
template <typename T>
void erase_at(std::vector<T>& all, size_t index) {
  if (index < all.size()) all.erase(all.begin() + static_cast<std::ptrdiff_t>(index));
}

/// Makes the copies that the iteration reads operands.
void read_copies(LocalLoop& loop, LocalBuilder& around) {
  std::vector<Instruction*> reads;
  std::vector<int> values;
  for (Instruction& read : loop.iteration.instructions) {
    if (read.kind != InstructionKind::kInput || read.copy < 0) continue;
    const auto operand = static_cast<size_t>(read.input);
    const Sharding& lies = loop.copies[operand][static_cast<size_t>(std::exchange(read.copy, -1))];
    reads.push_back(&read);
    values.push_back(around.bring(loop.operands[operand], lies, loop.node, nullptr));
  }
  add_placed(loop, reads, values, around);
}

/// Returns the stacked form of a value of the iteration, where `all` is the value that it is a copy of.
LocalValue stacked(const LocalLoop& loop, LocalValue copy, const LocalValue& all) {
  copy.mesh = loop.node->mesh;
  copy.order.clear();
  if (!loop.node->region->hands_on) copy.dims.insert(copy.dims.begin(), all.dims[0]);
  for (LocalDim& dim : copy.dims)
    if (loop.node->region->hands_on && dim.dim.name == loop.node->region->micro) dim.axes = AxisList();
  return copy;
}

/// Removes stacked results that nothing reads.
void leave_out_results(Instruction& instruction, LocalProgram& iteration, LoopOperation& now,
                       const std::vector<bool>& is_read) {
  const auto is_handed_on = [&](int32_t r) {  // the carry of a pipeline goes from stage to stage
    return std::any_of(iteration.instructions.begin(), iteration.instructions.end(), [&](const Instruction& inner) {
      return now.region.hands_on && ((inner.kind == InstructionKind::kTakeOver && inner.input == r) ||
                                     (inner.iteration && r < inner.node->region->carried));
    });
  };
  const int32_t end = now.region.carried + now.region.stacked, first_saved = end - now.region.saved;
  for (int32_t r = end; r-- > now.region.carried;) {
    const auto index = static_cast<size_t>(r);
    if (is_read[instruction.results[index]] || is_handed_on(r)) continue;
    for (Instruction& inner : iteration.instructions)
      inner.input -= inner.kind == InstructionKind::kTakeOver && inner.input > r;
    erase_at(instruction.results, index);
    erase_at(iteration.outputs, index);
    erase_at(now.node->results, index);
    erase_at(now.node->shardings, index);
    erase_at(now.node->inherited, index);
    --now.region.stacked;
    now.region.saved -= r >= first_saved;
  }
}

/// Removes operands that no iteration reads, except carries.
void leave_out_operands(Instruction& instruction, LocalProgram& iteration, LoopOperation& now) {
  std::vector<bool> is_read(iteration.values.size());
  for (const Instruction& each : iteration.instructions)
    for (const int operand : each.operands) is_read[operand] = true;
  for (const std::vector<int>& output : iteration.outputs)
    for (const int value : output) is_read[value] = true;
  std::vector<bool> needed(instruction.operands.size());
  std::fill_n(needed.begin(), now.region.carried, true);
  const auto is_unread = [&](const Instruction& each) {
    return is_tensor_input(each) && each.input >= now.region.carried && !is_read[each.results[0]];
  };
  for (const Instruction& each : iteration.instructions)
    if (is_tensor_input(each) && !is_unread(each)) needed[each.input] = true;
  std::vector<bool> is_left_out(iteration.values.size());
  for (const Instruction& each : iteration.instructions)
    if (is_unread(each)) is_left_out[each.results[0]] = true;
  std::erase_if(iteration.inputs, [&](int value) { return is_left_out[value]; });
  std::erase_if(iteration.instructions, is_unread);
  std::vector<int32_t> indices(needed.size());
  for (size_t k = 1; k < needed.size(); ++k) indices[k] = indices[k - 1] + needed[k - 1];
  for (Instruction& each : iteration.instructions)
    if (is_tensor_input(each)) each.input = indices[each.input];
  const int32_t placed = now.region.carried + now.region.placed;
  for (size_t k = needed.size(); k-- > 0;) {
    if (needed[k]) continue;
    const bool is_declared = k < now.node->operands.size();
    erase_at(instruction.operands, k);
    erase_at(now.node->operands, k);
    if (static_cast<int32_t>(k) < placed) --now.region.placed;
    else if (is_declared) --now.region.constants;
  }
}

/// Returns the stacked result of a loop that has a value of the iteration under other names; -1 if there is none.
int result_under_another_name(const LocalLoop& loop, const graph::Region& was, int value) {
  for (const Instruction& each : loop.iteration.instructions) {
    if (each.kind != InstructionKind::kCompute || each.node->op != &ops::kRename || each.operands[0] != value) continue;
    for (int32_t r = was.carried; r < was.carried + was.stacked; ++r)
      if (loop.iteration.outputs[static_cast<size_t>(r)][0] == each.results[0])
        return loop.results[static_cast<size_t>(r)];
  }
  return -1;
}

/// True if two values lie in the same way, but for the names of dims.
bool differ_in_names(const LocalValue& a, const LocalValue& b) {
  return a.element == b.element && a.mesh == b.mesh && a.partial == b.partial &&
         std::equal(a.dims.begin(), a.dims.end(), b.dims.begin(), b.dims.end(),
                    [](const LocalDim& x, const LocalDim& y) {
                      return x.dim.size == y.dim.size && x.axes == y.axes && !x.mapped && !y.mapped;
                    });
}

}  // namespace

std::vector<Sharding> copies_to_read(const graph::LaidOutOperation& loop, size_t operand, const LocalBuilder& around,
                                     int value) {
  const graph::Region& region = *loop.region;
  if (!region.is_placed(operand) || !same_mesh(around[value].mesh, loop.mesh)) return {};
  const LocalValue& of = around[value];
  std::vector<Sharding> found = around.copies(value);
  std::erase_if(found, [&](const Sharding& copy) {
    for (size_t d = 0; d < of.dims.size(); ++d)
      if ((region.hands_on ? of.dims[d].dim.name == region.micro : d == 0) && copy.dims[d] != of.dims[d].axes)
        return true;
    return false;
  });
  return found;
}

Sharding copy_in_iteration(const graph::LaidOutOperation& loop, size_t operand, Sharding around) {
  if (!loop.region->hands_on) {
    around.dims.erase(around.dims.begin());
    return around;
  }
  const Dims& dims = loop.operands[operand].dims;
  for (size_t d = 0; d < dims.size(); ++d)
    if (dims[d].name == loop.region->micro) around.dims[d] = {axis_of_micro(loop)};
  return around;
}

void keep_copies_of_iteration(graph::Program& iteration, const graph::Region& region) {
  for (int32_t r = region.carried; r < region.carried + region.stacked; ++r)
    iteration.for_gradients.push_back(iteration.roots[static_cast<size_t>(r)]);
  for (int32_t k = region.carried; k < region.carried + region.placed; ++k)
    iteration.for_gradients.push_back(graph::ProgramValue::input(static_cast<size_t>(k)));
}

void add_placed(LocalLoop& loop, const std::vector<Instruction*>& reads, const std::vector<int>& values,
                const LocalBuilder& around) {
  if (reads.empty()) return;
  LoopOperation now(loop.node);
  const auto first = static_cast<size_t>(now.region.carried + now.region.placed);
  for (Instruction& instruction : loop.iteration.instructions)
    if (is_tensor_input(instruction) && instruction.input >= static_cast<int32_t>(first))
      instruction.input += static_cast<int32_t>(reads.size());
  for (size_t i = 0; i < reads.size(); ++i) {
    insert_at(loop.operands, first + i, values[i]);
    insert_at(now.node->operands, first + i, around[values[i]].type());
    reads[i]->input = static_cast<int32_t>(first + i);
    ++now.region.placed;
  }
  loop.node = now.done();
}

std::vector<LoopCopy> add_copies(LocalLoop& loop, LocalBuilder& around) {
  const graph::Region was = *loop.node->region;
  const std::vector<int> operands = loop.operands;
  read_copies(loop, around);
  LoopOperation now(loop.node);
  const auto roots = loop.iteration.outputs.size() - loop.iteration.copied.size();
  const std::vector<std::vector<int>> kept(loop.iteration.outputs.begin() + static_cast<std::ptrdiff_t>(roots),
                                           loop.iteration.outputs.end());
  loop.iteration.outputs.resize(roots);
  std::vector<LoopCopy> copies;
  for (size_t i = 0; i < kept.size(); ++i) {
    const int32_t which = loop.iteration.copied[i];
    LoopCopy copy{.of_operand = which >= was.stacked, .of = static_cast<size_t>(was.carried + which)};
    if (copy.of_operand) copy.of -= static_cast<size_t>(was.stacked);
    if (copy.of_operand && loop.parameters[copy.of]) continue;
    const LocalValue& given = loop.iteration.values[kept[i][0]];
    if (given.partial || (was.hands_on && !has_dim(given.type().dims, was.micro))) continue;
    const LocalValue& all = around[copy.of_operand ? operands[copy.of] : loop.results[copy.of]];
    if (all.partial) continue;
    LocalValue result = stacked(loop, given, all);
    if (const int named = result_under_another_name(loop, was, kept[i][0]);
        named >= 0 && differ_in_names(around[named], result)) {
      copy.under_another_name = named;
      copy.rename = helper_operation(ops::kRename, {around[named].type()},
                                     ops::RenameAttributes{names_of(result.type().dims)}, *loop.node);
      copy.value = around.add(std::move(result));
      copies.push_back(copy);
      continue;
    }
    const auto index = static_cast<size_t>(now.region.carried + now.region.stacked);
    insert_at(now.node->results, index, result.type());
    insert_at(now.node->shardings, index, result.sharding());
    insert_at(now.node->inherited, index, AxisSet{0});
    insert_at(loop.iteration.outputs, index, kept[i]);
    copy.value = around.add(std::move(result));
    insert_at(loop.results, index, copy.value);
    ++now.region.stacked;
    ++now.region.saved;
    copies.push_back(copy);
  }
  loop.iteration.copied.clear();
  if (!copies.empty()) loop.node = now.done();
  return copies;
}

void leave_out_unread_of_loops(LocalProgram& program) {
  const auto is_loop = [](const Instruction& instruction) { return instruction.iteration != nullptr; };
  if (std::none_of(program.instructions.begin(), program.instructions.end(), is_loop)) return;
  std::vector<bool> is_read(program.values.size());
  for (const std::vector<int>& output : program.outputs)
    for (const int value : output) is_read[value] = true;
  for (auto instruction = program.instructions.rbegin(); instruction != program.instructions.rend(); ++instruction) {
    if (instruction->iteration) {
      LocalProgram iteration = *instruction->iteration;
      LoopOperation now(instruction->node);
      leave_out_results(*instruction, iteration, now, is_read);
      leave_out_unread_of_loops(iteration);
      leave_out_operands(*instruction, iteration, now);
      instruction->node = now.done();
      instruction->iteration = std::make_shared<const LocalProgram>(std::move(iteration));
    }
    for (const int operand : instruction->operands) is_read[operand] = true;
  }
}

}  // namespace mtf::spmd
