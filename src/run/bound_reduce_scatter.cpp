#include <algorithm>
#include <cstring>

#include "run/collective.h"
#include "run/reduce_task.h"
#include "spmd/reduce_program.h"

namespace mtf::run {
namespace {

/// Sums the blocks of this rank's members. Then the ranks exchange slices of these sums.
class ReduceScatter : public BoundCollective {
 public:
  ReduceScatter(const Hosting& hosting, const spmd::LocalValue& from, const spmd::LocalValue& to, AxisSet axes,
                ReduceElements elements, SharedMemory* shared)
      : hosting_(hosting),
        from_(from),
        to_(to),
        elements_(elements),
        sum_(elements),
        shared_(hosting.mesh()->size() == hosting.ranks() ? shared : nullptr) {
    filled_.assign(static_cast<size_t>(hosting.slots(to.varies()).count()), false);
    std::vector<ReduceGroup> alone;
    for (ReduceBundle& bundle : bundles_of(reduce_groups(hosting, from, axes), alone)) {
      Task task;
      task.tags = std::move(bundle.tags);
      for (ReduceGroup& group : bundle.groups) task.parts.push_back(part_of(std::move(group)));
      if (task.parts[0].group.aligned) plan_slices(task);
      else plan_wholes(task);
      tasks_.push_back(std::move(task));
    }
    for (ReduceGroup& group : alone) {
      Part part = part_of(std::move(group));
      const Targets targets = targets_of(part.group.hosted, part.block);
      for (size_t i = 0; i < targets.size(); ++i) give(part.results, targets[i], part.group.hosted[i]);
      alone_.push_back(std::move(part));
    }
    if (hosting.mesh()->group_size(axes) > 1) counted_.count = 1;
  }

  int64_t staging_bytes() const override { return staging_.bytes(); }
  bool shares_memory() const override {
    return std::any_of(tasks_.begin(), tasks_.end(), [](const Task& task) { return task.exchange->shares_memory(); });
  }
  plan::CollectiveCount counted() const override { return counted_; }

  void begin(std::span<const std::span<void* const>> operands, std::span<const std::span<void* const>> results,
             const CollectiveRun& run) override {
    results_ = results[0];
    base_ = run.staging;
    given_ = false;
    for (Task& task : tasks_)
      if (task.count > 0) task.exchange->begin(arrays_of(task, operands[0]), run, task.tags);
    for (const Part& part : alone_) {
      const std::byte* sum = sum_of(part, operands[0]);
      for (const BoxCopy& copy : part.results)
        run::run(copy, sum, static_cast<std::byte*>(results_[static_cast<size_t>(copy.to_slot)]));
    }
  }

  bool advance(Transport& transport) override { return move_on(transport, false); }

 protected:
  void wait(Transport& transport) override { move_on(transport, true); }

 private:
  /// For each member: the copy of its part of the group's block to a dense array.
  using Targets = std::vector<BoxCopy>;
  struct Part {
    ReduceGroup group;
    BlockShape block;
    int64_t sum = -1;             // staging offset of the members' sum; -1: the sum is the block of the only member
    int64_t offset = 0;           // in an unaligned task: offset of its block in the array, in elements
    std::vector<BoxCopy> slices;  // in an aligned task: copies from the sum to the array
    // Copies to this rank's blocks: from the array or, in a group on one rank, from the sum.
    std::vector<BoxCopy> results;
  };
  struct Task {
    std::vector<Part> parts;
    std::vector<int> tags;
    int64_t count = 0;  // elements of the array
    int64_t array = 0, own = 0, staging = 0;
    std::unique_ptr<ReduceTask> exchange;
  };

  Part part_of(ReduceGroup group) {
    Part part;
    part.block = block_at(from_, hosting_.mesh()->coordinates(group.first));
    if (group.aligned && group.slots.size() > 1) part.sum = staging_.take(part.block.elements * elements_.size());
    counted_.values = std::max(counted_.values, part.block.elements);
    counted_.bytes = counted_.values * elements_.size();
    for (int64_t member : group.hosted) {
      const int64_t sent = part.block.elements - block_at(to_, hosting_.mesh()->coordinates(member)).elements;
      counted_.wire_bytes = std::max(counted_.wire_bytes, sent * elements_.size());
    }
    part.group = std::move(group);
    return part;
  }

  Targets targets_of(const std::vector<int64_t>& members, const BlockShape& block) const {
    Targets targets;
    for (int64_t member : members)
      targets.push_back(cut_out(block, block_at(to_, hosting_.mesh()->coordinates(member)), elements_.size()));
    return targets;
  }

  /// Makes `copy` fill the block of one of this rank's members, unless another copy fills it.
  void give(std::vector<BoxCopy>& results, BoxCopy copy, int64_t member) {
    copy.to_slot = hosting_.find_slot(hosting_.rank(), to_.varies(), member);
    copy.to_offset = 0;
    if (filled_[static_cast<size_t>(copy.to_slot)] || copy.bytes == 0) return;
    filled_[static_cast<size_t>(copy.to_slot)] = true;
    results.push_back(std::move(copy));
  }

