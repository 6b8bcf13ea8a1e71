#include "support/expected_end.h"

#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>

namespace mtf {
namespace {

// A signal handler reads the sockets, so they are in an array of fixed size: a guard and the first ranks of other
// nodes. A socket is stored as its number + 1; 0 is a free slot. Sockets beyond the array are told nothing.
constinit std::array<std::atomic<int>, 4096> told{};

}  // namespace

void tell_expected_end(int socket) {
  for (std::atomic<int>& slot : told)
    if (int free = 0; slot.compare_exchange_strong(free, socket + 1)) return;
}

void forget_expected_end(int socket) {
  for (std::atomic<int>& slot : told)
    if (int held = socket + 1; slot.compare_exchange_strong(held, 0)) return;
}

void expect_end() {
  for (std::atomic<int>& slot : told)
    if (const int held = slot.exchange(0); held > 0) [[maybe_unused]]
      const auto size = send(held - 1, "\n", 1, MSG_NOSIGNAL);  // the peer may have ended already
}

void end_process(int status) {
  expect_end();
  _exit(status);
}

}  // namespace mtf
