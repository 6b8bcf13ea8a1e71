#pragma once
// A running sum over a dim that is split: what the splitter makes of it.
//
// cumsum (and no other operation) has a dim of SplitKind::kScan. Where that dim is split over axes with B processors
// in all, the splitter makes, for y = cumsum(x, over: d), with `blocks` a new dim of size B split over the same axes:
//
//   own    = block_total(x)             [.., blocks=B/axes] in the place of d: the sum of each block, in f64
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
// add_totals is the running sum of a block, which begins with the totals of the blocks before its own (after, when the
// sum runs in reverse). So each sum is rounded once, as if the dim were whole. The place of its own block is
// BlockDim::first of the third operand's `blocks`. A block that is empty has total 0. add_totals counts the work of the
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
