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
// stage alone runs. The first stage alone runs two more such loops. One makes the start of a micro-batch, as an
// embedding does. The other reads the gradient of the start, and adds up the gradient of the embedding. One loop over
// micro-batches then has up to five operations in its iteration:
//
//     entry       what makes the start, on the first stage
//     forward     the first loop over layers
//     loss        what stands between, on the last stage; zeros on all others
//     backward    the second loop over layers
//     exit        what reads the gradient of the start, on the first stage; zeros on all others
//
// So the start and its gradient exist for micro-batches under way. What stages hand on has as many places as there are
// stages. Each gradient is added up in the order of the micro-batches, as with GPipe's schedule. The pass leaves a
// pipeline as it is in three cases: an operation between its loops mixes micro-batches, several loops read the saved
// values, or the program has no second loop.
//
// Stages may have several chunks of layers (spmd/pipeline_chunks.h). The pass also makes a loop over micro-batches of a
// pipeline without a gradient if it is to have chunks.
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
#include "spmd/pipeline_chunks.h"
#include "spmd/pipeline_parts.h"

namespace mtf::spmd {
namespace {

using graph::AlongMicro;
using graph::ProgramValue;
using Part = PipelinePart;

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
        parts_(program, forward, backward),
        found_(parts_.find()),
        chunks_(program, {forward, backward}, [this](size_t i) { return parts_.is_inside(parts_.of(i)); }) {}

  std::optional<graph::Program> run() {
    if (busy_stages(first_) < 2 || !same_mesh(first_.mesh, last_.mesh) || !found_) return std::nullopt;
    add_operands();
    add_operations();
    add_results();
    return rewritten(joined());
  }

 private:
  size_t count() const { return program_.operations.size(); }
  bool has_micro(const TensorType& type) const { return has_dim(type.dims, region_.micro); }
  const graph::LaidOutOperation& operation(size_t i) const { return *program_.operations[i].operation; }

  // ---- the joined loop ----------------------------------------------------------------------------------------------

