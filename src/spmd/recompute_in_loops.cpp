// Values that a forward loop saves for its backward loop, computed again there.
//
//     forward    h = tanh(x · w)   y = h · v           saves x and h for each iteration
//     backward   d_h = d_y · v     d_w = …(x, h, …)    reads its slices of x and h
//
// Without h, an iteration of the backward loop begins with the forward loop's instructions that lead from x and w to h.
// It reads the slice of w as the forward loop does. If x is not saved, but is needed for all other values, it is saved
// in their place.
#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "graph/op.h"
#include "graph/region.h"
#include "ops/loop.h"
#include "ops/ops.h"
#include "spmd/expand.h"
#include "spmd/instruction_costs.h"
#include "spmd/loop_copies.h"
#include "spmd/passes.h"
#include "support/diagnostics.h"
#include "types/saturating.h"

namespace mtf::spmd {
namespace {

/// The cost of a value that needs a carry that is not saved: such values are computed again last, all at once.
constexpr double kDear = std::numeric_limits<double>::infinity();

bool is_number(const Instruction& input) { return input.node->op->role == graph::Role::kNumber; }

/// True for a loop that may be one of a pair: no pipeline, and its numbers are known.
bool is_plain_loop(const Instruction& instruction) {
  if (!instruction.iteration || instruction.node->op != &ops::kScan) return false;
  const graph::Region& region = *instruction.node->region;
  return region.stages.empty() && !region.hands_on && region.joined.empty() &&
         (instruction.origin >= 0 || instruction.node->inputs.empty());
}

/// True if the second loop runs through the positions of the first in the opposite direction, with the same random
/// numbers at each of them.
bool are_opposite(const Instruction& forward, const Instruction& backward) {
  const auto& a = forward.node->attributes.get<ops::ScanAttributes>();
  const auto& b = backward.node->attributes.get<ops::ScanAttributes>();
  const graph::Region &f = *forward.node->region, &g = *backward.node->region;
  return f.iterations == g.iterations && a.reverse != b.reverse && a.counts_down != b.counts_down &&
         (f.call_numbers.empty() || g.call_numbers.empty() || f.calls == g.calls) &&
         same_mesh(forward.node->mesh, backward.node->mesh);
}

bool lie_alike(const LocalValue& a, const LocalValue& b) {
  return a.element == b.element && a.mesh && b.mesh && same_mesh(a.mesh, b.mesh) && a.partial == b.partial &&
         a.dims == b.dims;
}

/// A forward loop and its backward loop.
class LoopPair {
 public:
  LoopPair(LocalProgram& program, size_t forward, size_t backward)
      : program_(program),
        forward_(program.instructions[forward]),
        backward_(program.instructions[backward]),
        held_(forward_.iteration),
        from_(*held_),
        maker_(from_.values.size(), -1),
        result_of_(from_.values.size(), -1) {
    for (size_t i = 0; i < from_.instructions.size(); ++i)
      for (const int v : from_.instructions[i].results) maker_[static_cast<size_t>(v)] = static_cast<int>(i);
    find_slices();
  }

  /// A saved value that the backward loop may compute again.
  struct Candidate {
    int32_t result = 0;  ///< of the forward loop
    double cost = 0;     ///< of a byte, in FLOPs
  };
  /// Returns the candidates. `only_backward`, for each result: nothing but the backward loop reads it.
  std::vector<Candidate> candidates(const std::vector<bool>& only_backward) {
    std::vector<Candidate> found;
    InstructionCosts costs(from_);
    for (const auto& [result, slices] : slices_) {
      const int value = saved(result);
      if (!only_backward[static_cast<size_t>(result)] || input_of(value)) continue;
      const std::optional<std::vector<char>> needed = instructions_for({result});
      if (!needed) continue;
      const auto bytes = static_cast<double>(largest_bytes(from_.values[static_cast<size_t>(value)]));
      if (bytes > 0) found.push_back({result, reads_carry(*needed) ? kDear : cost_of_all(*needed, costs) / bytes});
    }
    return found;
  }

