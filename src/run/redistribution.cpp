#include "run/redistribution.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <map>
#include <tuple>

#include "kernels/kernel_table.h"
#include "support/integers.h"

namespace mtf::run {
namespace {

bool is_dense(const std::vector<int64_t>& sizes, const std::vector<int64_t>& strides,
              const std::vector<int64_t>& dense) {
  for (size_t i = 0; i < sizes.size(); ++i)
    if (sizes[i] != 1 && strides[i] != dense[i]) return false;
  return true;
}

/// The indices that a round moves of one dim, or all.
struct OneRound {
  size_t dim = 0;
  Interval indices = {0, std::numeric_limits<int64_t>::max()};
};

/// Returns the copies of the overlap of two boxes from one block to the other. A wrapped dim may need several.
std::vector<BoxCopy> copies(const spmd::Transfers& transfers, const BlockShape& a, const BlockShape& b,
                            const OneRound& round) {
  std::vector<std::vector<spmd::Segment>> segments;
  size_t count = 1;
  for (size_t i = 0; i < a.box.size(); ++i) {
    segments.push_back(transfers.shared_parts(i, a.box[i], b.box[i]));
    if (i == round.dim)
      for (spmd::Segment& s : segments.back()) {
        const int64_t skipped = std::min(round.indices.first, s.size);
        s = {s.from + skipped, s.to + skipped, std::min(s.size, round.indices.last) - skipped};
      }
    count *= segments.back().size();
  }
  std::vector<BoxCopy> result;
  const int64_t element = size_of(transfers.from().element);
  for (size_t n = 0; n < count; ++n) {
    BoxCopy copy;
    copy.element_size = static_cast<int>(element);
    copy.from_strides = a.strides;
    copy.to_strides = b.strides;
    copy.bytes = element;
    size_t rest = n;
    std::vector<Interval> piece;
    for (size_t i = 0; i < segments.size(); ++i) {
      const spmd::Segment& s = segments[i][rest % segments[i].size()];
      rest /= segments[i].size();
      copy.sizes.push_back(s.size);
      copy.bytes *= s.size;
      copy.from_offset += s.from * a.strides[i] * element;
      copy.to_offset += s.to * b.strides[i] * element;
      piece.push_back({0, s.size});
    }
    std::vector<int64_t> dense = dense_strides(piece, transfers.to().order);
    copy.from_dense = is_dense(copy.sizes, copy.from_strides, dense);
    copy.to_dense = is_dense(copy.sizes, copy.to_strides, dense);
    if (copy.bytes > 0) result.push_back(std::move(copy));
  }
  return result;
}

/// Replaces the end in the other rank's memory by a dense piece of the message.
void pack_end(BoxCopy& copy, bool sending, int64_t offset, const std::vector<int8_t>& order) {
  std::vector<Interval> piece;
  for (int64_t size : copy.sizes) piece.push_back({0, size});
  std::vector<int64_t> dense = dense_strides(piece, order);
  if (sending) {
    copy.to_slot = -1;
    copy.to_offset = offset;
    copy.to_strides = std::move(dense);
  } else {
    copy.from_slot = -1;
    copy.from_offset = offset;
    copy.from_strides = std::move(dense);
  }
}

void add_piece(std::map<int, Message>& messages, int peer, BoxCopy copy, bool sending,
               const std::vector<int8_t>& order) {
  Message& message = messages[peer];
  message.peer = peer;
  int64_t offset = message.bytes;
  message.bytes += copy.bytes;
  pack_end(copy, sending, offset, order);
  message.pieces.push_back(std::move(copy));
}

std::vector<Message> finished(std::map<int, Message>& messages, bool sending, int64_t& staging) {
  std::vector<Message> result;
  for (auto& [peer, message] : messages) {
    const BoxCopy& first = message.pieces[0];
    message.in_place = message.pieces.size() == 1 && (sending ? first.from_dense : first.to_dense);
    if (!message.in_place) {
      message.staging = staging;
      staging += round_up(message.bytes, 64);
    }
    result.push_back(std::move(message));
  }
  return result;
}

/// Computes a Redistribution.
class Planner {
 public:
  Planner(const Hosting& hosting, const spmd::Transfers& transfers, const OneRound& round)
      : hosting_(hosting),
        mesh_(*hosting.mesh()),
        transfers_(transfers),
        round_(round),
        from_axes_(transfers.from().varies()),
        to_axes_(transfers.to().varies()) {}

