#pragma once
// The steps of a schedule, bound to this rank's processors: kernels, fusions, windows, collectives and loops.
//
// A step runs once for each distinct slot (run/hosting.h) of this rank's processors along the axes that its results
// vary over.
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "run/collective.h"
#include "run/frame.h"

namespace mtf::run {

struct StepRun {
  const PointerTable& pointers;
  kernels::Threads& threads;
  std::span<const double> inputs;   ///< host numbers of the instruction's node
  std::span<const double> numbers;  ///< for each value that is a host number: the number
  const std::function<void()>&
      progress;  ///< long kernels call it on any thread; it advances collectives, or ends the step
};

/// A bound kernel or fusion. run() returns the floating-point operations of the busiest slot.
class BoundCompute {
 public:
  virtual ~BoundCompute() = default;
  virtual int64_t run(const StepRun& run) = 0;
};

std::unique_ptr<BoundCompute> bind_kernel(const schedule::Schedule& schedule, const schedule::Step& step,
                                          Hostings& hostings);
std::unique_ptr<BoundCompute> bind_loop(const schedule::Schedule& schedule, const schedule::Step& step,
                                        Hostings& hostings);

class StepExecutor;

/// Resources of one run of a loop.
struct LoopRun {
  std::byte* arena;                 ///< has arena_bytes() bytes
  std::byte* shared;                ///< has shared_bytes() bytes of the memory that ranks share
  std::span<const double> numbers;  ///< host numbers of the loop's node
  bool may_stop;                    ///< an interrupt may end it
  std::byte* kept = nullptr;  ///< in a pipeline: has kept_bytes() bytes, from one part of an iteration to the other
};

/// A bound loop: a scan over a dim (run/scan_executor.h), or a pipeline (run/pipeline_executor.h).
class BoundLoop {
 public:
  /// A body of the loop on this rank, and the number of times that it runs.
  struct Body {
    const StepExecutor* steps;
    int64_t times;
  };

  virtual ~BoundLoop() = default;
  virtual int64_t arena_bytes() const = 0;
  virtual int64_t shared_bytes() const = 0;
  virtual void run(const LoopRun& run) = 0;
  /// Returns its bodies, all of one program: a pipeline has one for each of its stages and micro-batches.
  virtual std::vector<Body> bodies() const = 0;
};

class PipelineStage;

/// The loop that runs a body: the frame around it, and its instruction there.
struct Enclosing {
  const Frame& frame;
  const spmd::Instruction& loop;
  const PipelineStage* stage = nullptr;  ///< the stage that runs the body; null outside of pipelines
  const spmd::LocalValue& operand(int i) const { return frame.value(loop.operands[static_cast<size_t>(i)]); }
  const spmd::LocalValue& result(int i) const { return frame.value(loop.results[static_cast<size_t>(i)]); }
};

/// A step of the schedule, on this rank. One of `compute`, `collective` and `loop` is set, none for a window.
struct BoundStep {
  const schedule::Step* step = nullptr;
  const spmd::Instruction* first = nullptr;
  std::unique_ptr<BoundCompute> compute;
  std::unique_ptr<BoundCollective> collective;
  std::unique_ptr<BoundLoop> loop;
  int64_t window_bytes = 0;    ///< for a window: distance between positions
  int buffer = -1;             ///< staging buffer
  bool is_left_out = false;    ///< another stage of the pipeline runs the loop; here its results are zeros
  int64_t number = 0;          ///< of the running collective
  int64_t flops = 0;           ///< of its busiest slot in the first run
  int64_t sent = 0;            ///< bytes sent to other ranks in the first run
  double began = 0, busy = 0;  ///< of the running collective, by the timeline
  std::vector<int> awaits;     ///< steps that must end before this one begins
  std::vector<std::span<void* const>> operands;
  std::vector<std::span<void* const>> results;
};

/// Binds the steps of a frame, and packs the frame. `share`: large all_reduces use the memory that ranks share, if
/// possible. `enclosing`: null outside of loops.
std::vector<BoundStep> bind_steps(Frame& frame, Machine& machine, bool share, const Enclosing* enclosing);

}  // namespace mtf::run