  /// Makes the backward loop compute saved values again.
  void compute_again(const std::vector<int32_t>& results) {
    const std::optional<std::vector<char>> needed = instructions_for(results);
    MTF_CHECK(needed, "a value of a loop cannot be computed again");
    to_ = *backward_.iteration;
    note(results, *needed);
    add_region();
    copy_.assign(from_.values.size(), -1);
    for (size_t i = 0; i < from_.instructions.size(); ++i)
      if ((*needed)[i]) add(from_.instructions[i]);
    for (const int32_t result : results)
      for (const int slice : slices_.at(result)) replace(slice, copy_[static_cast<size_t>(saved(result))]);
    put_in_order();
    backward_.node = node_;
    backward_.iteration = std::make_shared<const LocalProgram>(std::move(to_));
  }

 private:
  int saved(int32_t result) const { return from_.outputs[static_cast<size_t>(result)][0]; }
  const Instruction& maker(int value) const {
    return from_.instructions[static_cast<size_t>(maker_[static_cast<size_t>(value)])];
  }
  bool input_of(int value) const { return maker(value).kind == InstructionKind::kInput; }

  /// Finds the slices of saved values that an iteration of the backward loop reads.
  void find_slices() {
    const graph::Region &forward = *forward_.node->region, &backward = *backward_.node->region;
    for (const Instruction& each : backward_.iteration->instructions) {
      if (each.kind != InstructionKind::kInput || each.sum >= 0 || each.copy >= 0 || is_number(each)) continue;
      if (!backward.is_placed(static_cast<size_t>(each.input))) continue;
      const int all = backward_.operands[static_cast<size_t>(each.input)];
      for (int32_t r = forward.carried; r < forward.carried + forward.stacked; ++r) {
        if (forward_.results[static_cast<size_t>(r)] != all) continue;
        const int value = saved(r), slice = each.results[0];
        if (!lie_alike(from_.values[static_cast<size_t>(value)],
                       backward_.iteration->values[static_cast<size_t>(slice)]))
          continue;
        slices_[r].push_back(slice);
      }
    }
  }

  /// Returns, for each instruction of the forward iteration, whether it leads from values that stay saved to `results`.
  /// Returns nothing if one of these is computed from a running sum.
  std::optional<std::vector<char>> instructions_for(const std::vector<int32_t>& results) {
    std::fill(result_of_.begin(), result_of_.end(), -1);
    std::set<int> roots;
    for (const int32_t result : results) roots.insert(saved(result));
    for (const auto& [result, slices] : slices_)
      if (!roots.contains(saved(result))) result_of_[static_cast<size_t>(saved(result))] = result;
    std::vector<char> needed(from_.instructions.size(), 0);
    std::vector<int> stack(roots.begin(), roots.end());
    while (!stack.empty()) {
      const int value = stack.back();
      stack.pop_back();
      if (result_of_[static_cast<size_t>(value)] >= 0) continue;
      char& seen = needed[static_cast<size_t>(maker_[static_cast<size_t>(value)])];
      if (std::exchange(seen, 1)) continue;
      const Instruction& made_by = maker(value);
      if (made_by.kind == InstructionKind::kInput && !is_number(made_by) && (made_by.sum >= 0 || made_by.copy >= 0))
        return std::nullopt;
      stack.insert(stack.end(), made_by.operands.begin(), made_by.operands.end());
    }
    return needed;
  }

  bool is_carry(const Instruction& each) const {
    return each.kind == InstructionKind::kInput && !is_number(each) && each.input < forward_.node->region->carried;
  }
  /// True if some of the instructions is a carry, which is then not saved.
  bool reads_carry(const std::vector<char>& needed) const {
    for (size_t i = 0; i < needed.size(); ++i)
      if (needed[i] && is_carry(from_.instructions[i])) return true;
    return false;
  }

