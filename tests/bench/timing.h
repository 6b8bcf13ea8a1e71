#pragma once
// Shared by the benchmarks in C++. They time two things alternately, so that other work of the machine affects both,
// and compare both results. A benchmark with no result, or another one, fails.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace mtf {

inline double seconds(const std::function<void()>& body) {
  const auto start = std::chrono::steady_clock::now();
  body();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

inline double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

/// Times both alternately until the state is done. Reports `ratio`, the median of time(ours) / time(theirs). For our
/// time reports `GFLOP/s` and `GB/s`, if the flops and bytes of a run are given.
inline void compare(benchmark::State& state, const std::function<void()>& ours, const std::function<void()>& theirs,
                    double flops = 0, double bytes = 0) {
  std::vector<double> ratios, times;
  ours();
  theirs();
  for (auto _ : state) {
    const double a = seconds(ours), b = seconds(theirs);
    state.SetIterationTime(a);
    ratios.push_back(a / b);
    times.push_back(a);
  }
  if (ratios.empty()) return;
  state.counters["ratio"] = median(ratios);
  if (flops > 0) state.counters["GFLOP/s"] = 1e-9 * flops / median(times);
  if (bytes > 0) state.counters["GB/s"] = 1e-9 * bytes / median(times);
}

/// Fails unless the computed values are the expected ones, up to this fraction of the largest.
template <typename Number>
void expect_same(benchmark::State& state, std::span<const Number> computed, std::span<const Number> expected,
                 double tolerance = 1e-4) {
  double largest = 0, furthest = 0;
  bool comparable = computed.size() == expected.size() && !computed.empty();
  for (std::size_t i = 0; comparable && i < computed.size(); ++i) {
    largest = std::max(largest, std::abs(static_cast<double>(expected[i])));
    furthest = std::max(furthest, std::abs(static_cast<double>(computed[i]) - static_cast<double>(expected[i])));
    comparable = !std::isnan(static_cast<double>(computed[i]));
  }
  if (!comparable || largest == 0 || furthest > tolerance * largest)
    state.SkipWithError("what was timed computed something else");
}

}  // namespace mtf
