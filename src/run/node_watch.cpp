#include "run/node_watch.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "support/expected_end.h"
#include "support/platform.h"
#include "support/text.h"

namespace mtf::run {
namespace {

constexpr int kLongestConnect = 3'000;  // milliseconds for each address
constexpr int kLongestLastLook = 1'000;
constexpr std::size_t kLongestName = 400;
constexpr std::string_view kHelp =
    "  = help: start the program again, also on fewer nodes; `checkpoint.resume` goes on from the latest checkpoint\n";

// The watch of this process, for the end that MPI makes by exit().
std::atomic<const NodeWatch*> of_process = nullptr;

void look_at_exit() {
  if (const NodeWatch* const watch = of_process) watch->wait_for_report(kLongestLastLook);
}

int new_socket() {
  const int made = socket(AF_INET, SOCK_STREAM, 0);
  if (made < 0) return -1;
  fcntl(made, F_SETFD, FD_CLOEXEC);
  fcntl(made, F_SETFL, O_NONBLOCK);
  return made;
}

void say(int socket, const std::string& line) {
  // A new connection has room for a line.
  [[maybe_unused]] const auto size = send(socket, line.data(), line.size(), MSG_NOSIGNAL);
}

sockaddr_in address_of(const char* address, int port) {
  sockaddr_in where{};
  where.sin_family = AF_INET;
  where.sin_port = htons(static_cast<std::uint16_t>(port));
  inet_pton(AF_INET, address, &where.sin_addr);
  return where;
}

std::string new_token() {
  std::uint64_t number = 0;
  if (!fill_with_random_bytes(std::as_writable_bytes(std::span(&number, 1)))) return {};
  return fmt::format("{:016x}", number);
}

}  // namespace

void NodeWatch::print(const std::string& message) {
  std::fputs(message.c_str(), stderr);
  std::fflush(stderr);
}

NodeWatch::NodeWatch(int rank, std::string machine, Report report, int seconds)
    : rank_(rank), machine_(std::move(machine)), report_(std::move(report)), seconds_(seconds) {}

NodeWatch::~NodeWatch() {
  if (!thread_.joinable()) return;
  const NodeWatch* self = this;
  of_process.compare_exchange_strong(self, nullptr);
  close(ended_[1]);
  thread_.join();
  close(ended_[0]);
  for (Peer& peer : peers_) {
    if (peer.rank >= 0) say(peer.socket, "\n");
    forget(peer);
  }
}

std::string NodeWatch::listen() {
  token_ = new_token();
  const int listener = new_socket();
  sockaddr_in where = address_of("0.0.0.0", 0);
  socklen_t size = sizeof where;
  std::string found;
  for (const std::string& address : addresses_of_machine()) found += " " + address;
  if (token_.empty() || listener < 0 || found.empty() ||
      bind(listener, reinterpret_cast<const sockaddr*>(&where), sizeof where) != 0 ||
      ::listen(listener, SOMAXCONN) != 0 || getsockname(listener, reinterpret_cast<sockaddr*>(&where), &size) != 0) {
    if (listener >= 0) close(listener);
    return {};
  }
  begin(listener, {});
  return fmt::format("{} {}{}", token_, ntohs(where.sin_port), found);
}

void NodeWatch::connect(const std::string& where) {
  if (!where.empty()) begin(-1, where);
}

void NodeWatch::begin(int listener, std::string where) {
  if (!open_pipe(ended_)) {
    if (listener >= 0) close(listener);
    return;
  }
  thread_ = std::thread([this, listener, found = std::move(where)] { watch(listener, found); });
  of_process = this;
  static const int registered = std::atexit(look_at_exit);
  static_cast<void>(registered);
}

void NodeWatch::wait_for_report(int limit) const {
  using namespace std::chrono;
  const auto until = steady_clock::now() + milliseconds(limit);
  while (watched_ > 0 && reported_ == 0 && steady_clock::now() < until) std::this_thread::sleep_for(milliseconds(10));
}

// ---- the thread -----------------------------------------------------------------------------------------------------

void NodeWatch::watch(int listener, const std::string& where) {
  if (listener < 0 && !find(where)) return;
  std::vector<pollfd> files;
  for (;;) {
    files = {{ended_[0], POLLIN, 0}, {listener, POLLIN, 0}};  // poll ignores a negative file
    for (const Peer& peer : peers_) files.push_back({peer.socket, POLLIN, 0});
    if (poll(files.data(), files.size(), -1) < 0 && errno != EINTR) break;
    if (files[0].revents != 0) break;
    auto file = files.begin() + 2;
    for (auto peer = peers_.begin(); peer != peers_.end(); ++file) {
      if (file->revents != 0 && !hear(*peer)) {
        forget(*peer);
        peer = peers_.erase(peer);
      } else {
        ++peer;
      }
    }
    if (files[1].revents != 0) accept(listener);
  }
  if (listener >= 0) close(listener);
}

/// Waits until `file` is ready. Returns false if it is not within `limit` milliseconds, or if the watch ends.
bool NodeWatch::is_ready(int file, short event, int limit) const {
  pollfd files[] = {{ended_[0], POLLIN, 0}, {file, event, 0}};
  return poll(files, 2, limit) > 0 && files[0].revents == 0;
}

/// Tries the addresses of rank 0, because some may belong to networks that this machine does not share.
bool NodeWatch::find(const std::string& where) {
  const std::vector<std::string> words = split(where, ' ');
  for (std::size_t i = 2; i < words.size(); ++i)
    if (reach(words[i], words[1], words[0])) return true;
  return false;
}

bool NodeWatch::reach(const std::string& address, const std::string& port, const std::string& token) {
  const sockaddr_in where = address_of(address.c_str(), std::atoi(port.c_str()));
  Peer peer{.socket = new_socket()};
  if (peer.socket < 0) return false;
  int error = 0;
  socklen_t size = sizeof error;
  bool is_open =
      (::connect(peer.socket, reinterpret_cast<const sockaddr*>(&where), sizeof where) == 0 || errno == EINPROGRESS) &&
      is_ready(peer.socket, POLLOUT, kLongestConnect) &&
      getsockopt(peer.socket, SOL_SOCKET, SO_ERROR, &error, &size) == 0 && error == 0;
  if (is_open) {
    token_ = token;
    say(peer.socket, fmt::format("{} {} {}\n", token_, rank_, machine_));
    // Another program may have this address and port in another network: it does not know the token.
    while (is_open && peer.rank < 0) is_open = is_ready(peer.socket, POLLIN, kLongestConnect) && hear(peer);
  }
  if (peer.rank < 0 || !is_open) {
    forget(peer);
    return false;
  }
  peers_.push_back(std::move(peer));
  return true;
}

void NodeWatch::accept(int listener) {
  const int made = ::accept(listener, nullptr, nullptr);
  if (made < 0) return;
  fcntl(made, F_SETFD, FD_CLOEXEC);
  fcntl(made, F_SETFL, O_NONBLOCK);
  peers_.push_back({.socket = made});
}

/// Reads from a peer. Returns false if its connection has ended, knowingly or not.
bool NodeWatch::hear(Peer& peer) {
  char bytes[256];
  const ssize_t size = recv(peer.socket, bytes, sizeof bytes, 0);
  if (size < 0 && (errno == EINTR || errno == EAGAIN)) return true;
  if (size <= 0) {
    if (peer.rank >= 0) lost(peer, size < 0 ? errno : 0);
    return false;
  }
  if (peer.rank >= 0) {      // the byte of a knowing end
    say(peer.socket, "\n");  // the peer may live for a moment, and this end of the connection closes now
    return false;
  }
  peer.received.append(bytes, static_cast<std::size_t>(size));
  const std::size_t end = peer.received.find('\n');
  if (end == std::string::npos) return peer.received.size() < kLongestName;
  meet(peer, std::string_view(peer.received).substr(0, end));
  return peer.rank >= 0 && peer.received.size() == end + 1;
}

/// Takes the line in which a peer says its token, its rank and its machine.
void NodeWatch::meet(Peer& peer, std::string_view name) {
  const std::vector<std::string> words = split(std::string(name), ' ');
  if (words.size() != 3 || words[0] != token_) return;
  int rank = -1;
  std::from_chars(words[1].data(), words[1].data() + words[1].size(), rank);
  if (rank < 0) return;
  if (rank_ == 0) say(peer.socket, fmt::format("{} {} {}\n", token_, rank_, machine_));
  peer.rank = rank;
  peer.machine = words[2];
  probe_peer(peer.socket, seconds_);
  tell_expected_end(peer.socket);
  ++watched_;
}

void NodeWatch::lost(const Peer& peer, int error) {
  const bool is_silent = error == ETIMEDOUT || error == EHOSTUNREACH || error == ENETUNREACH;
  report_(
      is_silent
          ? fmt::format("warning: {} has not answered rank {} on {} for {}: the machine, or the network, is down. "
                        "The run waits for it as long as MPI does\n{}",
                        peer.machine, rank_, machine_, count_text(seconds_, "second"), kHelp)
          : fmt::format("error: {} is gone, or at least rank {} there: its connection to rank {} on {} has broken\n{}",
                        peer.machine, peer.rank, rank_, machine_, kHelp));
  ++reported_;
}

void NodeWatch::forget(Peer& peer) {
  if (peer.rank >= 0) {
    forget_expected_end(peer.socket);
    --watched_;
  }
  close(peer.socket);
}

}  // namespace mtf::run
