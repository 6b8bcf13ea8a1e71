#pragma once
// Short messages between the ranks of one node, through memory that they share.
//
// Ranks are named by their places on the node (Transport::place_here()). Each has a mailbox for each other one: a ring
// of bytes into which the sender copies a message, and out of which the receiver copies it, whenever it looks. A
// collective of a kilobyte takes half the time that it takes by MPI's messages, most of which goes into their
// bookkeeping.
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "run/shared_file.h"

namespace mtf::run {

class Mailboxes {
 public:
  /// None of a rank that is alone on its node, or where its ranks cannot share memory. All ranks make theirs together.
  explicit Mailboxes(Transport& transport);

  bool is_there() const { return !files_.empty(); }
  /// Messages of so many bytes go this way: all ranks of the node say the same.
  bool takes(int64_t bytes) const { return bytes <= longest_; }
  /// False while there is no room for it. Messages of one tag arrive in the order in which they were sent.
  bool send(int place, int tag, const void* data, int64_t bytes);
  /// False while it has not come.
  bool receive(int place, int tag, void* data, int64_t bytes);
  /// Empties mailboxes that are getting full, so that others can go on that send to this rank what it does not need
  /// yet.
  void make_room();

 private:
  struct Header {
    int64_t tag, bytes;
  };
  struct Ring;
  /// A message that was in the way of another one.
  struct Early {
    int64_t tag;
    std::vector<std::byte> data;
  };
  /// What this rank knows of the mailboxes that it shares with another one.
  struct Peer {
    Ring *out = nullptr, *in = nullptr;
    int64_t written = 0;  ///< bytes in all, to `out`
    int64_t freed = 0;    ///< how many of them the other has read, when last seen
    int64_t read = 0;     ///< bytes in all, of `in`
    int64_t come = 0;     ///< how many were written there, when last seen
    std::deque<Early> early;
  };

  bool has_come(Peer& peer) const;
  void copy_in(Ring& ring, int64_t at, const void* data, int64_t bytes) const;
  void copy_out(const Ring& ring, int64_t at, void* data, int64_t bytes) const;
  /// The message that comes next.
  Header next(const Peer& peer) const;
  void end_reading(Peer& peer, int64_t bytes) const;
  void set_aside(Peer& peer) const;

  std::vector<SharedFile> files_;
  std::vector<Peer> peers_;  // the ranks of this node
  int64_t capacity_ = 0;     // of a ring
  int64_t longest_ = 0;      // message
};

}  // namespace mtf::run
