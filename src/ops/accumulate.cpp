// Adds into a part of a tensor: x + place_at(part), x + pad(part) and x + spread(part). Each is one operation that
// touches only the positions of the part. Gradients of slices are summed in this way (Op::accumulate). add_at_each
// takes a tensor of positions instead of one position for all.
//
// The attributes and `inputs` are those of place_at, pad and spread. Each operation may write its result over x. If the
// dim is sharded, a processor adds the elements that fall into its block:
//
//                           processor 0         processor 1
//   x                       1 1 1               1 1 1
//   add_padded(x, [5 6] at 2)  1 1 6            7 1 1
#include "kernels/kernel_table.h"
#include "ops/blocks.h"
#include "ops/index.h"
#include "ops/interval.h"
#include "ops/record.h"

namespace mtf::ops {
namespace {

std::vector<TensorType> infer_updated(const graph::Operation& operation) { return {operation.operands[0]}; }

/// Adds one run of `to` along `dim`, and everything along its other dims. `dims` holds, for each dim of `to`, the index
/// of the dim of `part`, or -1.
template <typename T>
void add_run(kernels::Threads& threads, const kernels::Block& part, const kernels::Block& to, std::span<const int> dims,
             int dim, const Run& run) {
  // The innermost dim of `to` is a loop of its own.
  size_t inner = 0;
  for (size_t d = 0; d < to.dims.size(); ++d)
    if (to.dims[d].stride == 1 && to.dims[d].size > 1) inner = d;
  struct Step {
    int64_t size, to, from;
  };
  std::vector<Step> steps;
  int64_t to_first = 0, from_first = 0;
  for (size_t d = 0; d < to.dims.size(); ++d) {
    const int64_t from = dims[d] < 0 ? 0 : part.dims[dims[d]].stride;
    if (static_cast<int>(d) != dim) {
      steps.push_back({to.dims[d].size, to.dims[d].stride, from});
      continue;
    }
    steps.push_back({run.count, to.dims[d].stride * run.to_step, from * run.from_step});
    to_first = to.dims[d].stride * run.to;
    from_first = from * run.from;
  }
  Walk<2> walk;
  for (size_t d = 0; d < steps.size(); ++d)
    if (d != inner) walk.add(steps[d].size, {steps[d].to, steps[d].from});
  const Step line = steps[inner];
  for_each_position(threads, walk, line.size, [&](const Walk<2>& at) {
    kernels::table().add_elements(to.element, part.as<T>() + from_first + at.offset(1), line.from, to.element,
                                  to.as<T>() + to_first + at.offset(0), line.to, line.size);
  });
}

/// Computes x with the part added at the positions of `runs`.
void add_runs(graph::KernelCall& call, std::span<const int> dims, int dim, std::span<const Run> runs) {
  const kernels::Block& x = call.operands[0];
  const kernels::Block& part = call.operands[1];
  const kernels::Block& to = call.results[0];
  MTF_CHECK(x.element == to.element && part.element == to.element, "adding {} and {} to {}", name(x.element),
            name(part.element), name(to.element));
  if (x.data != to.data) copy_all(call.threads, x, to, in_order(to.dims.size()));
  call.flops += part.size();
  if (to.size() == 0 || part.size() == 0) return;
  by_element(to.element, [&](auto zero) {
    for (const Run& run : runs) add_run<decltype(zero)>(call.threads, part, to, dims, dim, run);
  });
}

void add_at_kernel(graph::KernelCall& call) {
  const int dim = static_cast<int>(call.operation.attributes.get<PositionAttributes>().position);
  const kernels::BlockDim& along = call.results[0].dims[dim];
  const int64_t index =
      checked_position(call.operation.attributes.get<PositionAttributes>().dim, call.inputs[0]) - along.first;
  std::vector<Run> runs;
  if (index >= 0 && index < along.size) runs.push_back({.to = index, .count = 1});
  std::vector<int> dims;
  for (int d = 0; d < static_cast<int>(call.results[0].dims.size()); ++d)
    dims.push_back(d == dim ? -1 : d < dim ? d : d - 1);
  add_runs(call, dims, dim, runs);
}

void add_at_each_kernel(graph::KernelCall& call) {
  const auto& [along, position] = call.operation.attributes.get<PositionAttributes>();
  const int dim = static_cast<int>(position);
  const kernels::Block &x = call.operands[0], &part = call.operands[1], &ids = call.operands[2];
  kernels::Block to = call.results[0];
  if (x.data != to.data) copy_all(call.threads, x, to, in_order(to.dims.size()));
  call.flops += part.size();
  if (to.size() == 0 || part.size() == 0) return;
  std::vector<int> dims;
  for (int d = 0; d < static_cast<int>(to.dims.size()); ++d) dims.push_back(d == dim ? -1 : d < dim ? d : d - 1);
  kernels::Block some = part;
  Walk<3> walk;
  for (size_t d = 0; d < ids.dims.size(); ++d) {
    const int in_to = find_dim(call.operation.results[0].dims, call.operation.operands[2].dims[d].name);
    const int in_part = dims[static_cast<size_t>(in_to)];
    walk.add(ids.dims[d].size, {ids.dims[d].stride, some.dims[in_part].stride, to.dims[in_to].stride});
    some.dims[in_part].size = to.dims[in_to].size = 1;
  }
  const int64_t bytes = size_of(to.element);
  for (int64_t n = 0; n < walk.count(); ++n, walk.next()) {
    const int64_t index = checked_position(along, ids.as<int32_t>()[walk.offset(0)]) - to.dims[dim].first;
    if (index < 0 || index >= to.dims[dim].size) continue;
    kernels::Block from = some, into = to;
    from.data = some.as<char>() + walk.offset(1) * bytes, into.data = to.as<char>() + walk.offset(2) * bytes;
    by_element(to.element, [&](auto zero) {
      add_run<decltype(zero)>(call.threads, from, into, dims, dim, {.to = index, .count = 1});
    });
  }
}

void add_padded_kernel(graph::KernelCall& call) {
  const int dim = dim_of<PadAttributes>(call.operation);
  const kernels::BlockDim& from = call.operands[1].dims[dim];
  const kernels::BlockDim& to = call.results[0].dims[dim];
  const graph::AccessMap map = pad_map(call.operation.attributes.get<PadAttributes>(), from.whole, to.whole);
  add_runs(call, in_order(call.results[0].dims.size()), dim, runs_of(map, to, from));
}

void add_spread_kernel(graph::KernelCall& call) {
  const int dim = dim_of<SpreadAttributes>(call.operation);
  const std::vector<Run> runs = spread_runs(call.operation.attributes.get<SpreadAttributes>(),
                                            call.operands[1].dims[dim], call.results[0].dims[dim]);
  add_runs(call, in_order(call.results[0].dims.size()), dim, runs);
}

/// x and the part have the same dims, or the part lacks `dim`. `along` says what a sharding of that dim means.
graph::IterationSpace part_space(const graph::Operation& operation, int dim, bool lacks_dim,
                                 const graph::IterationDim& along) {
  graph::IterationSpace space;
  for (int d = 0; d < static_cast<int>(operation.results[0].dims.size()); ++d) {
    const auto index = static_cast<int8_t>(d), in_part = static_cast<int8_t>(lacks_dim && d > dim ? d - 1 : d);
    if (d == dim) space.dims.push_back(along);
    else space.dims.push_back({.operands = {index, in_part}, .results = {index}});
  }
  return space;
}

graph::IterationSpace add_at_space(const graph::Operation& operation) {
  const int8_t dim = narrow(operation.attributes.get<PositionAttributes>().position);
  return part_space(operation, dim, true, {.operands = {dim, -1}, .results = {dim}});
}

graph::IterationSpace add_at_each_space(const graph::Operation& operation) {
  graph::IterationSpace space = add_at_space(operation);
  for (size_t d = 0; d < space.dims.size(); ++d)
    space.dims[d].operands.push_back(narrow(find_dim(operation.operands[2].dims, operation.results[0].dims[d].name)));
  return space;
}

graph::IterationSpace add_padded_space(const graph::Operation& operation) {
  const int8_t dim = narrow(dim_of<PadAttributes>(operation));
  const int64_t part = operation.operands[1].dims[dim].size, whole = operation.results[0].dims[dim].size;
  return part_space(
      operation, dim, false,
      {.operands = {dim, dim},
       .results = {dim},
       .maps = {{.from = whole, .to = whole}, pad_map(operation.attributes.get<PadAttributes>(), part, whole)}});
}

/// Each block needs all of the part along the dim.
graph::IterationSpace add_spread_space(const graph::Operation& operation) {
  const int8_t dim = narrow(dim_of<SpreadAttributes>(operation));
  graph::IterationSpace space = part_space(operation, dim, false, {.operands = {dim, -1}, .results = {dim}});
  space.dims.push_back({.kind = graph::SplitKind::kWhole, .operands = {-1, dim}, .results = {-1}});
  return space;
}

template <typename T>
consteval graph::Op accumulation(graph::Op op) {
  op.family = "Moving elements";
  op.attributes = &graph::kFormOf<T>;
  op.infer = infer_updated;
  op.work = graph::Work::kPerPart;
  op.linear = graph::Linear::kJoint;
  op.in_place = true;
  return complete(op);
}

}  // namespace

constexpr graph::Op kAddAt = accumulation<PositionAttributes>(
    {.name = "add_at",
     .doc = "The first operand, with the second added at place i of a dimension that it lacks.",
     .space = add_at_space,
     .kernel = add_at_kernel,
     .gradient = [](graph::GradientCall& call) -> graph::Values {
       const graph::Value& d = call.d_results[0];
       return {d, call.wants(1)
                      ? call.builder.add(kIndex, {d},
                                         OverAttributes{call.operation.attributes.get<PositionAttributes>().dim.name},
                                         call.operation.inputs)
                      : graph::Value()};
     }});

constexpr graph::Op kAddAtEach = accumulation<PositionAttributes>(
    {.name = "add_at_each",
     .doc = "The first operand, with the second added along a dimension that it lacks, at the place that the third "
            "operand says (i32), whose dimensions are some of the others.",
     .space = add_at_each_space,
     .kernel = add_at_each_kernel,
     .no_gradient = "plans make it of products, behind their gradients"});

constexpr graph::Op kAddPadded = accumulation<PadAttributes>(
    {.name = "add_padded",
     .doc = "The first operand, with the second added to an interval of a dimension.",
     .space = add_padded_space,
     .kernel = add_padded_kernel,
     .gradient = [](graph::GradientCall& call) -> graph::Values {
       const graph::Value& d = call.d_results[0];
       const int dim = dim_of<PadAttributes>(call.operation);
       const int64_t before = call.operation.attributes.get<PadAttributes>().before;
       return {d,
               call.wants(1) ? call.builder.slice(d, dim, before, call.operands[1].dims()[dim].size) : graph::Value()};
     }});

constexpr graph::Op kAddSpread = accumulation<SpreadAttributes>(
    {.name = "add_spread",
     .doc = "The first operand, with the second added to every so many-th place of a dimension.",
     .space = add_spread_space,
     .kernel = add_spread_kernel,
     .gradient = [](graph::GradientCall& call) -> graph::Values {
       const graph::Value& d = call.d_results[0];
       const int dim = dim_of<SpreadAttributes>(call.operation);
       const SpreadAttributes& at = call.operation.attributes.get<SpreadAttributes>();
       return {d, call.wants(1) ? call.builder.slice(d, dim, at.first, call.operands[1].dims()[dim].size, at.stride)
                                : graph::Value()};
     }});

}  // namespace mtf::ops