  Redistribution run() {
    plan_own_blocks();
    if (hosting_.ranks() > 1) plan_sends();
    result_.sends = finished(sends_, true, result_.staging_bytes);
    result_.receives = finished(receives_, false, result_.staging_bytes);
    return std::move(result_);
  }

 private:
  std::vector<BoxCopy> copies_between(int64_t q, const BlockShape& needed) const {
    return copies(transfers_, block_at(transfers_.from(), mesh_.coordinates(q)), needed, round_);
  }

  void plan_own_blocks() {
    const Slots& slots = hosting_.slots(to_axes_);
    for (int slot = 0; slot < slots.count(); ++slot) {
      const int64_t p = hosting_.processors()[slots.first[slot]];
      const BlockShape needed = block_at(transfers_.to(), mesh_.coordinates(p));
      for (int64_t q : transfers_.sources_of(p)) {
        const int own = hosting_.find_slot(hosting_.rank(), from_axes_, q);
        for (BoxCopy& copy : copies_between(q, needed)) {
          copy.to_slot = slot;
          copy.source = q;
          if (own >= 0) {
            copy.from_slot = own;
            result_.local.push_back(std::move(copy));
          } else {
            add_piece(receives_, hosting_.rank_of(q), std::move(copy), false, transfers_.to().order);
          }
        }
      }
    }
  }

  /// Plans the sends, in the receiver's order: by its slot, then by the sending processor.
  void plan_sends() {
    using Piece = std::tuple<int, int, int64_t, int64_t>;  // peer, slot there, sending and receiving processor
    std::vector<Piece> pieces;
    const auto consider = [&](int peer, int slot, int64_t q, int64_t p) {
      if (hosting_.rank_of(q) == hosting_.rank() && hosting_.find_slot(peer, from_axes_, q) < 0)
        pieces.emplace_back(peer, slot, q, p);
    };
    constexpr size_t kFew = 4;
    if (transfers_.has_few_readers() || hosting_.processors().size() <= kFew) {
      for (int64_t q : hosting_.processors())
        for (int64_t p : transfers_.readers_of(q)) {
          const int peer = hosting_.rank_of(p);
          if (peer == hosting_.rank()) continue;
          const Slots& theirs = hosting_.slots(peer, to_axes_);
          const int index = hosting_.index_of(p);
          if (theirs.first[theirs.of[index]] == index) consider(peer, theirs.of[index], q, p);
        }
    } else {
      for (int peer = 0; peer < hosting_.ranks(); ++peer) {
        if (peer == hosting_.rank()) continue;
        const Slots& theirs = hosting_.slots(peer, to_axes_);
        for (int slot = 0; slot < theirs.count(); ++slot) {
          const int64_t p = hosting_.processors(peer)[theirs.first[slot]];
          for (int64_t q : transfers_.sources_of(p)) consider(peer, slot, q, p);
        }
      }
    }
    std::sort(pieces.begin(), pieces.end());
    for (const auto& [peer, slot, q, p] : pieces)
      for (BoxCopy& copy : copies_between(q, block_at(transfers_.to(), mesh_.coordinates(p)))) {
        copy.from_slot = hosting_.find_slot(hosting_.rank(), from_axes_, q);
        add_piece(sends_, peer, std::move(copy), true, transfers_.to().order);
      }
  }

  const Hosting& hosting_;
  const Mesh& mesh_;
  const spmd::Transfers& transfers_;
  const OneRound round_;
  const AxisSet from_axes_, to_axes_;
  Redistribution result_;
  std::map<int, Message> sends_, receives_;
};

/// The ranks of this rank's group, by the node on which they are.
class GroupRanks {
 public:
  GroupRanks(const Hosting& hosting, AxisSet axes, const Transport& transport) : transport_(transport) {
    for (const int64_t processor : hosting.mesh()->group(hosting.processors()[0], axes)) {
      const int rank = hosting.rank_of(processor);
      on_[transport.node_of(rank)].push_back(rank);
    }
  }
  const std::vector<int>& together_with(int rank) const { return on_.at(transport_.node_of(rank)); }
  /// Returns the rank that receives what `sender` sends to the node of `receiver`. The ranks of a node take turns.
  int receives_for(int receiver, int sender) const {
    const std::vector<int>&theirs = together_with(receiver), &ours = together_with(sender);
    const auto place = static_cast<size_t>(std::find(ours.begin(), ours.end(), sender) - ours.begin());
    return theirs[place % theirs.size()];
  }

