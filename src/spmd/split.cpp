#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include "graph/op.h"
#include "graph/region.h"
#include "ops/loop.h"
#include "ops/record.h"
#include "ops/shape.h"
#include "spmd/across_blocks.h"
#include "spmd/forms.h"
#include "spmd/halos.h"
#include "spmd/iteration.h"
#include "spmd/local_builder.h"
#include "spmd/loop_copies.h"
#include "spmd/partial_results.h"
#include "spmd/partial_sums.h"
#include "spmd/passes.h"
#include "spmd/pipeline.h"
#include "spmd/program_readers.h"
#include "spmd/reasons.h"
#include "spmd/reshaped_blocks.h"
#include "spmd/written_layouts.h"
#include "support/diagnostics.h"

namespace mtf::spmd {
namespace {

/// Returns the axes that split a stacked result along the loop's dim; none for a pipeline.
AxisList owners_of_result(const graph::LaidOutOperation& loop, int32_t result) {
  const graph::Region& region = *loop.region;
  if (result < region.carried || result >= region.carried + region.stacked) return {};
  return region.stages.empty() && !region.hands_on ? loop.shardings[result].dims[0] : AxisList();
}

/// Gives a root the sharding `sharding`, as if `@` asked for it.
void ask(graph::Program& program, size_t root, const Sharding& sharding) {
  graph::ProgramValue& value = program.roots[root];
  if (program.sharding(value) == sharding) return;
  auto asked = std::make_shared<graph::LaidOutOperation>();
  asked->op = &ops::kLayout;
  asked->operands = asked->results = {program.type(value)};
  asked->mesh = program.mesh(value);
  asked->shardings = {sharding};
  asked->inherited = {0};
  asked->origin = graph::LayoutOrigin::kGiven;
  asked->written = false;
  asked->span = program.maker(value).span;
  graph::ProgramOperation entry;
  entry.operation = std::move(asked);
  entry.first_operand = static_cast<int32_t>(program.operands.size());
  entry.operand_count = 1;
  program.operands.push_back(value);
  value = {static_cast<int32_t>(program.operations.size()), 0};
  program.operations.push_back(std::move(entry));
}

/// Returns the program of one iteration. Its stacked roots have the layouts of the loop's results. `along`:
/// EnclosingLoop::along.
graph::Program iteration_of(const graph::LaidOutOperation& loop, const std::vector<graph::AlongMicro>& along) {
  const graph::Region& region = *loop.region;
  graph::Program iteration = region.turn;
  keep_copies_of_turn(iteration, region);
  for (int32_t c = 0; c < region.carried; ++c) iteration.inputs[c].dies = true;
  for (int32_t r = region.carried; r < region.carried + region.stacked; ++r) {
    if (!along.empty() && along[r] == graph::AlongMicro::kSum) continue;  // it is reduced after the last micro-batch
    Sharding of_one = loop.shardings[r];
    of_one.dims.erase(of_one.dims.begin());
    ask(iteration, static_cast<size_t>(r), of_one);
  }
  return iteration;
}

class Splitter {
 public:
  Splitter(const MergedProgram& merged, const LoweringOptions& options, const EnclosingLoop& loop)
      : merged_(merged),
        options_(options),
        loop_(loop),
        region_(loop.region),
        graph_(merged.program),
        names_(names_of(graph_)),
        local_(graph_),
        halos_(graph_),
        readers_(graph_),
        written_(graph_, readers_),
        partial_(partial_sums(graph_, readers_)),
        joined_(joined_sums(graph_, readers_, partial_)),
        is_link_(links_of_sums(graph_, readers_)),
        zero_(graph_.operations.size()),
        locals_(readers_.results(), -1),
        input_locals_(graph_.inputs.size(), -1) {}

  LocalProgram run() {
    for (size_t i = 0; i < graph_.operations.size(); ++i) lower_sum(static_cast<int>(i));
    std::vector<int> outputs;
    for (size_t r = 0; r < graph_.roots.size(); ++r) outputs.push_back(output(r));
    const std::vector<std::pair<int, int>> kept = copies_for_gradients();
    LocalProgram result = local_.take();
    result.passes_over_windows = halos_.passes_over_windows();
    for (int output : outputs) result.outputs.push_back({output});
    for (const auto& [place, copy] : kept) {
      result.outputs.push_back({copy});
      result.copied.push_back(place);
    }
    return result;
  }

 private:
  /// Returns the local value that holds root `r` at the end.
  int output(size_t r) {
    const graph::ProgramValue root = graph_.roots[r];
    const int value = local(root);
    if (is_summed(r)) return added_to_sum(value, root);
    if (is_part_of_sum(r)) return value;
    if (local_[value].partial && stays_in_parts(r, local_[value].partial) &&
        local_[value].element == graph_.type(root).element && is_summed_alone(root, local_[value].partial))
      return value;
    if (r < loop_.root_owners.size() && !loop_.root_owners[r].empty())
      return given_to_owner(value, root, loop_.root_owners[r]);
    const bool is_carried = region_ && static_cast<int32_t>(r) < region_->carried;
    return local_.bring(value, graph_.sharding(is_carried ? graph::ProgramValue::input(r) : root), of(root), nullptr);
  }

