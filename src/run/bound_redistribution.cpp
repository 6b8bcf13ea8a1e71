#include <algorithm>

#include "run/collective.h"
#include "schedule/pack.h"
#include "support/diagnostics.h"

namespace mtf::run {
namespace {

class MovesBoxes : public BoundCollective {
 public:
  MovesBoxes(Redistribution plan, plan::CollectiveCount counted) : plan_(std::move(plan)), counted_(counted) {}

  plan::CollectiveCount counted() const override { return counted_; }

  int64_t staging_bytes() const override { return plan_.staging_bytes; }

  void begin(std::span<const std::span<void* const>> operands, std::span<const std::span<void* const>> results,
             const CollectiveRun& run) override {
    std::span<void* const> from = operands[0];
    to_ = results[0];
    staging_ = run.staging;
    unpacked_ = false;
    auto source = [&](const BoxCopy& copy) { return static_cast<const std::byte*>(from[copy.from_place]); };
    for (const Message& message : plan_.receives) {
      std::byte* at =
          message.in_place ? target(message.pieces[0]) + message.pieces[0].to_offset : staging_ + message.staging;
      run.transport.receive(pending_, message.peer, run.tag(), at, message.bytes);
    }
    for (const Message& message : plan_.sends) {
      const std::byte* at = staging_ + message.staging;
      if (message.in_place) {
        at = source(message.pieces[0]) + message.pieces[0].from_offset;
      } else {
        for (const BoxCopy& piece : message.pieces) run::run(piece, source(piece), staging_ + message.staging);
      }
      run.transport.send(pending_, message.peer, run.tag(), at, message.bytes);
    }
    for (const BoxCopy& copy : plan_.local) run::run(copy, source(copy), target(copy));
  }

  bool advance(Transport& transport) override {
    if (!transport.test(pending_)) return false;
    unpack();
    return true;
  }

 protected:
  void wait(Transport& transport) override {
    transport.wait(pending_);
    unpack();
  }

 private:
  std::byte* target(const BoxCopy& copy) const { return static_cast<std::byte*>(to_[copy.to_place]); }

  void unpack() {
    if (unpacked_) return;
    unpacked_ = true;
    for (const Message& message : plan_.receives)
      if (!message.in_place)
        for (const BoxCopy& piece : message.pieces) run::run(piece, staging_ + message.staging, target(piece));
  }

  const Redistribution plan_;
  const plan::CollectiveCount counted_;
  Transport::Pending pending_;
  std::span<void* const> to_;
  std::byte* staging_ = nullptr;
  bool unpacked_ = false;
};

std::unique_ptr<BoundCollective> bind_movement(const Hosting& hosting, const spmd::CollectiveRecord& record,
                                               const spmd::LocalValue& from, const spmd::LocalValue& to, AxisSet axes) {
  const Sources sources = record.movement == spmd::Movement::kFromPermuted ? Sources::kPermuted : Sources::kGroup;
  const int64_t members = hosting.mesh()->group_size(axes);
  const int64_t sent = most_sent(hosting, from, to, sources, axes);
  plan::CollectiveCount counted;
  if (members > 1 && (sent > 0 || record.counts_if_nothing_moves)) {
    counted.count = 1;
    counted.values = record.payload == spmd::Payload::kOperand  ? most_elements(from)
                     : record.payload == spmd::Payload::kResult ? most_elements(to)
                                                                : sent;
    counted.bytes = counted.values * size_of(from.element);
    counted.wire_bytes = sent * size_of(from.element);
  }
  if (record.kind == spmd::InstructionKind::kAllToAll)
    if (std::unique_ptr<BoundCollective> through_regions = bind_through_regions(hosting, from, to, axes, counted))
      return through_regions;
  return std::make_unique<MovesBoxes>(redistribute(hosting, from, to, sources, axes), counted);
}

}  // namespace

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
    case spmd::Movement::kReduceScatter: return bind_reduce_scatter(hosting, *values[0], *results[0], axes, reduction);
    case spmd::Movement::kAddFromGroup: return bind_exchange_add(hosting, *values[0], *results[0], axes);
    default: return bind_movement(hosting, record, *values[0], *results[0], axes);
  }
}

std::unique_ptr<BoundCollective> bind_slice(const Hosting& hosting, const spmd::LocalValue& from,
                                            const spmd::LocalValue& to) {
  return std::make_unique<MovesBoxes>(redistribute(hosting, from, to, Sources::kOwn, 0), plan::CollectiveCount{});
}

}  // namespace mtf::run
