#include "run/node_reduce.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <set>
#include <vector>

#include "run/node_sums.h"
#include "support/integers.h"
#include "types/sharding.h"

namespace mtf::run {
namespace {

class NodeTask : public ReduceTask {
 public:
  /// `slices`: of a reduce_scatter; empty for an all_reduce.
  NodeTask(const ReduceGroup& group, ReduceElements elements, const spmd::ReduceProgram& program,
           const std::vector<int64_t>& slices, SharedMemory& memory)
      : ranks_(group.ranks),
        me_(static_cast<size_t>(group.position)),
        nodes_(group.tree, nodes_of(group, memory), slices),
        here_(nodes_.node_of(me_)),
        tree_(group.tree),
        elements_(elements),
        count_(program.elements()),
        piece_(slices.empty() ? program.piece() : count_),
        scatters_(!slices.empty()),
        counted_(program.sent(group.position, count_) * elements.size()),
        memory_(memory),
        adder_(elements, group.tree) {
    for (const int64_t size : {std::min(piece_, count_), count_ % piece_}) {
      const Layout layout = laid_out(size);
      received_bytes_ = std::max(received_bytes_, layout.received);
      sum_bytes_ = std::max(sum_bytes_, layout.sums);
    }
  }

  int64_t staging_bytes() const override { return own_bytes() + received_bytes_ + sum_bytes_; }
  bool shares_memory() const override { return mates() > 1; }

  void begin(const ReduceArrays& arrays, const CollectiveRun& run, const std::vector<int>& tags) override {
    arrays_ = arrays;
    collective_ = run.number;
    tag_ = run.tag();
    tags_ = &tags;
    under_way_ = true;
    run.transport.count(counted_);
    begin_piece(0);
  }

  bool advance(Transport& transport, bool wait) override {
    while (under_way_) {
      if (!has_come(transport, wait)) return false;
      switch (stage_) {
        case Stage::kBegun: send_terms(transport); break;
        case Stage::kTerms: add_up(transport); break;
        case Stage::kSums: reach(Stage::kAdded); break;
        case Stage::kAdded: take_sums(); break;
        case Stage::kEnded:
          under_way_ = (piece_number_ + 1) * piece_ < count_;
          if (under_way_) begin_piece(piece_number_ + 1);
      }
    }
    return true;
  }

 private:
  /// What the rank waits for.
  enum class Stage {
    kBegun,  ///< the others of its node have begun
    kTerms,  ///< the terms of other nodes have come
    kSums,   ///< their sums have come
    kAdded,  ///< the others of its node have all sums
    kEnded   ///< they need nothing more
  };
  static constexpr int64_t kMostPieces = int64_t{1} << 30;

  /// A part of the piece that this rank adds for its node, and a member of another node that adds there.
  struct Meeting {
    size_t peer;
    Interval part;
    int64_t staged = 0;  ///< offset of the first term in the staging memory: of those received, or of the own sums
  };
  /// Who sends what for a piece of some size.
  struct Layout {
    std::vector<Meeting> slices;     ///< parts of this rank's slice, of which the peer sends terms
    std::vector<Meeting> handled;    ///< parts of the peer's slice, of which this rank sends terms
    int64_t received = 0, sums = 0;  ///< bytes
  };

  int64_t mates() const { return static_cast<int64_t>(nodes_.members(here_).size()); }
  int64_t own_bytes() const { return schedule::padded(piece_ * elements_.size()); }
  int64_t bytes(Interval part) const { return part.size() * elements_.size(); }
  int64_t turn() const { return collective_ * kMostPieces + piece_number_ + 1; }
  SharedMemory::Notice& notice(size_t member) const { return memory_.notice(ranks_[member], collective_); }

  Layout laid_out(int64_t size) const {
    Layout layout;
    const Interval slice = nodes_.slice(size, me_);
    const auto meet = [&](std::vector<Meeting>& list, size_t peer, Interval part, Interval of, size_t terms,
                          int64_t& staged) {
      part = {std::max(part.first, of.first), std::min(part.last, of.last)};
      if (part.size() <= 0) return;
      list.push_back({peer, part, staged});
      staged += schedule::padded(bytes(part)) * static_cast<int64_t>(terms);
    };
    for (size_t peer = 0; peer < ranks_.size(); ++peer) {
      const size_t node = nodes_.node_of(peer);
      if (node == here_) continue;
      meet(layout.slices, peer, nodes_.part_for(size, here_, peer), slice, nodes_.terms(node).size(), layout.received);
      meet(layout.handled, peer, nodes_.part_for(size, node, me_), nodes_.slice(size, peer), nodes_.sums(here_),
           layout.sums);
    }
    return layout;
  }

