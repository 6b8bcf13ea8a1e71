#pragma once
// Why a collective is there, as data.
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
    kCompleted,  ///< a sum over `axes` is completed
    kNeeded,     ///< `value` is a sum over `axes` that `op` needs complete
    kMoved,      ///< the dims of `parts` are split so, and needed so
    kFetched,    ///< the dim of the one part is split, and `op` reads across blocks
    kAddedBack,  ///< the dim of the one part is split, and `op` adds across blocks
    kApart,    ///< blocks of `from` and `to`, two shapes of the same elements, do not coincide over the one part's axes
    kScanned,  ///< a running sum needs the totals of the other blocks over the one part's axes
    kRemeshed,   ///< it is read on another mesh
    kHandedOn,   ///< a micro-batch, a place of the one part's dim, goes from stage to stage over its axes
    kFromOwner,  ///< the dim of the one part is split, and a turn's place of it comes from its owner
    kToOwner,    ///< the dim of the one part is split, and a turn's place of it goes to its owner
  };
  struct Part {
    Name dim;  ///< of kApart and kScanned none
    AxisList split;
    AxisList needed = {};  ///< of kMoved: as it is to be split
    bool is_sum = true;    ///< of kReduced
  };
  Kind kind = Kind::kReduced;
  MeshPtr mesh = nullptr;        ///< whose axes these are
  AxisSet axes = 0;              ///< as the kind says
  std::vector<Part> parts = {};  ///< as the kind says
  std::string value = {};        ///< in the script's names
  const graph::Op* op = nullptr;
  Dims from = {}, to = {};

  /// The dims that it speaks of.
  std::vector<Name> dims() const;
};
/// Null: none, as of what computes.
using ReasonRef = std::shared_ptr<const Reason>;

/// `hidden is summed, and split over cols`
std::string to_string(const Reason& reason);

/// Of the reduction of what an operation gives; none if it reduces nothing.
ReasonRef reduce_reason(const graph::LaidOutOperation& operation, const graph::IterationSpace& space,
                        const IterationSplit& split);
/// Of the reduction of what has been carried.
ReasonRef sum_reason(AxisSet axes, const MeshPtr& mesh);
/// Of the reduction of an operand; none if it is not partial.
ReasonRef summed_reason(const LocalValue& operand, const graph::LaidOutOperation& operation);

}  // namespace mtf::spmd
