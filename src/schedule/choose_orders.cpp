#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "graph/op.h"
#include "graph/region.h"
#include "ops/ops.h"
#include "ops/shape.h"
#include "schedule/orders.h"
#include "schedule/pack.h"
#include "schedule/passes.h"
#include "spmd/local_builder.h"
#include "support/diagnostics.h"
#include "support/interrupt.h"

namespace mtf::schedule {
namespace {

using Order = StorageOrder;

int find(const std::vector<spmd::LocalDim>& dims, Name name) {
  for (size_t i = 0; i < dims.size(); ++i)
    if (dims[i].dim.name == name) return static_cast<int>(i);
  return -1;
}

/// Returns the dims of `value` in the storage order of `model`, matched by name. Dims that `model` lacks keep their
/// positions, after the dim before them.
Order like(const spmd::LocalValue& value, const spmd::LocalValue& model) {
  Order common, result;
  for (int8_t d : model.order)
    if (int index = find(value.dims, model.dims[d].dim.name); index >= 0) common.push_back(static_cast<int8_t>(index));
  if (common.size() == value.dims.size()) return common;
  size_t next = 0;
  for (size_t d = 0; d < value.dims.size(); ++d)
    result.push_back(find(model.dims, value.dims[d].dim.name) >= 0 ? common[next++] : static_cast<int8_t>(d));
  return result;
}

/// Returns an order of a contraction's result. Dims of both operands come first, then the dims of one operand, then the
/// other's, each in the operand's order. The operand with the last written dim comes last.
Order contraction_order(const spmd::LocalProgram& program, const spmd::Instruction& instruction,
                        const spmd::LocalValue& result) {
  const spmd::LocalValue& a = program.values[instruction.operands[0]];
  if (instruction.operands.size() < 2) return like(result, a);
  const spmd::LocalValue& b = program.values[instruction.operands[1]];
  Order shared, of_a, of_b;
  for (int8_t d : a.order) {
    Name name = a.dims[d].dim.name;
    int index = find(result.dims, name);
    if (index >= 0) (find(b.dims, name) >= 0 ? shared : of_a).push_back(static_cast<int8_t>(index));
  }
  for (int8_t d : b.order) {
    Name name = b.dims[d].dim.name;
    int index = find(result.dims, name);
    if (index >= 0 && find(a.dims, name) < 0) of_b.push_back(static_cast<int8_t>(index));
  }
  if (shared.size() + of_a.size() + of_b.size() != result.dims.size()) return mtf::written_order(result.dims.size());
  int last = static_cast<int>(result.dims.size()) - 1;
  bool b_last = of_a.empty() || std::find(of_b.begin(), of_b.end(), last) != of_b.end();
  Order order = shared;
  const Order& first = b_last ? of_a : of_b;
  const Order& second = b_last ? of_b : of_a;
  order.insert(order.end(), first.begin(), first.end());
  order.insert(order.end(), second.begin(), second.end());
  return order;
}

bool same_indices(const spmd::LocalValue& a, const spmd::LocalValue& b) {
  if (a.dims.size() != b.dims.size()) return false;
  for (size_t i = 0; i < a.dims.size(); ++i)
    if (a.dims[i].dim.size != b.dims[i].dim.size) return false;
  return true;
}

Order order_of(const spmd::LocalProgram& program, const spmd::Instruction& instruction,
               const spmd::LocalValue& result) {
  if (instruction.operands.empty()) return mtf::written_order(result.dims.size());
  const spmd::LocalValue& first = program.values[instruction.operands[0]];
  if (instruction.kind != spmd::InstructionKind::kCompute) return like(result, first);
  const graph::Op& op = *instruction.node->op;
  if (op.role == graph::Role::kView && same_indices(result, first)) return first.order;
  if (op.result_order != nullptr) {
    std::vector<StorageOrder> orders;
    for (int v : instruction.operands) orders.push_back(program.values[v].order);
    return op.result_order(*instruction.node, orders);
  }
  if (op.role == graph::Role::kContraction) return contraction_order(program, instruction, result);
  if (is_loop(instruction)) {
    const spmd::LocalValue* largest = &first;
    for (int v : instruction.operands)
      if (program.values[v].dims.size() > largest->dims.size()) largest = &program.values[v];
    return like(result, *largest);
  }
  // The operand's dims correspond to the result's by position if they have the same names in the same order.
  if (result.dims.size() == first.dims.size()) {
    bool same_names = true;
    for (size_t i = 0; i < result.dims.size(); ++i) same_names &= result.dims[i].dim.name == first.dims[i].dim.name;
    if (same_names) return first.order;
  }
  return mtf::written_order(result.dims.size());
}

/// True if the result has the operand's elements in row-major order.
bool is_reshape(const spmd::LocalProgram& program, const spmd::Instruction& instruction) {
  const graph::LaidOutOperation& node = *instruction.node;
  if (node.op->role != graph::Role::kReshape) return false;
  const spmd::LocalValue& from = program.values[instruction.operands[0]];
  const spmd::LocalValue& to = program.values[instruction.results[0]];
  if (from.varies() != to.varies() || largest_block(from) != largest_block(to)) return false;
  for (const std::vector<spmd::LocalDim>* dims : {&from.dims, &to.dims})
    for (const spmd::LocalDim& dim : *dims)
      if (dim.mapped) return false;
  const std::vector<graph::IterationDim>& dims = node.space().dims;
  return std::any_of(dims.begin(), dims.end(),
                     [](const graph::IterationDim& dim) { return dim.kind == graph::SplitKind::kFactors; });
}

/// Chooses the orders of a program. Adds copies where a loop needs a value in another order.
class Chooser {
 public:
  explicit Chooser(spmd::LocalProgram& program) : program_(program) {}

