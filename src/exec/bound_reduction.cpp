#include <algorithm>
#include <cstring>

#include "exec/collective.h"
#include "exec/combine.h"
#include "schedule/pack.h"
#include "schedule/schedule.h"
#include "support/diagnostics.h"

namespace mtf {
namespace {

/// Up to so many bytes every rank gets every other's whole part; above this many ranks the first one adds up.
constexpr int64_t kExchangedWhole = 4096;
constexpr int kFewRanks = 8;

struct Elements {
  ElementType type;
  Reduction reduction;
  int64_t size() const { return size_of(type); }
};

/// An all_reduce of one array among the ranks of a group, piece by piece.
class ReduceTask {
 public:
  ReduceTask(const ReduceGroup& group, Elements elements, int64_t count)
      : ranks_(group.ranks), me_(group.position), elements_(elements), count_(count),
        piece_(std::min(count, kLargestAllReduce / elements.size())) {
    int n = static_cast<int>(ranks_.size());
    int64_t bytes = count * elements.size();
    owners_ = bytes > kExchangedWhole ? n : n > kFewRanks ? 1 : 0;
  }

  int64_t staging_bytes() const {
    int64_t slice = owners_ == 0 ? piece_ : slice_size(piece_);
    return padded(slice * elements_.size()) * static_cast<int64_t>(ranks_.size() - 1);
  }

  /// `own` may be `result`.
  void begin(const std::byte* own, std::byte* result, std::byte* staging, int tag, Transport& transport) {
    own_ = own;
    result_ = result;
    staging_ = staging;
    tag_ = tag;
    done_ = 0;
    begin_piece(transport);
  }

  bool advance(Transport& transport, bool wait) {
    while (phase_ != Phase::kDone) {
      if (wait) transport.wait(pending_);
      else if (!transport.test(pending_)) return false;
      if (phase_ == Phase::kScatter) {
        add_up();
        gather(transport);
      } else {
        done_ += size_;
        if (done_ < count_) begin_piece(transport);
        else phase_ = Phase::kDone;
      }
    }
    return true;
  }

 private:
  enum class Phase { kScatter, kGather, kDone };

  int64_t slice_size(int64_t size) const { return owners_ <= 1 ? size : (ceil_div(size, owners_) + 15) / 16 * 16; }
  Interval slice(int owner) const {
    int64_t step = slice_size(size_);
    return {std::min(size_, owner * step), std::min(size_, (owner + 1) * step)};
  }
  bool owns(int rank) const { return owners_ == 0 || rank < owners_; }
  Interval own_slice() const { return owners_ == 0 ? Interval{0, size_} : slice(me_); }
  int ranks() const { return static_cast<int>(ranks_.size()); }
  std::byte* staged(int rank) const {
    return staging_ + (rank < me_ ? rank : rank - 1) * padded(own_slice().size() * elements_.size());
  }

  void begin_piece(Transport& transport) {
    size_ = std::min(piece_, count_ - done_);
    phase_ = Phase::kScatter;
    int64_t unit = elements_.size();
    for (int r = 0; r < ranks(); ++r)
      if (r != me_ && owns(me_) && own_slice().size() > 0)
        transport.receive(pending_, ranks_[r], tag_, staged(r), own_slice().size() * unit);
    for (int r = 0; r < ranks(); ++r) {
      if (r == me_ || !owns(r)) continue;
      Interval part = owners_ == 0 ? Interval{0, size_} : slice(r);
      if (part.size() > 0)
        transport.send(pending_, ranks_[r], tag_, own_ + (done_ + part.first) * unit, part.size() * unit);
    }
  }

  /// In the order of the ranks, whoever does it.
  void add_up() {
    if (!owns(me_)) return;
    Interval part = own_slice();
    int64_t unit = elements_.size();
    const std::byte* own = own_ + (done_ + part.first) * unit;
    std::byte* result = result_ + (done_ + part.first) * unit;
    auto of = [&](int rank) { return rank == me_ ? own : staged(rank); };
    // Where the own part lies in the result, and is not among the first two, the sum begins in the first one's memory.
    std::byte* sum = own == result && me_ >= 2 ? staged(0) : result;
    combine(elements_.type, elements_.reduction, of(0), of(1), sum, part.size());
    for (int r = 2; r < ranks(); ++r) combine(elements_.type, elements_.reduction, sum, of(r), sum, part.size());
    if (sum != result) std::memcpy(result, sum, static_cast<size_t>(part.size() * unit));
  }

