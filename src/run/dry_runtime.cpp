#include "run/dry_runtime.h"

#include <unistd.h>

#include <cstdio>
#include <map>

#include "io/partial_file.h"
#include "plan/plan.h"
#include "run/host_tensor.h"
#include "schedule/pack.h"

namespace mtf {

DryRuntime::DryRuntime(int64_t live) : pool_(std::make_shared<MemoryPool>()), live_(pool_->pretend(live)) {}
DryRuntime::~DryRuntime() = default;

std::unique_ptr<Runtime> DryRuntime::planner(bool beside) const {
  return std::make_unique<DryRuntime>(beside ? pool_->alone_live() : 0);
}

std::vector<std::shared_ptr<Tensor>> DryRuntime::run(const std::shared_ptr<const Plan>& plan, const PlanInputs& inputs,
                                                     Span) {
  const Schedule& schedule = *plan->schedule;
  pool_->note_alone(plan->predicted.peak_bytes);
  std::map<int, std::shared_ptr<Storage>> storages;
  for (size_t i = 0; i < inputs.values.size(); ++i)
    if (const Tensor* input = inputs.values[i].tensor)
      storages[schedule.buffer_of[schedule.program.inputs[i]]] = input->storage;
  std::vector<std::shared_ptr<Tensor>> outputs;
  for (const std::vector<int>& output : schedule.program.outputs) {
    const LocalValue& value = schedule.program.values[output[0]];
    std::shared_ptr<Storage>& storage = storages[schedule.buffer_of[output[0]]];
    if (!storage) storage = pool_->pretend(padded(saturating_multiply(largest_block(value), size_of(value.element))));
    outputs.push_back(
        std::make_shared<Tensor>(Tensor{value.type(), value.mesh, value.sharding(), value.order, storage, {}}));
  }
  return outputs;
}

const Counters& DryRuntime::counted(const Plan& plan) const { return plan.predicted; }
int64_t DryRuntime::peak_bytes() const { return pool_->alone_peak(); }
void DryRuntime::restart_peak() { pool_->restart_peak(); }

std::shared_ptr<Tensor> DryRuntime::pretended(const Node& node) const {
  const LaidOutOperation& operation = *node.operation;
  return pretend_blocks(*pool_, operation.results[0], operation.mesh, operation.shardings[0]);
}

HostTensor DryRuntime::fetch(const Value& value) {
  const Tensor& tensor = *value.node->computed[value.result];
  return {tensor.type,
          std::vector<std::byte>(static_cast<size_t>(size_of(tensor.type.dims) * size_of(tensor.type.element)))};
}

void DryRuntime::abort(const std::string& message, int status) {
  std::fflush(stdout);
  std::fputs(message.c_str(), stderr);
  std::fflush(stderr);
  remove_partial_files();  // no destructor will
  _exit(status);
}

}  // namespace mtf
