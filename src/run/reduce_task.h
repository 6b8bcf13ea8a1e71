#pragma once
// A reduction of one array among the ranks of a group, which run a message program (spmd/reduce_program.h).
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "run/collective.h"
#include "run/combine.h"
#include "run/reduce_groups.h"
#include "schedule/pack.h"

namespace mtf::run {

/// Adds the blocks of this rank's members of an aligned group.
class OwnSum {
 public:
  explicit OwnSum(ReduceElements elements) : elements_(elements) {}
  void run(const ReduceGroup& group, std::span<void* const> blocks, std::byte* result, int64_t count) {
    if (count == 0) return;
    terms_.clear();
    for (int slot : group.slots) terms_.push_back(static_cast<const std::byte*>(blocks[static_cast<size_t>(slot)]));
    if (terms_.size() == 1 && terms_[0] == result) return;
    combine_all(elements_, {group.tree.data(), group.own_levels}, terms_, result, count);
  }

 private:
  const ReduceElements elements_;
  std::vector<const std::byte*> terms_;
};

/// Assigns offsets in staging memory.
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

/// The arrays of a rank: operand, result and staging memory.
struct ReduceArrays {
  const std::byte* own;  ///< in an aligned group the sum of the own members; else their arrays, each padded to 64 bytes
  std::byte* result;     ///< may be `own` in an aligned group
  std::byte* staging;
};

class ReduceTask {
 public:
  virtual ~ReduceTask() = default;
  virtual int64_t staging_bytes() const = 0;
  /// True if its staging memory must be in the memory that ranks share.
  virtual bool shares_memory() const { return false; }
  /// Messages to and from rank i of the group have the tag `run.tag() + tags[i]`.
  virtual void begin(const ReduceArrays& arrays, const CollectiveRun& run, const std::vector<int>& tags) = 0;
  /// Makes progress, and waits for the end if `wait`. Returns true when the reduction has ended.
  virtual bool advance(Transport& transport, bool wait) = 0;
};

/// Makes an all_reduce of `count` elements: every rank of the group gets the sum of all members' arrays. `largest` is
/// the element count of the largest group of the collective; it selects one algorithm for all groups. `shared` is used
/// for large arrays if all ranks of the group share memory. It is null if a rank is in several groups.
std::unique_ptr<ReduceTask> make_all_reduce(const ReduceGroup& group, ReduceElements elements, int64_t count,
                                            int64_t largest, SharedMemory* shared = nullptr);

/// Makes a reduce_scatter: each rank of an aligned group gets the sum of one slice, at the slice's offset in `result`.
/// `slices` are the element counts by rank position. In the array the slices have the order of slice_order(). `shared`
/// as for an all_reduce; both calls get the same.
std::unique_ptr<ReduceTask> make_scatter(const ReduceGroup& group, ReduceElements elements,
                                         const std::vector<int64_t>& slices, SharedMemory* shared);
/// Returns the rank positions of the slices of a reduce_scatter of `count` elements, in the order of the array.
std::vector<size_t> slice_order(const ReduceGroup& group, ReduceElements elements, int64_t count,
                                const SharedMemory* shared);

}  // namespace mtf::run
