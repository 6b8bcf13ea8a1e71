// The adjoint of an exchange. The exchange has fetched parts of blocks. Here the gradients of those parts return to the
// blocks and are added up.
#include <algorithm>
#include <cstring>

#include "ops/blocks.h"
#include "run/collective.h"
#include "run/combine.h"
#include "schedule/pack.h"
#include "support/diagnostics.h"

namespace mtf::run {
namespace {

/// A part of a block, in a block of the operand or, if it was received, in the staging memory.
struct Term {
  BoxCopy box;
  int64_t staging = -1;
};

/// Computes to += from on a box.
void add_box(const BoxCopy& box, ElementType type, const std::byte* from, std::byte* to) {
  ops::Walk<2> runs;
  int64_t run = 1;
  for (size_t d = 0; d < box.sizes.size(); ++d) {
    if (run == 1 && box.from_strides[d] == 1 && box.to_strides[d] == 1) run = box.sizes[d];
    else runs.add(box.sizes[d], {box.from_strides[d], box.to_strides[d]});
  }
  const int64_t size = size_of(type);
  for (int64_t n = 0; n < runs.count(); ++n, runs.next()) {
    std::byte* const sum = to + box.to_offset + runs.offset(1) * size;
    combine(type, kernels::Reduction::kSum, sum, from + box.from_offset + runs.offset(0) * size, sum, run);
  }
}

class ExchangeAdd : public MessagesAtOnce {
 public:
  ExchangeAdd(const Hosting& hosting, const spmd::Transfers& transfers, plan::CollectiveCount counted)
      : element_(transfers.to().element), moves_(redistribute(hosting, transfers)), counted_(counted) {
    const spmd::LocalValue& to = transfers.to();
    for (const spmd::LocalDim& dim : transfers.from().dims)
      MTF_CHECK(!dim.mapped || !dim.map.wrap, "what wraps around is not added up");
    for (int hosted : hosting.slots(to.varies()).first)
      bytes_.push_back(block_at(to, hosting.coordinates()[hosted]).elements * size_of(element_));
    // All parts are received into staging memory and added when all have arrived. Their order does not depend on which
    // rank hosts which processor.
    terms_.resize(bytes_.size());
    for (BoxCopy& copy : moves_.local) terms_[copy.to_slot].push_back({std::move(copy)});
    for (Message& message : moves_.receives) {
      if (message.in_place) {
        message.staging = moves_.staging_bytes;
        moves_.staging_bytes += schedule::padded(message.bytes);
        message.in_place = false;
      }
      for (const BoxCopy& piece : message.pieces) terms_[piece.to_slot].push_back({piece, message.staging});
    }
    for (std::vector<Term>& terms : terms_)
      std::stable_sort(terms.begin(), terms.end(),
                       [](const Term& a, const Term& b) { return a.box.source < b.box.source; });
  }

  plan::CollectiveCount counted() const override { return counted_; }
  int64_t staging_bytes() const override { return moves_.staging_bytes; }

  void begin(std::span<const std::span<void* const>> operands, std::span<const std::span<void* const>> results,
             const CollectiveRun& run) override {
    from_ = operands[0];
    to_ = results[0];
    staging_ = run.staging;
    has_ended_ = false;
    for (const Message& message : moves_.receives)
      run.transport.receive(pending_, message.peer, run.tag(), staging_ + message.staging, message.bytes);
    send_all(moves_, from_, run.staging, run.transport, pending_, run.tag());
  }

 private:
  const std::byte* block(const BoxCopy& copy) const {
    return static_cast<const std::byte*>(from_[static_cast<size_t>(copy.from_slot)]);
  }

  void end() override {
    for (size_t slot = 0; slot < terms_.size(); ++slot) {
      std::byte* const sum = static_cast<std::byte*>(to_[slot]);
      std::memset(sum, 0, static_cast<size_t>(bytes_[slot]));
      for (const Term& term : terms_[slot])
        add_box(term.box, element_, term.staging < 0 ? block(term.box) : staging_ + term.staging, sum);
    }
  }

  const ElementType element_;
  Redistribution moves_;
  std::vector<int64_t> bytes_;            ///< of the result at each slot
  std::vector<std::vector<Term>> terms_;  ///< for each slot of the result: the parts to add
  const plan::CollectiveCount counted_;
  std::span<void*const> from_, to_;
  std::byte* staging_ = nullptr;
};

}  // namespace

std::unique_ptr<BoundCollective> bind_exchange_add(const Hosting& hosting, const spmd::Transfers& transfers,
                                                   plan::CollectiveCount counted) {
  return std::make_unique<ExchangeAdd>(hosting, transfers, counted);
}

}  // namespace mtf::run