  void gather(Transport& transport) {
    phase_ = Phase::kGather;
    if (owners_ == 0) return;
    int64_t unit = elements_.size();
    for (int r = 0; r < ranks(); ++r) {
      if (r == me_) continue;
      if (owns(r) && slice(r).size() > 0)
        transport.receive(pending_, ranks_[r], tag_ + 1, result_ + (done_ + slice(r).first) * unit, slice(r).size() * unit);
      if (owns(me_) && slice(me_).size() > 0)
        transport.send(pending_, ranks_[r], tag_ + 1, result_ + (done_ + slice(me_).first) * unit, slice(me_).size() * unit);
    }
  }

  std::vector<int> ranks_;
  int me_;
  Elements elements_;
  int64_t count_;
  int64_t piece_;
  int owners_ = 0;  // the first so many ranks own a slice; 0: everyone gets all
  const std::byte* own_ = nullptr;
  std::byte* result_ = nullptr;
  std::byte* staging_ = nullptr;
  int tag_ = 0;
  int64_t done_ = 0;
  int64_t size_ = 0;
  Phase phase_ = Phase::kDone;
  Transport::Pending pending_;
};

/// Adds up the blocks of places on this rank; one place is copied.
void add_places(const std::vector<int>& places, std::span<void* const> blocks, void* result, Elements elements, int64_t count) {
  size_t bytes = static_cast<size_t>(count * elements.size());
  if (places.size() == 1) {
    if (blocks[places[0]] != result) std::memcpy(result, blocks[places[0]], bytes);
    return;
  }
  combine(elements.type, elements.reduction, blocks[places[0]], blocks[places[1]], result, count);
  for (size_t i = 2; i < places.size(); ++i)
    combine(elements.type, elements.reduction, result, blocks[places[i]], result, count);
}

class AllReduces : public BoundCollective {
 public:
  struct Part { int result_place = 0; int64_t count = 0; int64_t offset = 0; };
  struct Group {
    ReduceGroup group;
    std::vector<Part> parts;     // a value each
    bool fills = true;           // false: another group fills the same replica
    int64_t count = 0;           // of all parts
    int64_t packed = -1;         // where merged parts lie in the staging; -1: they are reduced where they are
    int64_t staging = 0;
    std::unique_ptr<ReduceTask> task;
  };

  AllReduces(const Hosting& hosting, const std::vector<const LocalValue*>& values, const std::vector<const LocalValue*>& results,
             AxisSet axes, Elements elements)
      : elements_(elements) {
    std::vector<bool> filled(hosting.places(results[0]->varies()).count(), false);
    for (ReduceGroup& from : reduce_groups(hosting, *values[0], axes)) {
      Group group;
      int64_t member = *std::find_if(from.members.begin(), from.members.end(),
                                     [&](int64_t m) { return hosting.rank_of(m) == hosting.rank(); });
      for (size_t v = 0; v < values.size(); ++v) {
        Part part;
        part.result_place = hosting.find_place(hosting.rank(), results[v]->varies(), member);
        part.count = block_at(*values[v], hosting.mesh()->coordinates(member)).elements;
        part.offset = group.count;
        group.count += part.count;
        group.parts.push_back(part);
      }
      group.fills = !filled[group.parts[0].result_place];
      filled[group.parts[0].result_place] = true;
      bool alone = from.ranks.size() == 1;
      if (alone && !group.fills) continue;
      if (!alone) {
        if (values.size() > 1 || !group.fills) {
          group.packed = staging_;
          staging_ += padded(group.count * elements.size());
        }
        group.task = std::make_unique<ReduceTask>(from, elements, group.count);
        group.staging = staging_;
        staging_ += group.task->staging_bytes();
      }
      group.group = std::move(from);
      groups_.push_back(std::move(group));
    }
  }

  int64_t staging_bytes() const override { return staging_; }

