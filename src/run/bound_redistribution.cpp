#include <algorithm>
#include <array>
#include <deque>

#include "run/collective.h"
#include "schedule/pack.h"
#include "support/diagnostics.h"
#include "support/integers.h"

namespace mtf::run {
namespace {

/// Moves boxes in rounds. The messages of a round are under way while those of the round before are unpacked.
class MovesBoxes : public BoundCollective {
 public:
  MovesBoxes(std::vector<Redistribution> rounds, plan::CollectiveCount counted)
      : rounds_(std::move(rounds)), counted_(counted) {
    for (const Redistribution& round : rounds_) largest_ = std::max(largest_, round_up(round.staging_bytes, 64));
  }

  plan::CollectiveCount counted() const override { return counted_; }

  int64_t staging_bytes() const override { return largest_ * static_cast<int64_t>(std::min(rounds_.size(), kAtOnce)); }

  void begin(std::span<const std::span<void* const>> operands, std::span<const std::span<void* const>> results,
             const CollectiveRun& run) override {
    from_ = operands[0];
    to_ = results[0];
    staging_ = run.staging;
    tag_ = run.tag();
    ended_ = 0;
    for (size_t r = 0; r < std::min(rounds_.size(), kAtOnce); ++r) begin_round(run.transport, r);
  }

  bool advance(Transport& transport) override {
    while (ended_ < rounds_.size() && has_come(transport)) end_round(transport);
    return ended_ == rounds_.size();
  }

 private:
  static constexpr size_t kAtOnce = 2;
  static constexpr int kPassed = static_cast<int>(spmd::Rounds::kMost);  // the first tag of what is passed on

  /// A part of a message that this rank passes on as soon as it has come.
  struct Piece {
    const std::byte* data;
    int64_t bytes;
    const std::vector<int>* to;
    Transport::Pending comes;
  };

  void wait(Transport& transport) override {
    std::deque<Piece>& pieces = pieces_[ended_ % kAtOnce];
    transport.wait(pieces.empty() ? pending_[ended_ % kAtOnce] : pieces.front().comes);
  }

  /// True if all messages of the first round that has not ended have come and gone.
  bool has_come(Transport& transport) {
    // The later round first: its messages must not wait for those of this one.
    for (size_t ahead = std::min(rounds_.size() - ended_, kAtOnce); ahead-- > 0;) pass_on(transport, ended_ + ahead);
    return pieces_[ended_ % kAtOnce].empty() && transport.test(pending_[ended_ % kAtOnce]);
  }

  void pass_on(Transport& transport, size_t r) {
    std::deque<Piece>& pieces = pieces_[r % kAtOnce];
    for (; !pieces.empty() && transport.test(pieces.front().comes); pieces.pop_front())
      for (const int rank : *pieces.front().to)
        transport.send_uncounted(pending_[r % kAtOnce], rank, tag_ + kPassed + static_cast<int>(r), pieces.front().data,
                                 pieces.front().bytes);
  }

  void receive(Transport& transport, size_t r, const Message& message, std::byte* at) {
    Transport::Pending& pending = pending_[r % kAtOnce];
    const int tag = tag_ + static_cast<int>(r);
    if (message.is_passed) {
      for_pieces(message.bytes, [&](int64_t begin, int64_t bytes) {
        transport.receive(pending, message.peer, tag + kPassed, at + begin, bytes);
      });
    } else if (message.pass_to.empty()) {
      transport.receive(pending, message.peer, tag, at, message.bytes);
    } else {
      for_pieces(message.bytes, [&](int64_t begin, int64_t bytes) {
        Piece& piece = pieces_[r % kAtOnce].emplace_back();
        piece.data = at + begin;
        piece.bytes = bytes;
        piece.to = &message.pass_to;
        transport.receive(piece.comes, message.peer, tag, at + begin, bytes);
      });
    }
  }

  std::byte* target(const BoxCopy& copy) const { return static_cast<std::byte*>(to_[copy.to_slot]); }
  std::byte* staging(size_t round) const { return staging_ + largest_ * static_cast<int64_t>(round % kAtOnce); }

  void begin_round(Transport& transport, size_t r) {
    Transport::Pending& pending = pending_[r % kAtOnce];
    const int tag = tag_ + static_cast<int>(r);
    transport.count(rounds_[r].passed_bytes);
    for (const Message& message : rounds_[r].receives)
      receive(
          transport, r, message,
          message.in_place ? target(message.pieces[0]) + message.pieces[0].to_offset : staging(r) + message.staging);
    send_all(rounds_[r], from_, staging(r), transport, pending, tag);
    for (const BoxCopy& copy : rounds_[r].local)
      run::run(copy, static_cast<const std::byte*>(from_[copy.from_slot]), target(copy));
  }

  void end_round(Transport& transport) {
    for (const Message& message : rounds_[ended_].receives)
      if (!message.in_place)
        for (const BoxCopy& piece : message.pieces) run::run(piece, staging(ended_) + message.staging, target(piece));
    if (++ended_ + kAtOnce <= rounds_.size()) begin_round(transport, ended_ + kAtOnce - 1);
  }