  /// Plans an array with each rank's slices side by side, which the ranks exchange level by level.
  void plan_slices(Task& task) {
    const ReduceGroup& first = task.parts[0].group;
    const size_t each = first.members.size() / first.ranks.size();
    std::vector<Targets> targets;
    for (const Part& part : task.parts) targets.push_back(targets_of(part.group.members, part.block));
    int64_t count = 0;
    for (const Targets& of_group : targets)
      for (const BoxCopy& copy : of_group) count += copy.bytes / elements_.size();
    std::vector<int64_t> slices(first.ranks.size(), 0);
    for (const size_t position : slice_order(first, elements_, count, shared_))
      for (size_t g = 0; g < task.parts.size(); ++g)
        for (size_t i = position * each; i < (position + 1) * each; ++i) {
          BoxCopy& copy = targets[g][i];
          const int64_t elements = copy.bytes / elements_.size();
          copy.to_offset = task.count * elements_.size();
          task.count += elements;
          slices[position] += elements;
          if (position == static_cast<size_t>(first.position))
            give(task.parts[g].results, as_result(copy), task.parts[g].group.members[i]);
          if (copy.bytes > 0) task.parts[g].slices.push_back(std::move(copy));
        }
    task.array = staging_.take(task.count * elements_.size());
    task.exchange = make_scatter(first, elements_, slices, shared_);
    task.staging = staging_.take(task.exchange->staging_bytes());
  }

  /// Turns a copy into the array into the copy from there to the result.
  static BoxCopy as_result(const BoxCopy& packed) {
    BoxCopy copy = packed;
    copy.from_offset = packed.to_offset;
    copy.from_strides = packed.to_strides;
    copy.from_dense = true;
    return copy;
  }

  /// Plans an array with the whole blocks, which every rank receives.
  void plan_wholes(Task& task) {
    for (Part& part : task.parts) {
      part.offset = task.count;
      task.count += part.block.elements;
      Targets targets = targets_of(part.group.hosted, part.block);
      for (size_t i = 0; i < targets.size(); ++i) {
        targets[i].from_offset += part.offset * elements_.size();
        give(part.results, std::move(targets[i]), part.group.hosted[i]);
      }
    }
    const ReduceGroup& first = task.parts[0].group;
    const int64_t bytes = schedule::padded(task.count * elements_.size());
    task.array = staging_.take(bytes);
    task.own = staging_.take(bytes * static_cast<int64_t>(first.slots.size()));
    task.exchange = make_all_reduce(first, elements_, task.count, task.count);
    task.staging = staging_.take(task.exchange->staging_bytes());
  }

  const std::byte* sum_of(const Part& part, std::span<void* const> blocks) {
    if (part.sum < 0) return static_cast<const std::byte*>(blocks[static_cast<size_t>(part.group.slots[0])]);
    sum_.run(part.group, blocks, base_ + part.sum, part.block.elements);
    return base_ + part.sum;
  }

  ReduceArrays arrays_of(const Task& task, std::span<void* const> blocks) {
    std::byte* array = base_ + task.array;
    if (task.parts[0].group.aligned) {
      for (const Part& part : task.parts) {
        const std::byte* sum = sum_of(part, blocks);
        for (const BoxCopy& copy : part.slices) run::run(copy, sum, array);
      }
      return {array, array, base_ + task.staging};
    }
    const int64_t step = schedule::padded(task.count * elements_.size());
    for (size_t member = 0; member < task.parts[0].group.slots.size(); ++member)
      for (const Part& part : task.parts)
        std::memcpy(base_ + task.own + static_cast<int64_t>(member) * step + part.offset * elements_.size(),
                    blocks[static_cast<size_t>(part.group.slots[member])],
                    static_cast<size_t>(part.block.elements * elements_.size()));
    return {base_ + task.own, array, base_ + task.staging};
  }

  bool move_on(Transport& transport, bool wait) {
    bool done = true;
    for (Task& task : tasks_)
      if (task.count > 0) done &= task.exchange->advance(transport, wait);
    if (!done || given_) return done;
    given_ = true;
    for (const Task& task : tasks_)
      for (const Part& part : task.parts)
        for (const BoxCopy& copy : part.results)
          run::run(copy, base_ + task.array, static_cast<std::byte*>(results_[static_cast<size_t>(copy.to_slot)]));
    return true;
  }

  const Hosting& hosting_;
  const spmd::LocalValue from_, to_;
  const ReduceElements elements_;
  OwnSum sum_;
  SharedMemory* const shared_;
  std::vector<Part> alone_;
  std::vector<Task> tasks_;
  std::vector<bool> filled_;
  plan::CollectiveCount counted_;
  StagingPlan staging_;
  std::span<void* const> results_;
  std::byte* base_ = nullptr;
  bool given_ = false;
};

}  // namespace

std::unique_ptr<BoundCollective> bind_reduce_scatter(const Hosting& hosting, const spmd::LocalValue& from,
                                                     const spmd::LocalValue& to, AxisSet axes,
                                                     kernels::Reduction reduction, SharedMemory* shared) {
  return std::make_unique<ReduceScatter>(hosting, from, to, axes, ReduceElements{from.element, reduction}, shared);
}

}  // namespace mtf::run