  void run() {
    for (spmd::Instruction& instruction : std::exchange(program_.instructions, {})) {
      check_interrupt();
      if (instruction.sum >= 0) sums_[instruction.results[0]] = instruction.sum;
      for (int v : instruction.operands)  // a sum is stored in the order of its terms
        if (const auto sum = sums_.find(v); sum != sums_.end())
          program_.values[v].order = program_.values[program_.sums[sum->second]].order;
      if (instruction.kind == spmd::InstructionKind::kTakeOver && !takes_input(program_, instruction))
        instruction.operands[0] =
            in_order(instruction.operands[0], mtf::written_order(program_.values[instruction.operands[0]].dims.size()),
                     *instruction.node);
      if (instruction.iteration) choose_in_iteration(instruction);
      else
        for (int v : instruction.results) program_.values[v].order = order_of_result(instruction, v);
      program_.instructions.push_back(std::move(instruction));
    }
    for (const auto& [output, order] : ends_in_) bring_output(output, order);
  }

  /// Requires the first value of an output to end in this order.
  void ends_in(size_t output, Order order) { ends_in_.emplace_back(output, std::move(order)); }

 private:
  Order order_of_result(const spmd::Instruction& instruction, int v) const {
    const spmd::LocalValue& value = program_.values[v];
    Order order = value.order;
    if (instruction.kind != spmd::InstructionKind::kInput) order = order_of(program_, instruction, value);
    else if (order.size() != value.dims.size()) order = mtf::written_order(value.dims.size());
    MTF_CHECK(order.size() == value.dims.size(), "{} has {} dims, its order {}", value.name, value.dims.size(),
              order.size());
    return order;
  }

  /// Returns a copy of a value in another order, or the value itself.
  int in_order(int value, const Order& order, const graph::LaidOutOperation& of) {
    if (program_.values[value].order == order) return value;
    if (has_same_memory(program_.values[value], order)) {
      program_.values[value].order = order;
      return value;
    }
    spmd::LocalValue copy = program_.values[value];
    copy.order = order;
    spmd::Instruction instruction;
    instruction.node =
        spmd::helper_operation(ops::kBroadcast, {copy.type()}, ops::BroadcastAttributes{copy.type().dims}, of);
    instruction.operands = {value};
    instruction.results = {static_cast<int>(program_.values.size())};
    program_.values.push_back(std::move(copy));
    program_.instructions.push_back(std::move(instruction));
    return static_cast<int>(program_.values.size()) - 1;
  }

