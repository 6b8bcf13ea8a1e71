#pragma once
// Messages between ranks, and the only use of MPI (run/mpi.h).
//
// All messages use a communicator of our own, so an embedding program can use MPI too. Tensor data goes through send()
// and receive(), which count it, or through shared memory (run/shared_memory.h). All other messages are control
// messages. Short messages between ranks of a node use mailboxes (run/mailboxes.h), all others MPI. A waiting rank
// gives its core to others (run/patience.h).
//
// Without MPI there is one rank, and no messages. The main thread makes all calls, except abort().
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "run/mpi.h"
#include "run/patience.h"

namespace mtf::run {

class Mailboxes;

class Transport {
 public:
  /// Loads MPI if `use_mpi`, and starts it if it is not running yet. Fails (mpi_not_found) if it cannot be loaded. The
  /// transport that starts MPI also ends it. Ranks of one node share memory if all of them pass `share_memory`.
  Transport(bool use_mpi, bool share_memory);
  /// Ends MPI. All ranks must get here without an error. All ranks create and destroy their transports in the same
  /// order.
  ~Transport();

  int rank() const { return rank_; }
  int ranks() const { return ranks_; }
  /// The number of ranks on this rank's node.
  int ranks_here() const { return ranks_here_; }
  /// The index of a rank on this node, in the order of gather_here(); -1 if it is on another node.
  int place_here(int rank) const { return place_here_[static_cast<size_t>(rank)]; }
  /// The first rank on the node of a rank, which identifies the node.
  int node_of(int rank) const { return node_of_[static_cast<size_t>(rank)]; }
  bool has_several_nodes() const { return ranks_here_ < ranks_; }
  /// True if this node has several ranks, and all of them may share memory.
  bool may_share_memory() const { return may_share_memory_; }

  /// Messages that have not completed.
  class Pending {
   public:
    Pending();
    ~Pending();
    Pending(Pending&&) noexcept;
    Pending& operator=(Pending&&) noexcept;
    bool empty() const;

   private:
    friend class Transport;
    struct Requests;
    std::unique_ptr<Requests> requests_;
  };
  /// The data of a collective uses the tags from tag_of(number) up to, but not including, tag_of(number) +
  /// kTagsOfCollective. Numbers of collectives that run at once differ by less than collectives_at_once(), because MPI
  /// guarantees only 32768 tags.
  static constexpr int kTagsOfCollective = 128;
  int tag_of(int64_t collective) const {
    return static_cast<int>(collective % collectives_at_once_) * kTagsOfCollective;
  }
  int64_t collectives_at_once() const { return collectives_at_once_; }
  void send(Pending& pending, int peer, int tag, const void* data, int64_t bytes);
  void receive(Pending& pending, int peer, int tag, void* data, int64_t bytes);
  /// Sends without counting, where one rank sends for several of its node. The caller counts with count().
  void send_uncounted(Pending& pending, int peer, int tag, const void* data, int64_t bytes) {
    post(pending, peer, tag, data, bytes);
  }
  /// Returns true once all messages have completed; then `pending` is empty.
  bool test(Pending& pending);
  void wait(Pending& pending);
  /// Bytes that send() has sent, plus those that count() has added.
  int64_t sent() const { return sent_; }
  void count(int64_t bytes) { sent_ += bytes; }
  /// Waits until `is_there` returns true. Meanwhile makes progress with all messages, because another rank may need one
  /// of them first.
  template <typename Look>
  void wait_until(const Look& is_there, Patience patience = Patience()) {
    while (!is_there())
      if (patience.looked()) make_progress();
  }

  /// What this rank waits for in a control message. Another thread may read it.
  struct Waiting {
    static constexpr int kNobody = -2;
    static constexpr int kOthers = -1;  ///< some other rank
    std::atomic<int> rank{kNobody};
    std::atomic<int64_t> begun{0};  ///< how many waits have begun
  };
  const Waiting& waiting() const { return waiting_; }

  /// Replaces each number by its maximum over all ranks.
  void max_of_all(std::vector<int64_t>& numbers);
  /// Replaces each number by its sum over all ranks, modulo 2^64.
  void add_up(std::vector<uint64_t>& numbers);
  void broadcast(std::string& bytes);
  /// Returns the texts of all ranks on rank 0, in the order of ranks; returns nothing on other ranks.
  std::vector<std::string> gather_texts(const std::string& text);
  /// The sum and the minimum over the ranks of this node.
  int64_t sum_here(int64_t number);
  int64_t min_here(int64_t number);
  /// Returns the numbers of all ranks of this node. Each rank passes as many. The order is the same on all ranks.
  std::vector<int64_t> gather_here(const std::vector<int64_t>& numbers);
  /// Returns true on one rank of the job: the first to call it. The other ranks may be anywhere. Returns true on each
  /// calling rank if MPI cannot decide, or not soon.
  bool is_first_to_ask();
  /// Ends every rank of the job at once, with `status`. Does not flush any stream.
  [[noreturn]] void abort(int status);

 private:
  void make_progress();
  bool goes_by_mailbox(int peer, int64_t bytes) const;
  void post(Pending& pending, int peer, int tag, const void* data, int64_t bytes);
  void wait_for(Mpi::Request request);
  /// Notes what this rank waits for while the returned object lives.
  class [[nodiscard]] Waits;
  std::unique_ptr<Mpi> mpi_;  // null without MPI
  bool started_ = false;
  std::unique_ptr<Mailboxes> mailboxes_;  // null if ranks share no memory
  bool has_counter_ = false;              // on rank 0, of the ranks that asked
  int32_t asked_before_ = 0;              // a member, because the answer may arrive after the question has ended
  int rank_ = 0;
  int ranks_ = 1;
  int ranks_here_ = 1;
  std::vector<int> place_here_{0}, node_of_{0};
  bool may_share_memory_ = false;
  int64_t collectives_at_once_ = 256;
  int64_t sent_ = 0;
  Waiting waiting_;
};

}  // namespace mtf::run