  /// Returns an element of the piece in the part of a member of this node.
  std::byte* in_part(size_t member, int64_t element) const {
    std::byte* const begin = member == me_ ? own_ : memory_.part(ranks_[member]) + notice(member).offset;
    return begin + element * elements_.size();
  }
  std::byte* result(int64_t element) const {
    return arrays_.result + (piece_number_ * piece_ + element) * elements_.size();
  }

  void reach(Stage stage) {
    stage_ = stage;
    if (mates() > 1) notice(me_).turn[stage_of_notice()].store(turn(), std::memory_order_release);
  }
  SharedMemory::Stage stage_of_notice() const {
    return stage_ == Stage::kBegun   ? SharedMemory::kBegun
           : stage_ == Stage::kAdded ? SharedMemory::kAdded
                                     : SharedMemory::kEnded;
  }

  /// True if what the present stage waits for has come.
  bool has_come(Transport& transport, bool wait) {
    if (stage_ == Stage::kTerms || stage_ == Stage::kSums) {
      if (wait) transport.wait(pending_);
      return wait || transport.test(pending_);
    }
    for (const size_t mate : nodes_.members(here_)) {
      if (mate == me_) continue;
      const std::atomic<int64_t>& reached = notice(mate).turn[stage_of_notice()];
      const auto is_there = [&] { return reached.load(std::memory_order_acquire) == turn(); };
      if (wait) transport.wait_until(is_there);
      else if (!is_there()) return false;
    }
    return true;
  }

  void begin_piece(int64_t number) {
    piece_number_ = number;
    size_ = std::min(piece_, count_ - number * piece_);
    layout_ = laid_out(size_);
    const std::byte* const operand = arrays_.own + number * piece_ * elements_.size();
    own_ = arrays_.staging;
    if (mates() > 1) {
      std::byte* const lies = memory_.in_own_part(operand);  // then it need not be copied
      if (lies) own_ = lies;
      else copy_for_others(own_, operand, static_cast<size_t>(size_ * elements_.size()));
      notice(me_).offset = own_ - memory_.part(ranks_[me_]);
    } else {
      std::memcpy(own_, operand, static_cast<size_t>(size_ * elements_.size()));
    }
    reach(Stage::kBegun);
  }

  int tag_of(size_t peer) const { return tag_ + (*tags_)[peer]; }

  /// Receives the terms of this rank's slice, and sends those of the parts that it handles.
  void send_terms(Transport& transport) {
    stage_ = Stage::kTerms;
    for (const Meeting& meeting : layout_.slices)
      for (size_t term = 0; term < nodes_.terms(nodes_.node_of(meeting.peer)).size(); ++term)
        transport.receive(pending_, ranks_[meeting.peer], tag_of(meeting.peer), received(meeting, term),
                          bytes(meeting.part));
    std::vector<const std::byte*> leaves;
    for (const Meeting& meeting : layout_.handled) {
      std::byte* sum = arrays_.staging + own_bytes() + received_bytes_ + meeting.staged;
      for (const NodeTerm& term : nodes_.terms(here_)) {
        leaves.clear();
        for (size_t leaf = term.first(); leaf < term.last(); ++leaf)
          leaves.push_back(in_part(leaf, meeting.part.first));
        const std::byte* sent = leaves[0];
        if (leaves.size() > 1) {
          combine_all(elements_, {tree_.data(), term.level}, leaves, sum, meeting.part.size());
          sent = sum;
          sum += schedule::padded(bytes(meeting.part));
        }
        transport.send_uncounted(pending_, ranks_[meeting.peer], tag_of(meeting.peer), sent, bytes(meeting.part));
      }
    }
  }

  std::byte* received(const Meeting& meeting, size_t term) const {
    return arrays_.staging + own_bytes() + meeting.staged +
           static_cast<int64_t>(term) * schedule::padded(bytes(meeting.part));
  }

