#include "run/relay.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>

#include "run/redistribution.h"

namespace mtf::run {
namespace {

/// A block of the result on this rank: where it comes from, and to which rank it goes.
struct Relayed {
  int64_t first = 0;  ///< the first processor with the block, which orders the blocks on all ranks
  int slot = -1;      ///< of the result
  int own = -1;       ///< the slot of the operand if this rank hosts an owner
  int from = -1;      ///< otherwise: the rank that sends the block
  int to = -1;        ///< the rank that gets it from this one; -1: none
  int64_t bytes = 0;
};

class Relay : public BoundCollective {
 public:
  Relay(const Hosting& hosting, const Transport& transport, const spmd::LocalValue& from, const spmd::LocalValue& to,
        AxisSet axes, int64_t owner)
      : hosting_(hosting), transport_(transport), axes_(axes), owner_(owner), from_axes_(from.varies()) {
    const Mesh& mesh = *hosting.mesh();
    AxisSet same = 0;  // the processors along these axes have the same block
    for (int axis = 0; axis < mesh.order(); ++axis) same |= axis_bit(axis) & ~to.varies();
    const Slots& slots = hosting.slots(to.varies());
    int64_t most = 0;
    for (int slot = 0; slot < slots.count(); ++slot) {
      const auto hosted = static_cast<size_t>(slots.first[static_cast<size_t>(slot)]);
      Relayed block = way_of(mesh.group(hosting.processors()[hosted], same));
      block.slot = slot;
      const int64_t elements = block_at(to, hosting.coordinates()[hosted]).elements;
      block.bytes = elements * size_of(to.element);
      most = std::max(most, elements);
      blocks_.push_back(block);
    }
    std::sort(blocks_.begin(), blocks_.end(), [](const Relayed& a, const Relayed& b) { return a.first < b.first; });
    if (mesh.group_size(axes) == 1) return;
    const int64_t values = most_elements(to), element = size_of(to.element);
    counted_ = {.count = 1, .values = values, .bytes = values * element, .wire_bytes = most * element};
  }

  int64_t staging_bytes() const override { return 0; }
  plan::CollectiveCount counted() const override { return counted_; }

  void begin(std::span<const std::span<void* const>> operands, std::span<const std::span<void* const>> results,
             const CollectiveRun& run) override {
    pieces_.clear();
    next_ = 0;
    tag_ = run.tag();
    for (const Relayed& block : blocks_) {
      auto* const to = static_cast<std::byte*>(results[0][static_cast<size_t>(block.slot)]);
      if (block.own >= 0)
        std::memcpy(to, operands[0][static_cast<size_t>(block.own)], static_cast<size_t>(block.bytes));
      for_pieces(block.bytes, [&](int64_t at, int64_t bytes) {
        Piece& piece = pieces_.emplace_back();
        piece.data = to + at;
        piece.bytes = bytes;
        piece.to = block.to;
        if (block.own < 0) run.transport.receive(piece.arrives, block.from, tag_, piece.data, piece.bytes);
      });
    }
  }

  bool advance(Transport& transport) override {
    for (; next_ < pieces_.size() && transport.test(pieces_[next_].arrives); ++next_)
      if (const Piece& piece = pieces_[next_]; piece.to >= 0)
        transport.send(sent_, piece.to, tag_, piece.data, piece.bytes);
    return next_ == pieces_.size() && transport.test(sent_);
  }

 protected:
  void wait(Transport& transport) override { transport.wait(next_ < pieces_.size() ? pieces_[next_].arrives : sent_); }

 private:
  struct Piece {
    std::byte* data = nullptr;
    int64_t bytes = 0;
    int to = -1;
    Transport::Pending arrives;
  };

  /// Finds this rank's neighbours among the ranks that need the block of `processors`. A rank with an owner has it. All
  /// others stand in a row behind the owner of their first processor: those of its node, then node by node, in the
  /// order of the group.
  Relayed way_of(const std::vector<int64_t>& processors) const {
    const Mesh& mesh = *hosting_.mesh();
    Relayed block;
    block.first = processors[0];
    std::map<int, int64_t> firsts;  // by rank
    std::map<int, int64_t> owners;  // by rank
    for (const int64_t processor : processors) {
      const int rank = hosting_.rank_of(processor);
      firsts.try_emplace(rank, processor);
      if (mesh.index_in_group(processor, axes_) == owner_) owners.try_emplace(rank, processor);
    }
    if (const auto own = owners.find(hosting_.rank()); own != owners.end())
      block.own = hosting_.find_slot(hosting_.rank(), from_axes_, own->second);
    const int root = block.own >= 0 ? hosting_.rank() : root_of(firsts.at(hosting_.rank()));
    const int first_node = transport_.node_of(root);
    const int64_t members = mesh.group_size(axes_);
    std::vector<std::array<int64_t, 5>> row;  // by node, distance from the owner, then processor
    for (const auto& [rank, first] : firsts) {
      if (owners.contains(rank) || root_of(first) != root) continue;
      const int node = transport_.node_of(rank);
      row.push_back(
          {node != first_node, node, (mesh.index_in_group(first, axes_) - owner_ + members) % members, first, rank});
    }
    std::sort(row.begin(), row.end());
    int before = root;
    for (const auto& order : row) {
      const auto rank = static_cast<int>(order.back());
      if (rank == hosting_.rank()) block.from = before;
      if (before == hosting_.rank()) block.to = rank;
      before = rank;
    }
    return block;
  }

  /// Returns the rank of the owner in the group of `processor`.
  int root_of(int64_t processor) const {
    return hosting_.rank_of(hosting_.mesh()->group(processor, axes_)[static_cast<size_t>(owner_)]);
  }

  const Hosting& hosting_;
  const Transport& transport_;
  const AxisSet axes_;
  const int64_t owner_;
  const AxisSet from_axes_;
  std::vector<Relayed> blocks_;
  plan::CollectiveCount counted_;
  // Pieces are passed on in one order. A rank that waits for a piece then waits for no later one.
  std::vector<Piece> pieces_;
  size_t next_ = 0;  // the first piece that has not been passed on
  Transport::Pending sent_;
  int tag_ = 0;
};

}  // namespace

std::unique_ptr<BoundCollective> bind_relay(const Hosting& hosting, const Transport& transport,
                                            const spmd::LocalValue& from, const spmd::LocalValue& to, AxisSet axes,
                                            int64_t owner) {
  return std::make_unique<Relay>(hosting, transport, from, to, axes, owner);
}

}  // namespace mtf::run
