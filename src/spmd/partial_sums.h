#pragma once
// What the layouts of a program say of its sums over split dims before it is split: an estimate, upon which a choice
// may rest and no result.
#include <vector>

#include "graph/program.h"
#include "spmd/program_readers.h"

namespace mtf::spmd {

/// Of each operation the axes over which its result is likely to be a sum of parts that are still to be reduced. Of a
/// loop the results that are stacked, or summed, may be such sums.
std::vector<AxisSet> partial_sums(const graph::Program& program, const ProgramReaders& readers);
/// The same for each root of a program: a turn of a loop, for instance.
std::vector<AxisSet> partial_roots(const graph::Program& program);

/// Of each operation the axes over which another sum is likely to be added to its result, if the result stays a sum
/// over them: by its only reader, or by one behind element-wise operations that are linear in it. All lie alike along
/// the axes.
///
///     d_q   einsum, a sum over model ──► mul by 0.5 ──► add ──► d_x [length/model]      of d_q, d_k and mul: model
///     d_k   einsum, a sum over model ───────────────────┘
std::vector<AxisSet> joined_sums(const graph::Program& program, const ProgramReaders& readers,
                                 const std::vector<AxisSet>& partial);
/// The same for one result of a loop. `joined`: what joined_sums returns.
AxisSet joined_sum_of(const graph::Program& program, const ProgramReaders& readers, const std::vector<AxisSet>& partial,
                      const std::vector<AxisSet>& joined, graph::ProgramValue value);

/// An addition of floats that repeats no operand along a dim, or another name of what it has.
bool is_in_sum(const graph::LaidOutOperation& operation);

/// Of each operation whether it is in a sum that goes on: nothing but another addition reads it, once.
std::vector<bool> links_of_sums(const graph::Program& program, const ProgramReaders& readers);

}  // namespace mtf::spmd