  /// Lets the forward loop save a carry. Returns the stacked value.
  int save_carry(int carry) {
    LocalProgram iteration = *forward_.iteration;
    auto node = std::make_shared<graph::LaidOutOperation>(*forward_.node);
    graph::Region region = *node->region;
    LocalValue all = from_.values[static_cast<size_t>(carry)];
    Dim over = node->attributes.get<ops::ScanAttributes>().over;
    do over.name = over.name.followed_by("'");
    while (has_dim(all.type().dims, over.name));
    all.mesh = node->mesh;
    all.order.clear();
    all.dims.insert(all.dims.begin(), LocalDim{over, {}, false, {}});
    const std::ptrdiff_t index = region.carried + region.stacked;
    node->results.insert(node->results.begin() + index, all.type());
    node->shardings.insert(node->shardings.begin() + index, all.sharding());
    node->inherited.insert(node->inherited.begin() + index, AxisSet{0});
    iteration.outputs.insert(iteration.outputs.begin() + index, std::vector<int>{carry});
    program_.values.push_back(std::move(all));
    const int value = static_cast<int>(program_.values.size()) - 1;
    forward_.results.insert(forward_.results.begin() + index, value);
    ++region.stacked;
    ++region.saved;
    node->region = with_form(std::move(region));
    forward_.node = std::move(node);
    forward_.iteration = std::make_shared<const LocalProgram>(std::move(iteration));
    return value;
  }

  double cost_of_all(const std::vector<char>& needed, InstructionCosts& costs) const {
    double sum = 0;
    for (size_t i = 0; i < needed.size(); ++i) {
      const Instruction& each = from_.instructions[i];
      if (!needed[i] || each.kind == InstructionKind::kInput) continue;
      const InstructionCost& cost = costs.of(static_cast<int>(i));
      sum += static_cast<double>(cost.flops.value()) + kFlopsPerByteSent * static_cast<double>(cost.wire_bytes);
      if (each.node->op->role == graph::Role::kView) continue;
      for (const int v : each.results)
        sum += kFlopsPerByteWritten * static_cast<double>(largest_bytes(from_.values[static_cast<size_t>(v)]));
    }
    return sum;
  }

  /// Notes what is computed again in the region of the backward loop.
  void note(const std::vector<int32_t>& results, const std::vector<char>& needed) {
    node_ = std::make_shared<graph::LaidOutOperation>(*backward_.node);
    region_ = *backward_.node->region;
    std::map<int, int64_t> bytes;
    for (const int32_t result : results)
      bytes[saved(result)] = mtf::saturating_add(
          bytes[saved(result)],
          largest_bytes(program_.values[static_cast<size_t>(forward_.results[static_cast<size_t>(result)])]));
    InstructionCosts costs(from_);
    for (size_t i = 0; i < needed.size(); ++i) {
      if (!needed[i] || from_.instructions[i].kind == InstructionKind::kInput) continue;
      const InstructionCost& cost = costs.of(static_cast<int>(i));
      const std::vector<int>& made = from_.instructions[i].results;
      for (const int v : made)
        region_.remade.push_back({from_.values[static_cast<size_t>(v)].name, bytes[v],
                                  v == made[0] ? cost.flops.value() : 0, v == made[0] ? cost.wire_bytes : 0});
    }
  }

