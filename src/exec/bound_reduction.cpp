#include <algorithm>
#include <cstring>

#include "exec/collective.h"
#include "exec/reduce_task.h"
#include "schedule/pack.h"
#include "support/diagnostics.h"

namespace mtf {
namespace {

/// Adds up the blocks of places on this rank; one place is copied.
void add_places(const std::vector<int>& places, std::span<void* const> blocks, void* result, ReduceElements elements, int64_t count) {
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
    int64_t own = -1;            // where the arrays of this rank's terms lie, if there are several
    int64_t staging = 0;
    std::unique_ptr<ReduceTask> task;
  };

  AllReduces(const Hosting& hosting, const std::vector<const LocalValue*>& values, const std::vector<const LocalValue*>& results,
             AxisSet axes, ReduceElements elements)
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
        if (values.size() > 1 || !group.fills || from.by_member) {
          group.packed = staging_;
          staging_ += padded(group.count * elements.size());
        }
        if (from.by_member) {
          group.own = staging_;
          staging_ += padded(group.count * elements.size()) * static_cast<int64_t>(from.places.size());
        }
        group.task = make_reduce_task(from, elements, group.count);
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
      const int tag = run.tag + static_cast<int>(group.group.first % 4096) * 2;
      if (group.own >= 0) {
        pack_terms(group, operands, run.staging);
        if (group.count > 0) group.task->begin(run.staging + group.own, run.staging + group.packed, run.staging + group.staging, tag, run.transport);
        continue;
      }
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
        group.task->begin(own, result, run.staging + group.staging, tag, run.transport);
      }
    }
  }

  bool advance(Transport& transport) override { return move_on(transport, false); }

 protected:
  void wait(Transport& transport) override { move_on(transport, true); }

 private:
  /// The block of each own member, of all values, as an array of its own.
  void pack_terms(const Group& group, std::span<const std::span<void* const>> operands, std::byte* staging) const {
    std::byte* at = staging + group.own;
    for (int place : group.group.places) {
      for (size_t v = 0; v < group.parts.size(); ++v)
        std::memcpy(at + group.parts[v].offset * elements_.size(), operands[v][place], static_cast<size_t>(group.parts[v].count * elements_.size()));
      at += padded(group.count * elements_.size());
    }
  }

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

  ReduceElements elements_;
  std::vector<Group> groups_;
  int64_t staging_ = 0;
  std::vector<std::span<void* const>> results_;
  std::byte* staging_base_ = nullptr;
  bool unpacked_ = false;
};

/// Each member's part of the sum, straight to its rank: first among the members of a term, then in the terms' order.
class ReduceScatter : public BoundCollective {
 public:
  ReduceScatter(const Hosting& hosting, const LocalValue& from, const LocalValue& to, AxisSet axes, ReduceElements elements)
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
        target.tag = static_cast<int>(group.first % 4096) * 2;
        const bool is_here = target.rank == hosting.rank();
        for (const ReduceTerm& from_term : group.terms) {
          Term term;
          term.rank = from_term.rank;
          const bool is_own = term.rank == hosting.rank();
          for (int place : from_term.places) term.own.push_back(part(hosting, from, place, wanted));
          if (is_own || is_here) term.at = take(target.count);
          if (term.own.size() > 1) term.scratch = take(target.count);
          target.terms.push_back(std::move(term));
        }
        if (is_here) {
          target.place = hosting.find_place(hosting.rank(), to.varies(), member);
          target.fills = !filled[target.place];
          filled[target.place] = true;
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
    const int me = run.transport.rank();
    for (const Target& target : targets_)
      for (const Term& term : target.terms)
        if (target.rank == me && term.rank != me)
          run.transport.receive(pending_, term.rank, run.tag + target.tag, base_ + term.at, target.count * elements_.size());
    for (const Target& target : targets_)
      for (const Term& term : target.terms) {
        if (term.rank != me) continue;
        for (size_t i = 0; i < term.own.size(); ++i) {
          const BoxCopy& piece = term.own[i];
          std::byte* at = base_ + (i == 0 ? term.at : term.scratch);
          mtf::run(piece, static_cast<const std::byte*>(operands[0][piece.from_place]), at);
          if (i > 0) combine(elements_.type, elements_.reduction, base_ + term.at, at, base_ + term.at, target.count);
        }
        if (target.rank != me) run.transport.send(pending_, target.rank, run.tag + target.tag, base_ + term.at, target.count * elements_.size());
      }
    me_ = me;
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
  struct Term {
    int rank = 0;
    std::vector<BoxCopy> own;       // from each own member's block to a dense part
    int64_t at = 0, scratch = 0;    // where it lies or arrives
  };
  struct Target {
    int rank = 0;
    int place = 0;
    int tag = 0;
    bool fills = true;
    int64_t count = 0;
    std::vector<Term> terms;
  };

  int64_t take(int64_t count) {
    int64_t at = staging_;
    staging_ += padded(count * elements_.size());
    return at;
  }

  BoxCopy part(const Hosting& hosting, const LocalValue& from, int place, const BlockShape& wanted) const {
    BlockShape block = block_at(from, hosting.coordinates()[hosting.places(from.varies()).first[place]]);
    BoxCopy copy;
    copy.element_size = static_cast<int>(elements_.size());
    copy.from_place = place;
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
      if (target.rank != me_ || !target.fills) continue;
      std::byte* result = static_cast<std::byte*>(results_[target.place]);
      const std::byte* first = base_ + target.terms[0].at;
      if (target.terms.size() == 1) {
        std::memcpy(result, first, static_cast<size_t>(target.count * elements_.size()));
        continue;
      }
      combine(elements_.type, elements_.reduction, first, base_ + target.terms[1].at, result, target.count);
      for (size_t t = 2; t < target.terms.size(); ++t)
        combine(elements_.type, elements_.reduction, result, base_ + target.terms[t].at, result, target.count);
    }
  }

  ReduceElements elements_;
  std::vector<Target> targets_;
  int64_t staging_ = 0;
  std::span<void* const> results_;
  std::byte* base_ = nullptr;
  int me_ = 0;
  bool added_ = false;
  Transport::Pending pending_;
};

}  // namespace

std::unique_ptr<BoundCollective> bind_all_reduce(const Hosting& hosting, const std::vector<const LocalValue*>& values,
                                                 const std::vector<const LocalValue*>& results, AxisSet axes, Reduction reduction) {
  return std::make_unique<AllReduces>(hosting, values, results, axes, ReduceElements{values[0]->element, reduction});
}

std::unique_ptr<BoundCollective> bind_reduce_scatter(const Hosting& hosting, const LocalValue& from, const LocalValue& to,
                                                     AxisSet axes, Reduction reduction) {
  return std::make_unique<ReduceScatter>(hosting, from, to, axes, ReduceElements{from.element, reduction});
}

}  // namespace mtf
