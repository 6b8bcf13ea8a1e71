#pragma once
// A region: a program inside an operation, which runs it once for each position of a dim. A loop is captured, checked,
// laid out, split, scheduled, costed and differentiated once, whatever its number of iterations.
//
//   inputs of the iteration    carry …   xs (placed) …   constants …   numbers of the host …
//   roots of the iteration     carry …   ys (stacked) …   sums …
//
//   operands of the operation    initial carry; xs, with the dim as their first one; constants
//   results of the operation     final carry; ys, stacked along the dim, which is the first one; sums over iterations
//
//           start ──► ┌───────────────┐
//   xs [layers, …] ─► │ iteration:    │ ──► last          the carry keeps its dims, element types and layouts
//        constants ─► │ one program   │ ──► ys [layers, …]
//                     └───────────────┘ ──► sums          added up in place, and reduced after the last iteration
//
// Numbers of the host that an iteration reads are inputs of the operation (Operation::inputs). The numbers of the
// iteration's inputs come first, then the numbers of its operations. A random call's number is that of the first
// iteration; in iteration t it is larger by t · calls.
//
// A loop may be a pipeline. Its iterations are then split over `stages`, and each processor runs the iterations in its
// block of the dim. The carry is cut along the dim `micro` into micro-batches, which go from stage to stage.
// AlongMicro describes the roots of an iteration that runs once for each micro-batch.
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "graph/layouts.h"
#include "graph/program.h"

namespace mtf::graph {

/// A part of the numbers of a loop: those of one operation of the captured program.
struct NumbersOf {
  int32_t origin = -1;  ///< index of the operation in the captured program; -1: none has numbers
  int32_t count = 0;
};

/// A value of another loop that each iteration computes again (spmd/recompute_in_loops.cpp).
struct RemadeValue {
  std::string name;
  int64_t bytes = 0;       ///< that all iterations would have saved; 0: it only leads to such a value
  int64_t flops = 0;       ///< of one iteration, on one processor
  int64_t sent_bytes = 0;  ///< likewise
};

struct Region {
  Program iteration;
  int32_t carried = 0, placed = 0, constants = 0;  ///< numbers of inputs
  int32_t stacked = 0, summed = 0;                 ///< numbers of roots after the carry
  int32_t saved = 0;                               ///< number of ys, the last ones, that are for gradients
  int64_t iterations = 0;
  int64_t calls = 0;      ///< random calls in one iteration
  Name micro;             ///< the dim of micro-batches, if the loop asks for a pipeline
  AxisList stages;        ///< of a pipeline: the axes that split its iterations; they split no value of an iteration
  bool hands_on = false;  ///< its iterations are micro-batches, which each stage receives from the stage before
  int64_t idle = 0;       ///< of such a loop: the number of iterations in which a stage is idle
  /// Of a forward and a backward pipeline in one loop (spmd/join_pipelines.h): the indices, in the captured program, of
  /// the operations whose numbers the loop reads, one after the other. Empty for other loops.
  std::vector<int32_t> joined;
  /// Of a loop that computes values of another loop again: the operations whose numbers it reads, one after the other.
  /// Empty for other loops.
  std::vector<NumbersOf> numbers_of;
  std::vector<RemadeValue> remade;
  std::vector<int32_t> input_number;  ///< for each input of the iteration: index in Operation::inputs, or -1: no number
  std::vector<int32_t> first_number;  ///< for each operation of the iteration: index of its first number there
  std::vector<int32_t> call_numbers;  ///< indices in Operation::inputs of the numbers of random calls
  std::vector<SegmentRef> segments;   ///< for each operation of the iteration, for its gradient: its segment
  std::string form;                   ///< equal for regions that differ only in numbers of the host

