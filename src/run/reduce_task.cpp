#include "run/reduce_task.h"

#include <algorithm>
#include <cstring>

#include "run/shared_reduce.h"
#include "schedule/pack.h"
#include "spmd/reduction_tree.h"
#include "support/integers.h"

namespace mtf::run {
namespace {

/// The order of slices in an array that ranks exchange level by level, and the peers of each rank. The position of a
/// rank is a number with one digit for each level; the first level has the lowest digit. Slices are ordered by the same
/// digits, but there the first level has the highest digit. Thus after each level the slices that a rank still adds up
/// are contiguous.
class SliceMap {
 public:
  explicit SliceMap(std::vector<int64_t> levels) : levels_(std::move(levels)) {
    for (int64_t meet : levels_) ranks_ *= meet;
  }

  size_t levels() const { return levels_.size(); }
  int64_t meet(size_t level) const { return levels_[level]; }
  int64_t ranks() const { return ranks_; }

  int64_t digit(int64_t position, size_t level) const { return position / below(level) % levels_[level]; }
  /// Returns the position of the rank that differs from `position` only in the digit of `level`.
  int64_t peer(int64_t position, size_t level, int64_t digit) const {
    return position + (digit - this->digit(position, level)) * below(level);
  }
  /// Returns the interval of slices that `position` still adds up after `level` levels.
  Interval places(int64_t position, size_t level) const {
    int64_t first = 0, count = ranks_;
    for (size_t l = 0; l < level; ++l) {
      count /= levels_[l];
      first += digit(position, l) * count;
    }
    return {first, first + count};
  }

 private:
  int64_t below(size_t level) const {
    int64_t product = 1;
    for (size_t l = 0; l < level; ++l) product *= levels_[l];
    return product;
  }
  std::vector<int64_t> levels_;
  int64_t ranks_ = 1;
};

std::vector<int64_t> tree_of_ranks(const ReduceGroup& group) {
  return {group.tree.begin() + static_cast<long>(group.own_levels), group.tree.end()};
}

enum class Way { kWhole, kSliced, kScattered };

/// A reduction among the ranks of an aligned group, piece by piece, and level by level in each piece.
class LevelTask : public ReduceTask {
 public:
  LevelTask(const ReduceGroup& group, ReduceElements elements, Way way, int64_t count, int64_t piece,
            std::vector<int64_t> begins)
      : ranks_(group.ranks),
        me_(group.position),
        map_(spmd::exchange_levels(tree_of_ranks(group))),
        elements_(elements),
        way_(way),
        count_(count),
        piece_(piece),
        begins_(std::move(begins)) {
    for (size_t l = 0; l < map_.levels(); ++l) {
      Level level{spmd::tree_over(map_.meet(l)), map_.digit(me_, l), {}};
      for (int64_t digit = 0; digit < map_.meet(l); ++digit)
        if (digit != level.own_digit) level.peers.push_back({digit, map_.peer(me_, l, digit)});
      levels_.push_back(std::move(level));
    }
    // The first piece has the longest slices, and stretches become shorter from level to level.
    const int64_t most = map_.levels() == 0 ? 0 : way == Way::kWhole ? count : longest_after_first_level();
    slot_ = schedule::padded(most * elements_.size());
  }

  int64_t staging_bytes() const override {
    int64_t others = 0;
    for (size_t l = 0; l < map_.levels(); ++l) others = std::max(others, map_.meet(l) - 1);
    return slot_ * others;
  }

  void begin(const ReduceArrays& arrays, const CollectiveRun& run, const std::vector<int>& tags) override {
    arrays_ = arrays;
    tag_ = run.tag();
    tags_ = &tags;
    done_ = 0;
    begin_piece(run.transport);
  }

  bool advance(Transport& transport, bool wait) override {
    while (phase_ != Phase::kDone) {
      if (wait) transport.wait(pending_);
      else if (!transport.test(pending_)) return false;
      if (phase_ == Phase::kAdd) {
        add_up();
        if (++level_ < map_.levels()) exchange(transport);
        else if (way_ == Way::kSliced) gather(transport);
        else end_piece(transport);
      } else if (level_ > 0) {
        gather(transport);
      } else {
        end_piece(transport);
      }
    }
    return true;
  }

 private:
  enum class Phase { kAdd, kGather, kDone };
  struct Peer {
    int64_t digit, position;
  };
  struct Level {
    std::vector<int64_t> tree;
    int64_t own_digit = 0;
    std::vector<Peer> peers;
  };

  int64_t longest_after_first_level() const {
    int64_t most = 0;
    for (int64_t digit = 0; digit < map_.meet(0); ++digit) most = std::max(most, stretch(digit, 1).size());
    return most;
  }