  /// Adds up this rank's slice where the operand was. In an all_reduce, sends the sums, and receives those of the parts
  /// that it handles.
  void add_up(Transport& transport) {
    stage_ = Stage::kSums;
    // The slice is met by ranks of several nodes, whose parts may end at different elements.
    const Interval slice = nodes_.slice(size_, me_);
    std::set<int64_t> ends{slice.last};
    for (const Meeting& meeting : layout_.slices) ends.insert(meeting.part.last);
    int64_t begin = slice.first;
    for (const int64_t end : ends) {
      if (begin < end) add_part({begin, end});
      begin = end;
    }
    if (scatters_) {
      if (result(slice.first) != own_at(slice.first))
        std::memcpy(result(slice.first), own_at(slice.first), static_cast<size_t>(bytes(slice)));
      reach(Stage::kEnded);
      return;
    }
    for (const Meeting& meeting : layout_.handled)
      transport.receive(pending_, ranks_[meeting.peer], tag_of(meeting.peer), own_at(meeting.part.first),
                        bytes(meeting.part));
    for (const Meeting& meeting : layout_.slices)
      transport.send_uncounted(pending_, ranks_[meeting.peer], tag_of(meeting.peer), own_at(meeting.part.first),
                               bytes(meeting.part));
  }

  std::byte* own_at(int64_t element) const { return own_ + element * elements_.size(); }

  void add_part(Interval part) {
    adder_.clear();
    for (const size_t mate : nodes_.members(here_)) adder_.set({0, mate, 1}, in_part(mate, part.first));
    for (const Meeting& meeting : layout_.slices) {
      if (part.first < meeting.part.first || part.last > meeting.part.last) continue;
      size_t index = 0;
      for (const NodeTerm& term : nodes_.terms(nodes_.node_of(meeting.peer)))
        adder_.set(term, received(meeting, index++) + (part.first - meeting.part.first) * elements_.size());
    }
    adder_.run(own_at(part.first), part.size());
  }

  /// Takes the sums from the parts of this node's ranks: of each rank what it handles.
  void take_sums() {
    for (const size_t mate : nodes_.members(here_))
      for (size_t node = 0; node < nodes_.count(); ++node) {
        const Interval part = nodes_.part_for(size_, node, mate);
        if (part.size() > 0 && result(part.first) != in_part(mate, part.first))
          std::memcpy(result(part.first), in_part(mate, part.first), static_cast<size_t>(bytes(part)));
      }
    reach(Stage::kEnded);
  }

  const std::vector<int> ranks_;
  const size_t me_;
  const GroupNodes nodes_;
  const size_t here_;
  const std::vector<int64_t> tree_;
  const ReduceElements elements_;
  const int64_t count_, piece_;
  const bool scatters_;
  const int64_t counted_;  // bytes
  SharedMemory& memory_;
  SumOfTerms adder_;
  int64_t received_bytes_ = 0, sum_bytes_ = 0;
  ReduceArrays arrays_{};
  std::byte* own_ = nullptr;  // the piece in this rank's part
  Layout layout_;
  int64_t collective_ = 0, piece_number_ = 0;
  int64_t size_ = 0;  // elements of the current piece
  int tag_ = 0;
  const std::vector<int>* tags_ = nullptr;
  Stage stage_ = Stage::kEnded;
  bool under_way_ = false;
  Transport::Pending pending_;
};

}  // namespace

std::vector<int> nodes_of(const ReduceGroup& group, const SharedMemory& memory) {
  std::vector<int> nodes;
  for (const int rank : group.ranks) nodes.push_back(memory.transport().node_of(rank));
  return nodes;
}

bool spans_nodes(const ReduceGroup& group, const SharedMemory* memory) {
  if (memory == nullptr || !memory->is_on_all_nodes() || group.members.size() != group.ranks.size()) return false;
  const std::vector<int> all = nodes_of(group, *memory);
  const std::set<int> nodes(all.begin(), all.end());
  return nodes.size() > 1 && nodes.size() < group.ranks.size();
}

std::unique_ptr<ReduceTask> make_node_all_reduce(const ReduceGroup& group, ReduceElements elements,
                                                 const spmd::ReduceProgram& program, SharedMemory& memory) {
  return std::make_unique<NodeTask>(group, elements, program, std::vector<int64_t>(), memory);
}

std::unique_ptr<ReduceTask> make_node_scatter(const ReduceGroup& group, ReduceElements elements,
                                              const spmd::ReduceProgram& program, const std::vector<int64_t>& slices,
                                              SharedMemory& memory) {
  return std::make_unique<NodeTask>(group, elements, program, slices, memory);
}

}  // namespace mtf::run
