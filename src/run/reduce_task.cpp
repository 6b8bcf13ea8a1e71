#include "run/reduce_task.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "run/shared_reduce.h"
#include "schedule/pack.h"
#include "spmd/reduce_program.h"

namespace mtf::run {
namespace {

/// Runs a message program among the ranks of an aligned group, piece by piece, and round by round in each piece.
class ProgramTask : public ReduceTask {
 public:
  ProgramTask(const ReduceGroup& group, ReduceElements elements, const spmd::ReduceProgram& program)
      : ranks_(group.ranks), elements_(elements), count_(program.elements()), piece_(program.piece()) {
    const int64_t rest = count_ % piece_;
    if (count_ >= piece_) rounds_ = program.rounds(group.position, piece_);
    if (rest > 0) last_rounds_ = program.rounds(group.position, rest);
    int64_t longest = 0;
    for (const std::vector<spmd::ReduceRound>* rounds : {&rounds_, &last_rounds_})
      for (const spmd::ReduceRound& round : *rounds) {
        if (!round.adds) continue;
        longest = std::max(longest, round.part.size());
        most_received_ = std::max(most_received_, round.receives.size());
      }
    slot_ = schedule::padded(longest * elements_.size());
  }

  int64_t staging_bytes() const override { return slot_ * static_cast<int64_t>(most_received_); }

  void begin(const ReduceArrays& arrays, const CollectiveRun& run, const std::vector<int>& tags) override {
    arrays_ = arrays;
    tag_ = run.tag();
    tags_ = &tags;
    done_ = 0;
    begin_piece(run.transport);
  }

  bool advance(Transport& transport, bool wait) override {
    while (done_ < count_) {
      if (wait) transport.wait(pending_);
      else if (!transport.test(pending_)) return false;
      if (round().adds) add_up();
      if (++round_ < now_->size()) {
        begin_round(transport);
      } else {
        done_ += piece_;
        begin_piece(transport);
      }
    }
    return true;
  }

 private:
  const spmd::ReduceRound& round() const { return (*now_)[round_]; }

  void begin_piece(Transport& transport) {
    if (done_ >= count_) return;
    now_ = count_ - done_ < piece_ ? &last_rounds_ : &rounds_;
    round_ = 0;
    begin_round(transport);
  }

  const std::byte* operand(int64_t element) const {
    return (round_ == 0 ? arrays_.own : arrays_.result) + (done_ + element) * elements_.size();
  }
  std::byte* result(int64_t element) const { return arrays_.result + (done_ + element) * elements_.size(); }
  std::byte* staged(size_t received) const { return arrays_.staging + slot_ * static_cast<int64_t>(received); }

  /// Posts all messages of a round.
  void begin_round(Transport& transport) {
    const std::vector<spmd::ReduceMessage>& receives = round().receives;
    for (size_t i = 0; i < receives.size(); ++i)
      transport.receive(pending_, rank_of(receives[i]), tag_of(receives[i]),
                        round().adds ? staged(i) : result(receives[i].part.first), bytes_of(receives[i]));
    for (const spmd::ReduceMessage& send : round().sends)
      transport.send(pending_, rank_of(send), tag_of(send), operand(send.part.first), bytes_of(send));
  }

  /// Adds the received terms and the own one, in the order of the members.
  void add_up() {
    const Interval part = round().part;
    terms_.clear();
    for (size_t i = 0; i < round().receives.size(); ++i) {
      if (i == round().own) terms_.push_back(operand(part.first));
      terms_.push_back(staged(i));
    }
    if (round().own == round().receives.size()) terms_.push_back(operand(part.first));
    combine_all(elements_, round().tree, terms_, result(part.first), part.size());
  }

  int rank_of(const spmd::ReduceMessage& message) const { return ranks_[static_cast<size_t>(message.peer)]; }
  int tag_of(const spmd::ReduceMessage& message) const { return tag_ + (*tags_)[static_cast<size_t>(message.peer)]; }
  int64_t bytes_of(const spmd::ReduceMessage& message) const { return message.part.size() * elements_.size(); }

  const std::vector<int> ranks_;
  const ReduceElements elements_;
  const int64_t count_, piece_;
  std::vector<spmd::ReduceRound> rounds_, last_rounds_;  // of a full piece, and of a shorter last one
  int64_t slot_ = 0;                                     // bytes between staged arrays
  size_t most_received_ = 0;
  ReduceArrays arrays_{};
  int tag_ = 0;
  const std::vector<int>* tags_ = nullptr;
  int64_t done_ = std::numeric_limits<int64_t>::max();  // elements of the pieces that have ended
  const std::vector<spmd::ReduceRound>* now_ = nullptr;
  size_t round_ = 0;
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

std::unique_ptr<ReduceTask> make_all_reduce(const ReduceGroup& group, ReduceElements elements, int64_t count,
                                            int64_t largest, SharedMemory* shared) {
  if (!group.aligned) return std::make_unique<MemberTask>(group, elements, count);
  const spmd::ReduceProgram program =
      spmd::ReduceProgram::all_reduce(group.tree_of_ranks(), count, largest, elements.size());
  if (!program.is_sent_whole() && can_share(group, shared))
    return make_shared_all_reduce(group, elements, count, *shared);
  return std::make_unique<ProgramTask>(group, elements, program);
}

std::unique_ptr<ReduceTask> make_scatter(const ReduceGroup& group, ReduceElements elements,
                                         const std::vector<int64_t>& slices) {
  return std::make_unique<ProgramTask>(group, elements, spmd::ReduceProgram::scatter(group.tree_of_ranks(), slices));
}

}  // namespace mtf::run
