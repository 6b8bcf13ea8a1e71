#pragma once
// Redistribution: how a rank executes the transfers of its processors (spmd/transfers.h), as copies of boxes and
// messages.
//
// A rank copies from its own blocks where they contain the data, also as replicas. The other parts arrive in one
// message for each pair of ranks. The pieces of a message are ordered by the receiving processor, then by the sending
// processor. Each piece is dense in the storage order of the result.
#include <vector>

#include "run/block_map.h"
#include "spmd/transfers.h"

namespace mtf::run {

/// A strided copy between two blocks. A negative slot stands for the staging memory or the message.
struct BoxCopy {
  int64_t source = -1;  ///< the processor that owns the copied block
  int from_slot = -1;
  int to_slot = -1;
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

/// Plans this rank's copies and messages that give each of its processors its block.
Redistribution redistribute(const Hosting& hosting, const spmd::Transfers& transfers);
/// Plans one for each round.
std::vector<Redistribution> redistribute_in_rounds(const Hosting& hosting, const spmd::Transfers& transfers,
                                                   const spmd::Rounds& rounds);

/// Returns the copy of a box within a block to a dense array in the box's order.
BoxCopy cut_out(const BlockShape& block, const BlockShape& wanted, int64_t element_size);

}  // namespace mtf::run
