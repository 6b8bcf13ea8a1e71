#include "run/reduce_task.h"

#include <algorithm>
#include <array>
#include <limits>
#include <set>

#include "run/node_reduce.h"
#include "run/node_sums.h"
#include "run/shared_reduce.h"
#include "schedule/pack.h"
#include "spmd/reduce_program.h"

namespace mtf::run {
namespace {

/// Runs a message program, piece by piece, and round by round in each piece. The members of the program are the ranks
/// of an aligned group. In other groups they are the processors, and a rank with several of them runs a program of one
/// round.
class ProgramTask : public ReduceTask {
 public:
  ProgramTask(const ReduceGroup& group, ReduceElements elements, const spmd::ReduceProgram& program, bool counts = true)
      : ranks_(group.ranks),
        counts_(counts),
        me_(group.position),
        elements_(elements),
        count_(program.elements()),
        piece_(program.piece()),
        step_(schedule::padded(count_ * elements.size())) {
    if (group.aligned) {
      for (size_t rank = 0; rank < ranks_.size(); ++rank) rank_of_.push_back(static_cast<int>(rank));
    } else {
      for (int rank : group.rank_of)
        rank_of_.push_back(static_cast<int>(std::find(ranks_.begin(), ranks_.end(), rank) - ranks_.begin()));
    }
    own_ = std::count(rank_of_.begin(), rank_of_.end(), me_);
    const int64_t member = std::find(rank_of_.begin(), rank_of_.end(), me_) - rank_of_.begin(), rest = count_ % piece_;
    if (count_ >= piece_) rounds_ = program.rounds(member, piece_);
    if (rest > 0) last_rounds_ = program.rounds(member, rest);
    int64_t longest = 0;
    for (std::vector<spmd::ReduceRound>* rounds : {&rounds_, &last_rounds_})
      for (spmd::ReduceRound& round : *rounds) {
        std::set<int> gets{me_};  // a rank needs one message, whichever of its members it is for
        std::erase_if(round.sends, [&](const spmd::ReduceMessage& send) { return !gets.insert(rank_of(send)).second; });
        if (!round.adds) continue;
        longest = std::max(longest, round.part.size());
        most_received_ = std::max(most_received_, static_cast<int64_t>(round.receives.size()) + 1 - own_);
      }
    slot_ = schedule::padded(longest * elements_.size());
  }

  int64_t staging_bytes() const override { return slot_ * most_received_; }

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

  /// Returns an element of the array of one of this rank's members.
  const std::byte* operand(int64_t element, int64_t own = 0) const {
    return (round_ == 0 ? arrays_.own + own * step_ : arrays_.result) + (done_ + element) * elements_.size();
  }
  std::byte* result(int64_t element) const { return arrays_.result + (done_ + element) * elements_.size(); }

  /// Posts all messages of a round.
  void begin_round(Transport& transport) {
    std::byte* staged = arrays_.staging;
    for (const spmd::ReduceMessage& receive : round().receives) {
      if (rank_of(receive) == me_) continue;
      transport.receive(pending_, ranks_[static_cast<size_t>(rank_of(receive))], tag_of(receive),
                        round().adds ? staged : result(receive.part.first), bytes_of(receive));
      staged += slot_;
    }
    for (int64_t own = 0; own < own_; ++own)
      for (const spmd::ReduceMessage& send : round().sends) {
        transport.send_uncounted(pending_, ranks_[static_cast<size_t>(rank_of(send))], tag_of(send),
                                 operand(send.part.first, own), bytes_of(send));
        if (counts_) transport.count(bytes_of(send));
      }
  }

  /// Adds the received terms and the own ones, in the order of the members.
  void add_up() {
    const Interval part = round().part;
    const std::byte* staged = arrays_.staging;
    int64_t own = 0;
    terms_.clear();
    for (size_t term = 0; term <= round().receives.size(); ++term) {
      const bool is_first = term == round().own;
      if (is_first || rank_of(round().receives[term - (term > round().own)]) == me_) {
        terms_.push_back(operand(part.first, own++));
      } else {
        terms_.push_back(staged);
        staged += slot_;
      }
    }
    combine_all(elements_, round().tree, terms_, result(part.first), part.size());
  }

