#pragma once
// One collective step, bound to this rank's processors: what it has to copy, send, receive and add up.
//
// It begins when its operands exist and ends before its results are read; between, advance() moves it on as messages
// arrive (OpenMPI moves nothing outside of its own calls).
//
// The reductions are direct: each rank of a group owns a slice, receives the others' parts of it, adds them up in the
// order of the ranks, and sends the sum to the others. That takes the least bytes there are, 2(n-1)/n, and unlike MPI's
// own all_reduce (which gives other bits with another algorithm, size or number of ranks: measured) it gives each
// element the same bits whatever it is merged with and however it is cut. A small one is exchanged whole; in a large
// group it goes through the first rank.
//
//              rank 0       rank 1       rank 2
//   own        a0 a1 a2     b0 b1 b2     c0 c1 c2
//   scattered  a0+b0+c0     a1+b1+c1     a2+b2+c2
//   gathered   each has all three sums
#include <memory>
#include <span>

#include "exec/counters.h"
#include "exec/redistribution.h"
#include "exec/reduce_groups.h"
#include "exec/transport.h"

namespace mtf {

/// What every step of a bound plan is given when it runs.
struct CollectiveRun {
  Transport& transport;
  std::byte* staging;   ///< of staging_bytes()
  int tag;              ///< the same on all ranks, different from that of any other collective under way
};

class BoundCollective {
 public:
  virtual ~BoundCollective() = default;
  virtual int64_t staging_bytes() const = 0;
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

/// Slice, all_gather, all_to_all, transpose, exchange: `from` becomes `to`.
std::unique_ptr<BoundCollective> bind_redistribution(const Hosting& hosting, const LocalValue& from, const LocalValue& to,
                                                     InstructionKind kind, AxisSet axes);
/// One all_reduce, or several merged ones over the same axes.
std::unique_ptr<BoundCollective> bind_all_reduce(const Hosting& hosting, const std::vector<const LocalValue*>& values,
                                                 const std::vector<const LocalValue*>& results, AxisSet axes, Reduction reduction);
std::unique_ptr<BoundCollective> bind_reduce_scatter(const Hosting& hosting, const LocalValue& from, const LocalValue& to,
                                                     AxisSet axes, Reduction reduction);

/// What a collective counts, from the sizes of its blocks and groups; nothing in a group of one.
CollectiveCount count_of(InstructionKind kind, const LocalValue& from, const LocalValue& to, AxisSet axes);

}  // namespace mtf
