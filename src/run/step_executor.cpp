#include "run/step_executor.h"

#include <algorithm>

#include "graph/kernel_call.h"
#include "graph/op.h"
#include "graph/region.h"
#include "ops/index.h"
#include "support/diagnostics.h"

namespace mtf::run {
namespace {

/// Returns the operation of an instruction in the program of this run. Another program of the same form may have made
/// the plan.
const graph::LaidOutOperation& operation_of(const spmd::Instruction& instruction, const plan::PlanInputs& inputs) {
  if (instruction.origin < 0) return *instruction.node;
  const graph::Program& program = inputs.region ? inputs.region->iteration : *inputs.program;
  return *program.operations[instruction.origin].operation;
}

}  // namespace

void fail_at(const graph::LaidOutOperation& operation, const graph::ElementError& error) {
  constexpr int kMostCalls = 16;
  Diagnostic diagnostic(error.kind, operation.span, error.message);
  int calls = 0;
  for (const graph::CallFrame* frame = operation.frame.get(); frame && calls < kMostCalls; frame = frame->caller.get())
    if (frame->span.is_known() && ++calls > 0)
      diagnostic.related(frame->span, frame->backward ? "in the gradient of this" : "called here");
  fail(std::move(diagnostic));
}

StepExecutor::StepExecutor(std::shared_ptr<const schedule::Schedule> schedule, Machine& machine, Hostings& hostings,
                           bool share, const Enclosing* enclosing)
    : machine_(machine), frame_(std::move(schedule), hostings), steps_(bind_steps(frame_, machine, share, enclosing)) {
  find_awaited();
  on_progress_ = [this] {
    if (std::this_thread::get_id() == runs_on_) advance();
  };
  on_stop_ = [this] {
    if (may_stop_ && machine_.interrupt.is_wanted()) throw Stopped();
  };
}

void StepExecutor::find_awaited() {
  for (size_t c = 0; c < steps_.size(); ++c) {
    if (!steps_[c].collective) continue;
    const size_t end = static_cast<size_t>(std::max<int>(static_cast<int>(c) + 1, steps_[c].step->finish));
    if (end < steps_.size()) steps_[end].awaits.push_back(static_cast<int>(c));  // the others end after the last step
  }
}

void StepExecutor::run(const plan::PlanInputs& inputs, size_t stops_before, size_t from, size_t to) {
  runs_on_ = std::this_thread::get_id();
  frame_.read_numbers(inputs.values);
  stops_before_ = machine_.transport.ranks() == 1 ? stops_before : 0;
  if (!has_run_ && from == 0)
    for (BoundStep& step : steps_) step.sent = 0;
  under_way_.clear();
  if (machine_.timeline) read_clock();
  for (size_t s = from; s < to; ++s) run_step(s, inputs);
  finish_all();
  machine_.at.store(nullptr, std::memory_order_relaxed);
  has_run_ = has_run_ || to == steps_.size();
}

void StepExecutor::run_step(size_t s, const plan::PlanInputs& inputs) {
  BoundStep& step = steps_[s];
  for (int awaited : step.awaits) finish(awaited);
  machine_.at.store(step.first, std::memory_order_relaxed);
  machine_.moved.fetch_add(1, std::memory_order_relaxed);
  may_stop_ = s < stops_before_;
  if (may_stop_ && machine_.interrupt.is_wanted()) end_early(*step.first);
  if (step.collective) return begin(s);
  if (step.loop) return run_loop(s, inputs);
  try {
    if (step.compute) compute(s, inputs);
    else open_window(step, inputs.numbers(*step.first)[0]);
  } catch (const Stopped&) { end_early(*step.first); } catch (const graph::ElementError& error) {
    fail_at(operation_of(*step.first, inputs), error);
  }
}

void StepExecutor::run_loop(size_t s, const plan::PlanInputs& inputs) {
  const BoundStep& step = steps_[s];
  if (step.is_left_out) {
    for (const int result : step.first->results) frame_.zero(result, [](int) { return true; });
    return;
  }
  finish_all();  // iterations reuse the memory of collectives
  const double began = clock_, busy = machine_.timeline ? machine_.timeline->busy() : 0;
  step.loop->run(
      {frame_.staging(step.buffer), frame_.shared_for_loops(), inputs.numbers(*step.first), s < stops_before_});
  if (!machine_.timeline) return;
  read_clock();
  machine_.timeline->add_up(frame_.schedule(), static_cast<int>(s),
                            clock_ - began - (machine_.timeline->busy() - busy));
}

void StepExecutor::compute(size_t s, const plan::PlanInputs& inputs) {
  BoundStep& step = steps_[s];
  const bool overlaps = (!under_way_.empty() || !machine_.handed_on.empty()) && machine_.transport.ranks() > 1;
  if (overlaps) advance();
  const std::span<const double> host =
      step.step->kind == schedule::StepKind::kKernel ? inputs.numbers(*step.first) : std::span<const double>();
  const double began = clock_;
  const int64_t flops = step.compute->run(
      {frame_.pointers(), machine_.threads, host, frame_.numbers(), overlaps ? on_progress_ : on_stop_});
  if (machine_.timeline) read_clock(), note(s, began, clock_ - began);
  if (!has_run_) step.flops = flops;
  MTF_CHECK(flops == step.flops, "a step did {} operations, now {}", step.flops, flops);
}

/// Points a window at the position of its operand that a host number names.
void StepExecutor::open_window(const BoundStep& step, double number) {
  const graph::LaidOutOperation& operation = *step.first->node;
  const int64_t index =
      ops::checked_position(operation.operands[0].dims[operation.op->dim_of_position(operation)], number);
  frame_.point_window(step.first->results[0], step.first->operands[0], index, step.window_bytes);
}

// ---- collectives under way ------------------------------------------------------------------------------------------

void StepExecutor::begin(size_t s) {
  BoundStep& step = steps_[s];
  step.number = machine_.collectives_begun++;
  const int64_t most = std::min(machine_.transport.collectives_at_once(), SharedMemory::kNotices);
  while (!under_way_.empty() && step.number - steps_[under_way_[0]].number >= most) finish(under_way_[0]);
  step.busy = 0;
  step.began = clock_;
  hand_to_mpi(step, [&](BoundCollective& collective) {
    collective.begin(step.operands, step.results, {machine_.transport, frame_.staging(step.buffer), step.number});
  });
  under_way_.push_back(static_cast<int>(s));
}

void StepExecutor::advance() {
  if (machine_.timeline) read_clock();
  for (int other : under_way_)
    hand_to_mpi(steps_[other], [&](BoundCollective& collective) { collective.advance(machine_.transport); });
  for (auto each = machine_.handed_on.begin(); each != machine_.handed_on.end();)
    each = machine_.transport.test(each->second) ? machine_.handed_on.erase(each) : std::next(each);
}

void StepExecutor::finish(int s) {
  machine_.at.store(steps_[s].first, std::memory_order_relaxed);
  hand_to_mpi(steps_[s], [&](BoundCollective& collective) { collective.finish(machine_.transport); });
  std::erase(under_way_, s);
  if (machine_.timeline) note(static_cast<size_t>(s), steps_[s].began, steps_[s].busy);
}

void StepExecutor::finish_all() {
  while (!under_way_.empty()) finish(under_way_[0]);
}

/// Calls `work` with the step's collective. The first run records the bytes that it sends.
template <typename Work>
void StepExecutor::hand_to_mpi(BoundStep& step, const Work& work) {
  const int64_t before = machine_.transport.sent();
  work(*step.collective);
  if (machine_.timeline) step.busy += read_clock();
  if (!has_run_) step.sent += machine_.transport.sent() - before;
}

void StepExecutor::count_sent(const spmd::Instruction& instruction, int64_t bytes) {
  for (BoundStep& step : steps_)
    if (step.first == &instruction) step.sent += bytes;
}

void StepExecutor::end_early(const spmd::Instruction& at) {
  finish_all();
  machine_.at.store(nullptr, std::memory_order_relaxed);
  fail(Kind::interrupted, at.node->span);
}

// ---- the timeline ---------------------------------------------------------------------------------------------------

void StepExecutor::note(size_t s, double began, double busy) {
  const int64_t number = steps_[s].collective ? steps_[s].number : -1;
  machine_.timeline->add(
      {frame_.schedule(), static_cast<int>(s), began, clock_, busy, frame_.hostings().some(), number});
}

/// Reads the clock. Returns the time since the last reading.
double StepExecutor::read_clock() {
  const double before = std::exchange(clock_, machine_.timeline->now());
  return clock_ - before;
}

}  // namespace mtf::run
