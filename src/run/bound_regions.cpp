// All_to_all in large groups, if each rank hosts many processors.
//
// Copying from block to block would need one piece for each pair of processors. Instead a rank copies its blocks of a
// group into one region, a box of the tensor. It sends each other rank the part that the other rank needs. Finally it
// copies its new blocks out of the received parts. Two ranks, each with two of four processors, where [..] is a block
// and {..} a region:
//
//   rank 0   [rows 0][rows 1] ─► {rows 0-1} ─┐  {columns 0-1} ─► [columns 0][columns 1]
//                                            ├─►
//   rank 1   [rows 2][rows 3] ─► {rows 2-3} ─┘  {columns 2-3} ─► [columns 2][columns 3]
#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "run/collective.h"
#include "schedule/pack.h"

namespace mtf::run {
namespace {

/// The bounding box of some blocks, dense in memory.
struct Region {
  BlockShape shape;
  int64_t filled = 0;       ///< elements of the blocks
  std::set<int64_t> slots;  ///< numbers of distinct blocks
  int64_t offset = 0;       ///< in the staging memory, in bytes

  void add(int64_t slot, const BlockShape& block, const std::vector<int8_t>& order) {
    if (!slots.insert(slot).second || block.elements == 0) return;
    if (filled == 0) shape.box = block.box;
    filled += block.elements;
    shape.elements = 1;
    for (size_t d = 0; d < shape.box.size(); ++d) {
      Interval& interval = shape.box[d];
      interval = {std::min(interval.first, block.box[d].first), std::max(interval.last, block.box[d].last)};
      shape.elements *= interval.size();
    }
    shape.strides = dense_strides(shape.box, order);
  }
  bool is_filled() const { return filled == 0 || filled == shape.elements; }
  bool contains(const Region& other) const {
    if (other.filled == 0) return true;
    for (size_t d = 0; d < other.shape.box.size(); ++d)
      if (filled == 0 || other.shape.box[d].first < shape.box[d].first || other.shape.box[d].last > shape.box[d].last)
        return false;
    return true;
  }
};

/// The region of a group's blocks that a rank holds, and the region that it needs.
struct Part {
  Region held, needed;
};

/// Returns the number of a processor's group: its coordinates along `axes`. Groups that differ only along other axes
/// hold replicas and have one number.
int64_t number_of(const Mesh& mesh, int64_t processor, AxisSet axes) {
  int64_t number = 0;
  for (int a = 0; a < mesh.order(); ++a)
    if (axes & axis_bit(a)) number += processor / mesh.stride(a) % mesh.axis_size(a) * mesh.stride(a);
  return number;
}

class Regions {
 public:
  Regions(const Hosting& hosting, const spmd::LocalValue& from, const spmd::LocalValue& to, AxisSet axes)
      : between_((from.varies() | to.varies()) & ~axes) {
    const Mesh& mesh = *hosting.mesh();
    for (int rank = 0; rank < hosting.ranks(); ++rank)
      for (int64_t p : hosting.processors(rank)) {
        const Coordinates at = mesh.coordinates(p);
        Group& group = groups_[number_of(mesh, p, between_)];
        Part& part = group.parts[rank];
        const int64_t from_slot = number_of(mesh, p, from.varies());
        const BlockShape block = block_at(from, at);
        part.held.add(from_slot, block, to.order);
        group.all.add(from_slot, block, to.order);
        part.needed.add(number_of(mesh, p, to.varies()), block_at(to, at), to.order);
      }
  }

  /// True if the blocks fill each region exactly, and each part that a rank lacks is on one rank only.
  bool will_do() const {
    for (const auto& [number, group] : groups_) {
      int64_t held = 0;
      bool all_local = true;
      for (const auto& [rank, part] : group.parts) {
        if (!part.held.is_filled() || !part.needed.is_filled()) return false;
        held += part.held.filled;
        all_local = all_local && part.held.contains(part.needed);
      }
      if (!all_local && held != group.all.filled) return false;
    }
    return true;
  }

