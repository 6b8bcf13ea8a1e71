#pragma once
// A region: a program inside an operation, which runs it once for each place of a dim. A loop is captured, checked,
// laid out, split, scheduled, costed and differentiated once, however many turns it has.
//
//   inputs of the turn    carried …   placed …   constants …   numbers of the host …
//   roots of the turn     carried …   stacked …   summed …
//
//   operands of the operation    what is carried at the beginning; what has the dim, which stands first; constants
//   results of the operation     what is carried at the end; stacked along the dim, which stands first; sums over turns
//
//           start ──► ┌───────────────┐
//   xs [layers, …] ─► │ turn: one     │ ──► last          carried: dims, element types and layouts stay
//        constants ─► │ program       │ ──► ys [layers, …]
//                     └───────────────┘ ──► sums          added up where they are made, and reduced after the last turn
//
// The numbers of the host that a turn reads are inputs of the operation (Operation::inputs), one after the other: those
// of the turn's inputs, then those of its operations. The number of a random call is that of the first turn; turn t has
// it t · calls further on.
//
// A loop may be a pipeline: its turns are then split over `stages`, each processor runs those of its own block of the
// dim, and `micro`, a dim of what is carried, is cut into micro-batches that go from one stage to the next. What comes
// of a root of a turn that is run for one micro-batch after the other is AlongMicro.
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "graph/layouts.h"
#include "graph/program.h"

namespace mtf::graph {

struct Region {
  Program turn;
  int32_t carried = 0, placed = 0, constants = 0;  ///< inputs
  int32_t stacked = 0, summed = 0;                 ///< roots behind those that are carried
  int32_t saved = 0;                               ///< so many of those that are stacked, the last, are for gradients
  int64_t turns = 0;
  int64_t calls = 0;                  ///< random calls of a turn
  Name micro;                         ///< the dim of micro-batches that the loop was asked to pipeline, if it was
  AxisList stages;                    ///< of a pipeline: the axes that split its turns; no value of a turn has them
  bool hands_on = false;              ///< its turns are micro-batches, which each stage takes over from the one before
  int64_t idle = 0;                   ///< of such a loop: the turns in which a stage has to wait for the others
  std::vector<int32_t> input_number;  ///< of each input of the turn: its place in Operation::inputs, or -1: no number
  std::vector<int32_t> first_number;  ///< of each operation of the turn: where its numbers begin there
  std::vector<int32_t> call_numbers;  ///< which of Operation::inputs are numbers of random calls
  std::vector<SegmentRef> segments;   ///< of each operation of the turn, for its gradient: that it was made in
  std::string form;                   ///< equal for regions that differ in nothing but numbers of the host

  int32_t tensors() const { return carried + placed + constants; }
  bool is_placed(size_t input) const {
    return static_cast<int32_t>(input) >= carried && static_cast<int32_t>(input) < carried + placed;
  }
  /// Those of a turn; `numbers` are Operation::inputs.
  std::vector<double> numbers_of_turn(std::span<const double> numbers, int64_t turn) const;
};

/// A region with the numbers of the host that it was captured with.
struct CapturedRegion {
  std::shared_ptr<const Region> region;
  std::vector<double> numbers;
};

/// `turn` is captured with its tensors as the first inputs; `region` says how many are what, and has no program yet.
CapturedRegion make_region(Capture turn, Region region);

/// The region, of which something has changed, with the form that it has now.
std::shared_ptr<const Region> with_form(Region region);

/// Operations of a turn that is made again, and what has taken their places: for those that are laid out like another.
class Successors {
 public:
  void add(const LaidOutOperation& was, int32_t result, OperationRef now, int32_t now_result) {
    now_.try_emplace({&was, result}, std::move(now), now_result);
  }
  /// Of each result.
  void add(const LaidOutOperation& was, const OperationRef& now) {
    for (size_t r = 0; r < was.results.size(); ++r) add(was, static_cast<int32_t>(r), now, static_cast<int32_t>(r));
  }
  /// What the reason names is what has taken its place; false if nothing has, or it names nothing.
  bool apply(LayoutReason& why) const {
    const auto at = now_.find({why.like.get(), why.like_result});
    if (at != now_.end()) std::tie(why.like, why.like_result) = at->second;
    return at != now_.end();
  }

 private:
  std::map<std::pair<const LaidOutOperation*, int32_t>, std::pair<OperationRef, int32_t>> now_;
};

/// The types of the results of an operation that runs a region over `over`. What is saved has the dim under another
/// name, and so has what has the dim itself, as a gradient of what is saved may.
std::vector<TensorType> results_of(const Region& region, const Dim& over);

/// Lays out an operation and its region, where its operands lie so. What is carried lies as every turn leaves it: the
/// fixed point of the decision, which begins with where it lies at the start; where there is none, whole. `mesh` and
/// `rules` are as in laid_out_again (graph/relayout.h).
void lay_out_region(LaidOutOperation& operation, std::span<const OperandLayout> operands, const MeshPtr& mesh = nullptr,
                    const LayoutPtr& rules = nullptr);

/// What the places of a dim make of a value that is computed for one of them after the other.
enum class AlongMicro : uint8_t {
  kBlock,  ///< it has the dim, and each place gives its own
  kSame,   ///< it does not depend on the place
  kSum,    ///< it is the sum of what the places give
};
struct MicroBatches {
  std::vector<AlongMicro> roots;
  const LaidOutOperation* mixing = nullptr;  ///< the first that reads across places; null: none does
};
/// The roots of a turn along `micro`. `may_sum`: sums over the dim are allowed where what reads them is linear, as in
/// a gradient.
MicroBatches along_micro(const Region& region, Name micro, bool may_sum);

/// The turns of a loop that the processor with the most of them runs.
int64_t most_turns(const LaidOutOperation& loop);

/// How a tensor whose first dim is that of a loop lies while the loop runs: that dim is whole, and the axes that split
/// it split another one instead, if one of those that are whole can be: so what is stored in parts is never whole in
/// all places at once. Each turn brings its own place where it is needed.
Sharding off_loop_dim(const Dims& dims, Sharding sharding, const Mesh& mesh);

/// Leaves out of loops whatever nothing reads: results that are neither roots nor operands, and what they alone are
/// made of in each turn. Operations without a region stay.
void leave_out_unread_results(Program& program);

}  // namespace mtf::graph