  void begin(std::span<const std::span<void* const>> operands, std::span<const std::span<void* const>> results,
             const CollectiveRun& run) override {
    results_.assign(results.begin(), results.end());
    staging_base_ = run.staging;
    unpacked_ = false;
    for (size_t g = 0; g < groups_.size(); ++g) {
      Group& group = groups_[g];
      const std::byte* own = nullptr;
      std::byte* result = nullptr;
      for (size_t v = 0; v < group.parts.size(); ++v) {
        const Part& part = group.parts[v];
        result = group.packed < 0 ? static_cast<std::byte*>(results[v][part.result_place])
                                  : run.staging + group.packed + part.offset * elements_.size();
        bool send_block = group.task && group.packed < 0 && group.group.places.size() == 1;
        own = send_block ? static_cast<const std::byte*>(operands[v][group.group.places[0]]) : result;
        if (!send_block && part.count > 0) add_places(group.group.places, operands[v], result, elements_, part.count);
      }
      if (group.task && group.count > 0) {
        if (group.packed >= 0) own = result = run.staging + group.packed;
        int tag = run.tag + static_cast<int>(group.group.first % 4096) * 2;
        group.task->begin(own, result, run.staging + group.staging, tag, run.transport);
      }
    }
  }

  bool advance(Transport& transport) override { return move_on(transport, false); }

 protected:
  void wait(Transport& transport) override { move_on(transport, true); }

 private:
  bool move_on(Transport& transport, bool wait) {
    bool done = true;
    for (Group& group : groups_)
      if (group.task && group.count > 0) done &= group.task->advance(transport, wait);
    if (!done || unpacked_) return done;
    unpacked_ = true;
    for (const Group& group : groups_)
      if (group.packed >= 0 && group.fills)
        for (size_t v = 0; v < group.parts.size(); ++v) {
          const Part& part = group.parts[v];
          std::memcpy(results_[v][part.result_place], staging_base_ + group.packed + part.offset * elements_.size(),
                      static_cast<size_t>(part.count * elements_.size()));
        }
    return true;
  }

  Elements elements_;
  std::vector<Group> groups_;
  int64_t staging_ = 0;
  std::vector<std::span<void* const>> results_;
  std::byte* staging_base_ = nullptr;
  bool unpacked_ = false;
};

/// Each member's part of the sum, straight to its rank: first among the own members, then in the order of the ranks.
class ReduceScatter : public BoundCollective {
 public:
  ReduceScatter(const Hosting& hosting, const LocalValue& from, const LocalValue& to, AxisSet axes, Elements elements)
      : elements_(elements) {
    const Mesh& mesh = *hosting.mesh();
    std::vector<bool> filled(hosting.places(to.varies()).count(), false);
    for (ReduceGroup& group : reduce_groups(hosting, from, axes)) {
      for (int64_t member : group.members) {
        Target target;
        target.rank = hosting.rank_of(member);
        BlockShape wanted = block_at(to, mesh.coordinates(member));
        target.count = wanted.elements;
        if (target.count == 0) continue;
        for (int64_t own : group.members)
          if (hosting.rank_of(own) == hosting.rank()) target.own.push_back(part(hosting, from, own, wanted));
        target.own_at = take(target.count);
        if (target.own.size() > 1) target.scratch = take(target.count);
        target.tag = static_cast<int>(group.first % 4096) * 2;
        if (target.rank == hosting.rank()) {
          target.position = group.position;
          target.ranks = group.ranks;
          target.place = hosting.find_place(hosting.rank(), to.varies(), member);
          target.fills = !filled[target.place];
          filled[target.place] = true;
          for (int rank : group.ranks) target.staged.push_back(rank == hosting.rank() ? -1 : take(target.count));
        }
        targets_.push_back(std::move(target));
      }
    }
  }

  int64_t staging_bytes() const override { return staging_; }

