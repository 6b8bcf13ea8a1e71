#pragma once
// Products whose operand or sum moves from processor to processor, block by block, so that it is never gathered in
// memory (Cannon, 1969; GShard's loops of CollectivePermutes, Lepikhin et al., 2020, section 3.3).
//
// Each of n processors along an axis stores one block of an operand w. The product needs w gathered, because the axis
// splits the other operand x. Gathered, w takes n blocks on each processor. In the loop, each processor multiplies its
// present block by the matching part of x. At the same time it sends that block to its neighbour and receives the next
// one. The loop sends the same bytes in all and needs memory for two blocks.
//
//     y[batch/p, f] = x[batch/p, d] · w[d/p, f]      iteration t of processor i:  b = (i + t) mod n
//                                                    y  +=  x[batch/p, d in block b] · w[d in block b, f]
//     y[batch/p, d] = x[batch/p, f] · w[d/p, f]      y[d in block b]  =  x[batch/p, f] · w[d in block b, f]
//
// If the axis splits the summed dim and then the result, the sum moves instead. Each processor adds its part of a
// block and sends the block on, and the last receiver stores it. This sends the bytes of the reduce_scatter, but the
// product is never gathered.
//
//     w[d/p, f] = x[batch/p, d] · y[batch/p, f]      iteration t of processor i:  b = (i + n - 1 - t) mod n
//                                                    w[d in block b]  +=  x[batch/p, d in block b] · y[batch/p, f]
//
// Each block starts its sum with another block or processor, so the rounding differs between blocks.
//
// The loop consists of operations that a script has too (`scan`, `shift`, `gather`). So it is split, overlapped, costed
// and run as any other loop. plan/compiler.h says when a plan uses such loops.
#include <optional>
#include <vector>

#include "spmd/expand.h"

namespace mtf::spmd {

/// Returns a loop that replaces a product of two operands. It does so if the product would need more than
/// `options.most_whole` bytes on a processor for a gathered operand or a partial result. Both dims must divide into as
/// many equal blocks as there are processors. Otherwise returns nothing.
std::optional<graph::Program> loop_of_permutes(const graph::OperationRef& product,
                                               const std::vector<ExpandedOperand>& operands,
                                               const LoweringOptions& options);

}  // namespace mtf::spmd
