#pragma once
// Runs the steps of a schedule on this rank, in order, in the memory of a frame.
//
// A collective begins at its step and ends before the first step that reads its result or may reuse its memory. Between
// these steps, kernels call the collectives under way, because MPI makes progress only inside its own calls. With one
// rank, an interrupt ends the steps between two of them and within long kernels.
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "run/bound_step.h"

namespace mtf::graph {
struct ElementError;  // graph/kernel_call.h
}

namespace mtf::run {

/// Fails at an operation. The notes name the calls that led to it, the innermost first.
[[noreturn]] void fail_at(const graph::LaidOutOperation& operation, const graph::ElementError& error);

class StepExecutor {
 public:
  /// `enclosing`: the loop whose body the schedule is; null outside of loops. It is read only here.
  StepExecutor(std::shared_ptr<const schedule::Schedule> schedule, Machine& machine, Hostings& hostings, bool share,
               const Enclosing* enclosing = nullptr);

  /// Runs all steps. The pointers of the frame's inputs and outputs are set. An interrupt is ignored from step
  /// `stops_before` on. Fails at the position of a step with a wrong index (index_out_of_range), or (interrupted).
  void run(const plan::PlanInputs& inputs, size_t stops_before) { run(inputs, stops_before, 0, steps_.size()); }
  /// Runs the steps from `from` up to, but not including, `to`. The collectives among them end before it returns.
  void run(const plan::PlanInputs& inputs, size_t stops_before, size_t from, size_t to);

  Frame& frame() { return frame_; }
  const Frame& frame() const { return frame_; }
  const std::vector<BoundStep>& steps() const { return steps_; }
  /// Adds bytes that were sent outside of the steps, for the collective of `instruction` on the receiving side.
  void count_sent(const spmd::Instruction& instruction, int64_t bytes);

 private:
  /// Somebody wants the step that is under way to end.
  struct Stopped {};

  void find_awaited();
  void run_step(size_t s, const plan::PlanInputs& inputs);
  void run_loop(size_t s, const plan::PlanInputs& inputs);
  void compute(size_t s, const plan::PlanInputs& inputs);
  void open_window(const BoundStep& step, double number);
  void begin(size_t s);
  void finish(int s);
  void finish_all();
  void advance();
  template <typename Work>
  void hand_to_mpi(BoundStep& step, const Work& work);
  [[noreturn]] void end_early(const spmd::Instruction& at);
  void note(size_t s, double began, double busy);
  double read_clock();

  Machine& machine_;
  Frame frame_;
  std::vector<BoundStep> steps_;
  std::vector<int> under_way_;  // collectives that have begun, in order
  // Any thread of a long kernel may call these, but only the thread that runs the steps may use messages.
  std::function<void()> on_progress_, on_stop_;
  std::thread::id runs_on_;
  bool may_stop_ = false;
  size_t stops_before_ = 0;
  bool has_run_ = false;
  /// The latest reading of the timeline's clock: the end of one step and the beginning of the next. One reading serves
  /// both, because a short collective takes only some thirty times as long as a reading.
  double clock_ = 0;
};

}  // namespace mtf::run
