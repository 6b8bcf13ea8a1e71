// Joins the two loops of a pipeline whose schedule is 1F1B (PipeDream: Narayanan et al., 2019; Megatron-LM: 2021).
//
// The gradient of a pipelined loop is another pipelined loop. With GPipe's schedule all micro-batches pass through the
// first loop, then all through the second. So each stage keeps the saved values of all micro-batches. With 1F1B a stage
// does the backward pass of a micro-batch as soon as it can. F1 and B1 are the passes of micro-batch 1 through a stage:
//
//   stage 0   F0 F1 F2          B0 F3 B1 F4 B2 …     keeps at most 3 micro-batches, the number of stages
//   stage 1      F0 F1       B0 F2 B1 F3 B2 …        keeps 2
//   stage 2         F0 B0 F1 B1 F2 B2 …              keeps 1
//
// So the last stage must compute what stands between the loops, the loss, for one micro-batch alone. The pass finds the
// operations behind the first loop that treat micro-batches one by one (graph::along_micro). Sums over them are
// allowed, if nothing but linear operations reads them. These operations become a loop of one turn, which the last
// stage alone runs. One loop over micro-batches then has three operations in its iteration:
//
//     forward     the first loop over layers
//     loss        what stands between, on the last stage; zeros on all others
//     backward    the second loop over layers
//
// Each gradient is added up in the order of the micro-batches, as with GPipe's schedule. The pass leaves a pipeline as
// it is in three cases: an operation between its loops mixes micro-batches, several loops read the saved values, or the
// program has no second loop.
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "graph/op.h"
#include "graph/region.h"
#include "ops/loop.h"
#include "ops/ops.h"
#include "spmd/local_builder.h"
#include "spmd/passes.h"
#include "spmd/pipeline.h"

namespace mtf::spmd {
namespace {

using graph::AlongMicro;
using graph::ProgramValue;

bool alternates(const graph::LaidOutOperation& operation) {
  return operation.region && operation.op == &ops::kScan && !operation.region->stages.empty() &&
         !operation.region->hands_on && operation.attributes.get<ops::ScanAttributes>().alternates;
}

class Joiner {
 public:
  Joiner(const graph::Program& program, int forward, int backward)
      : program_(program),
        forward_(forward),
        backward_(backward),
        first_(*program.operations[forward].operation),
        last_(*program.operations[backward].operation),
        region_(*first_.region),
        micro_(*first_.mesh, region_.micro, micro_batches(region_)),
        parts_(program.operations.size(), Part::kBefore),
        along_(program.operations.size()) {}

  std::optional<graph::Program> run() {
    if (busy_stages(first_) < 2 || !same_mesh(first_.mesh, last_.mesh) || !find_parts()) return std::nullopt;
    take_operands_of_loss();
    find_reads();
    if (!all_origins_known() || outputs_of_loss_.empty()) return std::nullopt;
    add_operands();
    add_operations();
    add_results();
    return rewritten(joined());
  }

 private:
  enum class Part : uint8_t { kBefore, kForward, kLoss, kBackward, kAfter };

  Part part_of(ProgramValue value) const { return value.is_input() ? Part::kBefore : parts_[value.source]; }
  bool is_inside(ProgramValue value) const {
    const Part part = part_of(value);
    return part != Part::kBefore && part != Part::kAfter;
  }
  bool has_micro(const TensorType& type) const { return has_dim(type.dims, region_.micro); }
  const graph::LaidOutOperation& operation(size_t i) const { return *program_.operations[i].operation; }

  AlongMicro along(ProgramValue value) const {
    if (!value.is_input() && !along_[value.source].empty()) return along_[value.source][value.result];
    return has_micro(program_.type(value)) ? AlongMicro::kBlock : AlongMicro::kSame;
  }

  // ---- what belongs to the joined loop ------------------------------------------------------------------------------