  bool is_summed(size_t root) const {
    return region_ && static_cast<int32_t>(root) >= region_->carried + region_->stacked;
  }

  /// Sends a value to its owner. If the value is a partial sum over the owner's axes, it becomes complete only there.
  int given_to_owner(int value, graph::ProgramValue root, const AxisList& owners) {
    if (!local_[value].mesh) value = local_.add_input(root.input(), loop_.mesh);  // a number has no sharding
    Sharding whole = graph_.sharding(root);
    if ((owners.set() & ~local_[value].partial) == 0) whole.partial = owners.set();
    const ReasonRef reason = sum_reason(local_[value].partial & ~whole.partial, loop_.mesh);
    return local_.to_owner(of(root), local_.bring(value, whole, of(root), reason), loop_.over, owners);
  }

  /// True if the value has no use other than as a slice that is stored in blocks over some of these axes. Its sum over
  /// the axes then goes to the owner.
  bool goes_to_owner_alone(graph::ProgramValue value, AxisSet axes) const {
    if (loop_.root_owners.empty() || !readers_.of(value).empty()) return false;
    const auto is_value = [&](graph::ProgramValue root) { return root == value; };
    const auto root = std::find_if(graph_.roots.begin(), graph_.roots.end(), is_value);
    if (root == graph_.roots.end() || std::any_of(root + 1, graph_.roots.end(), is_value)) return false;
    const AxisList& owners = loop_.root_owners[static_cast<size_t>(root - graph_.roots.begin())];
    return !owners.empty() && (owners.set() & ~axes) == 0;
  }

  /// True for a root of a pipeline stage to which each micro-batch adds a part.
  bool is_part_of_sum(size_t root) const {
    return !loop_.along.empty() && loop_.along[root] == graph::AlongMicro::kSum;
  }

  bool stays_in_parts(size_t root, AxisSet axes) const {
    return root < loop_.root_parts.size() && !(axes & ~loop_.root_parts[root]);
  }

  /// True if the value has no use other than as a term of a sum over iterations, or as a slice that stays partial. It
  /// is then reduced once, after the last iteration.
  bool is_summed_alone(graph::ProgramValue value, AxisSet axes) const {
    if (!region_ || !readers_.of(value).empty()) return false;
    int roots = 0;
    bool summed = false;
    for (size_t r = 0; r < graph_.roots.size(); ++r)
      if (graph_.roots[r] == value) {
        ++roots;
        summed = is_summed(r) || is_part_of_sum(r) || stays_in_parts(r, axes);
      }
    return summed && roots == 1;
  }

  /// Adds the term of an iteration to the running value of its sum.
  int added_to_sum(int value, graph::ProgramValue root) {
    const int before = local_.add_sum(value, of(root));
    const int after = local_.add(local_[before]);
    const TensorType type = local_[value].type();
    local_.compute(helper_operation(ops::kAdd, {type, type}, {}, *of(root)), {before, value}, {after});
    return after;
  }

  /// Returns the copies that are kept of values in Program::for_gradients: pairs of index and copy.
  std::vector<std::pair<int, int>> copies_for_gradients() const {
    std::vector<std::pair<int, int>> kept;
    for (size_t i = 0; i < graph_.for_gradients.size(); ++i) {
      const graph::ProgramValue value = graph_.for_gradients[i];
      const int here = value.is_input() ? input_locals_[value.input()] : locals_[at(value)];
      if (here < 0) continue;
      for (int copy : local_.brought(here))
        if (!local_[copy].partial && local_[copy].sharding() != graph_.sharding(value))
          kept.emplace_back(static_cast<int>(i), copy);
    }
    return kept;
  }

  /// The split of an operation for these operand shardings, if it was the only possible one, independent of copies.
  struct KnownSplit {
    std::vector<Sharding> operands;
    std::vector<bool> zeros;
    bool joins = false;
    IterationSplit split;
  };

  /// Facts that hold for all operations of a form.
  struct OfForm {
    const graph::IterationSpace* space = nullptr;
    std::vector<KnownSplit> splits;
  };

  /// Returns the index of a result among all results of the program.
  size_t at(graph::ProgramValue value) const { return readers_.place_of(value); }

  const graph::OperationRef& of(graph::ProgramValue value) const {
    return value.is_input() ? graph_.inputs[value.input()].operation : graph_.operations[value.source].operation;
  }

