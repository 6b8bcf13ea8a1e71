#pragma once
// A reduction of one array among the ranks of a group: the ways of spmd/reduction_tree.h, or, where ranks do not fit
// the tree, every rank gets every member's array.
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "run/collective.h"
#include "run/combine.h"
#include "run/reduce_groups.h"
#include "schedule/pack.h"

namespace mtf::run {

/// Adds up what this rank's members of an aligned group hold.
class OwnSum {
 public:
  explicit OwnSum(ReduceElements elements) : elements_(elements) {}
  void run(const ReduceGroup& group, std::span<void* const> blocks, std::byte* result, int64_t count) {
    if (count == 0) return;
    terms_.clear();
    for (int place : group.places) terms_.push_back(static_cast<const std::byte*>(blocks[static_cast<size_t>(place)]));
    if (terms_.size() == 1 && terms_[0] == result) return;
    combine_all(elements_, {group.tree.data(), group.own_levels}, terms_, result, count);
  }

 private:
  const ReduceElements elements_;
  std::vector<const std::byte*> terms_;
};

/// Hands out staging memory.
class StagingPlan {
 public:
  int64_t take(int64_t bytes) {
    const int64_t at = bytes_;
    bytes_ += schedule::padded(bytes);
    return at;
  }
  int64_t bytes() const { return bytes_; }

 private:
  int64_t bytes_ = 0;
};

/// What a rank begins with, where its result goes, and what it works with meanwhile.
struct ReduceArrays {
  const std::byte*
      own;            ///< of an aligned group: the sum of the own members; else their arrays, padded to 64 bytes each
  std::byte* result;  ///< may be `own` in an aligned group
  std::byte* staging;
};

class ReduceTask {
 public:
  virtual ~ReduceTask() = default;
  virtual int64_t staging_bytes() const = 0;
  /// Its staging lies in the memory that ranks share.
  virtual bool shares_memory() const { return false; }
  /// Messages to and from rank i of the group have the tag `run.tag() + tags[i]`.
  virtual void begin(const ReduceArrays& arrays, const CollectiveRun& run, const std::vector<int>& tags) = 0;
  /// Does what can be done without waiting, or, if `wait`, all; true when all is done.
  virtual bool advance(Transport& transport, bool wait) = 0;
};

/// Of `count` elements. Every rank of the group gets the sum of all members' arrays. `largest` are the elements of the
/// largest group of the collective, by which all groups are sent one way. Where the ranks of the group all share
/// memory, a large one goes through that; null if a rank takes part in several groups.
std::unique_ptr<ReduceTask> make_all_reduce(const ReduceGroup& group, ReduceElements elements, int64_t count,
                                            int64_t largest, SharedMemory* shared = nullptr);

/// Each rank of an aligned group gets the sum of one slice, in its place of `result`. `slices` are the elements of the
/// slice of each rank, by position; they lie in the array in the order of slice_order().
std::unique_ptr<ReduceTask> make_scatter(const ReduceGroup& group, ReduceElements elements,
                                         const std::vector<int64_t>& slices);

/// Slices of equal length, the last ones shorter or empty: for each place where it begins, and the end.
std::vector<int64_t> equal_slices(int64_t ranks, int64_t count);

/// For each place in an array that is scattered: the position of the rank whose slice lies there.
std::vector<int> slice_order(const ReduceGroup& group);

/// Elements that the first member of a group sends in an all_reduce of `count`, if every member is a rank.
int64_t sent_by_first(const ReduceGroup& group, ReduceElements elements, int64_t count, int64_t largest);

}  // namespace mtf::run
