#pragma once
// A running sum over a sharded dim, as the splitter expands it.
//
// Only cumsum has a dim of SplitKind::kScan. Suppose axes with B processors in total split that dim. For y = cumsum(x,
// over: d), the splitter adds `blocks`, a new dim of size B split over the same axes, and makes:
//
//   own    = block_total(x)             [.., blocks=B/axes] instead of d: the sum of each block, in f64
//   totals = all_gather(own) over the axes [.., blocks=B]
//   y      = add_totals(x, totals, own)
//
// For x = (1 2 3 4), over d, on 2 processors:
//
//               processor 0    processor 1
//   x           1 2            3 4
//   own         3              7
//   totals      3 7            3 7
//   y           1 3            3+3 3+3+4
//
// add_totals is the running sum of a block. It begins with the totals of the blocks before its own (behind its own, if
// the sum runs in reverse). So each sum is rounded once, as if the dim were not sharded. The index of its own block is
// BlockDim::first of the third operand's `blocks`. An empty block has total 0. add_totals counts the flops of the
// running sum, 1 for each element.
#include "ops/spaces.h"

namespace mtf::ops {

struct CumsumAttributes {
  Name over;
  bool exclusive = false;
  bool reverse = false;
  static constexpr auto members() {
    return std::array{graph::member<&CumsumAttributes::over>("over"),
                      graph::member<&CumsumAttributes::exclusive>("exclusive"),
                      graph::member<&CumsumAttributes::reverse>("reverse")};
  }
};

}  // namespace mtf::ops
