#pragma once
// What the benchmarks share: two things timed in turn, so that what else the machine does falls on both, and a session
// to type statements into.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "eval/session.h"

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

/// Times both in turn until the state is done; `ratio` is the median of time(ours) / time(theirs).
inline void compare(benchmark::State& state, const std::function<void()>& ours, const std::function<void()>& theirs) {
  std::vector<double> ratios;
  ours();
  theirs();
  for (auto _ : state) {
    const double a = seconds(ours), b = seconds(theirs);
    state.SetIterationTime(a);
    ratios.push_back(a / b);
  }
  state.counters["ratio"] = median(ratios);
}

/// A session with an engine of its own.
struct Bench {
  explicit Bench(EngineOptions options = {.threads = 1}, std::string mesh = "", std::string layout = "")
      : engine(std::move(options)), session(settings(mesh, layout, engine.ranks()), &engine, out) {}
  static Settings settings(const std::string& mesh, const std::string& layout, int64_t ranks) {
    Settings result;
    result.stdlib = MTF_STDLIB_DIR;
    result.ranks = ranks;
    if (!mesh.empty()) result.mesh = parse_axes(mesh);
    if (!mesh.empty()) result.layout = parse_layout_rules(layout);
    return result;
  }
  void run(const std::string& text) { session.execute(text + "\n"); }

  std::ostringstream out;
  Engine engine;
  Session session;
};

}  // namespace mtf
