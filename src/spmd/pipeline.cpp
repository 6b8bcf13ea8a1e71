#include "spmd/pipeline.h"

#include <algorithm>

#include "graph/op.h"
#include "ops/loop.h"
#include "spmd/local_builder.h"

namespace mtf::spmd {
namespace {

using graph::AlongMicro;

}  // namespace

int64_t micro_batches(const graph::Region& region) {
  for (const graph::ProgramInput& input : region.iteration.inputs)
    if (const Dims& dims = input.operation->results[input.result].dims; has_dim(dims, region.micro))
      return dims[find_dim(dims, region.micro)].size;
  return 1;
}

int64_t busy_stages(const graph::LaidOutOperation& loop) {
  const graph::Region& region = *loop.region;
  int64_t busy = 0;
  for (const int64_t processor : loop.mesh->group(0, region.stages.set()))
    busy += block_of(region.iterations, region.stages, *loop.mesh, loop.mesh->coordinates(processor)).size() > 0;
  return busy;
}

int64_t chunks_of(const graph::LaidOutOperation& loop) {
  const auto& attributes = loop.attributes.get<ops::ScanAttributes>();
  if (loop.region->hands_on) return std::max<int64_t>(attributes.chunks, 1);
  return loop.region->iterations / std::max<int64_t>(attributes.over.size, 1);
}

double idle_iterations(const graph::LaidOutOperation& loop) {
  const auto idle = static_cast<double>(loop.region->idle);
  return idle > 0 ? idle / static_cast<double>(chunks_of(loop)) : 0;
}

int64_t largest_group(int64_t micro_batches, int64_t stages) {
  const int64_t groups = std::max<int64_t>(micro_batches / stages, 1);
  return (micro_batches + groups - 1) / groups;
}

int64_t idle_turns(int64_t stages, int64_t chunks, int64_t micro_batches) {
  // With fewer micro-batches than stages, a stage also waits between two of its chunks.
  return stages - 1 + (chunks - 1) * std::max<int64_t>(stages - micro_batches, 0);
}

int64_t most_under_way(const graph::LaidOutOperation& loop, int64_t stage) {
  const graph::Region& region = *loop.region;
  if (region.joined.empty()) return 1;
  const int64_t chunks = chunks_of(loop);
  if (chunks == 1) return std::min(region.iterations, region.idle + 1 - stage);
  const int64_t stages = loop.mesh->group_size(region.stages.set()), after = stages - 1 - stage;
  const int64_t ahead = 2 * after + (chunks - 1) * largest_group(region.iterations, stages) + 1;
  return std::min(region.iterations * chunks, ahead);
}

TensorType in_chunks(TensorType type, int64_t chunks) {
  return with_chunks(of_one_chunk(std::move(type), chunks), chunks);
}

TensorType with_chunks(TensorType type, int64_t chunks) {
  Dim chunk{type.dims[0].name, chunks};
  while (has_dim(type.dims, chunk.name)) chunk.name = chunk.name.followed_by("'");
  type.dims.insert(type.dims.begin(), chunk);
  return type;
}

Sharding in_chunks(Sharding sharding) {
  sharding.dims.insert(sharding.dims.begin(), AxisList());
  return sharding;
}

TensorType of_one_chunk(TensorType type, int64_t chunks) {
  type.dims[0].size /= chunks;
  return type;
}

graph::OperationRef of_one_chunk(const graph::OperationRef& stage, int64_t chunks) {
  auto one = std::make_shared<graph::LaidOutOperation>(*stage);
  const graph::Region& region = *one->region;
  for (size_t k = 0; k < one->operands.size(); ++k)
    if (region.is_placed(k)) one->operands[k] = of_one_chunk(std::move(one->operands[k]), chunks);
  for (int32_t r = region.carried; r < region.carried + region.stacked; ++r)
    one->results[r] = of_one_chunk(std::move(one->results[r]), chunks);
  auto attributes = one->attributes.get<ops::ScanAttributes>();
  attributes.over.size /= chunks;
  one->attributes = attributes;
  return one;
}

OnMicroBatches::OnMicroBatches(const Mesh& mesh, Name micro, int64_t count) : micro_(micro) {
  std::vector<Axis> axes = mesh.axes();
  axes.push_back({micro.plain().followed_by("'"), count});
  mesh_ = std::make_shared<const Mesh>(mesh.name(), std::move(axes));
}

int64_t processors_along(const Mesh& mesh, int axis) {
  return mesh.axes()[static_cast<size_t>(axis)].name.str().ends_with('\'') ? 1 : mesh.axis_size(axis);
}

Sharding OnMicroBatches::split(Sharding sharding, const Dims& dims) const {
  for (size_t d = 0; d < dims.size(); ++d)
    if (dims[d].name == micro_) sharding.dims[d] = {mesh_->order() - 1};
  return sharding;
}

graph::OperationRef OnMicroBatches::operation(const graph::LaidOutOperation& was) const {
  auto now = std::make_shared<graph::LaidOutOperation>(was);
  now->mesh = mesh_;
  for (size_t r = 0; r < now->shardings.size(); ++r)
    now->shardings[r] = split(std::move(now->shardings[r]), now->results[r].dims);
  if (now->region) now->region = region(*now->region);
  return now;
}

std::shared_ptr<const graph::Region> OnMicroBatches::region(graph::Region region) const {
  for (graph::ProgramInput& input : region.iteration.inputs) input.operation = operation(*input.operation);
  for (graph::ProgramOperation& entry : region.iteration.operations) entry.operation = operation(*entry.operation);
  return with_form(std::move(region));
}

graph::OperationRef of_stage(const graph::LaidOutOperation& loop, const OnMicroBatches& micro) {
  const graph::Region& region = *loop.region;
  auto inner = std::make_shared<graph::LaidOutOperation>(loop);
  for (size_t r = 0; r < loop.results.size(); ++r) {
    const auto index = static_cast<int32_t>(r);
    Sharding& lies = inner->shardings[r];
    lies = index < region.carried ? region.iteration.sharding(graph::ProgramValue::input(r))
                                  : region.iteration.sharding(region.iteration.roots[r]);
    if (index >= region.carried && index < region.carried + region.stacked)
      lies.dims.insert(lies.dims.begin(), region.stages);
  }
  return micro.operation(*inner);
}

std::vector<RunBy> run_by(const LocalProgram& iteration) {
  std::vector<RunBy> all(iteration.instructions.size(), RunBy::kAll);
  int loops_over_layers = 0;
  for (size_t i = 0; i < all.size(); ++i) {
    const Instruction& each = iteration.instructions[i];
    if (!each.iteration) continue;
    if (!each.node->region->stages.empty()) ++loops_over_layers;
    else all[i] = loops_over_layers == 1 ? RunBy::kLast : RunBy::kFirst;
  }
  return all;
}

std::vector<const Instruction*> turned_back(const LocalProgram& iteration) {
  std::vector<const Instruction*> turned;
  const std::vector<RunBy> by = run_by(iteration);
  for (size_t i = static_cast<size_t>(std::find(by.begin(), by.end(), RunBy::kLast) - by.begin()); i < by.size(); ++i)
    if (iteration.instructions[i].kind == InstructionKind::kTakeOver) turned.push_back(&iteration.instructions[i]);
  return turned;
}

Sharding operand_of_stages(const graph::LaidOutOperation& loop, size_t k) {
  const graph::ProgramInput& input = loop.region->iteration.inputs[k];
  Sharding lies = input.operation->shardings[input.result];
  if (loop.region->is_placed(k)) lies.dims.insert(lies.dims.begin(), loop.region->stages);
  return lies;
}

namespace {

/// Returns the pipeline that a joined loop is, with the operands and results of the loop.
Pipeline joined(const graph::LaidOutOperation& loop) {
  const graph::Region& region = *loop.region;
  Pipeline pipeline;
  pipeline.loop = std::make_shared<graph::LaidOutOperation>(loop);
  pipeline.iteration = region.iteration;
  for (size_t k = 0; k < loop.operands.size(); ++k) {
    const graph::ProgramInput& input = region.iteration.inputs[k];
    Sharding& lies = pipeline.lies.emplace_back(input.operation->shardings[input.result]);
    const Dims& dims = loop.operands[k].dims;
    if (dims.size() > lies.dims.size()) lies = in_chunks(std::move(lies));
    for (size_t d = 0; d < dims.size(); ++d)
      if (dims[d].name == region.micro) lies.dims[d] = AxisList();
    pipeline.operands.push_back(k);
  }
  for (size_t r = 0; r < loop.results.size(); ++r) pipeline.results.push_back(r);
  return pipeline;
}

}  // namespace

Pipeline pipelined(const graph::LaidOutOperation& loop, int64_t chunks) {
  if (loop.region->hands_on) return joined(loop);
  const graph::Region& region = *loop.region;
  const std::vector<AlongMicro> along = along_micro(region, region.micro, true).roots;
  const int64_t count = micro_batches(region);
  const OnMicroBatches micro(*loop.mesh, region.micro, count);
  graph::Region around;
  around.iterations = count;
  around.micro = region.micro;
  around.stages = region.stages;
  around.hands_on = true;
  around.idle = idle_turns(busy_stages(loop), chunks, count);
  around.first_number = {0};
  Pipeline pipeline;
  std::vector<size_t> input_of(loop.operands.size());
  for (const bool has_micro : {true, false})
    for (size_t k = 0; k < loop.operands.size(); ++k) {
      const bool in_chunks_of_layers = chunks > 1 && region.is_placed(k);
      const TensorType type = in_chunks_of_layers ? of_one_chunk(loop.operands[k], chunks) : loop.operands[k];
      if (has_dim(type.dims, region.micro) != has_micro) continue;
      Sharding lies = operand_of_stages(loop, k);
      input_of[k] = pipeline.operands.size();
      pipeline.operands.push_back(k);
      graph::ProgramInput& given = pipeline.iteration.inputs.emplace_back();
      given.operation = data_operation(type, micro.split(lies, type.dims), 0, micro.mesh());
      given.name = Name(name_of(region.iteration.inputs[k]));
      pipeline.lies.push_back(in_chunks_of_layers ? in_chunks(std::move(lies)) : std::move(lies));
      ++(has_micro ? around.placed : around.constants);
    }
  for (const bool is_sum : {false, true})
    for (size_t r = 0; r < loop.results.size(); ++r) {
      if ((along[r] == AlongMicro::kSum) != is_sum) continue;
      pipeline.results.push_back(r);
      pipeline.iteration.roots.push_back({0, static_cast<int32_t>(r)});
      ++(is_sum ? around.summed : around.stacked);
    }
  graph::ProgramOperation entry;
  entry.operation = of_stage(loop, micro);
  if (chunks > 1) entry.operation = of_one_chunk(entry.operation, chunks);
  entry.operand_count = static_cast<int32_t>(loop.operands.size());
  entry.origin = 0;
  for (size_t k = 0; k < loop.operands.size(); ++k)
    pipeline.iteration.operands.push_back(graph::ProgramValue::input(input_of[k]));
  pipeline.iteration.operations.push_back(std::move(entry));
  auto outer = std::make_shared<graph::LaidOutOperation>(loop);
  const auto taken = [](const auto& all, const std::vector<size_t>& which) {
    std::decay_t<decltype(all)> some;
    for (const size_t i : which) some.push_back(all[i]);
    return some;
  };
  outer->operands = taken(loop.operands, pipeline.operands);
  outer->results = taken(loop.results, pipeline.results);
  outer->shardings = taken(loop.shardings, pipeline.results);
  outer->inherited = taken(loop.inherited, pipeline.results);
  if (chunks > 1) {
    for (size_t k = 0; k < pipeline.operands.size(); ++k)
      if (region.is_placed(pipeline.operands[k])) outer->operands[k] = in_chunks(std::move(outer->operands[k]), chunks);
    for (size_t r = 0; r < pipeline.results.size(); ++r) {
      const auto which = static_cast<int32_t>(pipeline.results[r]);
      const bool is_stacked = which >= region.carried && which < region.carried + region.stacked;
      const bool is_sum = which >= region.carried + region.stacked && along[pipeline.results[r]] == AlongMicro::kBlock;
      if (is_stacked) outer->results[r] = in_chunks(std::move(outer->results[r]), chunks);
      if (is_sum) outer->results[r] = with_chunks(std::move(outer->results[r]), chunks);
      if (is_stacked || is_sum) outer->shardings[r] = in_chunks(std::move(outer->shardings[r]));
    }
  }
  auto attributes = loop.attributes.get<ops::ScanAttributes>();
  attributes = {.over = {region.micro, count},
                .reverse = attributes.reverse,
                .alternates = attributes.alternates,
                .chunks = chunks > 1 ? chunks : 0};
  outer->attributes = attributes;
  around.iteration = pipeline.iteration;
  outer->region = with_form(std::move(around));
  pipeline.loop = std::move(outer);
  return pipeline;
}

}  // namespace mtf::spmd