  /// Returns false if the second loop needs something that mixes micro-batches.
  bool find_parts() {
    along_[forward_] = along_micro(region_, region_.micro, true).roots;
    along_[backward_] = along_micro(*last_.region, region_.micro, true).roots;
    parts_[forward_] = Part::kForward;
    for (size_t i = static_cast<size_t>(forward_) + 1; i < parts_.size(); ++i) {
      bool depends = false, is_behind = false;
      std::vector<AlongMicro> operands;
      for (const ProgramValue value : program_.operands_of(i)) {
        const Part part = part_of(value);
        depends = depends || part != Part::kBefore;
        // only the second loop reads what the first one has saved
        is_behind = is_behind || part == Part::kAfter || part == Part::kBackward ||
                    (part == Part::kForward && value.result >= region_.carried);
        operands.push_back(along(value));
      }
      if (static_cast<int>(i) == backward_) {
        if (!may_be_read_backward(i)) return false;
        parts_[i] = Part::kBackward;
      } else if (depends) {
        parts_[i] = !is_behind && may_be_in_loss(i, operands) ? Part::kLoss : Part::kAfter;
      }
    }
    return true;
  }

  bool may_be_read_backward(size_t backward) const {
    const std::span<const ProgramValue> operands = program_.operands_of(backward);
    return std::all_of(operands.begin(), operands.end(), [&](ProgramValue value) {
      return part_of(value) != Part::kAfter && !(part_of(value) == Part::kLoss && along(value) == AlongMicro::kSum);
    });
  }

  bool may_be_in_loss(size_t i, const std::vector<AlongMicro>& operands) {
    const graph::LaidOutOperation& here = operation(i);
    if (here.op == &ops::kAssign || !same_mesh(here.mesh, first_.mesh)) return false;
    if (here.region && (here.region->hands_on || !here.region->micro.empty())) return false;
    std::optional<std::vector<AlongMicro>> along = along_micro(here, operands, region_.micro);
    if (!along) return false;
    along_[i] = std::move(*along);
    return true;
  }

  /// Makes in the loss what only the loss reads: numbers that are repeated along dims, and values with micro-batches
  /// that are no smaller than their operands. An example is a label that is compared with the whole vocabulary. Such a
  /// value then exists for one micro-batch at a time.
  void take_operands_of_loss() {
    std::vector<bool> only_loss(parts_.size(), true);
    for (const std::vector<ProgramValue>* ends : {&program_.roots, &program_.for_gradients})
      for (const ProgramValue value : *ends)
        if (!value.is_input()) only_loss[value.source] = false;
    for (size_t i = parts_.size(); i-- > 0;) {
      if (parts_[i] == Part::kBefore && only_loss[i] && (is_repeated_number(i) || is_made_by_micro_batch(i)))
        parts_[i] = Part::kLoss;
      for (const ProgramValue value : program_.operands_of(i))
        if (!value.is_input() && parts_[i] != Part::kLoss) only_loss[value.source] = false;
    }
  }

  bool is_repeated_number(size_t i) const {
    const std::span<const ProgramValue> operands = program_.operands_of(i);
    return operands.size() == 1 && program_.type(operands[0]).dims.empty() &&
           operation(i).op->role == graph::Role::kRepeat && same_mesh(operation(i).mesh, first_.mesh);
  }

  bool is_made_by_micro_batch(size_t i) {
    const graph::LaidOutOperation& here = operation(i);
    if (here.op->is_leaf() || here.region || here.results.size() != 1 || !has_micro(here.results[0]) ||
        (program_.operations[i].origin < 0 && !here.inputs.empty()))
      return false;
    std::vector<AlongMicro> operands;
    for (const ProgramValue value : program_.operands_of(i)) {
      if (size_of(program_.type(value).dims) > size_of(here.results[0].dims)) return false;
      operands.push_back(along(value));
    }
    return may_be_in_loss(i, operands);
  }

  /// Finds the values that the outside reads.
  void find_reads() {
    const auto read = [&](ProgramValue value, Part by) {
      if (!is_inside(value)) return;
      if (by == Part::kBefore || by == Part::kAfter) read_outside_.insert(value);
      if (part_of(value) == Part::kLoss && by != Part::kLoss) outputs_of_loss_.insert(value);
    };
    for (size_t i = 0; i < parts_.size(); ++i)
      for (const ProgramValue value : program_.operands_of(i)) read(value, parts_[i]);
    for (const std::vector<ProgramValue>* ends : {&program_.roots, &program_.for_gradients})
      for (const ProgramValue value : *ends) read(value, Part::kAfter);
  }