  /// Returns the local value that holds a value of the graph. Adds an input when it is first needed.
  int local(graph::ProgramValue value) {
    if (!value.is_input()) {
      MTF_CHECK(locals_[at(value)] >= 0, "{} is read before it is lowered", graph_.maker(value).op->name);
      return locals_[at(value)];
    }
    int& index = input_locals_[value.input()];
    if (index >= 0) return index;
    const graph::OperationRef& node = of(value);
    const auto place = static_cast<size_t>(value.input());
    if (place >= loop_.tensors.size()) return index = local_.add_input(value.input(), node->mesh);
    index = local_.add_input(value.input(), node->mesh, &loop_.tensors[place]);
    if (place < loop_.tensor_owners.size() && !loop_.tensor_owners[place].empty())
      index = local_.from_owner(node, index, loop_.over, loop_.tensor_owners[place]);
    return index = local_.bring(index, graph_.sharding(value), node, nullptr);
  }

  /// True if a value that is partial over `axes` may stay partial. Its only consumer must be linear in it and have a
  /// result that is no larger. If the value's own layout splits it over `axes`, another condition must hold. Either the
  /// consumer computes nothing, or another partial sum is added to the value, because one reduction costs less than
  /// two.
  bool may_stay_partial(graph::ProgramValue value, ElementType parts, AxisSet axes) const {
    if (is_summed_alone(value, axes)) return parts == graph_.type(value).element;
    if (goes_to_owner_alone(value, axes)) return true;
    if (readers_.of(value).empty() && !readers_.is_root(value)) return true;  // no consumer needs the complete value
    const ProgramReaders::Read* read = readers_.only(value);
    if (!read) return false;
    const graph::LaidOutOperation& reader = *graph_.operations[read->operation].operation;
    const TensorType& type = graph_.type(value);
    if ((graph_.sharding(value).split() & axes) && reader.op->role != graph::Role::kView && (axes & ~joined_of(value)))
      return false;
    if (reader.op->linear == graph::Linear::kNo || !same_mesh(reader.mesh, graph_.mesh(value))) return false;
    // A narrower element type would round the parts.
    if (parts != type.element || size_of(reader.results[0].element) < size_of(type.element)) return false;
    return size_of(reader.results[0].dims) <= size_of(type.dims);
  }

  /// Returns the axes over which another sum is likely to be added to a value (spmd/partial_sums.h).
  AxisSet joined_of(graph::ProgramValue value) const {
    if (!of(value)->region) return joined_[value.source];
    return joined_sum_of(graph_, readers_, partial_, joined_, value);
  }

  // ---- sums of several terms ----------------------------------------------------------------------------------------
  //
  // In a chain of additions, each sum has the next addition as its only consumer. Its terms that are partial over the
  // same axes are added before they are reduced. For instance, ((a + p) + b) + q becomes (a + b) + (p + q), and p + q
  // is reduced once.
  //
  // A number may have terms that are partial over different axes: a norm over parameters with different shardings, for
  // instance. Then each processor takes its share of a term along the axes that the term lacks (shared_out). All terms
  // are now partial over the same axes, and one reduction is enough.

  /// The sum of the terms that are partial over the same axes.
  struct Part {
    int value = -1;
    AxisSet axes = 0;
    bool zero = false;
  };
  using Parts = std::vector<Part>;

  /// Lowers an operation. An addition within a chain keeps terms that are partial over different axes separate if more
  /// such terms follow. The last addition of the chain joins them.
  void lower_sum(int index) {
    const graph::OperationRef& node = graph_.operations[index].operation;
    begin(index);
    if (!is_in_sum(*node)) return lower(index);
    const bool more_come = is_link_[index] && (joined_[index] || node->results[0].dims.empty());
    Parts parts;
    bool apart = false;
    for (const graph::ProgramValue& operand : graph_.operands_of(index)) {
      if (const auto known = operand.is_input() ? sums_.end() : sums_.find(operand.source); known != sums_.end()) {
        parts.insert(parts.end(), known->second.begin(), known->second.end());
        sums_.erase(known);
        apart = true;
        continue;
      }
      const int value = local_.onto_mesh(local(operand), node);
      parts.push_back({value, local_[value].partial, is_zero(operand)});
      apart = apart || (more_come && !may_join(parts[0], parts.back()) && !may_join(parts.back(), parts[0]));
    }
    if (!apart) return lower(index);
    parts = added_by_axes(index, parts);
    if (is_link_[index]) {
      sums_.emplace(index, std::move(parts));
      return;
    }
    const int sum = added_up(index, std::move(parts));
    complete({index, 0}, sum, sum_reason(local_[sum].partial, node->mesh));
  }

  /// True if a term can be added to a sum without a reduction. A zero that is replicated along the axes can be part of
  /// any sum over them.
  bool may_join(const Part& part, const Part& sum) const {
    return part.axes == sum.axes || (part.zero && !(local_[part.value].sharding().split() & sum.axes));
  }

  Parts added_by_axes(int addition, const Parts& parts) {
    Parts sums;
    for (const Part& part : parts) {
      const auto same = std::find_if(sums.begin(), sums.end(), [&](const Part& sum) { return sum.axes == part.axes; });
      if (same == sums.end()) sums.push_back(part);
      else *same = added(addition, *same, part);
    }
    return sums;
  }