  /// Values with micro-batches come first, the carry of the first loop before all.
  void add_operands() {
    std::vector<std::pair<ProgramValue, Sharding>> all;
    std::set<ProgramValue> known;
    const auto add = [&](ProgramValue value, Sharding lies) {
      if (!parts_.is_inside(value) && known.insert(value).second) all.emplace_back(value, std::move(lies));
    };
    for (const int loop : {forward_, backward_})
      for (size_t k = 0; k < program_.operands_of(loop).size(); ++k)
        add(program_.operands_of(loop)[k], operand_of_stages(operation(loop), k));
    for (size_t i = 0; i < count(); ++i)
      if (parts_.is_inside(parts_.of(i)) && !is_loop(i))
        for (const ProgramValue value : program_.operands_of(i))
          add(value, in_stage(program_.maker(value)).shardings[program_.result_of(value)]);
    for (const bool first : {true, false})
      for (const auto& [value, lies] : all) {
        const TensorType type = chunks_.inside(value);
        if (has_micro(type) != first) continue;
        operands_[value] = ProgramValue::input(outside_.size());
        outside_.emplace_back(value, chunks_.around(value, lies));
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

  bool is_loop(size_t i) const { return static_cast<int>(i) == forward_ || static_cast<int>(i) == backward_; }

  void add_operations() {
    add_turn(Part::kEntry, "entry");
    add_loop(forward_);
    add_turn(Part::kLoss, "loss");
    add_loop(backward_);
    add_turn(Part::kExit, "exit");
  }

  void add_loop(int which) {
    const graph::LaidOutOperation& loop = operation(which);
    for (size_t r = 0; r < loop.results.size(); ++r)
      operands_[{which, index(r)}] = {index(around_.iteration.operations.size()), index(r)};
    graph::OperationRef stage = of_stage(loop, micro_);
    if (chunks_.count() > 1) stage = of_one_chunk(stage, chunks_.count());
    add_operation(std::move(stage), program_.operands_of(which), {program_.operations[which].origin}, loop.inputs);
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

  /// Adds a part as a loop of one turn, whose results are sums over its turns. One stage alone runs it.
  void add_turn(Part part, const char* name) {
    if (parts_.outputs(part).empty()) return;
    graph::Region turn;
    turn.iterations = 1;
    std::map<ProgramValue, ProgramValue> inside;
    std::vector<ProgramValue> read;
    std::vector<int32_t> origins;
    std::vector<double> numbers;
    auto made = std::make_shared<graph::LaidOutOperation>();
    for (size_t i = 0; i < count(); ++i) {
      if (parts_.of(i) != part && !(part == Part::kExit && parts_.is_drawn_again(i))) continue;
      graph::ProgramOperation entry = program_.operations[i];
      const std::span<const ProgramValue> operands = program_.operands_of(i);
      entry.operation = micro_.operation(in_stage(operation(i)));
      entry.first_operand = index(turn.iteration.operands.size());
      entry.like = -1;
      entry.origin = index(turn.iteration.operations.size());
      for (const ProgramValue value : operands) {
        if (!inside.contains(value)) add_input_of_turn(value, turn, inside, read, *made);
        turn.iteration.operands.push_back(inside.at(value));
      }
      for (size_t r = 0; r < operation(i).results.size(); ++r)
        inside[{index(i), index(r)}] = {index(turn.iteration.operations.size()), index(r)};
      turn.first_number.push_back(index(numbers.size()));
      numbers.insert(numbers.end(), operation(i).inputs.begin(), operation(i).inputs.end());
      origins.push_back(program_.operations[i].origin);
      turn.iteration.operations.push_back(std::move(entry));
    }
    for (const ProgramValue value : parts_.outputs(part)) {
      operands_[value] = {index(around_.iteration.operations.size()), index(turn.iteration.roots.size())};
      turn.iteration.roots.push_back(inside.at(value));
      ++turn.summed;
      made->results.push_back(program_.type(value));
      made->shardings.push_back(turn.iteration.sharding(inside.at(value)));
      made->inherited.push_back(0);
    }
    made->op = &ops::kScan;
    made->attributes = ops::ScanAttributes{.over = {Name(name), 1}};
    made->mesh = micro_.mesh();
    made->span = last_.span;
    made->frame = last_.frame;
    made->inputs = numbers;
    made->region = with_form(std::move(turn));
    add_operation(std::move(made), read, origins, numbers);
  }

  void add_input_of_turn(ProgramValue value, graph::Region& turn, std::map<ProgramValue, ProgramValue>& inside,
                         std::vector<ProgramValue>& read, graph::LaidOutOperation& made) const {
    const TensorType& type = program_.type(value);
    const ProgramValue from = operands_.at(value);
    graph::ProgramInput& input = turn.iteration.inputs.emplace_back();
    input.operation = data_operation(type, around_.iteration.sharding(from), 0, micro_.mesh());
    if (!value.is_input()) input.name = program_.operations[value.source].name;
    inside[value] = ProgramValue::input(turn.iteration.inputs.size() - 1);
    turn.input_number.push_back(-1);
    ++turn.constants;
    read.push_back(value);
    made.operands.push_back(type);
  }

  void add_results() {
    const auto add = [&](ProgramValue value, bool is_sum) {
      if ((parts_.along(value) == AlongMicro::kSum) != is_sum || results_.contains(value)) return;
      results_[value] = index(around_.iteration.roots.size());
      around_.iteration.roots.push_back(operands_.at(value));
      ++(is_sum ? around_.summed : around_.stacked);
    };
    for (const bool is_sum : {false, true}) {
      for (const int loop : {forward_, backward_})  // carries go from stage to stage in the memory of results
        for (int32_t c = 0; c < operation(loop).region->carried; ++c) add({loop, c}, is_sum);
      for (const ProgramValue value : parts_.read_outside()) add(value, is_sum);
    }
  }

  /// Returns the type of a result. A carry that only stages read has as many places as there are stages: a micro-batch
  /// takes the place of one that all stages have left.
  TensorType type_of_result(ProgramValue value) const {
    TensorType type = chunks_.around(value);
    if (parts_.read_outside().contains(value) || !has_micro(type)) return type;
    const int64_t stages = busy_stages(first_);
    Dim& micro = type.dims[find_dim(type.dims, region_.micro)];
    micro.size = std::min(micro.size, chunks_.count() == 1 ? stages : largest_group(micro.size, stages));
    return type;
  }

  graph::ProgramOperation joined() {
    const auto attributes = first_.attributes.get<ops::ScanAttributes>();
    auto made = std::make_shared<graph::LaidOutOperation>(last_);
    made->attributes = ops::ScanAttributes{.over = {region_.micro, micro_batches(region_)},
                                           .reverse = attributes.reverse,
                                           .alternates = true,
                                           .chunks = chunks_.count() > 1 ? chunks_.count() : 0};
    made->inputs = numbers_;
    made->operands.clear();
    for (const auto& [value, lies] : outside_) made->operands.push_back(chunks_.around(value));
    made->results.resize(results_.size());
    made->shardings.resize(results_.size());
    made->inherited.resize(results_.size());
    for (const auto& [value, r] : results_) {
      made->results[r] = type_of_result(value);
      made->shardings[r] = chunks_.around(value, program_.sharding(value));
      made->inherited[r] = program_.inherited(value);
    }
    around_.iterations = micro_batches(region_);
    around_.micro = region_.micro;
    around_.stages = region_.stages;
    around_.hands_on = true;
    const int64_t stages = busy_stages(first_);
    around_.idle = idle_turns(stages, chunks_.count(), around_.iterations);
    around_.input_number.assign(outside_.size(), -1);
    made->region = with_form(around_);
    graph::ProgramOperation entry;
    entry.operation = std::move(made);
    return entry;
  }

  graph::Program rewritten(graph::ProgramOperation joined) const {
    ProgramAroundPipeline now(program_, chunks_);
    const auto copy_all = [&](Part part) {
      for (size_t i = 0; i < count(); ++i)
        if (parts_.of(i) == part) now.copy(i);
    };
    copy_all(Part::kBefore);
    now.add_loop(std::move(joined), outside_, results_);
    copy_all(Part::kAfter);
    return now.take();
  }

  const graph::Program& program_;
  const int forward_, backward_;
  const graph::LaidOutOperation &first_, &last_;
  const graph::Region& region_;
  const OnMicroBatches micro_;
  PipelineParts parts_;
  const bool found_;  // the parts
  const ChunksOfLayers chunks_;
  graph::Region around_;                                    // of the joined loop
  std::vector<double> numbers_;                             // of the joined loop
  std::vector<std::pair<ProgramValue, Sharding>> outside_;  // the operands of the joined loop, as stages need them
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

/// Returns the program with a pipeline alone as a loop over micro-batches whose stages have several chunks of layers;
/// nothing if they cannot have them.
std::optional<graph::Program> interleaved(const graph::Program& program, int index) {
  const auto at = static_cast<size_t>(index);
  const graph::LaidOutOperation& loop = *program.operations[at].operation;
  if (program.operations[at].origin < 0) return std::nullopt;
  const ChunksOfLayers chunks(program, {index}, [&](size_t i) { return i == at; });
  if (chunks.count() == 1 || busy_stages(loop) < 2) return std::nullopt;
  const Pipeline pipeline = pipelined(loop, chunks.count());
  std::vector<std::pair<ProgramValue, Sharding>> operands;
  for (size_t k = 0; k < pipeline.operands.size(); ++k)
    operands.emplace_back(program.operands_of(at)[pipeline.operands[k]], pipeline.lies[k]);
  std::map<ProgramValue, int32_t> results;
  for (size_t r = 0; r < pipeline.results.size(); ++r)
    results[{index, static_cast<int32_t>(pipeline.results[r])}] = static_cast<int32_t>(r);
  graph::ProgramOperation entry;
  entry.operation = pipeline.loop;
  graph::Region region = *pipeline.loop->region;
  region.joined = {program.operations[at].origin};
  region.input_number.assign(pipeline.operands.size(), -1);
  auto made = std::make_shared<graph::LaidOutOperation>(*pipeline.loop);
  made->region = with_form(std::move(region));
  entry.operation = std::move(made);
  ProgramAroundPipeline now(program, chunks);
  for (size_t i = 0; i < at; ++i) now.copy(i);
  now.add_loop(std::move(entry), operands, results);
  for (size_t i = at + 1; i < program.operations.size(); ++i) now.copy(i);
  return now.take();
}

bool is_to_have_chunks(const graph::LaidOutOperation& operation) {
  return operation.region && operation.op == &ops::kScan && !operation.region->stages.empty() &&
         !operation.region->hands_on && operation.attributes.get<ops::ScanAttributes>().chunks > 1;
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
  for (size_t i = 0; i < merged.program.operations.size(); ++i) {
    if (!is_to_have_chunks(*merged.program.operations[i].operation)) continue;
    if (const std::optional<graph::Program> now = interleaved(merged.program, static_cast<int>(i)))
      merged = merge(*now, forms);
  }
}

}  // namespace mtf::spmd