  /// Returns the position of the other member's rank in the group.
  int rank_of(const spmd::ReduceMessage& message) const { return rank_of_[static_cast<size_t>(message.peer)]; }
  int tag_of(const spmd::ReduceMessage& message) const {
    return tag_ + (*tags_)[static_cast<size_t>(rank_of(message))];
  }
  int64_t bytes_of(const spmd::ReduceMessage& message) const { return message.part.size() * elements_.size(); }

  const std::vector<int> ranks_;
  const bool counts_;
  const int me_;
  const ReduceElements elements_;
  const int64_t count_, piece_, step_;                   // step_: bytes between the arrays of this rank's members
  std::vector<int> rank_of_;                             // for each member of the program: the position of its rank
  int64_t own_ = 0;                                      // how many of them this rank has
  std::vector<spmd::ReduceRound> rounds_, last_rounds_;  // of a full piece, and of a shorter last one
  int64_t slot_ = 0;                                     // bytes between staged arrays
  int64_t most_received_ = 0;
  ReduceArrays arrays_{};
  int tag_ = 0;
  const std::vector<int>* tags_ = nullptr;
  int64_t done_ = std::numeric_limits<int64_t>::max();  // elements of the pieces that have ended
  const std::vector<spmd::ReduceRound>* now_ = nullptr;
  size_t round_ = 0;
  std::vector<const std::byte*> terms_;
  Transport::Pending pending_;
};

/// Reduces a small array inside of each node, and then between ranks of different nodes, in a round each. Thus a node
/// sends one message for each of its ranks. It counts as `counted` bytes.
class NodeByNode : public ReduceTask {
 public:
  /// `own_levels`: the levels of the tree that each node has by itself.
  NodeByNode(const ReduceGroup& group, ReduceElements elements, const GroupNodes& nodes, size_t own_levels,
             int64_t count, int64_t counted)
      : counted_(counted) {
    const auto me = static_cast<size_t>(group.position);
    const std::vector<size_t>& mates = nodes.members(nodes.node_of(me));
    const size_t place = static_cast<size_t>(std::find(mates.begin(), mates.end(), me) - mates.begin());
    std::vector<size_t> across;
    for (size_t node = 0; node < nodes.count(); ++node) across.push_back(nodes.members(node)[place]);
    const auto split = group.tree.begin() + static_cast<long>(own_levels);
    steps_[0] = step(group, elements, mates, {group.tree.begin(), split}, count);
    steps_[1] = step(group, elements, across, {split, group.tree.end()}, count);
  }

  int64_t staging_bytes() const override {
    return std::max(steps_[0].task->staging_bytes(), steps_[1].task->staging_bytes());
  }

  void begin(const ReduceArrays& arrays, const CollectiveRun& run, const std::vector<int>& tags) override {
    arrays_ = arrays;
    number_ = run.number;
    at_ = 0;
    run.transport.count(counted_);
    for (Step& step : steps_) {
      step.tags.clear();
      for (const size_t position : step.positions) step.tags.push_back(tags[position]);
    }
    steps_[0].task->begin(arrays, run, steps_[0].tags);
  }

  bool advance(Transport& transport, bool wait) override {
    for (; at_ < steps_.size(); ++at_) {
      if (!steps_[at_].task->advance(transport, wait)) return false;
      if (at_ + 1 < steps_.size())
        steps_[at_ + 1].task->begin({arrays_.result, arrays_.result, arrays_.staging},
                                    {transport, arrays_.staging, number_}, steps_[at_ + 1].tags);
    }
    return true;
  }

