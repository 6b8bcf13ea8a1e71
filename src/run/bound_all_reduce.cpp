#include <algorithm>
#include <cstring>

#include "run/collective.h"
#include "run/reduce_task.h"
#include "spmd/reduce_program.h"

namespace mtf::run {
namespace {

class AllReduces : public BoundCollective {
 public:
  AllReduces(const Hosting& hosting, const std::vector<const spmd::LocalValue*>& values,
             const std::vector<const spmd::LocalValue*>& results, AxisSet axes, ReduceElements elements,
             SharedMemory* shared)
      : elements_(elements), sum_(elements), shared_(hosting.mesh()->size() == hosting.ranks() ? shared : nullptr) {
    for (const spmd::LocalValue* value : values) largest_ += most_elements(*value);
    filled_.assign(static_cast<size_t>(hosting.slots(results[0]->varies()).count()), false);
    std::vector<ReduceGroup> alone;
    for (ReduceBundle& bundle : bundles_of(reduce_groups(hosting, *values[0], axes), alone)) {
      Task task;
      for (ReduceGroup& group : bundle.groups) add(task, part_of(hosting, values, results, std::move(group)));
      task.tags = std::move(bundle.tags);
      plan(task, values.size());
      tasks_.push_back(std::move(task));
    }
    for (ReduceGroup& group : alone) {
      Part part = part_of(hosting, values, results, std::move(group));
      if (part.fills) alone_.push_back(std::move(part));
    }
    if (hosting.mesh()->group_size(axes) > 1) counted_.count = static_cast<int64_t>(values.size());
  }

  int64_t staging_bytes() const override { return staging_.bytes(); }
  bool shares_memory() const override {
    return std::any_of(tasks_.begin(), tasks_.end(), [](const Task& task) { return task.exchange->shares_memory(); });
  }
  bool lends_operand() const override {
    return tasks_.size() == 1 && tasks_[0].in_place && tasks_[0].exchange->shares_memory();
  }
  plan::CollectiveCount counted() const override { return counted_; }

  void begin(std::span<const std::span<void* const>> operands, std::span<const std::span<void* const>> results,
             const CollectiveRun& run) override {
    results_.assign(results.begin(), results.end());
    base_ = run.staging;
    unpacked_ = false;
    for (Task& task : tasks_)
      if (task.count > 0) task.exchange->begin(arrays_of(task, operands), run, task.tags);
    for (const Part& part : alone_)
      for (size_t v = 0; v < part.counts.size(); ++v)
        sum_.run(part.group, operands[v], result_of(part, v), part.counts[v]);
  }

  bool advance(Transport& transport) override { return move_on(transport, false); }

 protected:
  void wait(Transport& transport) override { move_on(transport, true); }

 private:
  struct Part {
    ReduceGroup group;
    int result_slot = 0;
    bool fills = true;            // false: another group fills the same replica
    std::vector<int64_t> counts;  // elements of each value
    int64_t count = 0;
    int64_t offset = 0;  // in the task's array, in elements
  };
  struct Task {
    std::vector<Part> parts;
    std::vector<int> tags;
    int64_t count = 0;
    bool in_place = false;  // one value in one group: no packing
    int64_t packed = 0, own = 0, staging = 0;
    std::unique_ptr<ReduceTask> exchange;
  };

  /// Returns the elements that the busiest member of a group sends.
  int64_t sent_by_first(const std::vector<int64_t>& tree, int64_t count) const {
    return spmd::ReduceProgram::all_reduce(tree, count, largest_, elements_.size()).sent(0, count);
  }

  Part part_of(const Hosting& hosting, const std::vector<const spmd::LocalValue*>& values,
               const std::vector<const spmd::LocalValue*>& results, ReduceGroup group) {
    Part part;
    const int64_t member = group.hosted[0];
    for (const spmd::LocalValue* value : values) {
      part.counts.push_back(block_at(*value, hosting.mesh()->coordinates(member)).elements);
      part.count += part.counts.back();
    }
    part.result_slot = hosting.find_slot(hosting.rank(), results[0]->varies(), member);
    part.fills = !filled_[static_cast<size_t>(part.result_slot)];
    filled_[static_cast<size_t>(part.result_slot)] = true;
    if (part.count > counted_.values) {
      counted_.values = part.count;
      counted_.bytes = part.count * elements_.size();
      counted_.wire_bytes = sent_by_first(group.tree, part.count) * elements_.size();
    }
    part.group = std::move(group);
    return part;
  }

