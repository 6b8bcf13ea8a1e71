#pragma once
// `scan`: runs a program once for each position of a dim (graph/region.h). Its gradient runs another program in the
// opposite direction.
//
// The loop has additional results for its gradient: the carry into each iteration, and the values of an iteration that
// the gradient rules of its operations read. All are stacked as ys. With `recompute` only the carry is stacked, and the
// backward loop computes each iteration again. graph::leave_out_unread_results removes unread results before the
// program is planned.
//
//     forward    c₀ ──► iteration 0 ──► c₁ ──► iteration 1 ──► c₂        gives c₂, and [c₀, c₁] with saved values
//     backward   d_c₀ ◄── iteration 0 ◄── d_c₁ ◄── iteration 1 ◄── d_c₂  reads them, sums gradients of constants
#include <array>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "ops/record.h"

namespace mtf::ops {

/// The word of an integer that is left out of texts where it is 0.
inline constexpr std::array<std::string_view, 1> kNoneIsZero{"0"};

struct ScanAttributes {
  Dim over;
  bool reverse = false;      ///< the last position comes first
  bool counts_down = false;  ///< the first iteration has the random numbers of the last
  bool recompute = false;    ///< the gradient computes each iteration again
  bool alternates = false;   ///< of a pipeline: forward and backward turns alternate (spmd/join_pipelines.h)
  int64_t chunks = 0;        ///< of a pipeline: the number of chunks of layers that each stage has; 0: one
  static constexpr auto members() {
    using A = ScanAttributes;
    return std::array{graph::member<&A::over>("over"),
                      graph::member<&A::reverse>("reverse"),
                      graph::member<&A::counts_down>("counts_down"),
                      graph::member<&A::recompute>("recompute"),
                      graph::member<&A::alternates>("alternates"),
                      graph::member<&A::chunks>("chunks", kNoneIsZero)};
  }
};

/// An iteration as graph nodes. No value table counts them.
struct IterationGraph {
  int64_t first_node = 0;               ///< nodes with smaller numbers are outside, and are constants in the loop
  graph::Values carried, placed;        ///< leaves that stand for the carry and for xs
  graph::Values next, stacked, summed;  ///< the carry, ys and sums; `next` has the types of `carried`
  std::vector<std::pair<graph::Value, graph::Value>> constants;  ///< leaves that stand for outer values
  int64_t calls = 0;                                             ///< the number of random calls
  Name micro = {};                                               ///< the micro-batch dim of a pipeline
};

/// A builder for the graph of an iteration, whose nodes are not counted.
Builder inside_of(const Builder& around);

/// Adds the loop to the graph. `starts` is the initial carry. `xs` have the dim `over` first. Returns the final carry,
/// then ys, then sums. Hoists loop-invariant operations, except views.
struct ScanResults {
  graph::Values carried, stacked, summed;
};
ScanResults add_scan(Builder& builder, ScanAttributes attributes, const IterationGraph& iteration, graph::Values starts,
                     graph::Values xs);

}  // namespace mtf::ops
