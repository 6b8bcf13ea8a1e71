#include "spmd/split_loop.h"

#include <algorithm>
#include <utility>

#include "graph/op.h"
#include "ops/loop.h"
#include "ops/record.h"
#include "ops/shape.h"
#include "spmd/hoist_reshards.h"
#include "spmd/pipeline.h"
#include "spmd/reasons.h"

namespace mtf::spmd {
namespace {

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
  graph::Program iteration = region.iteration;
  keep_copies_of_iteration(iteration, region);
  for (int32_t c = 0; c < region.carried; ++c) iteration.inputs[c].dies = true;
  for (int32_t r = region.carried; r < region.carried + region.stacked; ++r) {
    if (!along.empty() && along[r] == graph::AlongMicro::kSum) continue;  // it is reduced after the last micro-batch
    Sharding of_one = loop.shardings[r];
    of_one.dims.erase(of_one.dims.begin());
    ask(iteration, static_cast<size_t>(r), of_one);
  }
  return iteration;
}

}  // namespace

LoopSplitter::Lowered LoopSplitter::lower(int index, std::vector<int> operands) {
  const graph::OperationRef& node = graph_.operations[index].operation;
  const bool is_stage = around_.region && around_.region->hands_on;
  Lowered lowered;
  lowered.decision.node = node;
  lowered.decision.values = operands;
  lowered.decision.loop.emplace().is_pipeline = !node->region->stages.empty() && !is_stage;
  if (lowered.decision.loop->is_pipeline) in_pipeline(index, operands, lowered);
  else in_iterations(index, std::move(operands), lowered);
  return lowered;
}

/// Decides the sharding in which iterations need operand `k`, and whether owners send slices of it.
Sharding LoopSplitter::decide_operand(int index, size_t k, int operand, LoopDecision& decision) const {
  const graph::LaidOutOperation& node = *graph_.operations[index].operation;
  const graph::Region& region = *node.region;
  Sharding wanted = region.iteration.sharding(graph::ProgramValue::input(k));
  if (!region.is_placed(k)) return wanted;
  wanted.dims.insert(wanted.dims.begin(), region.stages);
  const LocalValue& all = local_[operand];
  if (!region.stages.empty() || all.partial || all.dims[0].axes.empty() || all.mesh != node.mesh) return wanted;
  wanted = all.sharding();
  if (!decider_.is_variable(graph_.operands_of(index)[k]) || node.mesh->group_size(wanted.dims[0].set()) == 1)
    return graph::off_loop_dim(node.operands[k].dims, std::move(wanted), *node.mesh);
  decision.operand_owners[k] = wanted.dims[0];
  return wanted;
}

int LoopSplitter::bring(int index, int operand, const Sharding& wanted, OperationDecision& decision) {
  const graph::OperationRef& node = graph_.operations[index].operation;
  decision.wanted.push_back(wanted);
  decision.reshardings.push_back(local_.way_to(operand, wanted));
  return local_.bring(decision.reshardings.back(), wanted, node, summed_reason(local_[operand], *node));
}

void LoopSplitter::compile(LocalLoop& loop, graph::Program iteration, const EnclosingLoop& around,
                           LoopDecision& decision) {
  const auto decisions = options_.decisions ? std::make_shared<Decisions>() : nullptr;
  loop.iteration = options_.compile(std::move(iteration), around, decisions.get());
  decision.iteration = decisions;
  decision.hoisted = hoist_reshards(loop.iteration, *loop.node->region, loop.operands, local_);
}

void LoopSplitter::in_iterations(int index, std::vector<int> operands, Lowered& lowered) {
  const graph::OperationRef& node = graph_.operations[index].operation;
  const graph::Region& region = *node->region;
  LoopDecision& decision = *lowered.decision.loop;
  LocalLoop& loop = lowered.loop;
  std::vector<Sharding> tensors;
  std::vector<std::vector<graph::InputCopy>> copies(operands.size());
  decision.operand_owners.resize(operands.size());
  for (size_t k = 0; k < operands.size(); ++k) {
    Sharding wanted = decide_operand(index, k, operands[k], decision);
    const AxisList& owners = decision.operand_owners[k];
    operands[k] = bring(index, operands[k], wanted, lowered.decision);
    loop.parameters.push_back(decider_.is_parameter(graph_.operands_of(index)[k]));
    loop.copies.push_back(owners.empty() ? copies_to_read(*node, k, local_, operands[k]) : std::vector<Sharding>());
    for (const Sharding& copy : loop.copies[k]) copies[k].push_back({copy_in_iteration(*node, k, copy), {}});
    if (region.is_placed(k)) wanted.dims.erase(wanted.dims.begin());
    wanted.partial = owners.set();  // only the owner holds the slice of an iteration
    tensors.push_back(std::move(wanted));
    if (static_cast<int32_t>(k) < region.carried && around_.region && around_.region->hands_on &&
        around_.region->idle > 0)
      operands[k] =
          local_.take_over(node, operands[k], region.stages, region.micro, root_of({index, static_cast<int32_t>(k)}));
  }
  decision.copies = loop.copies;
  decision.partial_results = decider_.partial_results(index);
  for (size_t r = 0; r < region.iteration.roots.size(); ++r)
    decision.result_owners.push_back(owners_of_result(*node, static_cast<int32_t>(r)));
  loop.node = node;
  EnclosingLoop around{.region = &region,
                       .tensors = std::move(tensors),
                       .parameters = loop.parameters,
                       .micro = around_.micro,
                       .over = node->attributes.get<ops::ScanAttributes>().over.name,
                       .mesh = node->mesh,
                       .tensor_owners = decision.operand_owners,
                       .root_owners = decision.result_owners,
                       .root_parts = decision.partial_results};
  if (!region.stages.empty()) around.along = along_micro(region, region.micro, true).roots;
  graph::Program iteration = iteration_of(*node, around.along);
  for (size_t k = 0; k < copies.size(); ++k) iteration.inputs[k].copies = copies[k];
  loop.operands = std::move(operands);
  compile(loop, std::move(iteration), around, decision);
  if (around_.region && around_.region->hands_on) hoist_from_stage(loop, around_.region->micro, local_);
  add_results(index, loop);
  for (size_t r = 0; r < loop.results.size(); ++r) lowered.results.push_back(r);
}