  int32_t tensors() const { return carried + placed + constants; }
  bool is_placed(size_t input) const {
    return static_cast<int32_t>(input) >= carried && static_cast<int32_t>(input) < carried + placed;
  }
  /// Returns the numbers of one iteration; `numbers` are Operation::inputs.
  std::vector<double> numbers_of_iteration(std::span<const double> numbers, int64_t iteration) const;
};

/// A region with the host's numbers at its capture.
struct CapturedRegion {
  std::shared_ptr<const Region> region;
  std::vector<double> numbers;
};

/// Makes a region of `iteration`, whose first inputs are its tensors. `region` has the counts and no program yet.
CapturedRegion make_region(Capture iteration, Region region);

/// Returns the region after a change, with its new form.
std::shared_ptr<const Region> with_form(Region region);

/// Maps operations of an old iteration to those of the new one, for operations that copy another's layout.
class Successors {
 public:
  void add(const LaidOutOperation& was, int32_t result, OperationRef now, int32_t now_result) {
    now_.try_emplace({&was, result}, std::move(now), now_result);
  }
  /// Adds all results of an operation.
  void add(const LaidOutOperation& was, const OperationRef& now) {
    for (size_t r = 0; r < was.results.size(); ++r) add(was, static_cast<int32_t>(r), now, static_cast<int32_t>(r));
  }
  /// Replaces the value that `why` names by its successor. Returns false if it has none, or if `why` names no value.
  bool apply(LayoutReason& why) const {
    const auto at = now_.find({why.like.get(), why.like_result});
    if (at != now_.end()) std::tie(why.like, why.like_result) = at->second;
    return at != now_.end();
  }

 private:
  std::map<std::pair<const LaidOutOperation*, int32_t>, std::pair<OperationRef, int32_t>> now_;
};

/// Returns the types of the results of an operation that runs a region over `over`. Saved results have the dim under
/// another name. So do results that already have the dim, as a gradient of a saved result may.
std::vector<TensorType> results_of(const Region& region, const Dim& over);

/// Decides the layouts of an operation and its region, given its operands' layouts. The carry has the layout in which
/// every iteration leaves it: the fixed point of the decision, starting at the initial layout. Without a fixed point
/// the carry is replicated. `mesh` and `rules` are as in laid_out_again (graph/relayout.h).
void lay_out_region(LaidOutOperation& operation, std::span<const OperandLayout> operands, const MeshPtr& mesh = nullptr,
                    const LayoutPtr& rules = nullptr);

/// The relation between micro-batches and a value that is computed for one of them after the other.
enum class AlongMicro : uint8_t {
  kBlock,  ///< the value has the dim, and each micro-batch gives its own block
  kSame,   ///< the value does not depend on the micro-batch
  kSum,    ///< the value is the sum of the micro-batches' results
};
struct MicroBatches {
  std::vector<AlongMicro> roots;
  const LaidOutOperation* mixing = nullptr;  ///< the first operation that reads across positions; null: none
};
/// Returns the relations of an operation's results to `micro`; nothing if it reads across positions. Sums are allowed
/// as with `may_sum` below.
std::optional<std::vector<AlongMicro>> along_micro(const LaidOutOperation& operation,
                                                   const std::vector<AlongMicro>& operands, Name micro);
/// Returns the relations of an iteration's roots to `micro`. With `may_sum`, sums over the dim are allowed if their
/// consumers are linear, as in a gradient.
MicroBatches along_micro(const Region& region, Name micro, bool may_sum);

/// Returns an operation of a pipeline without splits over `stages` or along the dim of micro-batches.
std::shared_ptr<LaidOutOperation> within_stage(const LaidOutOperation& was, AxisSet stages, Name micro);

/// Returns the largest number of iterations that a processor runs.
int64_t most_iterations(const LaidOutOperation& loop);

/// Returns the sharding, during a loop, of a tensor whose first dim is the loop's. The loop's dim is replicated, and
/// its axes split another replicated dim if possible. So a sharded tensor is never gathered for all iterations at
/// once: each iteration reshards its own slice.
Sharding off_loop_dim(const Dims& dims, Sharding sharding, const Mesh& mesh);

/// Removes from loops the results that are neither roots nor operands, and the operations in the iteration that only
/// these results need. Operations without a region stay.
void leave_out_unread_results(Program& program);

}  // namespace mtf::graph