  /// The loop reads the numbers of its operations in each run, as the captured program then has them.
  bool all_origins_known() const {
    for (size_t i = 0; i < parts_.size(); ++i)
      if (parts_[i] != Part::kBefore && parts_[i] != Part::kAfter && program_.operations[i].origin < 0 &&
          !operation(i).inputs.empty())
        return false;
    return true;
  }

  // ---- the joined loop ----------------------------------------------------------------------------------------------

  /// Values with micro-batches come first, the carry of the first loop before all.
  void add_operands() {
    std::vector<std::pair<ProgramValue, Sharding>> all;
    std::set<ProgramValue> known;
    const auto add = [&](ProgramValue value, Sharding lies) {
      if (!is_inside(value) && known.insert(value).second) all.emplace_back(value, std::move(lies));
    };
    for (const int loop : {forward_, backward_})
      for (size_t k = 0; k < program_.operands_of(loop).size(); ++k)
        add(program_.operands_of(loop)[k], operand_of_stages(operation(loop), k));
    for (size_t i = 0; i < parts_.size(); ++i)
      if (parts_[i] == Part::kLoss)
        for (const ProgramValue value : program_.operands_of(i))
          add(value, in_stage(program_.maker(value)).shardings[program_.result_of(value)]);
    for (const bool first : {true, false})
      for (const auto& [value, lies] : all) {
        const TensorType& type = program_.type(value);
        if (has_micro(type) != first) continue;
        operands_[value] = ProgramValue::input(outside_.size());
        outside_.push_back(value);
        ++(first ? around_.placed : around_.constants);
        graph::ProgramInput& input = around_.iteration.inputs.emplace_back();
        input.operation = data_operation(type, micro_.split(lies, type.dims), 0, micro_.mesh());
        if (value.is_input()) input.name = Name(name_of(program_.inputs[value.input()]));
        else input.name = program_.operations[value.source].name;
      }
  }

  graph::LaidOutOperation in_stage(const graph::LaidOutOperation& was) const {
    return *within_stage(was, region_.stages.set(), region_.micro);
  }

  void add_operations() {
    add_operation(of_stage(first_, micro_), program_.operands_of(forward_), {program_.operations[forward_].origin},
                  first_.inputs);
    for (size_t r = 0; r < first_.results.size(); ++r) operands_[{forward_, static_cast<int32_t>(r)}] = {0, index(r)};
    add_loss();
    add_operation(of_stage(last_, micro_), program_.operands_of(backward_), {program_.operations[backward_].origin},
                  last_.inputs);
    for (size_t r = 0; r < last_.results.size(); ++r) operands_[{backward_, static_cast<int32_t>(r)}] = {2, index(r)};
  }

  static int32_t index(size_t i) { return static_cast<int32_t>(i); }

  void add_operation(graph::OperationRef made, std::span<const ProgramValue> operands,
                     const std::vector<int32_t>& origins, const std::vector<double>& numbers) {
    graph::Program& iteration = around_.iteration;
    graph::ProgramOperation entry;
    entry.operation = std::move(made);
    entry.first_operand = index(iteration.operands.size());
    entry.operand_count = index(operands.size());
    entry.origin = index(iteration.operations.size());
    for (const ProgramValue value : operands) iteration.operands.push_back(operands_.at(value));
    iteration.operations.push_back(std::move(entry));
    around_.first_number.push_back(index(numbers_.size()));
    numbers_.insert(numbers_.end(), numbers.begin(), numbers.end());
    for (const int32_t origin : origins)
      if (origin >= 0) around_.joined.push_back(origin);
  }

