#pragma once
// Learns which machine of a run is gone.
//
// MPI ends a rank whose peer is gone, and does not always say which machine it was. So the first rank of each node has
// a TCP connection of its own to rank 0, on which a thread waits. A rank that ends knowingly sends a byte before the
// connection closes (support/expected_end.h). Any other end of the connection is reported on stderr, with the name of
// the machine, by whoever is left. Keepalive probes notice a machine that has lost its power or its network.
//
//   node0: rank 0 ◄──── node1: rank 2
//                 ◄──── node2: rank 4
//
// Only IPv4 is used. If no address of rank 0 can be reached, nothing is reported.
#include <atomic>
#include <functional>
#include <list>
#include <string>
#include <string_view>
#include <thread>

namespace mtf::run {

class NodeWatch {
 public:
  /// How long a machine may be silent.
  static constexpr int kSeconds = 30;
  using Report = std::function<void(const std::string&)>;
  /// Prints on stderr.
  static void print(const std::string& message);

  /// `rank` runs on `machine`. Nothing is watched yet.
  NodeWatch(int rank, std::string machine, Report report = print, int seconds = kSeconds);
  /// Says goodbye to the peers: this rank ends knowingly.
  ~NodeWatch();
  NodeWatch(const NodeWatch&) = delete;
  NodeWatch& operator=(const NodeWatch&) = delete;

  /// On rank 0: accepts peers from now on. Returns what they need to find it; empty if it cannot be found.
  std::string listen();
  /// On another rank: connects to the rank whose listen() has returned `where`, and watches it. Does not wait.
  void connect(const std::string& where);

  /// Waits up to `limit` milliseconds until a lost peer has been reported. For a rank that others end: its peer may be
  /// the reason, and be noticed a moment later.
  void wait_for_report(int limit) const;
  /// The number of peers whose connection is open.
  int watched() const { return watched_; }

 private:
  struct Peer {
    int socket = -1;
    int rank = -1;  // -1: it has not said who it is
    std::string machine = {}, received = {};
  };
  void begin(int listener, std::string where);
  void watch(int listener, const std::string& where);
  bool find(const std::string& where);
  bool reach(const std::string& address, const std::string& port, const std::string& token);
  void accept(int listener);
  bool hear(Peer& peer);
  void meet(Peer& peer, std::string_view name);
  void lost(const Peer& peer, int error);
  void forget(Peer& peer);
  bool is_ready(int file, short event, int limit) const;

  const int rank_;
  const std::string machine_;
  const Report report_;
  const int seconds_;
  std::string token_;        // of this run, so that a stranger who connects is no peer
  int ended_[2] = {-1, -1};  // a pipe: the thread ends when its writing end is closed
  std::list<Peer> peers_;    // of the thread
  std::atomic<int> watched_ = 0, reported_ = 0;
  std::thread thread_;
};

}  // namespace mtf::run
