#pragma once
// The reasons for collectives, as data.
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "graph/operation.h"

namespace mtf::spmd {

struct LocalValue;
struct IterationSplit;

struct Reason {
  enum class Kind : std::uint8_t {
    kReduced,    ///< the dims of `parts` are reduced, and split
    kCompleted,  ///< a sum over `axes` becomes complete
    kNeeded,     ///< `value` is a sum over `axes` that `op` needs complete
    kMoved,      ///< the dims of `parts` have the split `split` and are needed with the split `needed`
    kFetched,    ///< the dim of the one part is split, and `op` reads across blocks
    kAddedBack,  ///< the dim of the one part is split, and `op` adds across blocks
    kApart,    ///< blocks of `from` and `to`, two shapes of the same elements, do not coincide over the one part's axes
    kScanned,  ///< a running sum needs the totals of the other blocks over the one part's axes
    kRemeshed,       ///< it is read on another mesh
    kHandedOn,       ///< a micro-batch, a position of the one part's dim, goes from stage to stage over its axes
    kFromOwner,      ///< the dim of the one part is split, and its owner sends the slice of an iteration
    kFromLastStage,  ///< the last stage of a pipeline over `axes` has the value
    kToOwner,        ///< the dim of the one part is split, and the slice of an iteration goes to its owner
  };
  struct Part {
    Name dim;  ///< empty for kApart and kScanned
    AxisList split;
    AxisList needed = {};  ///< of kMoved: the needed split
    bool is_sum = true;    ///< of kReduced
  };
  Kind kind = Kind::kReduced;
  MeshPtr mesh = nullptr;        ///< the mesh of the axes
  AxisSet axes = 0;              ///< as the kind says
  std::vector<Part> parts = {};  ///< as the kind says
  std::string value = {};        ///< in the script's names
  const graph::Op* op = nullptr;
  Dims from = {}, to = {};
  Name micro = {};  ///< of kMoved in a pipeline: a stage keeps the result for all places of this dim

  /// Returns the names of all dims in the reason.
  std::vector<Name> dims() const;
};
/// Null if there is none, as for instructions that compute.
using ReasonRef = std::shared_ptr<const Reason>;

/// `hidden is summed, and split over cols`
std::string to_string(const Reason& reason);

/// Returns the reason to reduce the result of an operation; null if nothing is reduced.
ReasonRef reduce_reason(const graph::LaidOutOperation& operation, const graph::IterationSpace& space,
                        const IterationSplit& split);
/// Returns the reason to reduce a sum that stayed partial.
ReasonRef sum_reason(AxisSet axes, const MeshPtr& mesh);
/// Returns the reason to reduce an operand; null if it is not partial.
ReasonRef summed_reason(const LocalValue& operand, const graph::LaidOutOperation& operation);

}  // namespace mtf::spmd
