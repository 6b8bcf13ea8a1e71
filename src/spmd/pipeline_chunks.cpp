#include "spmd/pipeline_chunks.h"

#include <algorithm>
#include <memory>

#include "graph/op.h"
#include "ops/loop.h"
#include "ops/ops.h"
#include "ops/reduce.h"
#include "ops/shape.h"
#include "spmd/local_builder.h"
#include "spmd/pipeline.h"

namespace mtf::spmd {

using graph::ProgramValue;

ChunksOfLayers::ChunksOfLayers(const graph::Program& program, const std::vector<int>& loops,
                               const std::function<bool(size_t)>& is_inside)
    : program_(program) {
  const graph::LaidOutOperation& first = *program.operations[static_cast<size_t>(loops[0])].operation;
  const int64_t asked = std::max<int64_t>(first.attributes.get<ops::ScanAttributes>().chunks, 1);
  const int64_t stages = first.mesh->group_size(first.region->stages.set());
  if (asked == 1 || busy_stages(first) != stages || first.region->iterations % (stages * asked) != 0) return;
  const auto is_loop = [&](size_t i) {
    return std::find(loops.begin(), loops.end(), static_cast<int>(i)) != loops.end();
  };
  for (const int loop : loops) {
    const graph::LaidOutOperation& operation = *program.operations[static_cast<size_t>(loop)].operation;
    const graph::Region& region = *operation.region;
    if (operation.attributes.get<ops::ScanAttributes>().chunks != asked) return;
    const std::span<const ProgramValue> operands = program.operands_of(static_cast<size_t>(loop));
    for (size_t k = 0; k < operands.size(); ++k)
      if (region.is_placed(k)) values_.insert(operands[k]);
    for (int32_t r = region.carried; r < region.carried + region.stacked; ++r) values_.insert({loop, r});
    const std::vector<graph::AlongMicro> along = along_micro(region, region.micro, true).roots;
    for (int32_t r = region.carried + region.stacked; r < static_cast<int32_t>(along.size()); ++r)
      if (along[static_cast<size_t>(r)] == graph::AlongMicro::kBlock) sums_.insert({loop, r});
  }
  for (size_t i = 0; i < program.operations.size(); ++i) {
    if (!is_inside(i)) continue;
    const std::span<const ProgramValue> operands = program.operands_of(i);
    for (size_t k = 0; k < operands.size(); ++k) {
      const bool is_layer = is_loop(i) && program.operations[i].operation->region->is_placed(k);
      if (sums_.contains(operands[k]) || (values_.contains(operands[k]) && !is_layer)) return;
    }
  }
  count_ = asked;
}

TensorType ChunksOfLayers::around(ProgramValue value) const {
  if (is_sum(value)) return with_chunks(program_.type(value), count_);
  return has(value) ? in_chunks(program_.type(value), count_) : program_.type(value);
}

Sharding ChunksOfLayers::around(ProgramValue value, Sharding lies) const {
  return has(value) || is_sum(value) ? in_chunks(std::move(lies)) : lies;
}

TensorType ChunksOfLayers::inside(ProgramValue value) const {
  return has(value) ? of_one_chunk(program_.type(value), count_) : program_.type(value);
}

ProgramAroundPipeline::ProgramAroundPipeline(const graph::Program& program, const ChunksOfLayers& chunks)
    : program_(program), chunks_(chunks) {
  now_.inputs = program.inputs;
  now_.only_history = program.only_history;
}

int32_t ProgramAroundPipeline::add(graph::ProgramOperation entry, std::span<const ProgramValue> operands) {
  entry.first_operand = static_cast<int32_t>(now_.operands.size());
  entry.operand_count = static_cast<int32_t>(operands.size());
  entry.like = -1;
  now_.operands.insert(now_.operands.end(), operands.begin(), operands.end());
  now_.operations.push_back(std::move(entry));
  return static_cast<int32_t>(now_.operations.size()) - 1;
}

void ProgramAroundPipeline::copy(size_t i) {
  const ProgramValue first{static_cast<int32_t>(i), 0};
  const graph::LaidOutOperation& operation = *program_.operations[i].operation;
  if (operation.op == &ops::kLayout || operation.op == &ops::kReshape) {
    const auto of = in_chunks_.find(program_.operands_of(i)[0]);
    if (of != in_chunks_.end() && operation.op == &ops::kLayout) in_chunks_[first] = of->second;
    if (of != in_chunks_.end() && operation.results[0].dims == chunks_.around(of->second).dims) {
      moved_[first] = {loop_, results_.at(of->second)};
      return;
    }
  }
  std::vector<ProgramValue> operands;
  for (const ProgramValue value : program_.operands_of(i)) operands.push_back(moved(value));
  const int32_t at = add(program_.operations[i], operands);
  for (int32_t r = 0; r < static_cast<int32_t>(operation.results.size()); ++r) moved_[{first.source, r}] = {at, r};
}

void ProgramAroundPipeline::add_loop(graph::ProgramOperation loop,
                                     const std::vector<std::pair<ProgramValue, Sharding>>& operands,
                                     const std::map<ProgramValue, int32_t>& results) {
  of_loop_ = loop.operation;
  std::vector<ProgramValue> here;
  for (const auto& [value, lies] : operands) here.push_back(chunks_.has(value) ? in_chunks(value, lies) : moved(value));
  loop_ = add(std::move(loop), here);
  results_ = results;
  for (const auto& [value, r] : results_) {
    moved_[value] = {loop_, r};
    if (chunks_.is_sum(value)) moved_[value] = added_up(value);
    if (!chunks_.has(value)) continue;
    in_chunks_[value] = value;
    moved_[value] = reshaped({loop_, r}, chunks_.around(value), program_.type(value), program_.sharding(value));
  }
}

/// Returns an operand of the loop with dims of chunks.
ProgramValue ProgramAroundPipeline::in_chunks(ProgramValue value, const Sharding& lies) {
  const auto op_of = [&](ProgramValue of) { return program_.operations[static_cast<size_t>(of.source)].operation->op; };
  ProgramValue from = value;
  while (!from.is_input() && op_of(from) == &ops::kLayout) from = program_.operands_of(from.source)[0];
  if (!from.is_input() && op_of(from) == &ops::kReshape) {
    const ProgramValue before = program_.operands_of(from.source)[0];
    if (program_.type(before).dims == chunks_.around(value).dims) return moved(before);
  }
  return reshaped(moved(value), program_.type(value), chunks_.around(value), lies);
}

ProgramValue ProgramAroundPipeline::reshaped(ProgramValue value, const TensorType& was, const TensorType& is,
                                             const Sharding& lies) {
  auto made = std::make_shared<graph::LaidOutOperation>(
      *helper_operation(ops::kReshape, {was}, ops::ReshapeAttributes{is.dims}, *of_loop_));
  made->shardings = {lies};
  made->inherited = {0};
  made->origin = graph::LayoutOrigin::kGiven;
  made->written = false;
  made->frame = of_loop_->frame;
  graph::ProgramOperation entry;
  entry.operation = std::move(made);
  return {add(std::move(entry), std::vector<ProgramValue>{value}), 0};
}

/// Adds up what the chunks leave of a sum over layers.
ProgramValue ProgramAroundPipeline::added_up(ProgramValue value) {
  auto made = std::make_shared<graph::LaidOutOperation>(*helper_operation(
      ops::kSum, {chunks_.around(value)}, ops::ReduceAttributes{names_of(program_.type(value).dims)}, *of_loop_));
  made->shardings = {program_.sharding(value)};
  made->inherited = {program_.inherited(value)};
  made->written = false;
  made->frame = of_loop_->frame;
  graph::ProgramOperation entry;
  entry.operation = std::move(made);
  return {add(std::move(entry), std::vector<ProgramValue>{{loop_, results_.at(value)}}), 0};
}

graph::Program ProgramAroundPipeline::take() {
  for (const ProgramValue value : program_.roots) now_.roots.push_back(moved(value));
  for (const ProgramValue value : program_.for_gradients) now_.for_gradients.push_back(moved(value));
  if (chunks_.count() > 1) leave_out_unread();
  return std::move(now_);
}

/// Removes reshapes and layouts that nothing reads.
void ProgramAroundPipeline::leave_out_unread() {
  std::vector<bool> is_read(now_.operations.size());
  const auto reads = [&](std::span<const ProgramValue> values) {
    for (const ProgramValue value : values)
      if (!value.is_input()) is_read[static_cast<size_t>(value.source)] = true;
  };
  reads(now_.roots);
  reads(now_.for_gradients);
  for (size_t i = now_.operations.size(); i-- > 0;) {
    const graph::Op* const op = now_.operations[i].operation->op;
    if (op != &ops::kReshape && op != &ops::kLayout) is_read[i] = true;
    if (is_read[i]) reads(now_.operands_of(i));
  }
  const graph::Program all = std::move(now_);
  now_ = {};
  now_.inputs = all.inputs;
  now_.only_history = all.only_history;
  std::vector<int32_t> place(all.operations.size(), -1);
  const auto here = [&](ProgramValue value) -> ProgramValue {
    return value.is_input() ? value : ProgramValue{place[static_cast<size_t>(value.source)], value.result};
  };
  for (size_t i = 0; i < all.operations.size(); ++i) {
    if (!is_read[i]) continue;
    std::vector<ProgramValue> operands;
    for (const ProgramValue value : all.operands_of(i)) operands.push_back(here(value));
    place[i] = add(all.operations[i], operands);
  }
  for (const ProgramValue value : all.roots) now_.roots.push_back(here(value));
  for (const ProgramValue value : all.for_gradients) now_.for_gradients.push_back(here(value));
}

}  // namespace mtf::spmd