  /// Appends the inputs, operations and numbers of the forward region to those of the backward region.
  void add_region() {
    const graph::Region& more = *forward_.node->region;
    const auto index = [](size_t count) { return static_cast<int32_t>(count); };
    inputs_before_ = index(region_.iteration.inputs.size());
    operations_before_ = index(region_.iteration.operations.size());
    const int32_t operands = index(region_.iteration.operands.size()), numbers = index(node_->inputs.size());
    for (Instruction& each : to_.instructions)  // numbers of expansions come after the region's inputs
      if (each.kind == InstructionKind::kInput && is_number(each) && each.input >= inputs_before_)
        each.input += index(more.iteration.inputs.size());
    graph::Program& program = region_.iteration;
    program.inputs.insert(program.inputs.end(), more.iteration.inputs.begin(), more.iteration.inputs.end());
    for (graph::ProgramValue value : more.iteration.operands) {
      value.source += value.is_input() ? -inputs_before_ : operations_before_;
      program.operands.push_back(value);
    }
    for (graph::ProgramOperation entry : more.iteration.operations) {
      entry.first_operand += operands;
      entry.like += entry.like < 0 ? 0 : operations_before_;
      entry.origin += entry.origin < 0 ? 0 : operations_before_;
      program.operations.push_back(std::move(entry));
    }
    for (const int32_t number : more.input_number)
      region_.input_number.push_back(number < 0 ? number : number + numbers);
    for (const int32_t number : more.first_number) region_.first_number.push_back(number + numbers);
    for (const int32_t number : more.call_numbers) region_.call_numbers.push_back(number + numbers);
    region_.segments.insert(region_.segments.end(), more.segments.begin(), more.segments.end());
    if (region_.call_numbers.size() == more.call_numbers.size() && !more.call_numbers.empty())
      region_.calls = more.calls;
    if (region_.numbers_of.empty()) region_.numbers_of = {{backward_.origin, numbers}};
    if (more.numbers_of.empty()) region_.numbers_of.push_back({forward_.origin, index(forward_.node->inputs.size())});
    else region_.numbers_of.insert(region_.numbers_of.end(), more.numbers_of.begin(), more.numbers_of.end());
    node_->inputs.insert(node_->inputs.end(), forward_.node->inputs.begin(), forward_.node->inputs.end());
  }

  /// Adds the copy of an instruction of the forward iteration.
  void add(const Instruction& was) {
    if (was.kind == InstructionKind::kInput) return add_input(was);
    Instruction copy = was;
    for (int& operand : copy.operands) operand = copy_or_slice(operand);
    for (int& result : copy.results) {
      const int original = result;
      result = add_value(original);
    }
    if (copy.origin >= 0) copy.origin += operations_before_;
    copies_.push_back(std::move(copy));
  }

  int add_value(int original) {
    to_.values.push_back(from_.values[static_cast<size_t>(original)]);
    return copy_[static_cast<size_t>(original)] = static_cast<int>(to_.values.size()) - 1;
  }

  int copy_or_slice(int value) const {
    const int32_t result = result_of_[static_cast<size_t>(value)];
    return result >= 0 ? slices_.at(result)[0] : copy_[static_cast<size_t>(value)];
  }

  /// Adds a number, a slice of xs or a constant of the forward loop. Uses the input of the backward loop that is the
  /// same.
  void add_input(const Instruction& was) {
    const int original = was.results[0];
    Instruction input = was;
    if (is_number(was)) {
      const auto known = static_cast<int32_t>(forward_.node->region->iteration.inputs.size());
      input.input = was.input < known ? was.input + inputs_before_
                                      : static_cast<int32_t>(region_.iteration.inputs.size()) + was.input - known;
      return add_input(std::move(input), original);
    }
    const bool is_saved = is_carry(was);
    const int all = is_saved ? save_carry(original) : forward_.operands[static_cast<size_t>(was.input)];
    const bool is_placed = is_saved || forward_.node->region->is_placed(static_cast<size_t>(was.input));
    input.dies = false;
    for (const Instruction& each : to_.instructions) {
      if (each.kind != InstructionKind::kInput || each.sum >= 0 || each.copy >= 0 || is_number(each)) continue;
      const auto operand = static_cast<size_t>(each.input);
      if (static_cast<int32_t>(operand) < region_.carried || backward_.operands[operand] != all ||
          region_.is_placed(operand) != is_placed)
        continue;
      if (!lie_alike(to_.values[static_cast<size_t>(each.results[0])], from_.values[static_cast<size_t>(original)]))
        continue;
      copy_[static_cast<size_t>(original)] = each.results[0];
      return;
    }
    input.input = is_placed ? region_.carried + region_.placed : static_cast<int32_t>(backward_.operands.size());
    if (is_placed) {
      for (Instruction& each : to_.instructions)
        if (each.kind == InstructionKind::kInput && each.sum < 0 && !is_number(each) && each.input >= input.input)
          ++each.input;
      node_->operands.insert(node_->operands.begin() + input.input, program_.values[static_cast<size_t>(all)].type());
      ++region_.placed;
    }
    backward_.operands.insert(backward_.operands.begin() + input.input, all);
    add_input(std::move(input), original);
  }