  /// Calls `body(parts)` for each group with processors on `rank`. `parts` maps ranks to parts.
  template <typename Body>
  void for_groups_of(int rank, Body body) {
    for (auto& [number, group] : groups_)
      if (group.parts.contains(rank)) body(group.parts);
  }
  Part& part(const Mesh& mesh, int64_t processor, int rank) {
    return groups_.at(number_of(mesh, processor, between_)).parts.at(rank);
  }

 private:
  struct Group {
    std::map<int, Part> parts;  ///< by rank
    Region all;                 ///< the blocks of all ranks
  };
  const AxisSet between_;
  std::map<int64_t, Group> groups_;
};

/// Returns the intersection of two blocks, or nothing if it is empty.
std::optional<BlockShape> shared(const BlockShape& a, const BlockShape& b, const std::vector<int8_t>& order) {
  BlockShape both;
  for (size_t d = 0; d < a.box.size(); ++d) {
    both.box.push_back({std::max(a.box[d].first, b.box[d].first), std::min(a.box[d].last, b.box[d].last)});
    if (both.box.back().size() <= 0) return std::nullopt;
    both.elements *= both.box.back().size();
  }
  both.strides = dense_strides(both.box, order);
  return both;
}

/// Returns the copy of `box` from the memory of one block to that of another. Both blocks contain the box.
BoxCopy copy_of(const BlockShape& box, const BlockShape& from, int64_t from_offset, const BlockShape& to,
                int64_t to_offset, int64_t element_size) {
  BoxCopy copy = cut_out(from, box, element_size);
  copy.from_offset += from_offset;
  copy.to_offset = to_offset;
  copy.to_strides = to.strides;
  for (size_t d = 0; d < box.box.size(); ++d) {
    copy.to_offset += (box.box[d].first - to.box[d].first) * to.strides[d] * element_size;
    if (copy.sizes[d] != 1 && to.strides[d] != box.strides[d]) copy.to_dense = false;
  }
  return copy;
}

class MovesThroughRegions : public MessagesAtOnce {
 public:
  MovesThroughRegions(const Hosting& hosting, Regions regions, const spmd::LocalValue& from, const spmd::LocalValue& to,
                      plan::CollectiveCount counted)
      : counted_(counted), element_size_(size_of(from.element)), order_(to.order) {
    const int own = hosting.rank();
    regions.for_groups_of(own, [&](std::map<int, Part>& parts) { plan(parts, own); });
    const auto for_slots = [&](const spmd::LocalValue& value, auto body) {
      const std::vector<int>& first = hosting.slots(value.varies()).first;
      for (size_t slot = 0; slot < first.size(); ++slot) {
        const auto hosted = static_cast<size_t>(first[slot]);
        const BlockShape block = block_at(value, hosting.coordinates()[hosted]);
        if (block.elements > 0)
          body(static_cast<int>(slot), block, regions.part(*hosting.mesh(), hosting.processors()[hosted], own));
      }
    };
    for_slots(from, [&](int slot, const BlockShape& block, const Part& part) {
      in_.push_back(
          copy_of(shared(block, block, order_).value(), block, 0, part.held.shape, part.held.offset, element_size_));
      in_.back().from_slot = slot;
    });
    for_slots(to, [&](int slot, const BlockShape& block, const Part& part) {
      out_.push_back(copy_of(block, part.needed.shape, part.needed.offset, block, 0, element_size_));
      out_.back().to_slot = slot;
    });
    for (std::map<int, Message>* messages : {&sends_, &receives_})
      for (auto& [peer, message] : *messages) {
        message.staging = take(message.bytes);
        for (BoxCopy& piece : message.pieces)
          (messages == &sends_ ? piece.to_offset : piece.from_offset) += message.staging;
      }
  }

  int64_t staging_bytes() const override { return bytes_; }
  plan::CollectiveCount counted() const override { return counted_; }

