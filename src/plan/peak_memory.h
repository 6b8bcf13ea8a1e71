#pragma once
// The memory of the fullest processor at the peak, by kind.
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace mtf::schedule {
struct Schedule;
}

namespace mtf::plan {

/// The values of one name that are live at the peak.
struct Holder {
  std::string name;    ///< as in the script: `h` for h and h.1, `blocks[…].w` for all blocks
  int64_t values = 0;  ///< their number
  int64_t bytes = 0;
  bool operator==(const Holder&) const = default;
};

/// Bytes of the largest processor at one time. The sum is Counters::peak_bytes.
struct PeakMemory {
  int64_t held = 0;       ///< tensors from before the program with the peak or for later ones: params, states, data
  int64_t copies = 0;     ///< tensors from before the program in another type or gathered, such as params in bf16
  int64_t saved = 0;      ///< values of the forward pass that the backward pass reads
  int64_t gradients = 0;  ///< values of the backward pass that are read after it, by an optimizer
  int64_t temporary = 0;  ///< all other values, and what lies unused between values
  int64_t buffers = 0;    ///< buffers of collectives
  /// The names whose values have the most bytes, inputs of the program included, the largest first; at most 8.
  std::vector<Holder> holders = {};
  int64_t total() const;
  bool operator==(const PeakMemory&) const = default;
};

/// The values of one name that are computed again. The members are those of Rematerialized.
struct Remade {
  std::string name;  ///< as in Holder
  int64_t values = 0, bytes = 0, flops = 0, sent_bytes = 0;
};

/// What plans compute again to fit the memory (schedule/passes.h, rematerialize; spmd/passes.h, recompute_in_loops).
struct Rematerialized {
  int64_t values = 0;      ///< in the programs' texts, each once
  int64_t bytes = 0;       ///< of these values on one processor
  int64_t flops = 0;       ///< of all runs, on one processor
  int64_t sent_bytes = 0;  ///< likewise, by collectives that are made again
  std::map<std::string, Remade> by_name = {};
  /// Adds the values, bytes, flops or sent bytes of values with a name.
  void add(const Remade& more);
  /// Returns the names with the most bytes, the largest first; at most 8.
  std::vector<Remade> largest() const;
};

/// Returns the name of a value as the script has it: without the number of a part, and without indices.
std::string script_name(const std::string& name);

/// Returns the memory that a run needs in addition to what is live before it, with buffers planned. `held` is that of
/// its outputs.
PeakMemory peak_memory(const schedule::Schedule& schedule);

}  // namespace mtf::plan