 private:
  struct Step {
    std::vector<size_t> positions;  // in the group
    std::vector<int> tags;
    std::unique_ptr<ReduceTask> task;
  };

  static Step step(const ReduceGroup& whole, ReduceElements elements, const std::vector<size_t>& positions,
                   std::vector<int64_t> tree, int64_t count) {
    ReduceGroup group;
    for (const size_t position : positions) {
      if (position == static_cast<size_t>(whole.position)) group.position = static_cast<int>(group.ranks.size());
      group.ranks.push_back(whole.ranks[position]);
    }
    group.tree = std::move(tree);
    const spmd::ReduceProgram program = spmd::ReduceProgram::in_one_round(group.tree, count);
    return {positions, {}, std::make_unique<ProgramTask>(group, elements, program, false)};
  }

  const int64_t counted_;
  std::array<Step, 2> steps_;
  ReduceArrays arrays_{};
  int64_t number_ = 0;
  size_t at_ = 0;
};

/// Returns the levels of a group's tree that each node has by itself; 0 if nodes have no equal subtrees, or if too many
/// members meet.
size_t levels_of_nodes(const GroupNodes& nodes) {
  const std::vector<NodeTerm>& first = nodes.terms(0);
  if (nodes.count() > spmd::kMostPeers || nodes.members(0).size() > spmd::kMostPeers) return 0;
  for (size_t node = 0; node < nodes.count(); ++node)
    if (nodes.terms(node).size() != 1 || nodes.terms(node)[0].level != first[0].level) return 0;
  return first[0].level;
}

/// True if a reduce_scatter sends between nodes once. A small one would wait for its node longer than that saves.
bool scatters_by_node(const ReduceGroup& group, ReduceElements elements, int64_t count, const SharedMemory* shared) {
  return group.aligned && count * elements.size() > spmd::kLargestWhole && spans_nodes(group, shared);
}

}  // namespace

std::unique_ptr<ReduceTask> make_all_reduce(const ReduceGroup& group, ReduceElements elements, int64_t count,
                                            int64_t largest, SharedMemory* shared) {
  if (!group.aligned)
    return std::make_unique<ProgramTask>(group, elements, spmd::ReduceProgram::in_one_round(group.tree, count));
  const spmd::ReduceProgram program =
      spmd::ReduceProgram::all_reduce(group.tree_of_ranks(), count, largest, elements.size());
  if (!program.is_sent_whole() && can_share(group, shared))
    return make_shared_all_reduce(group, elements, count, *shared);
  if (spans_nodes(group, shared)) {
    if (!program.is_sent_whole()) return make_node_all_reduce(group, elements, program, *shared);
    const GroupNodes nodes(group.tree, nodes_of(group, *shared));
    if (const size_t levels = levels_of_nodes(nodes); levels > 0)
      return std::make_unique<NodeByNode>(group, elements, nodes, levels, count,
                                          program.sent(group.position, count) * elements.size());
  }
  return std::make_unique<ProgramTask>(group, elements, program);
}

std::unique_ptr<ReduceTask> make_scatter(const ReduceGroup& group, ReduceElements elements,
                                         const std::vector<int64_t>& slices, SharedMemory* shared) {
  const spmd::ReduceProgram program = spmd::ReduceProgram::scatter(group.tree_of_ranks(), slices);
  if (scatters_by_node(group, elements, program.elements(), shared))
    return make_node_scatter(group, elements, program, slices, *shared);
  return std::make_unique<ProgramTask>(group, elements, program);
}

std::vector<size_t> slice_order(const ReduceGroup& group, ReduceElements elements, int64_t count,
                                const SharedMemory* shared) {
  if (scatters_by_node(group, elements, count, shared)) return GroupNodes(group.tree, nodes_of(group, *shared)).order();
  const std::vector<int64_t> owners = spmd::ReduceProgram::slice_owners(group.tree_of_ranks());
  return {owners.begin(), owners.end()};
}

}  // namespace mtf::run