/// Adds the results of a loop: stacked values and sums as its iterations leave them.
void LoopSplitter::add_results(int index, LocalLoop& loop) {
  const graph::LaidOutOperation& node = *graph_.operations[index].operation;
  const graph::Region& region = *node.region;
  for (size_t r = 0; r < node.results.size(); ++r) {
    const LocalValue& given = loop.iteration.values[loop.iteration.outputs[r][0]];
    LocalValue result = block_of_result(names_[index], node, static_cast<int>(r), node.shardings[r]);
    const auto which = static_cast<int32_t>(r);
    const bool is_stacked = which < region.carried + region.stacked;
    if (is_stacked && which >= region.carried && !owners_of_result(node, which).empty()) {
      result.element = given.element;  // a sum of bf16 is rounded after the loop
    } else if (which >= region.carried && (!is_stacked || given.partial)) {
      result = given;
      result.mesh = node.mesh;
      result.order.clear();
      if (is_stacked) result.dims.insert(result.dims.begin(), {node.results[r].dims[0], region.stages, false, {}});
    }
    loop.results.push_back(local_.add(std::move(result)));
  }
}

/// Returns the index of a value among the roots.
int32_t LoopSplitter::root_of(graph::ProgramValue value) const {
  return static_cast<int32_t>(std::find(graph_.roots.begin(), graph_.roots.end(), value) - graph_.roots.begin());
}

/// Lowers a loop whose iterations are split over stages: each stage runs its own iterations for one micro-batch after
/// the other.
void LoopSplitter::in_pipeline(int index, const std::vector<int>& operands, Lowered& lowered) {
  const graph::OperationRef& node = graph_.operations[index].operation;
  const graph::Region& region = *node->region;
  Pipeline pipeline = pipelined(*node);
  LocalLoop& loop = lowered.loop;
  loop.node = pipeline.loop;
  const bool has_chunks = chunks_of(*pipeline.loop) > 1;  // then no copies are kept
  for (size_t k = 0; k < operands.size(); ++k) {
    loop.operands.push_back(bring(index, operands[pipeline.operands[k]], pipeline.lies[k], lowered.decision));
    loop.parameters.push_back(decider_.is_parameter(graph_.operands_of(index)[pipeline.operands[k]]));
    loop.copies.push_back(has_chunks ? std::vector<Sharding>()
                                     : copies_to_read(*pipeline.loop, k, local_, loop.operands[k]));
    for (const Sharding& copy : loop.copies[k])
      pipeline.iteration.inputs[k].copies.push_back({copy_in_iteration(*pipeline.loop, k, copy), {}});
  }
  lowered.decision.loop->copies = loop.copies;
  if (!has_chunks) keep_copies_of_iteration(pipeline.iteration, *pipeline.loop->region);
  const EnclosingLoop around{.region = pipeline.loop->region.get(),
                             .parameters = loop.parameters,
                             .micro = axis_bit(node->mesh->order()),
                             .over = region.micro};
  const std::vector<graph::ProgramValue> roots = pipeline.iteration.roots;
  std::vector<graph::OperationRef> in_stage;
  for (const graph::ProgramOperation& entry : pipeline.iteration.operations) in_stage.push_back(entry.operation);
  compile(loop, std::move(pipeline.iteration), around, *lowered.decision.loop);
  for (const graph::ProgramValue& root : roots) {
    const graph::LaidOutOperation& maker = *in_stage[root.source];
    const graph::Region& inner = *maker.region;
    const bool is_carry = root.result < inner.carried;
    LocalValue result = loop.iteration.values[loop.iteration.outputs[loop.results.size()][0]];
    result.mesh = node->mesh;
    result.order.clear();
    const Dims& left = pipeline.loop->results[loop.results.size()].dims;  // a carry may hold fewer micro-batches
    if (left.size() > result.dims.size()) result.dims.insert(result.dims.begin(), LocalDim{left[0], {}, false, {}});
    for (LocalDim& dim : result.dims)
      if (dim.dim.name == region.micro) dim = LocalDim{left[find_dim(left, region.micro)], {}, false, {}};
    if (is_carry || root.result >= inner.carried + inner.stacked) result.partial |= region.stages.set();
    loop.results.push_back(local_.add(std::move(result)));
    if (is_carry) local_.is_on_last_stage(loop.results.back(), in_stage[root.source]);
  }
  lowered.results = std::move(pipeline.results);
}

}  // namespace mtf::spmd
