#pragma once
// Work that processors repeat, and axes along which processors are idle.
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "plan/program_record.h"

namespace mtf::cost {

struct IdleWork {
  /// A dim that is split over more processors than it has elements.
  struct Short {
    int64_t size = 0;
    int64_t processors = 0;  ///< along the axes
    double flops = 0;        ///< of the operations that have the dim
  };
  /// A pipeline whose stages wait in some iterations.
  struct Pipeline {
    std::vector<Name> axes;
    int64_t micro_batches = 0;
    int64_t chunks = 1;             ///< of each stage's layers
    int64_t idle = 0;               ///< waiting turns of a stage, in addition to one for each micro-batch and chunk
    bool alternates = false;        ///< forward and backward turns alternate (spmd/join_pipelines.h)
    bool should_alternate = false;  ///< the script asks for it
    int64_t asked_chunks = 1;       ///< the script asks for so many chunks
    auto operator<=>(const Pipeline&) const = default;
  };
  std::set<Pipeline> pipelines;
  double flops = 0;                                            ///< of all operations, on the largest processor
  std::map<std::pair<Name, std::vector<Name>>, Short> shorts;  ///< by the dim and its axes
  std::map<Name, double> repeated;                             ///< for each axis: flops that it does not split
  /// For each axis and dim: the flops that the axis does not split, of operations that have the dim whole.
  std::map<std::pair<Name, Name>, double> whole;
  std::set<std::pair<Name, Name>> beside;  ///< axes, with the dims of tensors in which they split another dim
  std::set<Name> stored;                   ///< dims of what programs read
  /// A dim that an axis could split: no tensor that has the dim is split over the axis.
  struct Cure {
    Name dim;
    double flops = 0;  ///< of the operations that have the dim
  };
  /// Returns the dim by which an axis could split most of the work that it repeats.
  std::optional<Cure> cure(Name axis) const;
  /// True if this many flops are worth a report: more than a tenth of the work.
  bool is_much(double of) const { return of > 0.1 * std::max(flops, 1.0); }
};

/// Returns the idle work of a planned script, under the script's own layouts.
IdleWork idle_work(const plan::ProgramRecord& record);

}  // namespace mtf::cost
