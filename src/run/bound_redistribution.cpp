#include <algorithm>

#include "run/collective.h"
#include "schedule/pack.h"
#include "support/diagnostics.h"

namespace mtf::run {
namespace {

class MovesBoxes : public MessagesAtOnce {
 public:
  MovesBoxes(Redistribution plan, plan::CollectiveCount counted) : plan_(std::move(plan)), counted_(counted) {}

  plan::CollectiveCount counted() const override { return counted_; }

  int64_t staging_bytes() const override { return plan_.staging_bytes; }

  void begin(std::span<const std::span<void* const>> operands, std::span<const std::span<void* const>> results,
             const CollectiveRun& run) override {
    std::span<void* const> from = operands[0];
    to_ = results[0];
    staging_ = run.staging;
    has_ended_ = false;
    auto source = [&](const BoxCopy& copy) { return static_cast<const std::byte*>(from[copy.from_slot]); };
    for (const Message& message : plan_.receives) {
      std::byte* at =
          message.in_place ? target(message.pieces[0]) + message.pieces[0].to_offset : staging_ + message.staging;
      run.transport.receive(pending_, message.peer, run.tag(), at, message.bytes);
    }
    send_all(plan_, from, run);
    for (const BoxCopy& copy : plan_.local) run::run(copy, source(copy), target(copy));
  }

 private:
  std::byte* target(const BoxCopy& copy) const { return static_cast<std::byte*>(to_[copy.to_slot]); }

  void end() override {
    for (const Message& message : plan_.receives)
      if (!message.in_place)
        for (const BoxCopy& piece : message.pieces) run::run(piece, staging_ + message.staging, target(piece));
  }

  const Redistribution plan_;
  const plan::CollectiveCount counted_;
  std::span<void* const> to_;
  std::byte* staging_ = nullptr;
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
                                               spmd::Sources sources) {
  const spmd::Transfers transfers(from, to, sources, axes);
  const plan::CollectiveCount counted = count_of(hosting, record, transfers, axes);
  if (record.movement == spmd::Movement::kAddFromGroup) return bind_exchange_add(hosting, transfers, counted);
  if (record.kind == spmd::InstructionKind::kAllToAll)
    if (std::unique_ptr<BoundCollective> through_regions = bind_through_regions(hosting, from, to, axes, counted))
      return through_regions;
  return std::make_unique<MovesBoxes>(redistribute(hosting, transfers), counted);
}

}  // namespace

void MessagesAtOnce::send_all(const Redistribution& plan, std::span<void* const> blocks, const CollectiveRun& run) {
  const auto block = [&](const BoxCopy& copy) {
    return static_cast<const std::byte*>(blocks[static_cast<size_t>(copy.from_slot)]);
  };
  for (const Message& message : plan.sends) {
    const std::byte* at = run.staging + message.staging;
    if (message.in_place) at = block(message.pieces[0]) + message.pieces[0].from_offset;
    else
      for (const BoxCopy& piece : message.pieces) run::run(piece, block(piece), run.staging + message.staging);
    run.transport.send(pending_, message.peer, run.tag(), at, message.bytes);
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
    case spmd::Movement::kReduceScatter: return bind_reduce_scatter(hosting, *values[0], *results[0], axes, reduction);
    case spmd::Movement::kFromGroup:
    case spmd::Movement::kAddFromGroup:
      return bind_movement(hosting, record, *values[0], *results[0], axes, spmd::Sources::kGroup);
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
  return std::make_unique<MovesBoxes>(redistribute(hosting, {from, to, spmd::Sources::kOwn, 0}),
                                      plan::CollectiveCount{});
}

}  // namespace mtf::run