  void bring_output(size_t output, const Order& order) {
    int& value = program_.outputs[output][0];
    value = in_order(value, order, *program_.instructions.back().node);
  }

  /// Chooses the orders of a loop. The loop's dim is stored outermost. An iteration sends values to the next iteration
  /// or stage in the orders in which it got them.
  void choose_in_iteration(spmd::Instruction& loop) {
    const graph::Region& region = *loop.node->region;
    std::vector<Order> around, orders;  // of the loop's operands, and of the iteration's tensors
    const std::vector<bool> in_chunks = operands_in_chunks(program_, loop);
    for (size_t k = 0; k < loop.operands.size(); ++k) {
      const spmd::LocalValue& operand = program_.values[loop.operands[k]];
      around.push_back(region.is_placed(k) || in_chunks[k] ? outermost(operand, region, in_chunks[k]) : operand.order);
      Order order = around.back();
      if ((region.is_placed(k) && !region.hands_on) || in_chunks[k]) {
        order.erase(order.begin());
        for (int8_t& d : order) --d;
      }
      orders.push_back(std::move(order));
    }
    const std::vector<size_t> handed = handed_on(*loop.iteration, region);
    spmd::LocalProgram iteration = chosen_iteration(*loop.iteration, orders, {});
    bool stays = true;
    for (size_t k : handed) {
      const spmd::LocalValue& end = iteration.values[iteration.outputs[k][0]];
      if (region.hands_on ? has_same_memory(end, orders[k]) : end.order == orders[k]) continue;
      stays = false;
      around[k] = orders[k] = region.hands_on ? outermost(end, region, false) : end.order;
    }
    if (!stays) iteration = chosen_iteration(*loop.iteration, orders, handed);
    for (size_t k = 0; k < loop.operands.size(); ++k)
      loop.operands[k] = in_order(loop.operands[k], around[k], *loop.node);
    for (size_t r = 0; r < loop.results.size(); ++r) {
      Order order = iteration.values[iteration.outputs[r][0]].order;
      const auto index = static_cast<int32_t>(r);
      if (region.hands_on) {
        spmd::LocalValue& result = program_.values[loop.results[r]];
        const bool has_chunks = result.dims.size() > order.size();
        result.order = has_chunks ? behind_first_dim(std::move(order)) : std::move(order);
        result.order = outermost(result, region, has_chunks);
        continue;
      }
      if (index >= region.carried && index < region.carried + region.stacked) {
        for (int8_t& d : order) ++d;
        order.insert(order.begin(), 0);
      }
      program_.values[loop.results[r]].order = std::move(order);
    }
    loop.iteration = std::make_shared<const spmd::LocalProgram>(std::move(iteration));
  }

  /// Returns an order with the loop's dim outermost. In a pipeline it is the dim of micro-batches, behind the dim of
  /// chunks if the value has one.
  static Order outermost(const spmd::LocalValue& of, const graph::Region& region, bool has_chunks) {
    if (region.hands_on) return with_turns_outermost(of, of.order, region.micro, has_chunks);
    Order order = of.order;
    std::stable_partition(order.begin(), order.end(), [](int8_t d) { return d == 0; });
    return order;
  }

  /// True if a stage takes over an input. Other values that it takes over are stored as they are written.
  static bool takes_input(const spmd::LocalProgram& iteration, const spmd::Instruction& taken) {
    return std::any_of(iteration.instructions.begin(), iteration.instructions.end(),
                       [&](const spmd::Instruction& each) {
                         return each.kind == spmd::InstructionKind::kInput && each.results[0] == taken.operands[0];
                       });
  }

