// How long work takes, told apart from what else the machine does and from how fast it is.
#pragma once

#include <sys/resource.h>

#include <algorithm>
#include <string>
#include <unordered_map>

namespace mtf {

/// Seconds for which processors have worked: for this process, or (RUSAGE_CHILDREN) for those that it has started and
/// waited for.
inline double processor_seconds(int whose = RUSAGE_SELF) {
  rusage usage{};
  getrusage(whose, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

/// How many times longer than on a fast, quiet machine a piece of work takes here and now: small allocations, texts and
/// hashing, which is what an interpreter is made of. At least 1. To be multiplied into limits of processor time.
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
