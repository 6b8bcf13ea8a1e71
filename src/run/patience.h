#pragma once
// How a rank waits for what another one does.
#include <chrono>
#include <cstdint>
#include <thread>

#include "support/pause.h"

namespace mtf::run {

/// Looks often at first, as the other rank is usually about to come; then lets other processes have the core in
/// between, as with more ranks than cores the one that is waited for may be waiting for this core; and sleeps in
/// between when it has waited for so long that some microseconds more make no difference.
class Patience {
 public:
  enum Kind { kSleepy, kAwake };
  /// kAwake: what it waits for happens only while it looks, so that it never sleeps.
  explicit Patience(Kind kind = kSleepy) : sleeps_(kind == kSleepy) {}

  /// Called after each look that found nothing. True when it is time to look after others, too: a look that costs more.
  bool looked() {
    ++looks_;
    if (looks_ <= kLooksBeforePausing) return false;
    if (looks_ <= kLooksBeforeYielding) pause();
    else if (!sleeps_ || looks_ <= kLooksBeforeSleeping) std::this_thread::yield();
    else std::this_thread::sleep_for(kSleep);
    return looks_ % kLooksTogether == 0 || looks_ > kLooksBeforeYielding;
  }

 private:
  static constexpr int64_t kLooksBeforePausing = 64;      // some 0.5 µs: a pause lasts 40 ns on some processors
  static constexpr int64_t kLooksBeforeYielding = 400;    // about 10 µs
  static constexpr int64_t kLooksBeforeSleeping = 4'000;  // some milliseconds
  static constexpr int64_t kLooksTogether = 16;
  static constexpr std::chrono::microseconds kSleep{20};  // and what the system needs to wake it, some 90 in all

  bool sleeps_;
  int64_t looks_ = 0;
};

}  // namespace mtf::run
