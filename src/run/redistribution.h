#pragma once
// Redistribution: every collective except reductions, as a movement of boxes.
//
// A processor holds one box of a tensor and needs another. The bounds of the blocks alone determine which parts of
// which boxes it takes. This covers all_gather, all_to_all, permute, halo exchange, and slices of a processor's own
// block. Blocks may be uneven or empty. [x] is a block of a tensor of 8 on 4 processors:
//
//                       before                         after
//   all_gather          [01] [23] [45] [67]            [01234567] on each
//   exchange (halo 1)   [01] [23] [45] [67]            [012] [1234] [3456] [567]
//   exchange (shift 1)  [01] [23] [45] [67]            [70] [12] [34] [56]
//   all_to_all          rows of a, all of b            all of a, columns of b
//   transpose           block (i, j)                   block (j, i)
//
// If blocks overlap (exchange_add, spmd/collectives.h), a processor takes its part of every block:
//
//   exchange_add        [012] [1234] [3456] [567]      [01] [23] [45] [67], each the sum of its parts
//
// A rank copies from its own blocks where they contain the data, also as replicas. The other parts arrive in one
// message for each pair of ranks. The pieces of a message are ordered by the receiving processor, then by the sending
// processor. Each piece is dense in the storage order of the result.
#include <vector>

#include "run/block_index.h"

namespace mtf::run {

/// A strided copy between two blocks. A negative place stands for the staging memory or the message.
struct BoxCopy {
  int64_t source = -1;  ///< the processor that owns the copied block
  int from_place = -1;
  int to_place = -1;
  int64_t from_offset = 0;  ///< bytes
  int64_t to_offset = 0;
  std::vector<int64_t> sizes;
  std::vector<int64_t> from_strides;
  std::vector<int64_t> to_strides;
  int element_size = 4;
  int64_t bytes = 0;
  bool from_dense = false;  ///< the source is contiguous in the order of messages
  bool to_dense = false;
};

void run(const BoxCopy& copy, const std::byte* from, std::byte* to);

struct Message {
  int peer = 0;
  int64_t bytes = 0;
  int64_t staging = 0;    ///< offset in the staging memory; unused for in_place
  bool in_place = false;  ///< one dense piece that is not packed
  std::vector<BoxCopy> pieces;
};

struct Redistribution {
  std::vector<BoxCopy> local;
  std::vector<Message> sends;     ///< by peer
  std::vector<Message> receives;  ///< by peer
  int64_t staging_bytes = 0;      ///< of messages that are packed
};

/// The boxes from which a processor takes its block.
enum class Sources : uint8_t {
  kOwn,       ///< the processor's own box
  kGroup,     ///< the boxes of processors that differ along `axes`
  kPermuted,  ///< the box of one other processor, because `axes` change places (spmd/axis_permutation.h)
};

/// Plans this rank's copies and messages that give each of its processors its block of `to`.
Redistribution redistribute(const Hosting& hosting, const spmd::LocalValue& from, const spmd::LocalValue& to,
                            Sources sources, AxisSet axes);

/// Returns the most elements that one of this rank's processors sends to other processors.
int64_t most_sent(const Hosting& hosting, const spmd::LocalValue& from, const spmd::LocalValue& to, Sources sources,
                  AxisSet axes);

/// Returns the copy of a box within a block to a dense array in the box's order.
BoxCopy cut_out(const BlockShape& block, const BlockShape& wanted, int64_t element_size);

}  // namespace mtf::run