  int added_up(int addition, Parts parts) {
    if (graph_.type({addition, 0}).dims.empty()) {  // one number is reduced over all axes
      AxisSet all = 0;
      for (const Part& part : parts) all |= part.axes;
      for (Part& part : parts)
        if (part.axes && part.axes != all)
          part = {shared_out(local_, graph_.operations[addition].operation, names_[addition], part.value, all), all};
      parts = added_by_axes(addition, parts);
    }
    Part sum = parts[0];
    for (size_t i = 1; i < parts.size(); ++i) sum = added(addition, sum, parts[i]);
    return sum.value;
  }

  bool is_zero(graph::ProgramValue value) const { return !value.is_input() && zero_[value.source]; }

  /// Returns the sum of two terms. It stays partial if both are partial over the same axes.
  Part added(int addition, const Part& a, const Part& b) {
    std::vector<int> operands{a.value, b.value};
    const Applied sum = applied(addition, operands, {a.zero, b.zero});
    const graph::OperationRef& node = graph_.operations[addition].operation;
    const int value = sum.outcomes[0];
    if (local_[value].partial) return {value, local_[value].partial};
    return {local_.bring(value, node->shardings[0], node, nullptr), 0, a.zero && b.zero};
  }

  // ---- one operation ------------------------------------------------------------------------------------------------

  /// Marks the following instructions as part of operation `index`.
  void begin(int index) {
    const graph::ProgramOperation& entry = graph_.operations[index];
    const graph::LaidOutOperation& node = *entry.operation;
    local_.set_backward(entry.replica != 0 || !node.written);  // gradients are the operations that no line wrote
    local_.in_replica(entry.replica);
  }

  void lower(int index) {
    const graph::ProgramOperation& entry = graph_.operations[index];
    const graph::OperationRef& node = entry.operation;
    std::vector<int> operands;
    std::vector<bool> zeros;
    operands.reserve(static_cast<size_t>(entry.operand_count));
    for (const graph::ProgramValue& operand : graph_.operands_of(index)) {
      operands.push_back(local_.onto_mesh(local(operand), node));
      zeros.push_back(is_zero(operand));
    }
    if (node->region) {
      const bool is_pipeline = !node->region->stages.empty() && !(region_ && region_->hands_on);
      return is_pipeline ? run_in_pipeline(index, operands) : run_in_turns(index, std::move(operands));
    }
    zero_[index] = ops::is_zero(*node) || (node->op->role == graph::Role::kView && zeros[0]);
    const Applied results = applied(index, std::move(operands), zeros);
    for (size_t r = 0; r < results.outcomes.size(); ++r)
      complete({index, static_cast<int32_t>(r)}, results.outcomes[r], results.reason);
  }

  /// Hoists the resharding of constants: constants that every iteration would reshard are resharded once before the
  /// loop. The results become operands of the loop.
  void bring_before(LocalProgram& turn, const graph::Region& region, std::vector<int>& operands) {
    std::unordered_map<int, int> constants;  // by value of the iteration: the value around the loop
    std::map<int, Instruction> moved;        // by value resharded from a constant: the last step
    std::vector<Instruction> inside;
    const auto is_outside = [&](int value) { return constants.contains(value) || moved.contains(value); };
    std::set<int> needed;  // hoisted values that the iteration reads
    for (Instruction& instruction : turn.instructions) {
      if (instruction.kind == InstructionKind::kInput && instruction.sum < 0 &&
          instruction.input >= region.carried + region.placed && instruction.input < region.tensors())
        constants[instruction.results[0]] = operands[instruction.input];
      else if (instruction.kind != InstructionKind::kCompute && instruction.kind != InstructionKind::kToOwner &&
               !instruction.operands.empty() && is_outside(instruction.operands[0])) {
        moved.emplace(instruction.results[0], std::move(instruction));
        continue;
      }
      for (const int operand : instruction.operands)
        if (moved.contains(operand)) needed.insert(operand);
      inside.push_back(std::move(instruction));
    }
    for (const std::vector<int>& output : turn.outputs)
      if (moved.contains(output[0])) needed.insert(output[0]);
    std::vector<Instruction> inputs;
    for (const int value : needed) {
      Instruction input;
      input.kind = InstructionKind::kInput;
      const TensorType type = turn.values[value].type();
      input.node = data_operation(type, replicated(type.dims.size()), 0, turn.values[value].mesh);
      input.input = static_cast<int32_t>(operands.size());
      input.results = {value};
      operands.push_back(moved_before(turn, constants, moved, value));
      turn.inputs.push_back(value);
      inputs.push_back(std::move(input));
    }
    inside.insert(inside.begin(), std::make_move_iterator(inputs.begin()), std::make_move_iterator(inputs.end()));
    turn.instructions = std::move(inside);
  }

