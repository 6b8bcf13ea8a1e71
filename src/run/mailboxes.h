#pragma once
// Short messages between the ranks of one node, through memory that they share.
//
// Each rank has a mailbox for each other one: a ring of bytes into which the sender copies a message, and out of which
// the receiver copies it, whenever it looks. A message of a kilobyte takes a third of the time that MPI needs for one,
// most of which goes into its bookkeeping.
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
  /// Messages of so many bytes between this rank and that one go this way: both say the same.
  bool takes(int rank, int64_t bytes) const {
    return bytes <= longest_ && !place_.empty() && place_[static_cast<size_t>(rank)] >= 0;
  }
  /// False while there is no room for it. Messages of one tag arrive in the order in which they were sent.
  bool send(int rank, int tag, const void* data, int64_t bytes);
  /// False while it has not come.
  bool receive(int rank, int tag, void* data, int64_t bytes);
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

  Peer& peer(int rank) { return peers_[static_cast<size_t>(place_[static_cast<size_t>(rank)])]; }
  bool has_come(Peer& peer) const;
  void copy_in(Ring& ring, int64_t at, const void* data, int64_t bytes) const;
  void copy_out(const Ring& ring, int64_t at, void* data, int64_t bytes) const;
  /// The message that comes next.
  Header next(const Peer& peer) const;
  void end_reading(Peer& peer, int64_t bytes) const;
  void set_aside(Peer& peer) const;

  std::vector<int> place_;  // of each rank of the job: which of this node's it is, or -1
  std::vector<SharedFile> files_;
  std::vector<Peer> peers_;  // the ranks of this node
  int64_t capacity_ = 0;     // of a ring
  int64_t longest_ = 0;      // message
};

}  // namespace mtf::run
