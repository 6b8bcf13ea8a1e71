#pragma once
// How a rank waits for another rank.
#include <chrono>
#include <cstdint>
#include <thread>

#include "support/pause.h"

namespace mtf::run {

/// A schedule of looks, in three phases:
///
/// - At first the rank looks often, because the other rank is usually about to arrive.
/// - Then it yields its core between looks. If there are more ranks than cores, the other rank may need this core.
/// - After some milliseconds it sleeps between looks, because a delay of some microseconds no longer matters.
class Patience {
 public:
  enum Kind { kSleepy, kAwake };
  /// `kAwake` never sleeps. It is for events that happen only during a look.
  explicit Patience(Kind kind = kSleepy) : sleeps_(kind == kSleepy) {}

  /// Called after each look that found nothing. Returns true when the caller should also make a more expensive look at
  /// other work.
  bool looked() {
    ++looks_;
    if (looks_ <= kLooksBeforePausing) return false;
    if (looks_ <= kLooksBeforeYielding) pause();
    else if (!sleeps_ || looks_ <= kLooksBeforeSleeping) std::this_thread::yield();
    else std::this_thread::sleep_for(kSleep);
    return looks_ % kLooksTogether == 0 || looks_ > kLooksBeforeYielding;
  }

 private:
  static constexpr int64_t kLooksBeforePausing = 64;      // about 0.5 µs: a pause takes up to 40 ns
  static constexpr int64_t kLooksBeforeYielding = 400;    // about 10 µs
  static constexpr int64_t kLooksBeforeSleeping = 4'000;  // some milliseconds
  static constexpr int64_t kLooksTogether = 16;
  static constexpr std::chrono::microseconds kSleep{20};  // plus the time that the system needs to wake the rank

  bool sleeps_;
  int64_t looks_ = 0;
};

}  // namespace mtf::run