  void begin(std::span<const std::span<void* const>> operands, std::span<const std::span<void* const>> results,
             const CollectiveRun& run) override {
    to_ = results[0];
    staging_ = run.staging;
    has_ended_ = false;
    for (auto& [peer, message] : receives_)
      run.transport.receive(pending_, peer, run.tag(), staging_ + message.staging, message.bytes);
    for (const BoxCopy& copy : in_)
      run::run(copy, static_cast<const std::byte*>(operands[0][static_cast<size_t>(copy.from_slot)]), staging_);
    for (auto& [peer, message] : sends_) {
      for (const BoxCopy& piece : message.pieces) run::run(piece, staging_, staging_);
      run.transport.send(pending_, peer, run.tag(), staging_ + message.staging, message.bytes);
    }
    for (const BoxCopy& copy : own_) run::run(copy, staging_, staging_);
  }

 private:
  int64_t take(int64_t bytes) {
    const int64_t offset = bytes_;
    bytes_ += schedule::padded(bytes);
    return offset;
  }

  /// Allocates this rank's regions of a group, and plans the copies and messages.
  void plan(std::map<int, Part>& parts, int own) {
    Part& mine = parts.at(own);
    const bool one_region = mine.held.filled > 0 && mine.held.shape.box == mine.needed.shape.box;
    mine.held.offset = take(mine.held.filled * element_size_);
    mine.needed.offset = one_region ? mine.held.offset : take(mine.needed.filled * element_size_);
    for (const auto& [rank, part] : parts) {
      if (rank == own) {
        if (one_region || mine.held.filled == 0 || mine.needed.filled == 0) continue;
        if (const auto box = shared(mine.held.shape, mine.needed.shape, order_))
          own_.push_back(
              copy_of(*box, mine.held.shape, mine.held.offset, mine.needed.shape, mine.needed.offset, element_size_));
        continue;
      }
      if (!part.held.contains(part.needed)) add_piece(sends_[rank], mine.held, part.needed, true);
      if (!mine.held.contains(mine.needed)) add_piece(receives_[rank], part.held, mine.needed, false);
    }
    std::erase_if(sends_, [](const auto& each) { return each.second.bytes == 0; });
    std::erase_if(receives_, [](const auto& each) { return each.second.bytes == 0; });
  }

  /// Adds the intersection of two regions to a message, where it is dense.
  void add_piece(Message& message, const Region& held, const Region& needed, bool sending) const {
    if (held.filled == 0 || needed.filled == 0) return;
    const auto box = shared(held.shape, needed.shape, order_);
    if (!box) return;
    message.pieces.push_back(sending ? copy_of(*box, held.shape, held.offset, *box, message.bytes, element_size_)
                                     : copy_of(*box, *box, message.bytes, needed.shape, needed.offset, element_size_));
    message.bytes += message.pieces.back().bytes;
  }

  void end() override {
    for (auto& [peer, message] : receives_)
      for (const BoxCopy& piece : message.pieces) run::run(piece, staging_, staging_);
    for (const BoxCopy& copy : out_)
      run::run(copy, staging_, static_cast<std::byte*>(to_[static_cast<size_t>(copy.to_slot)]));
  }

  const plan::CollectiveCount counted_;
  const int64_t element_size_;
  const std::vector<int8_t> order_;
  std::vector<BoxCopy> in_, own_, out_;      // blocks to regions, regions to regions, regions to blocks
  std::map<int, Message> sends_, receives_;  // by peer
  int64_t bytes_ = 0;
  std::span<void* const> to_;
  std::byte* staging_ = nullptr;
};

/// Smaller groups, and ranks with fewer processors, copy from block to block.
constexpr int64_t kFew = 8;

}  // namespace

std::unique_ptr<BoundCollective> bind_through_regions(const Hosting& hosting, const spmd::LocalValue& from,
                                                      const spmd::LocalValue& to, AxisSet axes,
                                                      plan::CollectiveCount counted) {
  if (hosting.mesh()->group_size(axes) <= kFew || hosting.mesh()->size() / hosting.ranks() <= kFew) return nullptr;
  Regions regions(hosting, from, to, axes);
  if (!regions.will_do()) return nullptr;
  return std::make_unique<MovesThroughRegions>(hosting, std::move(regions), from, to, counted);
}

}  // namespace mtf::run
