#pragma once
// Runs the iterations of a loop over a dim on this rank: the memory of xs and ys, and the carry between iterations.
//
// The body has a frame of its own, whose arena is part of the arena around the loop. Before each iteration its inputs
// are pointed at the iteration's slices of xs, and its outputs at the slices of ys. An iteration reads a carry or a sum
// from one memory (`now`) and writes it to another (`next`). Both are the same memory unless the schedule asks for a
// second one (schedule::second_positions); the two then change roles after each iteration:
//
//   3 iterations, a result at R, a second memory at S
//     iteration   0     1     2
//     reads       S     R     S         the initial carry is copied to S
//     writes      R     S     R         the last iteration writes the result
#include <memory>
#include <vector>

#include "graph/region.h"
#include "ops/loop.h"
#include "run/bound_step.h"

namespace mtf::run {

class ScanExecutor final : public BoundLoop {
 public:
  /// Runs the iterations `iterations` of the loop. `body`: the executor of one iteration. `hosted`: for each processor
  /// of the body, its index in the hosting around the loop; null if both have the same processors. `chunk`: in a
  /// pipeline, the chunk of layers that the stage runs.
  ScanExecutor(std::unique_ptr<StepExecutor> body, const Frame& around, const spmd::Instruction& loop,
               Interval iterations, const std::vector<int>* hosted, int64_t chunk);
  ~ScanExecutor() override;

  int64_t arena_bytes() const override;
  int64_t shared_bytes() const override;
  /// Bytes that live from one part of an iteration to the other, in a pipeline.
  int64_t kept_bytes() const;
  void run(const LoopRun& run) override { run_steps(run, 0, SIZE_MAX); }
  /// Runs only some steps of each iteration: from `from` up to, but not including, `to`.
  void run_steps(const LoopRun& run, size_t from, size_t to);
  std::vector<Body> bodies() const override;
  StepExecutor& body() const { return *body_; }

 private:
  /// A tensor that the body reads, and the operand of the loop that contains it.
  struct Outside {
    int value, operand;
    int64_t first;  ///< position of the chunk's first slice
    std::vector<int> slots;
    std::vector<Interval> held;
  };
  /// An output of the body.
  struct Left {
    int input = -1;            ///< the body's input that reads the output in the next iteration; -1: none
    int64_t second = -1;       ///< offset of its second buffer in the loop's memory; -1: it needs none
    size_t made = 0;           ///< the step that writes it; 0 for an input
    int buffer = -1;           ///< the buffer that is written in place; -1: the output is copied
    int64_t places = 0;        ///< of the loop's result
    int64_t first = 0;         ///< position of the chunk's first slice in the loop's result
    std::vector<int> outside;  ///< for each slot: the slot of the loop's result
    std::vector<Interval> held;
    std::vector<void*> now, next;  ///< for each slot: the memory that this iteration reads and writes
  };

  void bind_inputs();
  void bind_outputs();
  std::vector<int> outside(int value, const spmd::LocalValue& of) const;
  std::vector<Interval> held(int value, const spmd::LocalValue& all, bool is_at_slot) const;

  bool is_carried(size_t r) const { return static_cast<int32_t>(r) < region_.carried; }
  bool is_stacked(size_t r) const {
    return !is_carried(r) && static_cast<int32_t>(r) < region_.carried + region_.stacked;
  }
  int value_of(size_t r) const { return frame_.program().outputs[r][0]; }
  int slots(size_t r) const { return frame_.pointers().slots[value_of(r)]; }
  int64_t bytes_at(size_t r, int slot) const { return frame_.block_bytes(value_of(r), slot); }
  void* result(size_t r, int slot) const {
    auto* all = static_cast<std::byte*>(around_.pointers().at(loop_.results[r], left_[r].outside[slot]));
    return all + left_[r].first * bytes_at(r, slot);
  }
  std::byte* operand(const Outside& each, int slot) const;
  int64_t first_of_chunk(const spmd::LocalValue& all, int value) const;

  void begin(size_t r, std::byte* arena);
  void run_iteration(int64_t at, std::vector<double> numbers, size_t stops_before, size_t from, size_t to);
  void end(size_t r);
  void* wanted(size_t r, int slot, int64_t at) const;
  void* at_slot(void* all, int64_t at, const std::vector<Interval>& held, int slot, int64_t bytes) const;

  const std::unique_ptr<StepExecutor> body_;
  Frame& frame_;  // of the body
  const Frame& around_;
  const spmd::Instruction& loop_;
  const graph::Region& region_;
  const ops::ScanAttributes& attributes_;
  const Interval iterations_;
  const std::vector<int>* const hosted_;
  const int64_t chunk_;
  plan::PlanInputs inputs_;
  std::vector<Outside> tensors_;
  std::vector<std::vector<int>> starts_;  // for each carry and slot: the slot of the loop's operand
  // Number values of the body, with their indices among the loop's numbers.
  std::vector<std::pair<int, int32_t>> numbers_;
  std::vector<Left> left_;
  int64_t bytes_ = 0;
};

/// Returns the number of micro-batches that a result of a pipeline holds at once; at other results: of iterations.
int64_t places_of(const spmd::LocalValue& result, const graph::Region& region);

/// Binds a loop that is no pipeline. `share`: as in bind_steps(). `chunk`: the chunk of layers of the stage around it.
std::unique_ptr<BoundLoop> bind_scan(const Frame& around, Machine& machine, const schedule::Step& step, bool share,
                                     int64_t chunk);

}  // namespace mtf::run
