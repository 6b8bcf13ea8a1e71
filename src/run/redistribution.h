#pragma once
// Redistribution: how a rank executes the transfers of its processors (spmd/transfers.h), as copies of boxes and
// messages.
//
// A rank copies from its own blocks where they contain the data, also as replicas. The other parts arrive in one
// message for each pair of ranks. The pieces of a message are ordered by the receiving processor, then by the sending
// processor. Each piece is dense in the storage order of the result.
//
// If all ranks of a group need the same, as in an all_gather, a rank sends it to each other node once. The rank that
// receives it there passes it on to the others of its node:
//
//   node 0: a b    a sends to b and c, b to a and d    node 1: c d    c passes a's block on to d, d passes b's on to c
#include <algorithm>
#include <vector>

#include "run/block_map.h"
#include "run/transport.h"
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
  bool in_pieces = false;         ///< of a send: the peer passes it on, piece by piece
  std::vector<int> pass_to = {};  ///< of a receive: the ranks of this node to which this rank passes it on
  bool is_passed = false;         ///< of a receive: the peer passes it on
};

/// Calls `each(at, bytes)` for each piece of a message that is passed on.
template <typename Each>
void for_pieces(int64_t bytes, const Each& each) {
  constexpr int64_t kPiece = int64_t{256} << 10;
  for (int64_t at = 0; at < bytes; at += kPiece) each(at, std::min(kPiece, bytes - at));
}

struct Redistribution {
  std::vector<BoxCopy> local;
  std::vector<Message> sends;     ///< by peer
  std::vector<Message> receives;  ///< by peer
  int64_t staging_bytes = 0;      ///< of messages that are packed
  int64_t passed_bytes = 0;       ///< of messages to ranks that get them from others of their node
};

/// Plans this rank's copies and messages that give each of its processors its block.
Redistribution redistribute(const Hosting& hosting, const spmd::Transfers& transfers);
/// Plans one for each round.
std::vector<Redistribution> redistribute_in_rounds(const Hosting& hosting, const spmd::Transfers& transfers,
                                                   const spmd::Rounds& rounds);

/// Lets messages of an all_gather cross to each other node once. Does nothing if ranks host several processors, or if
/// members of a group need different blocks. Messages of all ranks fit together.
void send_to_nodes_once(std::vector<Redistribution>& rounds, const Hosting& hosting, const spmd::Transfers& transfers,
                        AxisSet axes, const Transport& transport);

/// Returns the copy of a box within a block to a dense array in the box's order.
BoxCopy cut_out(const BlockShape& block, const BlockShape& wanted, int64_t element_size);

}  // namespace mtf::run