  /// Maps a hoisted value of the iteration to a value around the loop. Uses the enclosing program's copy with the same
  /// sharding if possible. Reshards an interval, or a value computed from one, step by step.
  int moved_before(const LocalProgram& turn, std::unordered_map<int, int>& constants,
                   const std::map<int, Instruction>& moved, int value) {
    if (const auto known = constants.find(value); known != constants.end()) return known->second;
    const auto is_interval = [&](int v) {
      const std::vector<LocalDim>& dims = turn.values[v].dims;
      return std::any_of(dims.begin(), dims.end(), [](const LocalDim& dim) { return dim.mapped; });
    };
    bool by_blocks = !turn.values[value].partial;
    int from = value;
    for (auto step = moved.find(from); step != moved.end(); step = moved.find(from)) {
      by_blocks = by_blocks && !is_interval(from);
      from = step->second.operands[0];
    }
    const Instruction& last = moved.at(value);
    LocalValue there = turn.values[value];
    if (by_blocks) {
      const int constant = constants.at(from);
      return constants[value] = local_.bring(constant, there.sharding(), last.node, last.reason);
    }
    const int operand = moved_before(turn, constants, moved, last.operands[0]);
    there.mesh = local_[operand].mesh;
    return constants[value] = local_.collective(last.kind, last.node, operand, std::move(there), last.axes,
                                                last.reduction, last.reason);
  }

  /// True if the operand of a loop is a parameter, or a slice of one.
  bool is_parameter(graph::ProgramValue operand) const {
    if (!operand.is_input()) return false;
    const auto input = static_cast<size_t>(operand.input());
    return region_ ? input < loop_.parameters.size() && loop_.parameters[input] : of(operand)->op == &ops::kAssign;
  }

  /// True if the operand is a variable, which is not resharded for a loop.
  bool is_variable(graph::ProgramValue operand) const {
    return is_parameter(operand) || (!operand.is_input() && of(operand)->op == &ops::kAssign);
  }

  /// Adds a loop; `results` are the indices of its results in the operation. Registers the copies that iterations made
  /// as copies of the loop's operands and results.
  void add_loop(int index, LocalLoop loop, std::span<const size_t> results) {
    const std::vector<int> read = loop.operands, given = loop.results;
    const std::vector<LoopCopy> copies = add_copies(loop, local_);
    local_.run_in_turns(loop.node, std::move(loop.operands), std::move(loop.results), graph_.operations[index].origin,
                        std::make_shared<const LocalProgram>(std::move(loop.turn)));
    const auto result = [&](size_t r) { return graph::ProgramValue{index, static_cast<int32_t>(results[r])}; };
    for (size_t r = 0; r < given.size(); ++r)
      complete(result(r), given[r], sum_reason(local_[given[r]].partial, of(result(r))->mesh));
    for (const LoopCopy& copy : copies)
      local_.has_been_brought(copy.of_operand ? read[copy.of] : locals_[at(result(copy.of))], copy.value);
  }

  /// Returns, for each result of a loop, the axes over which it may stay partial. Another partial sum over these axes
  /// is likely to be added to it. If all its partial axes are among them, iterations do not reduce it.
  std::vector<AxisSet> parts_of_results(int index) const {
    const graph::LaidOutOperation& node = *graph_.operations[index].operation;
    const graph::Region& region = *node.region;
    std::vector<AxisSet> parts(node.results.size());
    if (!region.stages.empty() || region.hands_on) return parts;
    const std::vector<AxisSet> roots = partial_roots(region.turn);
    for (int32_t r = region.carried; r < region.carried + region.stacked; ++r) {
      const graph::ProgramValue value{index, r};
      if (roots[r] && owners_of_result(node, r).empty() && !(roots[r] & ~joined_of(value)) &&
          may_stay_partial(value, graph_.type(value).element, roots[r]))
        parts[r] = roots[r];
    }
    return parts;
  }