  /// Returns the inputs of an iteration that are outputs of the iteration, or stage, before. Input and output have the
  /// same index.
  static std::vector<size_t> handed_on(const spmd::LocalProgram& iteration, const graph::Region& region) {
    std::vector<size_t> handed(static_cast<size_t>(region.carried));
    std::iota(handed.begin(), handed.end(), 0);
    for (const spmd::Instruction& instruction : iteration.instructions)
      if (instruction.kind == spmd::InstructionKind::kTakeOver && takes_input(iteration, instruction))
        handed.push_back(static_cast<size_t>(output_taken_over(iteration, instruction)));
    return handed;
  }

  /// Returns the iteration in its chosen orders, given the orders of its inputs. The outputs `settled` are stored as
  /// the inputs of the same index.
  static spmd::LocalProgram chosen_iteration(spmd::LocalProgram iteration, const std::vector<Order>& orders,
                                             const std::vector<size_t>& settled) {
    for (const spmd::Instruction& instruction : iteration.instructions)
      if (instruction.kind == spmd::InstructionKind::kInput && instruction.sum < 0 && !is_host_number(instruction))
        iteration.values[instruction.results[0]].order = orders[instruction.input];
    Chooser chooser(iteration);
    for (size_t k : settled) chooser.ends_in(k, orders[k]);
    for (const spmd::Instruction& instruction : iteration.instructions)
      if (instruction.kind == spmd::InstructionKind::kTakeOver && !takes_input(iteration, instruction))
        chooser.ends_in(static_cast<size_t>(output_taken_over(iteration, instruction)),
                        mtf::written_order(iteration.values[instruction.results[0]].dims.size()));
    chooser.run();
    return iteration;
  }

  spmd::LocalProgram& program_;
  std::unordered_map<int, int32_t> sums_;  // for values that are running sums: the index of the sum
  std::vector<std::pair<size_t, Order>> ends_in_;
};

}  // namespace

void choose_orders(Schedule& schedule) { Chooser(schedule.program).run(); }

bool is_window(const spmd::LocalProgram& program, const spmd::Instruction& instruction) {
  if (instruction.kind != spmd::InstructionKind::kCompute || !instruction.node->op->dim_of_position) return false;
  const spmd::LocalValue& from = program.values[instruction.operands[0]];
  const spmd::LocalValue& to = program.values[instruction.results[0]];
  const int8_t along = static_cast<int8_t>(instruction.node->op->dim_of_position(*instruction.node));
  if (from.element != to.element || from.mesh != to.mesh || from.varies() != to.varies() || from.order.front() != along)
    return false;
  for (size_t i = 0; i < to.order.size(); ++i)
    if (to.order[i] != (from.order[i + 1] < along ? from.order[i + 1] : from.order[i + 1] - 1)) return false;
  for (const spmd::LocalDim& dim : from.dims)
    if (dim.mapped || (!dim.axes.empty() && dim.dim.size % from.mesh->group_size(dim.axes.set()) != 0)) return false;
  return from.dims[along].axes.empty() &&
         padded(largest_block(to) * size_of(to.element)) == largest_block(to) * size_of(to.element);
}

bool shares_memory(const spmd::LocalProgram& program, const spmd::Instruction& instruction) {
  if (instruction.kind == spmd::InstructionKind::kRemesh) return true;
  if (instruction.kind != spmd::InstructionKind::kCompute) return false;
  if (instruction.operands.empty()) return false;
  const spmd::LocalValue& from = program.values[instruction.operands[0]];
  const spmd::LocalValue& to = program.values[instruction.results[0]];
  if (from.element != to.element) return false;
  if (instruction.node->op->role == graph::Role::kView) return same_indices(from, to) && from.order == to.order;
  return instruction.operands.size() == 1 && from.order == mtf::written_order(from.dims.size()) &&
         to.order == mtf::written_order(to.dims.size()) && is_reshape(program, instruction);
}

}  // namespace mtf::schedule