  void add_input(Instruction input, int original) {
    input.results = {add_value(original)};
    to_.inputs.push_back(input.results[0]);
    to_.instructions.push_back(std::move(input));
  }

  void replace(int slice, int copy) {
    const auto change = [&](int& value) {
      if (value == slice) value = copy;
    };
    for (Instruction& each : to_.instructions) std::for_each(each.operands.begin(), each.operands.end(), change);
    for (std::vector<int>& output : to_.outputs) std::for_each(output.begin(), output.end(), change);
    std::for_each(to_.sums.begin(), to_.sums.end(), change);
  }

  /// Puts the inputs first, then the copies.
  void put_in_order() {
    const auto rest =
        std::stable_partition(to_.instructions.begin(), to_.instructions.end(),
                              [](const Instruction& each) { return each.kind == InstructionKind::kInput; });
    to_.instructions.insert(rest, std::make_move_iterator(copies_.begin()), std::make_move_iterator(copies_.end()));
    number_values();
    node_->region = with_form(std::move(region_));
  }

  /// Numbers the values in the order of their instructions, as other passes expect.
  void number_values() {
    std::vector<int> now(to_.values.size(), -1);
    std::vector<LocalValue> values;
    for (Instruction& each : to_.instructions)
      for (int& result : each.results) {
        values.push_back(std::move(to_.values[static_cast<size_t>(result)]));
        result = now[static_cast<size_t>(result)] = static_cast<int>(values.size()) - 1;
      }
    const auto number = [&](std::vector<int>& all) {
      for (int& value : all) value = value < 0 ? value : now[static_cast<size_t>(value)];
    };
    for (Instruction& each : to_.instructions) number(each.operands);
    for (std::vector<int>& output : to_.outputs) number(output);
    number(to_.inputs);
    number(to_.sums);
    to_.values = std::move(values);
  }

  LocalProgram& program_;
  Instruction& forward_;
  Instruction& backward_;
  const std::shared_ptr<const LocalProgram> held_;  // the forward loop may get another one
  const LocalProgram& from_;                        // an iteration of the forward loop
  std::vector<int> maker_;                          // for each value there: its instruction
  std::map<int32_t, std::vector<int>> slices_;  // by saved result: the values that are its slices in the backward loop
  std::vector<int32_t> result_of_;              // for each value of `from_`: the saved result that it is, or -1
  LocalProgram to_;                             // an iteration of the backward loop, as it becomes
  std::vector<int> copy_;                       // for each value of `from_`: its copy in `to_`
  std::vector<Instruction> copies_;
  std::shared_ptr<graph::LaidOutOperation> node_;  // of the backward loop
  graph::Region region_;
  int32_t inputs_before_ = 0, operations_before_ = 0;
};

/// Finds the pairs of loops in a program.
class LoopPairs {
 public:
  explicit LoopPairs(LocalProgram& program) : program_(program), reader_(program.values.size(), kNone) {
    for (size_t i = 0; i < program.instructions.size(); ++i)
      for (const int v : program.instructions[i].operands) read(v, static_cast<int>(i));
    for (const std::vector<int>& output : program.outputs)
      for (const int v : output) read(v, kSeveral);
  }

  /// Calls `look` with the forward and the backward loop of each pair, and for each result of the forward loop with
  /// whether the backward loop alone reads it.
  template <typename Look>
  void each(const Look& look) {
    for (size_t f = 0; f < program_.instructions.size(); ++f) {
      const Instruction& forward = program_.instructions[f];
      if (!is_plain_loop(forward)) continue;
      std::set<int> readers;
      for (const int v : forward.results)
        if (reader_of(v) >= 0) readers.insert(reader_of(v));
      for (const int b : readers) {
        const Instruction& backward = program_.instructions[static_cast<size_t>(b)];
        if (!is_plain_loop(backward) || !are_opposite(forward, backward)) continue;
        std::vector<bool> only;
        for (const int v : forward.results) only.push_back(reader_of(v) == b);
        look(f, static_cast<size_t>(b), only);
      }
    }
  }

