#pragma once
// Redistribution: every collective but the reductions, as a movement of boxes.
//
// A processor holds one box of a tensor and needs another: which parts of whose boxes it takes follows from the blocks'
// bounds alone. That one idea is all_gather, all_to_all, permute, halo exchange, and taking one's own part; blocks may
// be uneven or empty. [x] is a block of a tensor of 8 on 4 processors:
//
//                       before                         after
//   all_gather          [01] [23] [45] [67]            [01234567] on each
//   exchange (halo 1)   [01] [23] [45] [67]            [012] [1234] [3456] [567]
//   exchange (shift 1)  [01] [23] [45] [67]            [70] [12] [34] [56]
//   all_to_all          rows of a, all of b            all of a, columns of b
//   transpose           block (i, j)                   block (j, i)
//
// Where blocks overlap (exchange_add, spmd/collectives.h) a processor takes a part of each block that has it:
//
//   exchange_add        [012] [1234] [3456] [567]      [01] [23] [45] [67], each the sum of what there is of it
//
// A rank takes what it needs from its own blocks where it has them (its own, or a replica); one message a pair of
// ranks holds the rest, its pieces in the order of the receiving, then of the sending processor, each piece dense in
// the storage order of the result.
#include <vector>

#include "run/block_index.h"

namespace mtf::run {

/// A strided copy between two places of memory; a negative slot is the staging or message buffer.
struct BoxCopy {
  int64_t source = -1;  ///< the processor whose block it is taken from
  int from_place = -1;
  int to_place = -1;
  int64_t from_offset = 0;  ///< bytes
  int64_t to_offset = 0;
  std::vector<int64_t> sizes;
  std::vector<int64_t> from_strides;
  std::vector<int64_t> to_strides;
  int element_size = 4;
  int64_t bytes = 0;
  bool from_dense = false;  ///< the source is contiguous in the order that messages have
  bool to_dense = false;
};

void run(const BoxCopy& copy, const std::byte* from, std::byte* to);

struct Message {
  int peer = 0;
  int64_t bytes = 0;
  int64_t staging = 0;    ///< where it lies in the staging buffer; unused if it is sent from its block
  bool in_place = false;  ///< one dense piece: no packing
  std::vector<BoxCopy> pieces;
};

struct Redistribution {
  std::vector<BoxCopy> local;
  std::vector<Message> sends;     ///< by peer
  std::vector<Message> receives;  ///< by peer
  int64_t staging_bytes = 0;      ///< of messages that are packed
};

/// Whose boxes a processor takes its own from.
enum class Sources : uint8_t {
  kOwn,       ///< its own
  kGroup,     ///< those of the processors that differ from it along `axes`
  kPermuted,  ///< that of the processor that spmd/axis_permutation.h says: the axes of `axes` change places
};

/// What this rank has to do so that each of its processors holds its block of `to`.
Redistribution redistribute(const Hosting& hosting, const spmd::LocalValue& from, const spmd::LocalValue& to,
                            Sources sources, AxisSet axes);

/// The most elements that one of this rank's processors sends to others.
int64_t most_sent(const Hosting& hosting, const spmd::LocalValue& from, const spmd::LocalValue& to, Sources sources,
                  AxisSet axes);

/// A copy out of a block of what a box within it has, to a dense array in the box's order.
BoxCopy cut_out(const BlockShape& block, const BlockShape& wanted, int64_t element_size);

}  // namespace mtf::run
