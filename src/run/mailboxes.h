#pragma once
// Short messages between the ranks of one node, through shared memory.
//
// Each rank of a node has a mailbox for each other rank: a ring of bytes. The sender copies a message into the ring,
// and the receiver copies it out when it looks. Ranks are named by their index on the node (Transport::place_here()).
// MPI spends most of the time of a short message on its own bookkeeping, which mailboxes avoid. Ranks also agree on
// what comes next through mailboxes (run/agreement.h).
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "run/shared_file.h"

namespace mtf::run {

class Mailboxes {
 public:
  /// Creates the mailboxes; all ranks call it together. There are none if a rank is alone on its node, or if its ranks
  /// cannot share memory.
  explicit Mailboxes(Transport& transport);

  bool is_there() const { return !files_.empty(); }
  /// True if messages of this length use mailboxes; the same on all ranks of the node.
  bool takes(int64_t bytes) const { return bytes <= longest_; }
  /// Returns false if there is no room yet. Messages with one tag arrive in the order in which they were sent.
  bool send(int slot, int tag, const void* data, int64_t bytes);
  /// Returns false if the message has not arrived yet.
  bool receive(int slot, int tag, void* data, int64_t bytes);
  /// Empties mailboxes that are more than half full into memory of this rank. Otherwise a sender could wait for room
  /// while this rank waits for another message.
  void make_room();

 private:
  struct Header {
    int64_t tag, bytes;
  };
  struct Ring;
  /// A message that arrived before a message that was read first.
  struct Early {
    int64_t tag;
    std::vector<std::byte> data;
  };
  /// The state of the two mailboxes shared with one other rank.
  struct Peer {
    Ring *out = nullptr, *in = nullptr;
    int64_t written = 0;  ///< total bytes written to `out`
    int64_t freed = 0;    ///< how many of them the other rank had read at the last look
    int64_t read = 0;     ///< total bytes read from `in`
    int64_t come = 0;     ///< total bytes written to `in` at the last look
    std::deque<Early> early;
  };

  bool has_come(Peer& peer) const;
  void copy_in(Ring& ring, int64_t at, const void* data, int64_t bytes) const;
  void copy_out(const Ring& ring, int64_t at, void* data, int64_t bytes) const;
  /// The header of the next message.
  Header next(const Peer& peer) const;
  void end_reading(Peer& peer, int64_t bytes) const;
  void set_aside(Peer& peer) const;

  std::vector<SharedFile> files_;
  std::vector<Peer> peers_;  // for each rank of this node
  int64_t capacity_ = 0;     // bytes of a ring
  int64_t longest_ = 0;      // bytes of the longest message
};

}  // namespace mtf::run
