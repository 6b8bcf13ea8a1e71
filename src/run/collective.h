#pragma once
// A collective step, bound to this rank's processors: its copies, messages and sums.
//
// A collective begins when its operands exist, and ends before a step reads its results. In between, advance() makes
// progress as messages arrive (OpenMPI makes progress only inside its own calls).
//
// Reductions run the message program of spmd/reduce_program.h, other collectives the transfers of spmd/transfers.h. An
// element of a sum has the same bits however all_reduces are merged or cut, and on whichever ranks the processors are.
// MPI's own all_reduce does not promise this: its bits change with the algorithm, the size and the number of ranks.
#include <memory>
#include <span>
#include <utility>

#include "plan/counters.h"
#include "run/redistribution.h"
#include "run/reduce_groups.h"
#include "run/shared_memory.h"
#include "run/transport.h"
#include "spmd/collectives.h"

namespace mtf::run {

/// Resources of one run of a collective.
struct CollectiveRun {
  Transport& transport;
  std::byte* staging;  ///< has staging_bytes() bytes
  int64_t number;      ///< number of the collective, the same on all ranks
  int tag() const { return transport.tag_of(number); }
};

class BoundCollective {
 public:
  virtual ~BoundCollective() = default;
  virtual int64_t staging_bytes() const = 0;
  /// True if its staging memory must be in the memory that ranks share.
  virtual bool shares_memory() const { return false; }
  /// True if other ranks read the operand in place when it is in shared memory. The collective then overwrites the
  /// operand.
  virtual bool lends_operand() const { return false; }
  /// Returns its counts except `calls`: the maximum over the processors that this rank hosts. Its wire_bytes count the
  /// messages between processors, also those that stay on a rank (run/run_counts.h).
  virtual plan::CollectiveCount counted() const = 0;
  /// `operands` and `results`: for each value of the step, the blocks of its slots.
  virtual void begin(std::span<const std::span<void* const>> operands, std::span<const std::span<void* const>> results,
                     const CollectiveRun& run) = 0;
  /// Makes progress without waiting. Returns true when the collective has ended.
  virtual bool advance(Transport& transport) = 0;
  /// Waits for the end.
  void finish(Transport& transport);

 protected:
  virtual void wait(Transport& transport) = 0;
};

/// A collective whose messages are all under way at once.
class MessagesAtOnce : public BoundCollective {
 public:
  bool advance(Transport& transport) override {
    if (!transport.test(pending_)) return false;
    if (!std::exchange(has_ended_, true)) end();
    return true;
  }

 protected:
  void wait(Transport& transport) override { transport.wait(pending_); }
  /// Called once, when all messages have arrived.
  virtual void end() {}

  Transport::Pending pending_;
  bool has_ended_ = false;  ///< set to false when it begins
};

/// Packs and sends the messages of a redistribution of `blocks`.
void send_all(const Redistribution& plan, std::span<void* const> blocks, std::byte* staging, Transport& transport,
              Transport::Pending& pending, int tag);

/// Binds a collective of any kind, or several merged all_reduces over the same axes. `shared`: memory for staging, or
/// null.
std::unique_ptr<BoundCollective> bind_collective(const Hosting& hosting, spmd::InstructionKind kind,
                                                 const std::vector<const spmd::LocalValue*>& values,
                                                 const std::vector<const spmd::LocalValue*>& results, AxisSet axes,
                                                 kernels::Reduction reduction, SharedMemory* shared = nullptr);
/// Binds a slice: each processor copies a part of its own block. No communication.
std::unique_ptr<BoundCollective> bind_slice(const Hosting& hosting, const spmd::LocalValue& from,
                                            const spmd::LocalValue& to);

/// Binds a collective of a loop iteration between the owner of a position of a sharded dim and its group. `over` is the
/// sharded dim. `iteration` is the position; it is read when the collective begins.
std::unique_ptr<BoundCollective> bind_by_owner(const Hosting& hosting, const Transport& transport,
                                               spmd::InstructionKind kind, const spmd::LocalValue& from,
                                               const spmd::LocalValue& to, AxisSet axes, const spmd::LocalDim& over,
                                               const int64_t& iteration);

/// Binds an all_to_all, or returns null if copies from block to block are faster.
std::unique_ptr<BoundCollective> bind_through_regions(const Hosting& hosting, const spmd::LocalValue& from,
                                                      const spmd::LocalValue& to, AxisSet axes,
                                                      plan::CollectiveCount counted);
/// Each processor adds the parts of its block that the group's intervals contain, in the order of the processors.
std::unique_ptr<BoundCollective> bind_exchange_add(const Hosting& hosting, const spmd::Transfers& transfers,
                                                   plan::CollectiveCount counted);
std::unique_ptr<BoundCollective> bind_all_reduce(const Hosting& hosting,
                                                 const std::vector<const spmd::LocalValue*>& values,
                                                 const std::vector<const spmd::LocalValue*>& results, AxisSet axes,
                                                 kernels::Reduction reduction, SharedMemory* shared);
std::unique_ptr<BoundCollective> bind_reduce_scatter(const Hosting& hosting, const spmd::LocalValue& from,
                                                     const spmd::LocalValue& to, AxisSet axes,
                                                     kernels::Reduction reduction, SharedMemory* shared);

}  // namespace mtf::run