  /// Adds the loss as a loop of one turn, whose results are sums over its turns.
  void add_loss() {
    graph::Region loss;
    loss.iterations = 1;
    std::map<ProgramValue, ProgramValue> inside;
    std::vector<ProgramValue> read;
    std::vector<int32_t> origins;
    std::vector<double> numbers;
    auto made = std::make_shared<graph::LaidOutOperation>();
    for (size_t i = 0; i < parts_.size(); ++i) {
      if (parts_[i] != Part::kLoss) continue;
      graph::ProgramOperation entry = program_.operations[i];
      const std::span<const ProgramValue> operands = program_.operands_of(i);
      entry.operation = micro_.operation(in_stage(operation(i)));
      entry.first_operand = index(loss.iteration.operands.size());
      entry.like = -1;
      entry.origin = index(loss.iteration.operations.size());
      for (const ProgramValue value : operands) {
        if (!inside.contains(value)) add_input_of_loss(value, loss, inside, read, *made);
        loss.iteration.operands.push_back(inside.at(value));
      }
      for (size_t r = 0; r < operation(i).results.size(); ++r)
        inside[{index(i), index(r)}] = {index(loss.iteration.operations.size()), index(r)};
      loss.first_number.push_back(index(numbers.size()));
      numbers.insert(numbers.end(), operation(i).inputs.begin(), operation(i).inputs.end());
      origins.push_back(program_.operations[i].origin);
      loss.iteration.operations.push_back(std::move(entry));
    }
    for (const ProgramValue value : outputs_of_loss_) {
      operands_[value] = {1, index(loss.iteration.roots.size())};
      loss.iteration.roots.push_back(inside.at(value));
      ++loss.summed;
      made->results.push_back(program_.type(value));
      made->shardings.push_back(loss.iteration.sharding(inside.at(value)));
      made->inherited.push_back(0);
    }
    made->op = &ops::kScan;
    made->attributes = ops::ScanAttributes{.over = {Name("loss"), 1}};
    made->mesh = micro_.mesh();
    made->span = last_.span;
    made->frame = last_.frame;
    made->inputs = numbers;
    made->region = with_form(std::move(loss));
    add_operation(std::move(made), read, origins, numbers);
  }

  void add_input_of_loss(ProgramValue value, graph::Region& loss, std::map<ProgramValue, ProgramValue>& inside,
                         std::vector<ProgramValue>& read, graph::LaidOutOperation& made) const {
    const TensorType& type = program_.type(value);
    const ProgramValue from = operands_.at(value);
    graph::ProgramInput& input = loss.iteration.inputs.emplace_back();
    input.operation = data_operation(type, around_.iteration.sharding(from), 0, micro_.mesh());
    if (!value.is_input()) input.name = program_.operations[value.source].name;
    inside[value] = ProgramValue::input(loss.iteration.inputs.size() - 1);
    loss.input_number.push_back(-1);
    ++loss.constants;
    read.push_back(value);
    made.operands.push_back(type);
  }

  void add_results() {
    const auto add = [&](ProgramValue value, bool is_sum) {
      if ((along(value) == AlongMicro::kSum) != is_sum || results_.contains(value)) return;
      results_[value] = index(around_.iteration.roots.size());
      around_.iteration.roots.push_back(operands_.at(value));
      ++(is_sum ? around_.summed : around_.stacked);
    };
    for (const bool is_sum : {false, true}) {
      for (const int loop : {forward_, backward_})  // carries go from stage to stage in the memory of results
        for (int32_t c = 0; c < operation(loop).region->carried; ++c) add({loop, c}, is_sum);
      for (const ProgramValue value : read_outside_) add(value, is_sum);
    }
  }

  graph::ProgramOperation joined() {
    const auto attributes = first_.attributes.get<ops::ScanAttributes>();
    auto made = std::make_shared<graph::LaidOutOperation>(last_);
    made->attributes = ops::ScanAttributes{
        .over = {region_.micro, micro_batches(region_)}, .reverse = attributes.reverse, .alternates = true};
    made->inputs = numbers_;
    made->operands.clear();
    for (const ProgramValue value : outside_) made->operands.push_back(program_.type(value));
    made->results.resize(results_.size());
    made->shardings.resize(results_.size());
    made->inherited.resize(results_.size());
    for (const auto& [value, r] : results_) {
      made->results[r] = program_.type(value);
      made->shardings[r] = program_.sharding(value);
      made->inherited[r] = program_.inherited(value);
    }
    around_.iterations = micro_batches(region_);
    around_.micro = region_.micro;
    around_.stages = region_.stages;
    around_.hands_on = true;
    around_.idle = busy_stages(first_) - 1;
    around_.input_number.assign(outside_.size(), -1);
    made->region = with_form(around_);
    graph::ProgramOperation entry;
    entry.operation = std::move(made);
    return entry;
  }