 private:
  const Transport& transport_;
  std::map<int, std::vector<int>> on_;  // by node
};

/// True if each rank has one processor, and each member of this rank's group needs all of the same box.
bool need_the_same(const Hosting& hosting, const spmd::Transfers& transfers, AxisSet axes) {
  const Mesh& mesh = *hosting.mesh();
  if (mesh.size() != hosting.ranks() || (axes & ~transfers.from().varies()) != 0) return false;
  const std::vector<int64_t> group = mesh.group(hosting.processors()[0], axes);
  const BlockShape first = block_at(transfers.to(), mesh.coordinates(group[0]));
  return std::all_of(group.begin(), group.end(), [&](int64_t member) {
    return block_at(transfers.to(), mesh.coordinates(member)).box == first.box;
  });
}

}  // namespace

void send_to_nodes_once(std::vector<Redistribution>& rounds, const Hosting& hosting, const spmd::Transfers& transfers,
                        AxisSet axes, const Transport& transport) {
  if (!transport.has_several_nodes() || !need_the_same(hosting, transfers, axes)) return;
  const GroupRanks group(hosting, axes, transport);
  const int me = hosting.rank();
  const auto is_here = [&](int rank) { return transport.node_of(rank) == transport.node_of(me); };
  for (Redistribution& round : rounds) {
    std::erase_if(round.sends, [&](const Message& message) {
      if (is_here(message.peer) || group.receives_for(message.peer, me) == message.peer) return false;
      round.passed_bytes += message.bytes;
      return true;
    });
    for (Message& message : round.sends)
      message.in_pieces = !is_here(message.peer) && group.together_with(message.peer).size() > 1;
    for (Message& message : round.receives) {
      if (is_here(message.peer)) continue;
      const int receiver = group.receives_for(me, message.peer);
      message.is_passed = receiver != me;
      if (message.is_passed) message.peer = receiver;
      else
        for (const int rank : group.together_with(me))
          if (rank != me) message.pass_to.push_back(rank);
    }
  }
}

void run(const BoxCopy& copy, const std::byte* from, std::byte* to) {
  if (copy.from_dense && copy.to_dense) {
    std::memcpy(to + copy.to_offset, from + copy.from_offset, static_cast<size_t>(copy.bytes));
    return;
  }
  kernels::table().copy_block(copy.sizes, copy.element_size, from + copy.from_offset, copy.from_strides,
                              to + copy.to_offset, copy.to_strides);
}

BoxCopy cut_out(const BlockShape& block, const BlockShape& wanted, int64_t element_size) {
  BoxCopy copy;
  copy.element_size = static_cast<int>(element_size);
  copy.from_strides = block.strides;
  copy.to_strides = wanted.strides;
  copy.bytes = wanted.elements * element_size;
  for (size_t i = 0; i < wanted.box.size(); ++i) {
    copy.sizes.push_back(wanted.box[i].size());
    copy.from_offset += (wanted.box[i].first - block.box[i].first) * block.strides[i] * element_size;
  }
  copy.to_dense = true;
  copy.from_dense = is_dense(copy.sizes, block.strides, wanted.strides);
  return copy;
}

Redistribution redistribute(const Hosting& hosting, const spmd::Transfers& transfers) {
  return Planner(hosting, transfers, {}).run();
}

std::vector<Redistribution> redistribute_in_rounds(const Hosting& hosting, const spmd::Transfers& transfers,
                                                   const spmd::Rounds& rounds) {
  if (rounds.count() == 1) return {redistribute(hosting, transfers)};
  std::vector<Redistribution> each;
  for (int64_t r = 0; r < rounds.count(); ++r)
    each.push_back(Planner(hosting, transfers, {rounds.dim, {r * rounds.size, (r + 1) * rounds.size}}).run());
  return each;
}

}  // namespace mtf::run
