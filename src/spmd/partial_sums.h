#pragma once
// Estimates, before a program is split, which of its sums over split dims will be partial. A choice may depend on the
// estimate, but no result does.
//
// A sum stays partial only up to its single consumer, and only if the consumer is linear in it. Other reductions never
// stay partial. Going further can cost more. For instance, a sum that stayed partial through the gradient of a layer
// norm would add a reduction for the gradients of the norm's own parameters.
//
// Partial terms of a chain of additions are reduced together, wherever they stand in the chain, also if the total is
// scattered. So the partial gradients from q, k and v need one reduce_scatter. For this, each processor adds and scales
// terms of full size, where its own block would otherwise be enough. To add elements costs less than to send them.
// Gradients of micro-batches that are stored in blocks are scattered once, after the last micro-batch. Until then each
// processor holds a partial sum of full size.
#include <cstdint>
#include <vector>

#include "graph/program.h"
#include "spmd/program_readers.h"

namespace mtf::spmd {

/// Which operations begin a partial sum.
enum class SumsOf : uint8_t {
  kAll,       ///< each operation that adds up over a split dim
  kProducts,  ///< contractions only: their sums over a split dim are partial, whatever is cheaper elsewhere
};

/// Returns, for each operation, the axes over which its result is likely to be partial. For a loop this applies to its
/// stacked and summed results.
std::vector<AxisSet> partial_sums(const graph::Program& program, const ProgramReaders& readers,
                                  SumsOf of = SumsOf::kAll);
/// Returns the same for each root of a program, such as one iteration of a loop.
std::vector<AxisSet> partial_roots(const graph::Program& program, SumsOf of = SumsOf::kAll);

/// Returns, for each operation, the axes over which another partial sum is likely to be added to its result, if the
/// result stays partial. Its only consumer may add the sum, or a later one, behind element-wise operations that are
/// linear in the result. All these operations have the same sharding along the axes.
///
///     d_q   einsum, a sum over model ──► mul by 0.5 ──► add ──► d_x [length/model]      for d_q, d_k and mul: model
///     d_k   einsum, a sum over model ───────────────────┘
std::vector<AxisSet> joined_sums(const graph::Program& program, const ProgramReaders& readers,
                                 const std::vector<AxisSet>& partial);
/// Returns the same for one result of a loop. `joined` is the result of joined_sums.
AxisSet joined_sum_of(const graph::Program& program, const ProgramReaders& readers, const std::vector<AxisSet>& partial,
                      const std::vector<AxisSet>& joined, graph::ProgramValue value);

/// True for an addition of floats that broadcasts no operand, and for a view with the type of its operand.
bool is_in_sum(const graph::LaidOutOperation& operation);

/// Returns, for each operation, whether it belongs to a longer sum: its only consumer is another addition, which reads
/// it once.
std::vector<bool> links_of_sums(const graph::Program& program, const ProgramReaders& readers);

}  // namespace mtf::spmd