  /// Returns the elements that a rank adds up, or has, after `level` levels.
  Interval stretch(int64_t position, size_t level) const {
    if (way_ == Way::kWhole) return {0, begins_.back()};
    const Interval places = map_.places(position, level);
    return {begins_[static_cast<size_t>(places.first)], begins_[static_cast<size_t>(places.last)]};
  }

  void begin_piece(Transport& transport) {
    const int64_t size = std::min(piece_, count_ - done_);
    if (way_ != Way::kScattered && begins_.back() != size)
      begins_ = equal_slices(way_ == Way::kWhole ? 1 : map_.ranks(), size);
    level_ = 0;
    exchange(transport);
  }

  void end_piece(Transport& transport) {
    done_ += piece_;
    if (done_ < count_) begin_piece(transport);
    else phase_ = Phase::kDone;
  }

  const std::byte* operand(int64_t element) const {
    return (level_ == 0 ? arrays_.own : arrays_.result) + (done_ + element) * elements_.size();
  }
  std::byte* result(int64_t element) const { return arrays_.result + (done_ + element) * elements_.size(); }
  std::byte* staged(int64_t digit) const {
    return arrays_.staging + slot_ * (digit < levels_[level_].own_digit ? digit : digit - 1);
  }

  template <typename F>
  void for_peers(F f) const {
    for (const Peer& peer : levels_[level_].peers) f(peer.digit, peer.position);
  }
  void send(int64_t peer, const std::byte* data, int64_t count, Transport& transport) {
    transport.send(pending_, ranks_[static_cast<size_t>(peer)], tag_ + (*tags_)[static_cast<size_t>(peer)], data,
                   count * elements_.size());
  }
  void receive(int64_t peer, std::byte* data, int64_t count, Transport& transport) {
    transport.receive(pending_, ranks_[static_cast<size_t>(peer)], tag_ + (*tags_)[static_cast<size_t>(peer)], data,
                      count * elements_.size());
  }

  void exchange(Transport& transport) {
    phase_ = Phase::kAdd;
    const Interval own = stretch(me_, level_ + 1);
    for_peers([&](int64_t digit, int64_t peer) { receive(peer, staged(digit), own.size(), transport); });
    for_peers([&](int64_t, int64_t peer) {
      const Interval theirs = stretch(peer, level_ + 1);
      send(peer, operand(theirs.first), theirs.size(), transport);
    });
  }

  void add_up() {
    const Interval own = stretch(me_, level_ + 1);
    terms_.clear();
    for (int64_t digit = 0; digit < map_.meet(level_); ++digit)
      terms_.push_back(digit == levels_[level_].own_digit ? operand(own.first) : staged(digit));
    combine_all(elements_, levels_[level_].tree, terms_, result(own.first), own.size());
  }

  /// Runs one level backwards: exchanges the finished stretches with the peers of the previous level.
  void gather(Transport& transport) {
    phase_ = Phase::kGather;
    const size_t after = level_--;
    const Interval own = stretch(me_, after);
    for_peers([&](int64_t, int64_t peer) {
      const Interval theirs = stretch(peer, after);
      receive(peer, result(theirs.first), theirs.size(), transport);
      send(peer, result(own.first), own.size(), transport);
    });
  }

  const std::vector<int> ranks_;
  const int64_t me_;
  const SliceMap map_;
  const ReduceElements elements_;
  const Way way_;
  const int64_t count_, piece_;
  std::vector<int64_t> begins_;  // first elements of the slices of the current piece, then its end
  std::vector<Level> levels_;
  int64_t slot_ = 0;  // bytes between staged arrays
  ReduceArrays arrays_{};
  int tag_ = 0;
  const std::vector<int>* tags_ = nullptr;
  int64_t done_ = 0;
  size_t level_ = 0;
  Phase phase_ = Phase::kDone;
  std::vector<const std::byte*> terms_;
  Transport::Pending pending_;
};

/// A reduction in which every rank receives every member's array and adds them along the whole tree.
class MemberTask : public ReduceTask {
 public:
  MemberTask(const ReduceGroup& group, ReduceElements elements, int64_t count)
      : ranks_(group.ranks),
        tree_(group.tree),
        elements_(elements),
        count_(count),
        step_(schedule::padded(count * elements.size())) {
    for (int rank : group.rank_of)
      owners_.push_back(static_cast<int>(std::find(ranks_.begin(), ranks_.end(), rank) - ranks_.begin()));
    me_ = group.position;
    others_ = std::count_if(owners_.begin(), owners_.end(), [&](int owner) { return owner != me_; });
  }

  int64_t staging_bytes() const override { return step_ * others_; }

