#include <map>

#include "run/collective.h"
#include "run/relay.h"
#include "spmd/collectives.h"

namespace mtf::run {
namespace {

/// A collective of a loop iteration between the owner of a position of the loop's dim and its group. The constructor
/// binds one collective for each owner. Towards the owner, the owner holds a block of one position, and the other
/// processors hold empty blocks.
class ByOwner : public BoundCollective {
 public:
  ByOwner(const Hosting& hosting, const Transport& transport, spmd::InstructionKind kind, const spmd::LocalValue& from,
          const spmd::LocalValue& to, AxisSet axes, const spmd::LocalDim& over, const int64_t& iteration)
      : iteration_(iteration) {
    const Mesh& mesh = *hosting.mesh();
    for (const int64_t processor : mesh.group(0, axes)) {
      const Interval block = bounds(over, mesh, mesh.coordinates(processor));
      if (block.size() == 0) continue;
      if (kind == spmd::InstructionKind::kFromOwner) {
        by_first_.emplace(block.first,
                          bind_relay(hosting, transport, from, to, axes, mesh.index_in_group(processor, axes)));
        continue;
      }
      const spmd::LocalDim whole{{over.dim.name, 1}, {}, false, {}};
      spmd::LocalDim owned = whole;
      owned.axes = over.axes;
      owned.mapped = true;
      owned.map = {.offset = -block.first, .from = over.dim.size, .to = 1};
      const spmd::LocalValue a = with_slot(from, whole), b = with_slot(to, owned);
      by_first_.emplace(block.first, from.partial & axes
                                         ? bind_collective(hosting, spmd::InstructionKind::kReduceScatter, {&a}, {&b},
                                                           axes, kernels::Reduction::kSum)
                                         : bind_slice(hosting, a, b));
    }
  }

  int64_t staging_bytes() const override {
    int64_t most = 0;
    for (const auto& [first, each] : by_first_) most = std::max(most, each->staging_bytes());
    return most;
  }

  plan::CollectiveCount counted() const override {
    plan::CollectiveCount most;
    for (const auto& [first, each] : by_first_) {
      const plan::CollectiveCount count = each->counted();
      most.count = std::max(most.count, count.count);
      most.values = std::max(most.values, count.values);
      most.bytes = std::max(most.bytes, count.bytes);
      most.wire_bytes = std::max(most.wire_bytes, count.wire_bytes);
    }
    return most;
  }

  void begin(std::span<const std::span<void* const>> operands, std::span<const std::span<void* const>> results,
             const CollectiveRun& run) override {
    now_ = std::prev(by_first_.upper_bound(iteration_))->second.get();
    now_->begin(operands, results, run);
  }
  bool advance(Transport& transport) override { return now_->advance(transport); }

 protected:
  void wait(Transport& transport) override { now_->finish(transport); }

 private:
  static spmd::LocalValue with_slot(spmd::LocalValue value, spmd::LocalDim slot) {
    value.partial &= ~slot.axes.set();
    value.dims.insert(value.dims.begin(), std::move(slot));
    for (int8_t& d : value.order) ++d;
    value.order.insert(value.order.begin(), 0);
    return value;
  }

  const int64_t& iteration_;
  std::map<int64_t, std::unique_ptr<BoundCollective>> by_first_;  ///< by the first position of each owner
  BoundCollective* now_ = nullptr;
};

}  // namespace

std::unique_ptr<BoundCollective> bind_by_owner(const Hosting& hosting, const Transport& transport,
                                               spmd::InstructionKind kind, const spmd::LocalValue& from,
                                               const spmd::LocalValue& to, AxisSet axes, const spmd::LocalDim& over,
                                               const int64_t& iteration) {
  return std::make_unique<ByOwner>(hosting, transport, kind, from, to, axes, over, iteration);
}

}  // namespace mtf::run
