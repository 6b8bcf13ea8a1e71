#pragma once
// How a rank waits for what another one writes to memory that they share.
#include <thread>

namespace mtf {

/// Of one wait: looks often at first, as the other rank is usually about to come, then lets other processes have the core in
/// between, as with more ranks than cores the one that is waited for may be waiting for this core.
class Patience {
 public:
  /// Called after each look that found nothing.
  void looked() {
    if (++looks_ > kLooksBeforeYielding) std::this_thread::yield();
  }

 private:
  static constexpr int kLooksBeforeYielding = 100;  // about 10 µs with a look at MPI's messages in each
  int looks_ = 0;
};

}  // namespace mtf