  const std::vector<Redistribution> rounds_;
  const plan::CollectiveCount counted_;
  std::span<void*const> from_, to_;
  std::byte* staging_ = nullptr;
  int64_t largest_ = 0;  // bytes of the packed messages of a round
  int tag_ = 0;
  size_t ended_ = 0;  // rounds
  std::array<Transport::Pending, kAtOnce> pending_;
  std::array<std::deque<Piece>, kAtOnce> pieces_;
};

/// Returns what this rank's processors count for a movement.
plan::CollectiveCount count_of(const Hosting& hosting, const spmd::CollectiveRecord& record,
                               const spmd::Transfers& transfers, AxisSet axes) {
  const spmd::LocalValue &from = transfers.from(), &to = transfers.to();
  int64_t sent = 0;
  for (int hosted : hosting.slots(from.varies() | to.varies()).first)
    sent = std::max(sent, transfers.sent_by(hosting.coordinates()[static_cast<size_t>(hosted)]).elements);
  if (hosting.mesh()->group_size(axes) == 1 || (sent == 0 && !record.counts_if_nothing_moves)) return {};
  const int64_t values = record.payload == spmd::Payload::kOperand  ? most_elements(from)
                         : record.payload == spmd::Payload::kResult ? most_elements(to)
                                                                    : sent;
  const int64_t element = size_of(from.element);
  return {.count = 1, .values = values, .bytes = values * element, .wire_bytes = sent * element};
}

std::unique_ptr<BoundCollective> bind_movement(const Hosting& hosting, const spmd::CollectiveRecord& record,
                                               const spmd::LocalValue& from, const spmd::LocalValue& to, AxisSet axes,
                                               spmd::Sources sources, const SharedMemory* shared = nullptr) {
  const spmd::Transfers transfers(from, to, sources, axes);
  const plan::CollectiveCount counted = count_of(hosting, record, transfers, axes);
  if (record.movement == spmd::Movement::kAddFromGroup) return bind_exchange_add(hosting, transfers, counted);
  if (record.kind == spmd::InstructionKind::kAllToAll)
    if (std::unique_ptr<BoundCollective> through_regions = bind_through_regions(hosting, from, to, axes, counted))
      return through_regions;
  const spmd::Rounds rounds = spmd::rounds_of(from, to, axes);
  static_assert(2 * spmd::Rounds::kMost <= Transport::kTagsOfCollective);
  std::vector<Redistribution> each = redistribute_in_rounds(hosting, transfers, rounds);
  if (record.kind == spmd::InstructionKind::kAllGather && shared != nullptr)
    send_to_nodes_once(each, hosting, transfers, axes, shared->transport());
  return std::make_unique<MovesBoxes>(std::move(each), counted);
}

}  // namespace

void send_all(const Redistribution& plan, std::span<void* const> blocks, std::byte* staging, Transport& transport,
              Transport::Pending& pending, int tag) {
  const auto block = [&](const BoxCopy& copy) {
    return static_cast<const std::byte*>(blocks[static_cast<size_t>(copy.from_slot)]);
  };
  for (const Message& message : plan.sends) {
    const std::byte* at = staging + message.staging;
    if (message.in_place) at = block(message.pieces[0]) + message.pieces[0].from_offset;
    else
      for (const BoxCopy& piece : message.pieces) run::run(piece, block(piece), staging + message.staging);
    if (!message.in_pieces) transport.send(pending, message.peer, tag, at, message.bytes);
    else
      for_pieces(message.bytes,
                 [&](int64_t begin, int64_t bytes) { transport.send(pending, message.peer, tag, at + begin, bytes); });
  }
}

void BoundCollective::finish(Transport& transport) {
  while (!advance(transport)) wait(transport);
}

std::unique_ptr<BoundCollective> bind_collective(const Hosting& hosting, spmd::InstructionKind kind,
                                                 const std::vector<const spmd::LocalValue*>& values,
                                                 const std::vector<const spmd::LocalValue*>& results, AxisSet axes,
                                                 kernels::Reduction reduction, SharedMemory* shared) {
  const spmd::CollectiveRecord& record = record_of(kind);
  switch (record.movement) {
    case spmd::Movement::kReduce: return bind_all_reduce(hosting, values, results, axes, reduction, shared);
    case spmd::Movement::kReduceScatter:
      return bind_reduce_scatter(hosting, *values[0], *results[0], axes, reduction, shared);
    case spmd::Movement::kFromGroup:
    case spmd::Movement::kAddFromGroup:
      return bind_movement(hosting, record, *values[0], *results[0], axes, spmd::Sources::kGroup, shared);
    case spmd::Movement::kFromPermuted:
      return bind_movement(hosting, record, *values[0], *results[0], axes, spmd::Sources::kPermuted);
    case spmd::Movement::kFromStage:  // these know their loop: run/bind_steps.cpp
    case spmd::Movement::kFromOwner:
    case spmd::Movement::kToOwner: break;
  }
  MTF_CHECK(false, "{} needs its loop", record.word);
  return nullptr;
}

std::unique_ptr<BoundCollective> bind_slice(const Hosting& hosting, const spmd::LocalValue& from,
                                            const spmd::LocalValue& to) {
  std::vector<Redistribution> one = {redistribute(hosting, {from, to, spmd::Sources::kOwn, 0})};
  return std::make_unique<MovesBoxes>(std::move(one), plan::CollectiveCount{});
}

}  // namespace mtf::run