  static void add(Task& task, Part part) {
    part.offset = task.count;
    task.count += part.count;
    task.parts.push_back(std::move(part));
  }

  void plan(Task& task, size_t values) {
    const ReduceGroup& group = task.parts[0].group;
    const int64_t bytes = task.count * elements_.size();
    task.in_place = task.parts.size() == 1 && values == 1 && task.parts[0].fills && group.aligned;
    if (!task.in_place) task.packed = staging_.take(bytes);
    if (!group.aligned) task.own = staging_.take(schedule::padded(bytes) * static_cast<int64_t>(group.slots.size()));
    task.exchange = make_all_reduce(group, elements_, task.count, largest_, shared_);
    task.staging = staging_.take(task.exchange->staging_bytes());
  }

  std::byte* result_of(const Part& part, size_t value) const {
    return static_cast<std::byte*>(results_[value][static_cast<size_t>(part.result_slot)]);
  }

  ReduceArrays arrays_of(const Task& task, std::span<const std::span<void* const>> operands) {
    const ReduceGroup& group = task.parts[0].group;
    std::byte* staging = base_ + task.staging;
    if (task.in_place) {
      std::byte* result = result_of(task.parts[0], 0);
      if (group.slots.size() == 1)
        return {static_cast<const std::byte*>(operands[0][static_cast<size_t>(group.slots[0])]), result, staging};
      sum_.run(group, operands[0], result, task.count);
      return {result, result, staging};
    }
    std::byte* packed = base_ + task.packed;
    if (!group.aligned) {
      pack_members(task, operands);
      return {base_ + task.own, packed, staging};
    }
    for (const Part& part : task.parts) {
      std::byte* at = packed + part.offset * elements_.size();
      for (size_t v = 0; v < part.counts.size(); ++v) {
        sum_.run(part.group, operands[v], at, part.counts[v]);
        at += part.counts[v] * elements_.size();
      }
    }
    return {packed, packed, staging};
  }

  /// Packs the blocks of all groups into one array for each of this rank's members.
  void pack_members(const Task& task, std::span<const std::span<void* const>> operands) const {
    const int64_t step = schedule::padded(task.count * elements_.size());
    for (size_t member = 0; member < task.parts[0].group.slots.size(); ++member) {
      std::byte* at = base_ + task.own + static_cast<int64_t>(member) * step;
      for (const Part& part : task.parts)
        for (size_t v = 0; v < part.counts.size(); ++v) {
          const size_t bytes = static_cast<size_t>(part.counts[v] * elements_.size());
          std::memcpy(at, operands[v][static_cast<size_t>(part.group.slots[member])], bytes);
          at += bytes;
        }
    }
  }

  bool move_on(Transport& transport, bool wait) {
    bool done = true;
    for (Task& task : tasks_)
      if (task.count > 0) done &= task.exchange->advance(transport, wait);
    if (!done || unpacked_) return done;
    unpacked_ = true;
    for (const Task& task : tasks_)
      if (!task.in_place) unpack(task);
    return true;
  }

  void unpack(const Task& task) const {
    for (const Part& part : task.parts) {
      if (!part.fills) continue;
      const std::byte* at = base_ + task.packed + part.offset * elements_.size();
      for (size_t v = 0; v < part.counts.size(); ++v) {
        const size_t bytes = static_cast<size_t>(part.counts[v] * elements_.size());
        std::memcpy(result_of(part, v), at, bytes);
        at += bytes;
      }
    }
  }

  const ReduceElements elements_;
  OwnSum sum_;
  SharedMemory* const shared_;
  std::vector<Part> alone_;  // groups whose members are all on this rank
  std::vector<Task> tasks_;
  std::vector<bool> filled_;  // for each slot of the results
  int64_t largest_ = 0;       // elements of the largest group
  plan::CollectiveCount counted_;
  StagingPlan staging_;
  std::vector<std::span<void* const>> results_;
  std::byte* base_ = nullptr;
  bool unpacked_ = false;
};

}  // namespace

std::unique_ptr<BoundCollective> bind_all_reduce(const Hosting& hosting,
                                                 const std::vector<const spmd::LocalValue*>& values,
                                                 const std::vector<const spmd::LocalValue*>& results, AxisSet axes,
                                                 kernels::Reduction reduction, SharedMemory* shared) {
  return std::make_unique<AllReduces>(hosting, values, results, axes, ReduceElements{values[0]->element, reduction},
                                      shared);
}

}  // namespace mtf::run
