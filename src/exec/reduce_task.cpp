#include "exec/reduce_task.h"

#include <algorithm>
#include <cstring>

#include "schedule/pack.h"
#include "schedule/schedule.h"

namespace mtf {
namespace {

/// Up to so many bytes every rank gets every other's whole part; above this many ranks the first one adds up.
constexpr int64_t kExchangedWhole = 4096;
constexpr int kFewRanks = 8;

/// A term a rank: piece by piece, each rank adding up a slice and sending it to the others.
class RankTask : public ReduceTask {
 public:
  RankTask(const ReduceGroup& group, ReduceElements elements, int64_t count)
      : ranks_(group.ranks), me_(group.position), elements_(elements), count_(count),
        piece_(std::min(count, kLargestAllReduce / elements.size())) {
    int n = static_cast<int>(ranks_.size());
    int64_t bytes = count * elements.size();
    owners_ = bytes > kExchangedWhole ? n : n > kFewRanks ? 1 : 0;
  }

  int64_t staging_bytes() const override {
    int64_t slice = owners_ == 0 ? piece_ : slice_size(piece_);
    return padded(slice * elements_.size()) * static_cast<int64_t>(ranks_.size() - 1);
  }

  void begin(const std::byte* own, std::byte* result, std::byte* staging, int tag, Transport& transport) override {
    own_ = own;
    result_ = result;
    staging_ = staging;
    tag_ = tag;
    done_ = 0;
    begin_piece(transport);
  }

  bool advance(Transport& transport, bool wait) override {
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
  ReduceElements elements_;
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

/// A term a member: every rank gets every term and adds them up in their order.
class MemberTask : public ReduceTask {
 public:
  MemberTask(const ReduceGroup& group, ReduceElements elements, int64_t count)
      : ranks_(group.ranks), me_(group.position), elements_(elements), count_(count), step_(padded(count * elements.size())) {
    for (const ReduceTerm& term : group.terms) term_ranks_.push_back(term.rank);
    others_ = std::count_if(term_ranks_.begin(), term_ranks_.end(), [&](int rank) { return rank != ranks_[me_]; });
  }

  int64_t staging_bytes() const override { return step_ * others_; }

  void begin(const std::byte* own, std::byte* result, std::byte* staging, int tag, Transport& transport) override {
    const int64_t bytes = count_ * elements_.size();
    result_ = result;
    terms_.clear();
    for (int rank : term_ranks_) {
      const bool is_own = rank == ranks_[me_];
      terms_.push_back(is_own ? own : staging);
      if (is_own) {
        own += step_;
      } else {
        transport.receive(pending_, rank, tag, staging, bytes);
        staging += step_;
      }
    }
    for (size_t t = 0; t < term_ranks_.size(); ++t)
      for (int rank : ranks_)
        if (term_ranks_[t] == ranks_[me_] && rank != ranks_[me_]) transport.send(pending_, rank, tag, terms_[t], bytes);
    done_ = false;
  }

  bool advance(Transport& transport, bool wait) override {
    if (done_) return true;
    if (wait) transport.wait(pending_);
    else if (!transport.test(pending_)) return false;
    combine(elements_.type, elements_.reduction, terms_[0], terms_[1], result_, count_);
    for (size_t t = 2; t < terms_.size(); ++t) combine(elements_.type, elements_.reduction, result_, terms_[t], result_, count_);
    return done_ = true;
  }

 private:
  std::vector<int> ranks_;
  int me_;
  ReduceElements elements_;
  int64_t count_;
  int64_t step_;  // from one array to the next
  std::vector<int> term_ranks_;
  int64_t others_ = 0;
  std::vector<const std::byte*> terms_;
  std::byte* result_ = nullptr;
  bool done_ = true;
  Transport::Pending pending_;
};

}  // namespace

std::unique_ptr<ReduceTask> make_reduce_task(const ReduceGroup& group, ReduceElements elements, int64_t count) {
  if (group.by_member) return std::make_unique<MemberTask>(group, elements, count);
  return std::make_unique<RankTask>(group, elements, count);
}

}  // namespace mtf