  // ---- the program --------------------------------------------------------------------------------------------------

  graph::Program rewritten(graph::ProgramOperation joined) const {
    graph::Program now;
    now.inputs = program_.inputs;
    now.only_history = program_.only_history;
    std::vector<int32_t> place(parts_.size(), -1);
    int32_t of_joined = -1;
    const auto moved = [&](ProgramValue value) -> ProgramValue {
      if (value.is_input()) return value;
      if (is_inside(value)) return {of_joined, results_.at(value)};
      return {place[value.source], value.result};
    };
    const auto add = [&](graph::ProgramOperation entry, std::span<const ProgramValue> operands) {
      entry.first_operand = index(now.operands.size());
      entry.operand_count = index(operands.size());
      entry.like = -1;
      for (const ProgramValue value : operands) now.operands.push_back(moved(value));
      now.operations.push_back(std::move(entry));
      return index(now.operations.size()) - 1;
    };
    const auto add_all = [&](Part part) {
      for (size_t i = 0; i < parts_.size(); ++i)
        if (parts_[i] == part) place[i] = add(program_.operations[i], program_.operands_of(i));
    };
    add_all(Part::kBefore);
    of_joined = add(std::move(joined), outside_);
    add_all(Part::kAfter);
    for (const ProgramValue value : program_.roots) now.roots.push_back(moved(value));
    for (const ProgramValue value : program_.for_gradients) now.for_gradients.push_back(moved(value));
    return now;
  }

  const graph::Program& program_;
  const int forward_, backward_;
  const graph::LaidOutOperation &first_, &last_;
  const graph::Region& region_;
  const OnMicroBatches micro_;
  std::vector<Part> parts_;                     // for each operation
  std::vector<std::vector<AlongMicro>> along_;  // for each operation of the joined loop: its results
  std::set<ProgramValue> read_outside_;         // values of the joined loop that others read
  std::set<ProgramValue> outputs_of_loss_;
  graph::Region around_;                           // of the joined loop
  std::vector<double> numbers_;                    // of the joined loop
  std::vector<ProgramValue> outside_;              // the operands of the joined loop
  std::map<ProgramValue, ProgramValue> operands_;  // the values that an iteration's operations read, in the iteration
  std::map<ProgramValue, int32_t> results_;        // the results of the joined loop
};

/// Returns the only pipeline that reads what `forward` has saved; -1 if there is none, or if there are several.
int backward_of(const graph::Program& program, int forward) {
  const graph::LaidOutOperation& first = *program.operations[forward].operation;
  int found = -1;
  for (size_t i = static_cast<size_t>(forward) + 1; i < program.operations.size(); ++i) {
    const graph::LaidOutOperation& other = *program.operations[i].operation;
    if (!other.region) continue;
    for (const ProgramValue value : program.operands_of(i)) {
      if (value.source != forward || value.result < first.region->carried) continue;
      const bool fits = alternates(other) && other.region->stages == first.region->stages &&
                        other.region->micro == first.region->micro;
      if (!fits || (found >= 0 && found != static_cast<int>(i))) return -1;
      found = static_cast<int>(i);
    }
  }
  return found;
}

}  // namespace

void join_pipelines(MergedProgram& merged, Forms& forms) {
  for (size_t i = 0; i < merged.program.operations.size(); ++i) {
    if (!alternates(*merged.program.operations[i].operation)) continue;
    const int backward = backward_of(merged.program, static_cast<int>(i));
    if (backward < 0) continue;
    std::optional<graph::Program> joined = Joiner(merged.program, static_cast<int>(i), backward).run();
    if (!joined) continue;
    merged = merge(*joined, forms);
    i = 0;
  }
}

}  // namespace mtf::spmd
