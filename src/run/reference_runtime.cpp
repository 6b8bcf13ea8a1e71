#include "run/reference_runtime.h"

#include "graph/op.h"
#include "graph/region.h"
#include "ops/record.h"
#include "plan/compiler.h"
#include "run/block_file.h"
#include "run/bound_plan.h"
#include "run/host_tensor.h"
#include "spmd/local_builder.h"
#include "support/diagnostics.h"

namespace mtf::run {
namespace {

/// Optional passes, which only make programs faster.
const std::vector<std::string> kNoPasses = {"merge_all_reduces", "fuse_loops", "repeat_in_loops",
                                            "overlap_collectives"};

constexpr size_t kMostReferencePlans = 4096;

using Tensors = std::vector<std::shared_ptr<plan::Tensor>>;

/// The whole results of a node, which this runtime keeps with the node.
Tensors& whole_results(graph::Node& node) {
  std::shared_ptr<void>& kept = node.compute_into().of_runtime;
  if (!kept) kept = std::make_shared<Tensors>();
  return *static_cast<Tensors*>(kept.get());
}

const std::shared_ptr<plan::Tensor>& whole_of(const graph::Value& value) {
  return (*static_cast<const Tensors*>(value.node->computed().of_runtime.get()))[value.result];
}

/// Returns the region without the layouts that `@` asks for in its body, because one processor holds everything. The
/// region gets its form when it is laid out.
std::shared_ptr<const graph::Region> laid_out_by_nobody(const graph::Region& was) {
  graph::Region region = was;
  for (graph::ProgramOperation& entry : region.turn.operations) {
    auto operation = std::make_shared<graph::LaidOutOperation>(*entry.operation);
    operation->why.asked = {};
    if (operation->region) operation->region = laid_out_by_nobody(*operation->region);
    entry.operation = std::move(operation);
  }
  return std::make_shared<const graph::Region>(std::move(region));
}

}  // namespace

struct ReferenceRuntime::Impl {
  Transport transport{false, false};
  Hostings hostings{0, 1, {}};
  kernels::Threads threads{1};
  SharedMemory shared{transport};
  Machine machine{hostings, transport, threads, std::make_shared<MemoryPool>(), shared};
  MeshPtr one = std::make_shared<const Mesh>(Name(), std::vector<Axis>{{Name("all"), 1}});
  plan::Compiler compiler{{.skipped_passes = kNoPasses, .most_plans = kMostReferencePlans}};
  BoundPlans plans;

  /// Returns the operation for whole tensors on one processor.
  graph::OperationRef alone(const graph::LaidOutOperation& operation) const {
    auto made = std::make_shared<graph::LaidOutOperation>(operation);
    made->mesh = one;
    for (size_t r = 0; r < made->results.size(); ++r) made->shardings[r] = replicated(made->results[r].dims.size());
    made->inherited.assign(made->results.size(), 0);
    made->why = {};
    if (!made->region) return made;
    made->region = laid_out_by_nobody(*made->region);
    std::vector<graph::OperandLayout> operands;
    std::vector<Sharding> whole;
    for (const TensorType& operand : made->operands) whole.push_back(replicated(operand.dims.size()));
    for (const Sharding& sharding : whole) operands.push_back({&sharding, 0, one.get()});
    lay_out_region(*made, operands, one, std::make_shared<const Layout>());
    return made;
  }

  graph::Program program_of(const graph::LaidOutOperation& operation, const graph::Values& operands) const {
    graph::Program program;
    graph::ProgramOperation entry;
    entry.operation = alone(operation);
    entry.operand_count = static_cast<int32_t>(operands.size());
    entry.origin = 0;
    for (const graph::Value& operand : operands) {
      graph::ProgramInput input;
      input.operation = spmd::data_operation(operand.type(), replicated(operand.dims().size()), 0, one);
      input.order = whole_of(operand)->order;
      program.operands.push_back(graph::ProgramValue::input(program.inputs.size()));
      program.inputs.push_back(std::move(input));
    }
    program.operations.push_back(std::move(entry));
    for (size_t r = 0; r < operation.results.size(); ++r) program.roots.push_back({0, static_cast<int32_t>(r)});
    return program;
  }

  BoundPlan& bound(const std::shared_ptr<const plan::Plan>& plan) {
    if (BoundPlan* known = plans.find(*plan)) return *known;
    return plans.keep(plan, std::make_unique<BoundPlan>(plan->schedule, machine));
  }

  void place(graph::Node& node, const plan::HostView& data) {
    whole_results(node) = {place_blocks(machine, data, one, replicated(data.type.dims.size()))};
  }

  plan::HostTensor whole(const graph::Value& value) { return gather_blocks(machine, *whole_of(value)); }
};

ReferenceRuntime::ReferenceRuntime() : impl_(std::make_unique<Impl>()) {}
ReferenceRuntime::~ReferenceRuntime() = default;

void ReferenceRuntime::added(graph::Node& node) {
  const graph::LaidOutOperation& operation = *node.operation;
  if (operation.op->is_leaf()) {  // place() stores the data of other leaves
    if (operation.op->role == graph::Role::kNumber)
      impl_->place(node, plan::host_number(operation.results[0].element, operation.inputs[0]));
    return;
  }
  const graph::Program program = impl_->program_of(operation, node.operands());
  const std::shared_ptr<const plan::Plan> plan = impl_->compiler.plan_of(program, plan::form_of(program));
  plan::PlanInputs inputs{&program, {}};
  for (const plan::Plan::Input& from : plan->inputs) {
    plan::PlanInput input;
    input.number = from.number;
    if (from.captured >= 0) {
      const graph::Value& operand = node.operands()[from.captured];
      input.tensor = whole_of(operand).get();
    }
    inputs.values.push_back(input);
  }
  whole_results(node) = impl_->bound(plan).run(inputs);
}

std::shared_ptr<plan::Tensor> ReferenceRuntime::place(graph::Node& node, const plan::HostView& data) {
  impl_->place(node, data);
  return pretended(node);
}

plan::Runtime::Loaded ReferenceRuntime::load(graph::Node& node, const io::PositionedFile& file, uint64_t place) {
  Loaded loaded{pretended(node)};
  impl_->place(node, read_whole(node.operation->results[0], file, place, loaded.sum));
  return loaded;
}

plan::HostTensor ReferenceRuntime::fetch(const graph::Value& value) { return impl_->whole(value); }

uint64_t ReferenceRuntime::store(const graph::Value& value, const io::PositionedFile& file, uint64_t place) {
  return write_whole(impl_->whole(value), file, place);
}

}  // namespace mtf::run