 private:
  static constexpr int kNone = -1, kSeveral = -2;

  int reader_of(int value) const {
    return static_cast<size_t>(value) < reader_.size() ? reader_[static_cast<size_t>(value)] : kSeveral;
  }

  void read(int value, int reader) {
    int& known = reader_[static_cast<size_t>(value)];
    known = known == kNone || known == reader ? reader : kSeveral;
  }

  LocalProgram& program_;
  std::vector<int> reader_;  // for each value: the only instruction that reads it
};

/// Removes instructions whose results nothing reads.
void leave_out_unread_instructions(Instruction& loop) {
  LocalProgram iteration = *loop.iteration;
  std::vector<bool> is_read(iteration.values.size());
  for (const std::vector<int>& output : iteration.outputs)
    for (const int v : output) is_read[static_cast<size_t>(v)] = true;
  for (const int v : iteration.sums)
    if (v >= 0) is_read[static_cast<size_t>(v)] = true;
  std::vector<Instruction> kept;
  for (auto each = iteration.instructions.rbegin(); each != iteration.instructions.rend(); ++each) {
    if (each->kind != InstructionKind::kInput && std::none_of(each->results.begin(), each->results.end(),
                                                              [&](int v) { return is_read[static_cast<size_t>(v)]; }))
      continue;
    for (const int v : each->operands) is_read[static_cast<size_t>(v)] = true;
    kept.push_back(std::move(*each));
  }
  std::reverse(kept.begin(), kept.end());
  iteration.instructions = std::move(kept);
  loop.iteration = std::make_shared<const LocalProgram>(std::move(iteration));
}

void add_costs(LocalProgram& program, std::vector<double>& costs) {
  LoopPairs(program).each([&](size_t forward, size_t backward, const std::vector<bool>& only_backward) {
    for (const LoopPair::Candidate& each : LoopPair(program, forward, backward).candidates(only_backward))
      costs.push_back(each.cost);
  });
  for (const Instruction& instruction : program.instructions) {
    if (!instruction.iteration) continue;
    LocalProgram iteration = *instruction.iteration;
    add_costs(iteration, costs);
  }
}

void recompute(LocalProgram& program, double most) {
  std::set<size_t> forward_loops;
  LoopPairs(program).each([&](size_t forward, size_t backward, const std::vector<bool>& only_backward) {
    LoopPair pair(program, forward, backward);
    std::vector<int32_t> chosen;
    for (const LoopPair::Candidate& each : pair.candidates(only_backward))
      if (each.cost <= most) chosen.push_back(each.result);
    if (chosen.empty()) return;
    pair.compute_again(chosen);
    forward_loops.insert(forward);
  });
  if (!forward_loops.empty()) leave_out_unread_of_loops(program);
  for (const size_t forward : forward_loops) leave_out_unread_instructions(program.instructions[forward]);
  if (!forward_loops.empty()) leave_out_unread_of_loops(program);
  for (Instruction& instruction : program.instructions) {
    if (!instruction.iteration) continue;
    LocalProgram iteration = *instruction.iteration;
    recompute(iteration, most);
    instruction.iteration = std::make_shared<const LocalProgram>(std::move(iteration));
  }
}

}  // namespace

void recompute_in_loops(LocalProgram& program, double most) { recompute(program, most); }

std::vector<double> costs_in_loops(const LocalProgram& program) {
  LocalProgram copy = program;
  std::vector<double> costs;
  add_costs(copy, costs);
  std::sort(costs.begin(), costs.end());
  costs.erase(std::unique(costs.begin(), costs.end()), costs.end());
  return costs;
}

}  // namespace mtf::spmd