  /// Lowers a loop: reshards its operands for its iterations, and adds its results.
  void run_in_turns(int index, std::vector<int> operands) {
    const graph::OperationRef& node = graph_.operations[index].operation;
    const graph::Region& region = *node->region;
    LocalLoop loop;
    std::vector<Sharding> tensors;
    std::vector<AxisList> owners(operands.size());
    std::vector<std::vector<graph::InputCopy>> copies(operands.size());
    for (size_t k = 0; k < operands.size(); ++k) {
      Sharding wanted = region.turn.sharding(graph::ProgramValue::input(k));
      if (region.is_placed(k)) {
        const LocalValue& all = local_[operands[k]];
        wanted.dims.insert(wanted.dims.begin(), region.stages);
        if (region.stages.empty() && !all.partial && !all.dims[0].axes.empty() && all.mesh == node->mesh) {
          wanted = all.sharding();
          if (is_variable(graph_.operands_of(index)[k]) && node->mesh->group_size(wanted.dims[0].set()) > 1)
            owners[k] = wanted.dims[0];
          else wanted = graph::off_loop_dim(node->operands[k].dims, std::move(wanted), *node->mesh);
        }
      }
      operands[k] = local_.bring(operands[k], wanted, node, summed_reason(local_[operands[k]], *node));
      loop.parameters.push_back(is_parameter(graph_.operands_of(index)[k]));
      loop.copies.push_back(owners[k].empty() ? copies_to_read(*node, k, local_, operands[k])
                                              : std::vector<Sharding>());
      for (const Sharding& copy : loop.copies[k]) copies[k].push_back({copy_in_turn(*node, k, copy), {}});
      if (region.is_placed(k)) wanted.dims.erase(wanted.dims.begin());
      wanted.partial = owners[k].set();  // only the owner holds the slice of an iteration
      tensors.push_back(std::move(wanted));
      if (static_cast<int32_t>(k) < region.carried && region_ && region_->hands_on && region_->idle > 0)
        operands[k] = local_.take_over(node, operands[k], region.stages, region.micro);
    }
    loop.node = node;
    EnclosingLoop around{.region = &region,
                         .tensors = std::move(tensors),
                         .parameters = loop.parameters,
                         .micro = loop_.micro,
                         .over = node->attributes.get<ops::ScanAttributes>().over.name,
                         .mesh = node->mesh,
                         .tensor_owners = std::move(owners),
                         .root_parts = parts_of_results(index)};
    if (!region.stages.empty()) around.along = along_micro(region, region.micro, true).roots;
    for (size_t r = 0; r < region.turn.roots.size(); ++r)
      around.root_owners.push_back(owners_of_result(*node, static_cast<int32_t>(r)));
    graph::Program iteration = iteration_of(*node, around.along);
    for (size_t k = 0; k < copies.size(); ++k) iteration.inputs[k].copies = copies[k];
    loop.turn = options_.compile(std::move(iteration), around);
    bring_before(loop.turn, region, operands);
    loop.operands = std::move(operands);
    std::vector<size_t> results;
    for (size_t r = 0; r < node->results.size(); ++r) {
      const LocalValue& given = loop.turn.values[loop.turn.outputs[r][0]];
      LocalValue result = block_of_result(names_[index], *node, static_cast<int>(r), node->shardings[r]);
      const auto place = static_cast<int32_t>(r);
      const bool is_stacked = place < region.carried + region.stacked;
      if (is_stacked && place >= region.carried && !owners_of_result(*node, place).empty()) {
        result.element = given.element;  // a sum of bf16 is rounded after the loop
      } else if (place >= region.carried && (!is_stacked || given.partial)) {
        result = given;
        result.mesh = node->mesh;
        result.order.clear();
        if (is_stacked) result.dims.insert(result.dims.begin(), {node->results[r].dims[0], region.stages, false, {}});
      }
      loop.results.push_back(local_.add(std::move(result)));
      results.push_back(r);
    }
    add_loop(index, std::move(loop), results);
  }

  /// Lowers a loop whose iterations are split over stages: each stage runs its own iterations for one micro-batch
  /// after the other.
  void run_in_pipeline(int index, const std::vector<int>& operands) {
    const graph::OperationRef& node = graph_.operations[index].operation;
    const graph::Region& region = *node->region;
    Pipeline pipeline = pipelined(*node);
    LocalLoop loop;
    loop.node = pipeline.loop;
    for (size_t k = 0; k < operands.size(); ++k) {
      const int operand = operands[pipeline.operands[k]];
      loop.operands.push_back(local_.bring(operand, pipeline.lies[k], node, summed_reason(local_[operand], *node)));
      loop.parameters.push_back(is_parameter(graph_.operands_of(index)[pipeline.operands[k]]));
      loop.copies.push_back(copies_to_read(*pipeline.loop, k, local_, loop.operands[k]));
      for (const Sharding& copy : loop.copies[k])
        pipeline.turn.inputs[k].copies.push_back({copy_in_turn(*pipeline.loop, k, copy), {}});
    }
    keep_copies_of_turn(pipeline.turn, *pipeline.loop->region);
    loop.turn = options_.compile(std::move(pipeline.turn), {.region = pipeline.loop->region.get(),
                                                            .parameters = loop.parameters,
                                                            .micro = axis_bit(node->mesh->order()),
                                                            .over = region.micro});
    bring_before(loop.turn, *pipeline.loop->region, loop.operands);
    for (size_t r = 0; r < pipeline.results.size(); ++r) {
      const auto place = static_cast<int32_t>(pipeline.results[r]);
      LocalValue result = loop.turn.values[loop.turn.outputs[r][0]];
      result.mesh = node->mesh;
      result.order.clear();
      for (LocalDim& dim : result.dims)
        if (dim.dim.name == region.micro) dim.axes = AxisList();
      if (place < region.carried || place >= region.carried + region.stacked) result.partial |= region.stages.set();
      loop.results.push_back(local_.add(std::move(result)));
    }
    add_loop(index, std::move(loop), pipeline.results);
  }

  /// Makes the outcome of an operation its result, in the result's layout unless it may stay partial.
  void complete(graph::ProgramValue value, int outcome, const ReasonRef& reason) {
    const graph::OperationRef& node = of(value);
    if (!local_[outcome].partial || !may_stay_partial(value, local_[outcome].element, local_[outcome].partial))
      outcome = rounded(local_, local_.bring(outcome, node->shardings[value.result], node, reason), node, value.result);
    locals_[at(value)] = outcome;
  }

