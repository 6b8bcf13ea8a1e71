#include "exec/collective.h"
#include "support/diagnostics.h"

namespace mtf {
namespace {

class MovesBoxes : public BoundCollective {
 public:
  explicit MovesBoxes(Redistribution plan) : plan_(std::move(plan)) {}

  int64_t staging_bytes() const override { return plan_.staging_bytes; }

  void begin(std::span<const std::span<void* const>> operands, std::span<const std::span<void* const>> results,
             const CollectiveRun& run) override {
    std::span<void* const> from = operands[0];
    to_ = results[0];
    staging_ = run.staging;
    unpacked_ = false;
    auto source = [&](const BoxCopy& copy) { return static_cast<const std::byte*>(from[copy.from_place]); };
    for (const Message& message : plan_.receives) {
      std::byte* at = message.in_place ? target(message.pieces[0]) + message.pieces[0].to_offset : staging_ + message.staging;
      run.transport.receive(pending_, message.peer, run.tag, at, message.bytes);
    }
    for (const Message& message : plan_.sends) {
      const std::byte* at = staging_ + message.staging;
      if (message.in_place) {
        at = source(message.pieces[0]) + message.pieces[0].from_offset;
      } else {
        for (const BoxCopy& piece : message.pieces) mtf::run(piece, source(piece), staging_ + message.staging);
      }
      run.transport.send(pending_, message.peer, run.tag, at, message.bytes);
    }
    for (const BoxCopy& copy : plan_.local) mtf::run(copy, source(copy), target(copy));
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
        for (const BoxCopy& piece : message.pieces) mtf::run(piece, staging_ + message.staging, target(piece));
  }

  Redistribution plan_;
  Transport::Pending pending_;
  std::span<void* const> to_;
  std::byte* staging_ = nullptr;
  bool unpacked_ = false;
};

}  // namespace

void BoundCollective::finish(Transport& transport) {
  while (!advance(transport)) wait(transport);
}

std::unique_ptr<BoundCollective> bind_redistribution(const Hosting& hosting, const LocalValue& from, const LocalValue& to,
                                                     InstructionKind kind, AxisSet axes) {
  const Mesh& mesh = *hosting.mesh();
  Sources sources;
  if (kind == InstructionKind::kTranspose)
    sources = [&mesh, axes](int64_t p) { return std::vector<int64_t>{transposed(mesh, p, axes)}; };
  else if (kind == InstructionKind::kSlice)
    sources = [](int64_t p) { return std::vector<int64_t>{p}; };
  else
    sources = [&mesh, axes](int64_t p) { return mesh.group(p, axes); };
  return std::make_unique<MovesBoxes>(redistribute(hosting, from, to, sources, sources));
}

CollectiveCount count_of(InstructionKind kind, const LocalValue& from, const LocalValue& to, AxisSet axes) {
  CollectiveCount count;
  int64_t n = from.mesh ? from.mesh->group_size(axes) : 1;
  if (n <= 1) return count;
  count.count = 1;
  switch (kind) {
    case InstructionKind::kAllGather: count.values = most_elements(to); break;
    case InstructionKind::kTranspose: count.values = most_sent(from, to, axes, true); break;
    case InstructionKind::kExchange: count.values = most_sent(from, to, axes, false); break;
    default: count.values = most_elements(from);
  }
  count.bytes = count.values * size_of(from.element);
  // Rounded to the nearest.
  auto share = [&](int64_t numerator) { return (2 * count.bytes * numerator + n) / (2 * n); };
  if (kind == InstructionKind::kAllReduce) count.wire_bytes = share(2 * (n - 1));
  else if (kind == InstructionKind::kTranspose || kind == InstructionKind::kExchange) count.wire_bytes = count.bytes;
  else count.wire_bytes = share(n - 1);
  return count;
}

}  // namespace mtf
