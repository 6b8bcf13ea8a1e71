#pragma once
// Running a golden script under every combination of its header, and comparing.
#include <chrono>
#include <cstddef>
#include <functional>
#include <string>

namespace mtf::tool {

/// The longest that one run of a script may take, unless another limit is given; under sanitizers, which check each
/// access, ten times as long.
#ifdef __SANITIZE_ADDRESS__
inline constexpr std::chrono::seconds kGoldenLimit{600};
#else
inline constexpr std::chrono::seconds kGoldenLimit{60};
#endif

/// The most that one run may print, in bytes.
inline constexpr std::size_t kGoldenMostOutput = std::size_t{8} << 20;

struct GoldenResult {
  std::string failures;  ///< what differs, each with its place and combination; empty if all is as expected
  std::string before;    ///< of an update: the script as it is,
  std::string proposal;  ///< and as it would be; empty if nothing changes
  std::size_t runs = 0;  ///< combinations that ran
  std::string unasked;  ///< errors in the proposal for which nothing in the script asks; `failures` are then without it
  bool passed() const { return failures.empty() && proposal.empty(); }
};

struct GoldenOptions {
  bool update = false;      ///< expectations become, in the proposal, what the first combination gives
  bool first_only = false;  ///< the other combinations do not run
  int threads = 1;
  std::chrono::seconds limit = kGoldenLimit;  ///< of each run on ranks; whoever calls sees to those in this process
};

/// Runs the script at `path` under each of its combinations. `say_place` is called before each run.
GoldenResult run_golden(const std::string& path, const GoldenOptions& options,
                        const std::function<void(const std::string&)>& say_place);

}  // namespace mtf::tool