  /// The results of an operation on blocks, in the split in which it is computed, and the reason to reduce them.
  struct Applied {
    std::vector<int> outcomes;
    ReasonRef reason;
  };
  Applied applied(int index, std::vector<int> operands, const std::vector<bool>& zeros) {
    const graph::ProgramOperation& entry = graph_.operations[index];
    const graph::OperationRef& node = entry.operation;
    const graph::Op& op = *node->op;
    OfForm& form = of_form(index);
    const IterationSplit& split = split_of(form, index, operands, zeros);
    const Lowering of{node, *form.space, split, names_[index], entry.origin};
    for (size_t k = 0; k < operands.size(); ++k)
      operands[k] = local_.bring(operands[k], split.operands[k], node, summed_reason(local_[operands[k]], *node));
    Applied results;
    if (op.role == graph::Role::kView && node->results[0] == node->operands[0] &&
        split.operands[0] == split.results[0]) {
      results.outcomes = {operands[0]};  // the same tensor under another name
    } else {
      results.outcomes = apply(index, of, operands);
      if (op.role == graph::Role::kView && split.operands[0] == split.results[0])
        local_.is_view(results.outcomes[0], operands[0], node);
    }
    results.reason = reduce_reason(*node, *form.space, split);
    for (int& outcome : results.outcomes) outcome = reduce_others(local_, of, outcome, results.reason);
    return results;
  }

  OfForm& of_form(int index) {
    const auto [at, fresh] = forms_.try_emplace(merged_.forms[index]);
    if (fresh) at->second.space = &graph_.operations[index].operation->space();
    return at->second;
  }

  /// Returns the split of an operation of a form with these operands. The reference is valid until the next call.
  const IterationSplit& split_of(OfForm& form, int index, const std::vector<int>& operands,
                                 const std::vector<bool>& zeros) {
    const graph::OperationRef& node = graph_.operations[index].operation;
    const std::span<const graph::ProgramValue> values = graph_.operands_of(index);
    const bool joins = joins_sums(index, operands);
    for (const KnownSplit& each : form.splits) {
      bool same = each.joins == joins && each.zeros == zeros;
      for (size_t k = 0; same && k < operands.size(); ++k) same = lies_as(local_[operands[k]], each.operands[k]);
      if (same) return each.split;
    }
    std::vector<Placed> placed, results;
    KnownSplit found{{}, zeros, joins, {}};
    for (size_t k = 0; k < operands.size(); ++k) {
      const int value = operands[k];
      placed.push_back({local_[value].type(), local_[value].sharding(), zeros[k],
                        [this, value](const Sharding& wanted) { return local_.has_copy(value, wanted); },
                        written_.of(values[k])});
      found.operands.push_back(placed[k].sharding);
    }
    for (size_t r = 0; r < node->results.size(); ++r)
      results.push_back({node->results[r], node->shardings[r], false, {}, written_.of_gradient(index)});
    const Arithmetic arithmetic{node->results.size() == 1 ? node->op->linear : graph::Linear::kNo, node->op->work,
                                joins};
    found.split = split_iteration(*form.space, arithmetic, placed, results, *node->mesh, local_.ways());
    if (node->op == &ops::kReshape) keep_blocks(found.split, *node, found.operands[0]);
    if (found.split.is_only) return form.splits.emplace_back(std::move(found)).split;
    return chosen_ = std::move(found.split);
  }

  /// Lets a reshape keep the blocks of its operand, or those that its result's layout asks for, if that costs less.
  void keep_blocks(IterationSplit& split, const graph::LaidOutOperation& reshape, const Sharding& has) {
    const TensorType &from = reshape.operands[0], &to = reshape.results[0];
    const auto cost = [&](const Sharding& operand, const Sharding& result) {
      const ReshardCost before = local_.ways().find(from, has, operand, *reshape.mesh).cost;
      const ReshardCost after = local_.ways().find(to, result, reshape.shardings[0], *reshape.mesh).cost;
      return std::pair(before.wire_bytes + after.wire_bytes, before.count + after.count);
    };
    auto least = cost(split.operands[0], split.results[0]);
    const auto consider = [&](std::optional<Sharding> operand, std::optional<Sharding> result) {
      if (!operand || !result) return;
      operand->partial = split.operands[0].partial, result->partial = split.results[0].partial;
      if ((operand->split() | result->split()) & (operand->partial | result->partial)) return;
      if (const auto now = cost(*operand, *result); now < least) {
        least = now;
        split.operands[0] = *operand, split.results[0] = *result;
        split.dims.assign(split.dims.size(), {});
      }
    };
    const Sharding& wanted = reshape.shardings[0];
    consider(reshaped_blocks(to.dims, wanted, from.dims, *reshape.mesh), wanted);
    consider(has, reshaped_blocks(from.dims, has, to.dims, *reshape.mesh));
  }