  void begin(const ReduceArrays& arrays, const CollectiveRun& run, const std::vector<int>& tags) override {
    const int64_t bytes = count_ * elements_.size();
    const std::byte* own = arrays.own;
    std::byte* staging = arrays.staging;
    result_ = arrays.result;
    terms_.clear();
    for (int owner : owners_) {
      terms_.push_back(owner == me_ ? own : staging);
      if (owner == me_) {
        own += step_;
      } else {
        run.transport.receive(pending_, ranks_[static_cast<size_t>(owner)],
                              run.tag() + tags[static_cast<size_t>(owner)], staging, bytes);
        staging += step_;
      }
    }
    for (size_t t = 0; t < owners_.size(); ++t)
      for (size_t r = 0; r < ranks_.size(); ++r)
        if (owners_[t] == me_ && static_cast<int>(r) != me_)
          run.transport.send(pending_, ranks_[r], run.tag() + tags[r], terms_[t], bytes);
    done_ = false;
  }

  bool advance(Transport& transport, bool wait) override {
    if (done_) return true;
    if (wait) transport.wait(pending_);
    else if (!transport.test(pending_)) return false;
    combine_all(elements_, tree_, terms_, result_, count_);
    return done_ = true;
  }

 private:
  const std::vector<int> ranks_;
  const std::vector<int64_t> tree_;
  const ReduceElements elements_;
  const int64_t count_;
  const int64_t step_;       // bytes between arrays
  std::vector<int> owners_;  // for each member: the index of its rank in ranks_
  int me_ = 0;
  int64_t others_ = 0;
  std::vector<const std::byte*> terms_;
  std::byte* result_ = nullptr;
  bool done_ = true;
  Transport::Pending pending_;
};

}  // namespace

std::vector<int64_t> equal_slices(int64_t ranks, int64_t count) {
  const int64_t step = ceil_div(count, ranks);
  std::vector<int64_t> begins;
  for (int64_t i = 0; i <= ranks; ++i) begins.push_back(std::min(count, i * step));
  return begins;
}

std::unique_ptr<ReduceTask> make_all_reduce(const ReduceGroup& group, ReduceElements elements, int64_t count,
                                            int64_t largest, SharedMemory* shared) {
  if (!group.aligned) return std::make_unique<MemberTask>(group, elements, count);
  const std::vector<int64_t> levels = spmd::exchange_levels(tree_of_ranks(group));
  const int64_t ranks = static_cast<int64_t>(group.ranks.size());
  if (spmd::is_sent_whole(levels, largest, elements.size()))
    return std::make_unique<LevelTask>(group, elements, Way::kWhole, count, count, std::vector<int64_t>{0, count});
  if (can_share(group, shared)) return make_shared_all_reduce(group, elements, count, *shared);
  const int64_t piece = spmd::piece_of_all_reduce(ranks, count, elements.size());
  return std::make_unique<LevelTask>(group, elements, Way::kSliced, count, piece, equal_slices(ranks, piece));
}

std::unique_ptr<ReduceTask> make_scatter(const ReduceGroup& group, ReduceElements elements,
                                         const std::vector<int64_t>& slices) {
  std::vector<int64_t> begins = {0};
  for (int position : slice_order(group)) begins.push_back(begins.back() + slices[static_cast<size_t>(position)]);
  const int64_t count = begins.back();
  return std::make_unique<LevelTask>(group, elements, Way::kScattered, count, std::max<int64_t>(count, 1),
                                     std::move(begins));
}

std::vector<int> slice_order(const ReduceGroup& group) {
  const SliceMap map(spmd::exchange_levels(tree_of_ranks(group)));
  std::vector<int> order(static_cast<size_t>(map.ranks()));
  for (int64_t position = 0; position < map.ranks(); ++position)
    order[static_cast<size_t>(map.places(position, map.levels()).first)] = static_cast<int>(position);
  return order;
}

int64_t sent_by_first(const ReduceGroup& group, ReduceElements elements, int64_t count, int64_t largest) {
  const SliceMap map(spmd::exchange_levels(group.tree));
  std::vector<int64_t> levels;
  for (size_t l = 0; l < map.levels(); ++l) levels.push_back(map.meet(l));
  const bool whole = spmd::is_sent_whole(levels, largest, elements.size());
  const int64_t piece = whole ? std::max<int64_t>(count, 1)
                              : spmd::piece_of_all_reduce(map.ranks(), std::max<int64_t>(count, 1), elements.size());
  int64_t sent = 0;
  for (int64_t done = 0; done < count; done += piece) {
    const std::vector<int64_t> begins = equal_slices(map.ranks(), std::min(piece, count - done));
    const auto length = [&](int64_t position, size_t level) {
      const Interval places = map.places(position, level);
      return whole ? begins.back()
                   : begins[static_cast<size_t>(places.last)] - begins[static_cast<size_t>(places.first)];
    };
    for (size_t l = 0; l < map.levels(); ++l)
      for (int64_t digit = 1; digit < map.meet(l); ++digit)
        sent += length(map.peer(0, l, digit), l + 1) + (whole ? 0 : length(0, l + 1));
  }
  return sent;
}

}  // namespace mtf::run
