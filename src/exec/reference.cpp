#include "exec/reference.h"

#include <unordered_map>

#include "exec/host_tensor.h"
#include "exec/plan.h"
#include "graph/op.h"
#include "ops/record.h"
#include "support/diagnostics.h"

namespace mtf {
namespace {

/// Alternatives of the schedule that only change how fast a program is.
const std::vector<std::string> kNoPasses = {"merge_all_reduces", "fuse_loops", "overlap_collectives"};

constexpr size_t kMostReferencePlans = 4096;

}  // namespace

struct Reference::Impl {
  Transport transport{false};
  Hostings hostings{0, 1, {}};
  Threads threads{1};
  SharedMemory shared{transport, false};
  Machine machine{hostings, transport, threads, std::make_shared<MemoryPool>(), shared};
  MeshPtr one = std::make_shared<const Mesh>(Name(), std::vector<Axis>{{Name("all"), 1}});
  std::unordered_map<std::string, std::unique_ptr<Plan>> plans;

  /// The operation alone, whole on one processor.
  OperationRef whole(const LaidOutOperation& operation) const {
    auto made = std::make_shared<LaidOutOperation>(operation);
    made->mesh = one;
    for (size_t r = 0; r < made->results.size(); ++r) made->shardings[r] = replicated(made->results[r].dims.size());
    made->inherited.assign(made->results.size(), 0);
    made->why = {};
    return made;
  }

  static OperationRef leaf(const TensorType& type, const MeshPtr& mesh) {
    auto made = std::make_shared<LaidOutOperation>();
    made->op = &ops::kConstant;
    made->results = {type};
    made->mesh = mesh;
    made->shardings = {replicated(type.dims.size())};
    made->inherited = {0};
    return made;
  }

  Program program_of(const LaidOutOperation& operation, const Values& operands) const {
    Program program;
    ProgramOperation entry;
    entry.operation = whole(operation);
    entry.operand_count = static_cast<int32_t>(operands.size());
    entry.origin = 0;
    for (const Value& operand : operands) {
      ProgramInput input;
      input.operation = leaf(operand.type(), one);
      input.order = operand.node->whole[operand.result]->order;
      program.operands.push_back(ProgramValue::input(program.inputs.size()));
      program.inputs.push_back(std::move(input));
    }
    program.operations.push_back(std::move(entry));
    for (size_t r = 0; r < operation.results.size(); ++r) program.roots.push_back({0, static_cast<int32_t>(r)});
    return program;
  }

  Plan& plan_for(const Program& program) {
    std::string form = canonical_form(program);
    std::unique_ptr<Plan>& plan = plans[form];
    if (plan) return *plan;
    if (plans.size() > kMostReferencePlans) {
      plans.clear();
      return plan_for(program);
    }
    plan = make_plan(program, kNoPasses, [] {});
    plan->bound = std::make_unique<BoundPlan>(plan->schedule, machine);
    return *plan;
  }
};

Reference::Reference() : impl_(std::make_unique<Impl>()) {}
Reference::~Reference() = default;

void Reference::evaluate(Node& node) {
  const LaidOutOperation& operation = *node.operation;
  if (operation.op->leaf) {  // data is placed
    if (!operation.inputs.empty()) place(node, host_number(operation.results[0].element, operation.inputs[0]));
    return;
  }
  const Program program = impl_->program_of(operation, node.operands());
  Plan& plan = impl_->plan_for(program);
  std::vector<PlanInput> inputs;
  for (const Plan::Input& from : plan.inputs) {
    PlanInput input;
    input.number = from.number;
    if (from.captured >= 0) {
      const Value& operand = node.operands()[from.captured];
      input.tensor = operand.node->whole[operand.result].get();
    }
    inputs.push_back(input);
  }
  node.whole = plan.bound->run(inputs, [&](const Instruction& instruction) -> std::span<const double> {
    return instruction.origin >= 0 ? operation.inputs : instruction.node->inputs;
  });
}

void Reference::place(Node& node, const HostTensor& data) {
  node.whole = {place_blocks(impl_->machine, data, impl_->one, replicated(data.type.dims.size()))};
}

HostTensor Reference::fetch(const Value& value) { return gather_blocks(impl_->machine, *value.node->whole[value.result]); }

}  // namespace mtf
