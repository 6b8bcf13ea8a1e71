#pragma once
// The decisions of the pass `split`, as records that can be printed and tested.
//
// Lowering an operation means to decide, then to emit. A decision is made from the shardings of the operands, the
// copies that exist and the consumers of the results; it adds nothing to the program. The functions that emit
// instructions (LocalBuilder, across_blocks.h, partial_results.h) follow the decision and choose nothing.
//
// The pass decides and emits operation by operation. Copies that earlier operations made, and sums that they left
// partial, then are facts of the program under construction, and no second model of them is needed.
//
// A decision names local values by their indices. `Decisions` keeps the values beside the decisions.
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "spmd/iteration_split.h"
#include "spmd/local_program.h"
#include "spmd/reasons.h"
#include "spmd/reshard.h"

namespace mtf::spmd {

/// How a value gets a sharding (LocalBuilder::way_to).
struct Resharding {
  enum class Kind : uint8_t {
    kStays,      ///< it has the sharding
    kCopy,       ///< an earlier consumer needed the same sharding: `copy` is that local value
    kInputCopy,  ///< an earlier program made copy `copy` of the input
    kReshard,    ///< it is resharded by `way`
    kView,       ///< it names the memory of another value, which moves by `of`
  };
  Kind kind = Kind::kStays;
  int value = -1;  ///< the local value that moves
  int copy = -1;
  std::shared_ptr<const ReshardWay> way = nullptr;
  std::shared_ptr<const Resharding> of = nullptr;
};

/// An interval that is fetched across the blocks of a split dim.
struct Fetch {
  size_t operand = 0;
  int dim = 0;  ///< of the operand
  graph::AccessMap map = {};
  AxisList axes = {};
};

/// How an operation is computed from operands in the sharding of its split.
enum class ComputedBy : uint8_t {
  kName,       ///< nothing is computed: the result is the operand under another name
  kBlocks,     ///< each processor computes its block
  kTotals,     ///< a running sum: each processor adds the totals of the blocks before its own
  kIntervals,  ///< a reshape whose blocks do not coincide: intervals of the flattened dims are exchanged
};

/// Why a result that is a partial sum stays partial.
enum class StaysPartial : uint8_t {
  kNo,        ///< the result is complete, or is completed where it is computed
  kUnread,    ///< nothing reads the result
  kConsumer,  ///< the only consumer is linear in it
  kTerm,      ///< it is a term of a sum over iterations, or a slice of a stacked value, which is reduced later
  kOwner,     ///< the sum goes to the processor that owns the slice
};

struct ResultDecision {
  int outcome = -1;     ///< the local value as it is computed
  AxisSet partial = 0;  ///< over which the outcome is partial
  StaysPartial stays = StaysPartial::kNo;
  Sharding wanted = {};  ///< of a result that does not stay partial
  Resharding resharding = {};
  ReasonRef reason = {};  ///< to reduce it
};

struct Decisions;

/// A loop over a dim, or a pipeline.
struct LoopDecision {
  bool is_pipeline = false;
  /// For each operand: the axes of the processors that own slices along the loop's dim; empty if every processor has
  /// each slice of its blocks.
  std::vector<AxisList> operand_owners = {};
  std::vector<AxisList> result_owners = {};
  /// For each operand: the shardings of copies that iterations may read instead of resharding slices.
  std::vector<std::vector<Sharding>> copies = {};
  /// For each result: the axes over which slices stay partial until the loop ends.
  std::vector<AxisSet> partial_results = {};
  std::vector<int> hoisted = {};  ///< resharded constants of the loop, as values around the loop
  std::shared_ptr<const Decisions> iteration = {};
};

/// The decisions for one operation.
struct OperationDecision {
  graph::OperationRef node = {};
  std::vector<int> values = {};  ///< the local values that it is given
  /// How the iteration space is split, and the shardings of operands and results. Null for loops and for additions
  /// whose terms stay separate.
  std::shared_ptr<const IterationSplit> split = {};
  std::vector<Sharding> wanted = {};         ///< the sharding in which each operand is read
  std::vector<Resharding> reshardings = {};  ///< of each operand
  ComputedBy by = ComputedBy::kBlocks;
  std::vector<Fetch> fetches = {};
  bool shares_halo = false;  ///< the operand's halo is fetched together with those of other windows (spmd/halos.h)
  /// For each result: the dim of the iteration space along which overlapping intervals are added back to their
  /// blocks, or -1.
  std::vector<int> added_back = {};
  std::vector<ResultDecision> results = {};
  std::vector<AxisSet> separate_terms =
      {};  ///< of an addition: the axes of its terms that stay separate (sum_chains.h)
  std::optional<LoopDecision> loop = {};
};

/// How a root of the program ends.
struct RootDecision {
  enum class Kind : uint8_t {
    kLayout,   ///< it is resharded to its layout
    kSum,      ///< each iteration adds it to a sum
    kPartial,  ///< it stays partial, because it is reduced after the loop
    kOwner,    ///< it goes to the processor that owns the slice
  };
  Kind kind = Kind::kLayout;
  int value = -1;
  Sharding wanted = {};
  Resharding resharding = {};
  int output = -1;  ///< the local value that the program returns for it
};

struct Decisions {
  std::vector<OperationDecision> operations;
  std::vector<RootDecision> roots;
  std::vector<std::pair<int, int>> kept_copies;  ///< values for later gradients, and their copies
  std::vector<LocalValue> values;                ///< of the local program
  std::vector<std::string> names;                ///< unique, for each value
};

/// Prints the decisions with the script's names, in the words of `:explain`.
std::string to_string(const Decisions& decisions);

}  // namespace mtf::spmd
