// The time of work, without the effects of other work on the machine and of the machine's speed.
#pragma once

#include <sys/resource.h>

#include <algorithm>
#include <string>
#include <unordered_map>

namespace mtf {

/// Returns the processor seconds of this process or, with RUSAGE_CHILDREN, of the processes that it has started and
/// waited for.
inline double processor_seconds(int whose = RUSAGE_SELF) {
  rusage usage{};
  getrusage(whose, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

/// Returns how much slower this machine is now than a fast, quiet machine, for the typical work of an interpreter:
/// small allocations, texts and hashing. The result is at least 1. Multiply limits of processor time by it.
inline double slowness() {
  constexpr double kQuietSeconds = 0.05;
  const double before = processor_seconds();
  std::unordered_map<std::string, std::string> names;
  for (int i = 0; i < 200000; ++i) names["a name of some length " + std::to_string(i)] = std::to_string(i);
  const bool all = names.size() == 200000;
  names.clear();
  return all ? std::max(1.0, (processor_seconds() - before) / kQuietSeconds) : 1.0;
}

}  // namespace mtf
