#include "run/shared_reduce.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "spmd/reduce_program.h"
#include "support/integers.h"
#include "types/sharding.h"

namespace mtf::run {
namespace {

class SharedTask : public ReduceTask {
 public:
  SharedTask(const ReduceGroup& group, ReduceElements elements, int64_t count, SharedMemory& memory)
      : ranks_(group.ranks),
        me_(group.position),
        tree_(group.tree),
        elements_(elements),
        count_(count),
        piece_(spmd::piece_of_all_reduce(members(), count, elements.size())),
        is_small_(members() > 2 && (members() - 1) * count * elements.size() <= kSmall),
        memory_(memory),
        sums_(is_small_ ? static_cast<size_t>(count * elements.size()) : 0) {}

  int64_t staging_bytes() const override { return piece_ * elements_.size(); }
  bool shares_memory() const override { return true; }

  void begin(const ReduceArrays& arrays, const CollectiveRun& run, const std::vector<int>&) override {
    arrays_ = arrays;
    collective_ = run.number;
    under_way_ = true;
    begin_piece(0);
  }

  bool advance(Transport& transport, bool wait) override {
    while (under_way_) {
      if (!have_all(transport, wait)) return false;
      if (stage_ == SharedMemory::kBegun) is_small_ ? add_up_all(transport) : add_up(transport);
      else if (stage_ == SharedMemory::kAdded) take_sums(transport);
      else if ((piece_number_ + 1) * piece_ < count_) begin_piece(piece_number_ + 1);
      else end();
    }
    return true;
  }

 private:
  static constexpr int64_t kMostPieces = int64_t{1} << 30;
  /// Bytes of all other ranks, up to which reading everything is faster than waiting once more.
  static constexpr int64_t kSmall = 16 << 10;
  static constexpr int64_t kTogether = 16 << 10;  // bytes that are added and then copied while they are in the cache

  int64_t members() const { return static_cast<int64_t>(ranks_.size()); }
  int64_t turn() const { return collective_ * kMostPieces + piece_number_ + 1; }
  SharedMemory::Notice& notice(int64_t member) const {
    return memory_.notice(ranks_[static_cast<size_t>(member)], collective_);
  }
  /// Records that this rank has reached `stage`. The caller then waits for the other ranks to reach it.
  void reach(SharedMemory::Stage stage) {
    stage_ = stage;
    notice(me_).turn[stage].store(turn(), std::memory_order_release);
  }
  bool have_all(Transport& transport, bool wait) const {
    for (int64_t member = 0; member < members(); ++member) {
      const auto has_come = [&] { return notice(member).turn[stage_].load(std::memory_order_acquire) == turn(); };
      if (wait) transport.wait_until(has_come);
      else if (!has_come()) return false;
    }
    return true;
  }

  /// Returns a member's slice of the current piece, in elements of the piece.
  Interval slice(int64_t member) const {
    const int64_t step = ceil_div(size_, members());
    return {std::min(size_, member * step), std::min(size_, (member + 1) * step)};
  }
  size_t bytes(Interval elements) const { return static_cast<size_t>(elements.size() * elements_.size()); }
  /// Returns the byte offset of an element of the current piece in this rank's arrays.
  int64_t offset(int64_t element) const { return (piece_number_ * piece_ + element) * elements_.size(); }
  std::byte* laid_out(int64_t member) const {
    return memory_.part(ranks_[static_cast<size_t>(member)]) + notice(member).offset;
  }

  /// Returns a part of the array of another member. Counts its bytes.
  const std::byte* read(Transport& transport, int64_t member, Interval part) const {
    transport.count(static_cast<int64_t>(bytes(part)));
    return laid_out(member) + part.first * elements_.size();
  }

  void begin_piece(int64_t number) {
    piece_number_ = number;
    size_ = std::min(piece_, count_ - number * piece_);
    std::byte* const lies = memory_.in_own_part(arrays_.own);  // then it need not be copied
    std::byte* const own = lies ? lies + offset(0) : arrays_.staging;
    for (int64_t member = 0; member < members(); ++member) {
      const Interval theirs = slice(member);
      if ((member != me_ || is_small_) && !lies)
        copy_for_others(own + theirs.first * elements_.size(), arrays_.own + offset(theirs.first), bytes(theirs));
    }
    notice(me_).offset = own - memory_.part(ranks_[static_cast<size_t>(me_)]);
    reach(SharedMemory::kBegun);
  }

  void add_up(Transport& transport) {
    const Interval own = slice(me_);
    std::vector<const std::byte*> arrays, terms(ranks_.size());
    for (int64_t member = 0; member < members(); ++member)
      arrays.push_back(member == me_ ? arrays_.own + offset(own.first) : read(transport, member, own));
    const int64_t step = kTogether / elements_.size();
    for (int64_t done = 0; done < own.size(); done += step) {
      const Interval part = {own.first + done, std::min(own.first + done + step, own.last)};
      for (size_t member = 0; member < arrays.size(); ++member)
        terms[member] = arrays[member] + done * elements_.size();
      std::byte *const sum = arrays_.result + offset(part.first),
                       *there = laid_out(me_) + part.first * elements_.size();
      combine_all(elements_, tree_, terms, sum, part.size());
      if (there != sum) copy_for_others(there, sum, bytes(part));
    }
    reach(SharedMemory::kAdded);
  }

  /// Adds all slices into `sums_`, because other ranks may still read the memory of the result.
  void add_up_all(Transport& transport) {
    std::vector<const std::byte*> terms;
    for (int64_t member = 0; member < members(); ++member) {
      terms.push_back(member == me_ ? arrays_.own : laid_out(member));
      if (member != me_) transport.count(static_cast<int64_t>(bytes(slice(me_)) + bytes(slice(member))));
    }
    combine_all(elements_, tree_, terms, sums_.data(), count_);
    reach(SharedMemory::kEnded);
  }

  void take_sums(Transport& transport) {
    for (int64_t member = 0; member < members(); ++member) {
      const Interval theirs = slice(member);
      if (member != me_)
        std::memcpy(arrays_.result + offset(theirs.first), read(transport, member, theirs), bytes(theirs));
    }
    reach(SharedMemory::kEnded);
  }

  void end() {
    if (is_small_) std::memcpy(arrays_.result, sums_.data(), sums_.size());
    under_way_ = false;
  }

  const std::vector<int> ranks_;
  const int64_t me_;
  const std::vector<int64_t> tree_;
  const ReduceElements elements_;
  const int64_t count_, piece_;
  const bool is_small_;
  SharedMemory& memory_;
  std::vector<std::byte> sums_;  // sums of a small array
  ReduceArrays arrays_{};
  int64_t collective_ = 0, piece_number_ = 0;
  int64_t size_ = 0;  // elements of the current piece
  SharedMemory::Stage stage_ = SharedMemory::kEnded;
  bool under_way_ = false;
};

}  // namespace

bool can_share(const ReduceGroup& group, const SharedMemory* memory) {
  return memory != nullptr && group.members.size() == group.ranks.size() &&
         std::all_of(group.ranks.begin(), group.ranks.end(), [&](int rank) { return memory->reaches(rank); });
}

std::unique_ptr<ReduceTask> make_shared_all_reduce(const ReduceGroup& group, ReduceElements elements, int64_t count,
                                                   SharedMemory& memory) {
  return std::make_unique<SharedTask>(group, elements, count, memory);
}

}  // namespace mtf::run
