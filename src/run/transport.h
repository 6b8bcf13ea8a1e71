#pragma once
// Messages between ranks: the only door to MPI.
//
// All of them are on a communicator of our own, so that a program that this library is part of can use MPI too. Data of
// tensors goes by send() and receive(), which count it, or lies in shared memory (run/shared_memory.h); all else is
// control. Short messages between ranks of a node go through mailboxes (run/mailboxes.h), all others by MPI. A rank
// that waits lets others have its core (run/patience.h).
//
// Without MPI there is one rank, and nothing may be sent. Every call is made by the main thread, except abort().
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "run/patience.h"

namespace mtf::run {

class Mailboxes;

class Transport {
 public:
  /// Starts MPI if `use_mpi` and it is not running yet; who starts it ends it. `share_memory`: ranks of one node may;
  /// they do if all of them may.
  Transport(bool use_mpi, bool share_memory);
  /// Ends MPI; all ranks must come here without an error. All ranks make and end their transports in the same order.
  ~Transport();

  int rank() const { return rank_; }
  int ranks() const { return ranks_; }
  /// Ranks on this rank's node.
  int ranks_here() const { return ranks_here_; }
  /// Which of this node's a rank is, in the order of gather_here(); -1: it is on another one.
  int place_here(int rank) const { return place_here_[static_cast<size_t>(rank)]; }
  /// There are other ranks on this node, and all of them may share memory.
  bool may_share_memory() const { return may_share_memory_; }

  /// Messages under way.
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
  /// Tags for the data of one collective are [tag_of(number), … + kTagsOfCollective). Of collectives that are under way
  /// at once, no two are numbered collectives_at_once() or more apart: MPI promises no more than 32768 tags.
  static constexpr int kTagsOfCollective = 128;
  int tag_of(int64_t collective) const {
    return static_cast<int>(collective % collectives_at_once_) * kTagsOfCollective;
  }
  int64_t collectives_at_once() const { return collectives_at_once_; }
  void send(Pending& pending, int peer, int tag, const void* data, int64_t bytes);
  void receive(Pending& pending, int peer, int tag, void* data, int64_t bytes);
  /// True once all have arrived; then `pending` is empty.
  bool test(Pending& pending);
  void wait(Pending& pending);
  /// Bytes that send() has handed to MPI, and that others have been given in shared memory.
  int64_t sent() const { return sent_; }
  void count_given(int64_t bytes) { sent_ += bytes; }
  /// Looks until it is there, and moves all messages on while it waits: another rank may need one of them first.
  template <typename Look>
  void wait_until(const Look& is_there, Patience patience = Patience()) {
    while (!is_there())
      if (patience.looked()) make_progress();
  }

  /// The largest of each number over all ranks.
  void max_of_all(std::vector<int64_t>& numbers);
  /// The sum of each, modulo 2^64.
  void add_up(std::vector<uint64_t>& numbers);
  void broadcast(std::string& bytes);
  /// Every rank's text on rank 0, in the order of the ranks; nothing on the others.
  std::vector<std::string> gather_texts(const std::string& text);
  /// Over the ranks of this node.
  int64_t sum_here(int64_t number);
  int64_t min_here(int64_t number);
  /// The numbers of all of them, as many of each, in one order.
  std::vector<int64_t> gather_here(const std::vector<int64_t>& numbers);
  /// True for one rank of the job: the first to ask. The others need not be at any certain place. Where MPI cannot say
  /// who was first, or not soon, it is true for each.
  bool is_first_to_ask();
  /// Ends every rank of the job at once, with `status`. Does not flush anything.
  [[noreturn]] void abort(int status);

 private:
  struct Communicators;
  void make_progress();
  bool goes_by_mailbox(int peer, int64_t bytes) const;
  void post(Pending& pending, int peer, int tag, const void* data, int64_t bytes);
  /// What MPI calls a collective: `begin` is given the request to begin.
  template <typename Begin>
  void call(const Begin& begin);
  bool mpi_ = false;
  bool started_ = false;
  std::unique_ptr<Mailboxes> mailboxes_;          // none where ranks share no memory
  std::unique_ptr<Communicators> communicators_;  // with MPI
  int rank_ = 0;
  int ranks_ = 1;
  int ranks_here_ = 1;
  std::vector<int> place_here_{0};
  bool may_share_memory_ = false;
  int64_t collectives_at_once_ = 256;
  int64_t sent_ = 0;
};

}  // namespace mtf::run
