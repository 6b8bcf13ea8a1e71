#include "run/dry_runtime.h"

#include <cstdio>
#include <map>

#include "io/partial_file.h"
#include "plan/plan.h"
#include "run/host_tensor.h"
#include "schedule/pack.h"
#include "support/expected_end.h"

namespace mtf::run {

DryRuntime::DryRuntime(int64_t live) : pool_(std::make_shared<MemoryPool>()), live_(pool_->pretend(live)) {}
DryRuntime::~DryRuntime() = default;

std::unique_ptr<plan::Runtime> DryRuntime::planner(bool beside) const {
  return std::make_unique<DryRuntime>(beside ? pool_->alone_live() : 0);
}

std::vector<std::shared_ptr<plan::Tensor>> DryRuntime::run(const std::shared_ptr<const plan::Plan>& plan,
                                                           const plan::PlanInputs& inputs, Span) {
  const schedule::Schedule& schedule = *plan->schedule;
  const int64_t before = pool_->alone_peak();
  pool_->note_alone(plan->predicted.peak_bytes);
  if (pool_->alone_peak() > before) {
    fullest_ = plan;
    peak_of_fullest_ = pool_->alone_peak();
  }
  std::map<int, std::shared_ptr<Storage>> storages;
  for (size_t i = 0; i < inputs.values.size(); ++i)
    if (const plan::Tensor* input = inputs.values[i].tensor)
      storages[schedule.buffer_of[schedule.program.inputs[i]]] = input->storage;
  std::vector<std::shared_ptr<plan::Tensor>> outputs;
  for (const std::vector<int>& output : schedule.program.outputs) {
    const spmd::LocalValue& value = schedule.program.values[output[0]];
    std::shared_ptr<Storage>& storage = storages[schedule.buffer_of[output[0]]];
    if (!storage)
      storage =
          pool_->pretend(schedule::padded(saturating_multiply(schedule::largest_block(value), size_of(value.element))));
    outputs.push_back(std::make_shared<plan::Tensor>(
        plan::Tensor{value.type(), value.mesh, value.sharding(), value.order, storage, {}}));
  }
  return outputs;
}

const plan::Counters& DryRuntime::counted(const plan::Plan& plan) const { return plan.predicted; }
int64_t DryRuntime::peak_bytes() const { return pool_->alone_peak(); }
std::optional<plan::PeakMemory> DryRuntime::peak_memory() const {
  const int64_t peak = pool_->alone_peak();
  if (!fullest_ || peak > peak_of_fullest_) return plan::PeakMemory{.held = peak};  // between two plans
  plan::PeakMemory memory = plan::peak_memory(*fullest_->schedule);
  const int64_t of_run = fullest_->predicted.peak_bytes;
  memory.temporary += of_run - std::min(of_run, memory.total());  // between values
  memory.held += peak - std::min(peak, of_run);
  return memory;
}
void DryRuntime::restart_peak() {
  pool_->restart_peak();
  fullest_.reset();
}

std::shared_ptr<plan::Tensor> DryRuntime::pretended(const graph::Node& node) const {
  const graph::LaidOutOperation& operation = *node.operation;
  return pretend_blocks(*pool_, operation.results[0], operation.mesh, operation.shardings[0]);
}

plan::HostTensor DryRuntime::fetch(const graph::Value& value) {
  const plan::Tensor& tensor = *value.computed();
  return {tensor.type,
          std::vector<std::byte>(static_cast<size_t>(size_of(tensor.type.dims) * size_of(tensor.type.element)))};
}

void DryRuntime::abort(const std::string& message, int status) {
  std::fflush(stdout);
  std::fputs(message.c_str(), stderr);
  std::fflush(stderr);
  io::remove_partial_files();  // no destructor runs
  end_process(status);
}

}  // namespace mtf::run
