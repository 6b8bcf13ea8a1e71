#pragma once
// Running a golden script under every combination of its header, and comparing.
#include <chrono>
#include <cstddef>
#include <functional>
#include <string>

namespace mtf::tool {

/// The time limit of one run of a script, unless another limit is given. Sanitizers, which check each access, get ten
/// times as much.
#ifdef __SANITIZE_ADDRESS__
inline constexpr std::chrono::seconds kGoldenLimit{600};
#else
inline constexpr std::chrono::seconds kGoldenLimit{60};
#endif

/// The most bytes that one run may print.
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
  bool update = false;      ///< the proposal gets the expectations that the first combination fulfils
  bool first_only = false;  ///< the other combinations do not run
  int threads = 1;
  std::chrono::seconds limit = kGoldenLimit;  ///< for each run on ranks; the caller limits runs in this process
};

/// Runs the script at `path` under each of its combinations. `say_place` is called before each run.
GoldenResult run_golden(const std::string& path, const GoldenOptions& options,
                        const std::function<void(const std::string&)>& say_place);

}  // namespace mtf::tool
