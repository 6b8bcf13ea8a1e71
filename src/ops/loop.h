#pragma once
// `scan`: a program that runs once for each place of a dim (graph/region.h), and its gradient, which runs another one
// back.
//
// For its gradient a loop gives, besides what it was made for, what is carried into each turn and the values of a turn
// that the rules of its operations read, stacked; with `recompute` only what is carried: each turn is then computed
// again from that. What nobody reads of these is left out before the program is planned
// (graph::leave_out_unread_results).
//
//     forward    c₀ ──► turn 0 ──► c₁ ──► turn 1 ──► c₂         gives c₂, and [c₀, c₁] with what turns save
//     backward   d_c₀ ◄── turn 0 ◄── d_c₁ ◄── turn 1 ◄── d_c₂    reads them; gradients of constants are summed
#include <cstdint>
#include <utility>
#include <vector>

#include "ops/record.h"

namespace mtf::ops {

struct ScanAttributes {
  Dim over;
  bool reverse = false;      ///< the last place comes first
  bool counts_down = false;  ///< the first turn has the random numbers of the last
  bool recompute = false;    ///< a gradient computes each turn again
  static constexpr auto members() {
    using A = ScanAttributes;
    return std::array{graph::member<&A::over>("over"), graph::member<&A::reverse>("reverse"),
                      graph::member<&A::counts_down>("counts_down"), graph::member<&A::recompute>("recompute")};
  }
};

/// A turn as graph that has been added, of nodes that no table counts.
struct TurnGraph {
  int64_t first_node = 0;               ///< nodes with smaller numbers are outside: what it reads of them is constant
  graph::Values carried, placed;        ///< leaves: what stands in for what is carried in and what lies at the place
  graph::Values next, stacked, summed;  ///< what it gives; `next` has the types of `carried`
  std::vector<std::pair<graph::Value, graph::Value>> constants;  ///< leaves that stand in for values outside
  int64_t calls = 0;                                             ///< its random calls
  Name micro = {};                                               ///< the dim of micro-batches of a pipeline
};

/// A builder for the graph of a turn, which nobody counts.
Builder inside_of(const Builder& around);

/// Adds the loop to the graph. `starts` are carried into the first turn; `xs` have the dim `over` first. Gives what is
/// carried out of the last turn, what is stacked, then what is summed; of work that is the same in each turn, what is
/// more than a view is done before the loop.
struct ScanResults {
  graph::Values carried, stacked, summed;
};
ScanResults add_scan(Builder& builder, ScanAttributes attributes, const TurnGraph& turn, graph::Values starts,
                     graph::Values xs);

}  // namespace mtf::ops