  void begin(std::span<const std::span<void* const>> operands, std::span<const std::span<void* const>> results,
             const CollectiveRun& run) override {
    results_ = results[0];
    base_ = run.staging;
    added_ = false;
    for (const Target& target : targets_)
      for (size_t r = 0; r < target.staged.size(); ++r)
        if (target.staged[r] >= 0)
          run.transport.receive(pending_, target.ranks[r], run.tag + target.tag, base_ + target.staged[r], target.count * elements_.size());
    for (const Target& target : targets_) {
      for (size_t i = 0; i < target.own.size(); ++i) {
        const BoxCopy& piece = target.own[i];
        std::byte* at = base_ + (i == 0 ? target.own_at : target.scratch);
        mtf::run(piece, static_cast<const std::byte*>(operands[0][piece.from_place]), at);
        if (i > 0) combine(elements_.type, elements_.reduction, base_ + target.own_at, at, base_ + target.own_at, target.count);
      }
      if (target.staged.empty() && !target.own.empty())
        run.transport.send(pending_, target.rank, run.tag + target.tag, base_ + target.own_at, target.count * elements_.size());
    }
  }

  bool advance(Transport& transport) override {
    if (!transport.test(pending_)) return false;
    add_up();
    return true;
  }

 protected:
  void wait(Transport& transport) override {
    transport.wait(pending_);
    add_up();
  }

 private:
  struct Target {
    int rank = 0;
    int place = 0;
    int position = 0;
    int tag = 0;
    bool fills = true;
    int64_t count = 0;
    std::vector<BoxCopy> own;       // from each own member's block to a dense part
    int64_t own_at = 0, scratch = 0;
    std::vector<int> ranks;         // of a part that this rank adds up
    std::vector<int64_t> staged;    // where each rank's part arrives; -1: the own
  };

  int64_t take(int64_t count) {
    int64_t at = staging_;
    staging_ += padded(count * elements_.size());
    return at;
  }

  BoxCopy part(const Hosting& hosting, const LocalValue& from, int64_t member, const BlockShape& wanted) const {
    BlockShape block = block_at(from, hosting.mesh()->coordinates(member));
    BoxCopy copy;
    copy.element_size = static_cast<int>(elements_.size());
    copy.from_place = hosting.find_place(hosting.rank(), from.varies(), member);
    copy.from_strides = block.strides;
    copy.to_strides = wanted.strides;
    copy.bytes = wanted.elements * elements_.size();
    copy.to_dense = copy.from_dense = true;
    for (size_t i = 0; i < wanted.box.size(); ++i) {
      copy.sizes.push_back(wanted.box[i].size());
      copy.from_offset += (wanted.box[i].first - block.box[i].first) * block.strides[i] * elements_.size();
      if (copy.sizes[i] != 1 && block.strides[i] != wanted.strides[i]) copy.from_dense = false;
    }
    return copy;
  }

  void add_up() {
    if (added_) return;
    added_ = true;
    for (const Target& target : targets_) {
      if (target.staged.empty() || !target.fills) continue;
      auto of = [&](size_t r) { return base_ + (target.staged[r] < 0 ? target.own_at : target.staged[r]); };
      std::byte* result = static_cast<std::byte*>(results_[target.place]);
      if (target.staged.size() == 1) {
        std::memcpy(result, of(0), static_cast<size_t>(target.count * elements_.size()));
        continue;
      }
      combine(elements_.type, elements_.reduction, of(0), of(1), result, target.count);
      for (size_t r = 2; r < target.staged.size(); ++r)
        combine(elements_.type, elements_.reduction, result, of(r), result, target.count);
    }
  }

  Elements elements_;
  std::vector<Target> targets_;
  int64_t staging_ = 0;
  std::span<void* const> results_;
  std::byte* base_ = nullptr;
  bool added_ = false;
  Transport::Pending pending_;
};

}  // namespace

std::unique_ptr<BoundCollective> bind_all_reduce(const Hosting& hosting, const std::vector<const LocalValue*>& values,
                                                 const std::vector<const LocalValue*>& results, AxisSet axes, Reduction reduction) {
  return std::make_unique<AllReduces>(hosting, values, results, axes, Elements{values[0]->element, reduction});
}

std::unique_ptr<BoundCollective> bind_reduce_scatter(const Hosting& hosting, const LocalValue& from, const LocalValue& to,
                                                     AxisSet axes, Reduction reduction) {
  return std::make_unique<ReduceScatter>(hosting, from, to, axes, Elements{from.element, reduction});
}

}  // namespace mtf