  /// True if the operation adds partial operands over the same axes, or if another such sum will be added to its
  /// result.
  bool joins_sums(int index, const std::vector<int>& operands) const {
    const auto is_partial = [&](int value) { return local_[value].partial != 0; };
    const graph::Op& op = *graph_.operations[index].operation->op;
    if (op.role == graph::Role::kContraction) return false;
    if (op.linear == graph::Linear::kJoint && std::count_if(operands.begin(), operands.end(), is_partial) > 1)
      return true;
    return std::all_of(operands.begin(), operands.end(),
                       [&](int value) { return !(local_[value].partial & ~joined_[index]); });
  }

  /// Computes the operation on blocks: fetches elements of other blocks, then applies the operation.
  std::vector<int> apply(int index, const Lowering& of, std::vector<int> operands) {
    const graph::LaidOutOperation& node = *of.node;
    const int with_halos = halos_.fetched(index, local_, of, operands.empty() ? -1 : operands[0]);
    if (with_halos >= 0) operands[0] = with_halos;
    bool flat = false;
    for (size_t j = 0; j < of.space.dims.size(); ++j) {
      const graph::IterationDim& dim = of.space.dims[j];
      const AxisList& axes = of.split.dims[j];
      if (axes.empty()) continue;
      if (dim.follows >= 0)
        for (size_t k = 0; k < operands.size(); ++k)
          if (dim.operands[k] >= 0 && !of.split.operands[k].dims[dim.operands[k]].empty())
            operands[k] = fetch(local_, of, operands[k], dim.operands[k], dim.reach, axes);
      if (!dim.maps.empty() && with_halos < 0)
        for (size_t k = 0; k < operands.size(); ++k)
          if (dim.operands[k] >= 0) operands[k] = fetch(local_, of, operands[k], dim.operands[k], dim.maps[k], axes);
      flat = flat || (dim.kind == graph::SplitKind::kFactors && !blocks_coincide(node, dim, axes));
      if (dim.kind == graph::SplitKind::kScan) return {scan(local_, of, operands[0])};
    }
    std::vector<int> results;
    for (size_t r = 0; r < node.results.size(); ++r) {
      LocalValue result = block_of_result(of.name, node, static_cast<int>(r), of.split.results[r]);
      result.partial &= ~loop_.micro;  // a micro-batch's sum over them is complete for that micro-batch
      const graph::IterationDim* const follower = follower_of(of, r);
      if (follower) {
        LocalDim& wide = result.dims[follower->results[r]];
        wide.mapped = true;
        wide.map = follower->reach;
      }
      if (sums_unrounded(of) && (result.partial || follower) && result.element == ElementType::kBf16)
        result.element = ElementType::kF32;  // parts are rounded once, after the reduction
      results.push_back(local_.add(std::move(result)));
    }
    if (flat) reshape_by_intervals(local_, of, operands[0], results[0]);
    else local_.compute(of.node, operands, results, of.origin);
    for (size_t r = 0; r < results.size(); ++r)
      if (const graph::IterationDim* const follower = follower_of(of, r))
        results[r] = add_back(local_, of, results[r], follower->results[r], of.split.dims[follower->follows]);
    return results;
  }

  /// Returns the dim of a result that follows a split dim, so that blocks have intervals of it; null if there is none.
  static const graph::IterationDim* follower_of(const Lowering& of, size_t r) {
    for (size_t j = 0; j < of.space.dims.size(); ++j)
      if (of.space.dims[j].follows >= 0 && of.space.dims[j].results[r] >= 0 && !of.split.dims[j].empty())
        return &of.space.dims[j];
    return nullptr;
  }

  const MergedProgram& merged_;
  const LoweringOptions& options_;
  const EnclosingLoop& loop_;
  const graph::Region* const region_;  ///< of the loop; null: none
  const graph::Program& graph_;
  const std::vector<std::string> names_;
  LocalBuilder local_;
  Halos halos_;
  const ProgramReaders readers_;
  const WrittenLayouts written_;
  const std::vector<AxisSet> partial_, joined_;  ///< for each operation (spmd/partial_sums.h)
  const std::vector<bool> is_link_;              ///< for each operation (spmd/partial_sums.h)
  std::vector<bool> zero_;                       ///< for each operation: its result is a constant zero
  std::vector<int> locals_;                      ///< the local value that holds each result, or -1
  std::vector<int> input_locals_;
  std::unordered_map<int32_t, Parts> sums_;  ///< of additions with separate terms, until the next one
  std::unordered_map<int32_t, OfForm> forms_;
  IterationSplit chosen_;  ///< the latest split that no entry of forms_ has
};

}  // namespace

LocalProgram split(const MergedProgram& merged, const LoweringOptions& options, const EnclosingLoop* loop) {
  LocalProgram local = Splitter(merged, options, loop ? *loop : EnclosingLoop{}).run();
  if (!loop) leave_out_unread_of_loops(local);
  return local;
}

}  // namespace mtf::spmd
