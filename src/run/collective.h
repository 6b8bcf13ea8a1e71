#pragma once
// One collective step, bound to this rank's processors: what it has to copy, send, receive and add up.
//
// It begins when its operands exist and ends before its results are read; between, advance() moves it on as messages
// arrive (OpenMPI moves nothing outside of its own calls).
//
// Reductions are added up along a tree and sent as spmd/reduction_tree.h says, all else as run/redistribution.h says.
// Unlike MPI's own collectives (whose all_reduce gives other bits with another algorithm, size or number of ranks:
// measured) that gives each element the same bits whatever it is merged with, however it is cut and however processors
// are hosted.
#include <memory>
#include <span>

#include "plan/counters.h"
#include "run/redistribution.h"
#include "run/reduce_groups.h"
#include "run/shared_memory.h"
#include "run/transport.h"
#include "spmd/collectives.h"

namespace mtf::run {

/// What every step of a bound plan is given when it runs.
struct CollectiveRun {
  Transport& transport;
  std::byte* staging;  ///< of staging_bytes()
  int64_t number;      ///< of the collective, among all: the same on all ranks
  int tag() const { return transport.tag_of(number); }
};

class BoundCollective {
 public:
  virtual ~BoundCollective() = default;
  virtual int64_t staging_bytes() const = 0;
  /// Its staging lies in the memory that ranks share.
  virtual bool shares_memory() const { return false; }
  /// Others read its operand where that lies, if it lies in the memory that ranks share; it is not what it was then.
  virtual bool lends_operand() const { return false; }
  /// What it counts, except `calls`: from the blocks, groups and messages that there are, of the processor for which it
  /// is most among those that this rank hosts. With one processor a rank, wire_bytes are what it gives others.
  virtual plan::CollectiveCount counted() const = 0;
  /// `operands` and `results`: for each value of the step the blocks of its places.
  virtual void begin(std::span<const std::span<void* const>> operands, std::span<const std::span<void* const>> results,
                     const CollectiveRun& run) = 0;
  /// Does what can be done without waiting; true when all is done.
  virtual bool advance(Transport& transport) = 0;
  /// Waits for the rest.
  void finish(Transport& transport);

 protected:
  virtual void wait(Transport& transport) = 0;
};

/// A collective of any kind, or several merged all_reduces over the same axes. `shared`: where
/// staging may lie, or null.
std::unique_ptr<BoundCollective> bind_collective(const Hosting& hosting, spmd::InstructionKind kind,
                                                 const std::vector<const spmd::LocalValue*>& values,
                                                 const std::vector<const spmd::LocalValue*>& results, AxisSet axes,
                                                 kernels::Reduction reduction, SharedMemory* shared = nullptr);
/// Each processor takes its part of what it has: no communication.
std::unique_ptr<BoundCollective> bind_slice(const Hosting& hosting, const spmd::LocalValue& from,
                                            const spmd::LocalValue& to);

/// In a turn of a loop, between the processor that owns its place of a dim, which is split as `over`, and its group.
/// `turn`: that place, as it is when the collective begins.
std::unique_ptr<BoundCollective> bind_by_owner(const Hosting& hosting, spmd::InstructionKind kind,
                                               const spmd::LocalValue& from, const spmd::LocalValue& to, AxisSet axes,
                                               const spmd::LocalDim& over, const int64_t& turn);

/// An all_to_all, or null where it is better moved from block to block.
std::unique_ptr<BoundCollective> bind_through_regions(const Hosting& hosting, const spmd::LocalValue& from,
                                                      const spmd::LocalValue& to, AxisSet axes,
                                                      plan::CollectiveCount counted);
/// Each processor adds up what the group's intervals have of its block, in the order of the processors.
std::unique_ptr<BoundCollective> bind_exchange_add(const Hosting& hosting, const spmd::LocalValue& from,
                                                   const spmd::LocalValue& to, AxisSet axes);
std::unique_ptr<BoundCollective> bind_all_reduce(const Hosting& hosting,
                                                 const std::vector<const spmd::LocalValue*>& values,
                                                 const std::vector<const spmd::LocalValue*>& results, AxisSet axes,
                                                 kernels::Reduction reduction, SharedMemory* shared);
std::unique_ptr<BoundCollective> bind_reduce_scatter(const Hosting& hosting, const spmd::LocalValue& from,
                                                     const spmd::LocalValue& to, AxisSet axes,
                                                     kernels::Reduction reduction);

}  // namespace mtf::run
