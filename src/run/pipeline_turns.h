#pragma once
// The order in which the stages of a pipeline with the schedule 1F1B take forward and backward turns.
//
// With one chunk of layers a stage begins as many micro-batches as there are stages from it to the last one. Then it
// does a backward and a forward turn in alternation. With several chunks the schedule is interleaved (Megatron-LM:
// Narayanan et al., 2021, section 2.2). A group of micro-batches passes through the first chunk of a stage, then
// through the next one. Two stages with two chunks, and two micro-batches; `1.0` is chunk 1 with micro-batch 0:
//
//   stage 0   0.0 0.1 1.0 1.1
//   stage 1       0.0 0.1 1.0 1.1
//
// A group has at least as many micro-batches as there are stages, so that no stage waits between two chunks.
#include <cstdint>
#include <functional>
#include <vector>

namespace mtf::run {

struct PipelineTurn {
  int64_t stage = 0;
  int64_t place = 0;  ///< of the chunk, in the order in which a micro-batch passes through all chunks of all stages
  int64_t micro_batch = 0;
  bool is_backward = false;
  int64_t arena = 0;  ///< among the stage's arenas: where the chunk keeps values from its forward turn to the backward
  bool operator==(const PipelineTurn&) const = default;
};

/// Returns the turns of all stages. A turn comes after those that it depends on. `most_under_way(stage)` is the number
/// of forward turns that a stage may be ahead of its backward turns.
std::vector<PipelineTurn> alternating_turns(int64_t stages, int64_t chunks, int64_t micro_batches,
                                            const std::function<int64_t(int64_t)>& most_under_way);

}  // namespace mtf::run
