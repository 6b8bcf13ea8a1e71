#pragma once
// What bound reductions have in common (internal to exec).
#include <span>
#include <vector>

#include "exec/combine.h"
#include "exec/reduce_groups.h"
#include "schedule/pack.h"

namespace mtf {

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
    bytes_ += padded(bytes);
    return at;
  }
  int64_t bytes() const { return bytes_; }

 private:
  int64_t bytes_ = 0;
};

}  // namespace mtf
