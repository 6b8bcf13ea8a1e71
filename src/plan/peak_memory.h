#pragma once
// The memory of the fullest processor at the peak, by kind.
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace mtf::schedule {
struct Schedule;
}

namespace mtf::plan {

/// Bytes of the largest processor at one time. The sum is Counters::peak_bytes.
struct PeakMemory {
  int64_t held = 0;       ///< tensors from before the program with the peak or for later ones: params, states, data
  int64_t copies = 0;     ///< tensors from before the program in another type or gathered, such as params in bf16
  int64_t saved = 0;      ///< values of the forward pass that the backward pass reads
  int64_t gradients = 0;  ///< values of the backward pass that are read after it, by an optimizer
  int64_t temporary = 0;  ///< all other values, and what lies unused between values
  int64_t buffers = 0;    ///< buffers of collectives
  int64_t total() const;
  bool operator==(const PeakMemory&) const = default;
};

/// What plans compute again to fit the memory (schedule/passes.h, rematerialize).
struct Rematerialized {
  int64_t values = 0;                                         ///< in the programs' texts, each once
  int64_t bytes = 0;                                          ///< of these values on one processor
  int64_t flops = 0;                                          ///< of all runs, on one processor
  int64_t sent_bytes = 0;                                     ///< likewise, by collectives that are made again
  std::vector<std::pair<std::string, int64_t>> largest = {};  ///< names and bytes of the largest values, at most 8
};

/// Returns the memory that a run needs in addition to what is live before it, with buffers planned. `held` is that of
/// its outputs.
PeakMemory peak_memory(const schedule::Schedule& schedule);

}  // namespace mtf::plan
