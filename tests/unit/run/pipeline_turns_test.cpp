// The order of forward and backward turns: figure 4 of Narayanan et al. (2021), its wait, and its memory.
#include "run/pipeline_turns.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <tuple>

#include "spmd/pipeline.h"

namespace mtf::run {
namespace {

int64_t most_ahead(int64_t stages, int64_t chunks, int64_t micro_batches, int64_t stage) {
  const int64_t after = stages - 1 - stage;
  if (chunks == 1) return std::min(micro_batches, after + 1);
  return std::min(micro_batches * chunks, 2 * after + (chunks - 1) * spmd::largest_group(micro_batches, stages) + 1);
}

std::vector<PipelineTurn> turns_of(int64_t stages, int64_t chunks, int64_t micro_batches) {
  return alternating_turns(stages, chunks, micro_batches,
                           [&](int64_t s) { return most_ahead(stages, chunks, micro_batches, s); });
}

/// The turns of a stage: `F1.0` is the forward turn of chunk 1 with micro-batch 0.
std::string text_of(const std::vector<PipelineTurn>& turns, int64_t stages, int64_t stage) {
  std::string text;
  for (const PipelineTurn& turn : turns)
    if (turn.stage == stage)
      text += fmt::format(" {}{}.{}", turn.is_backward ? 'B' : 'F', turn.place / stages, turn.micro_batch);
  return text;
}

/// The time until all turns are over, if each takes 1 and begins when its stage and those before it are ready.
int64_t time_of(const std::vector<PipelineTurn>& turns, int64_t places) {
  std::map<std::tuple<int64_t, int64_t, bool>, int64_t> ends;
  std::map<int64_t, int64_t> free;
  int64_t last = 0;
  for (const PipelineTurn& turn : turns) {
    int64_t begins = free[turn.stage];
    const auto after = [&](int64_t place, bool backward) {
      const auto at = ends.find({place, turn.micro_batch, backward});
      ASSERT_NE(at, ends.end()) << "a turn comes before one that it depends on";
      begins = std::max(begins, at->second);
    };
    if (turn.is_backward) after(turn.place, false);
    if (turn.is_backward && turn.place + 1 < places) after(turn.place + 1, true);
    if (!turn.is_backward && turn.place > 0) after(turn.place - 1, false);
    ends[{turn.place, turn.micro_batch, turn.is_backward}] = free[turn.stage] = begins + 1;
    last = std::max(last, begins + 1);
  }
  return last;
}

TEST(PipelineTurns, AStageWithOneChunkAlternates) {
  const std::vector<PipelineTurn> turns = turns_of(2, 1, 3);
  EXPECT_EQ(text_of(turns, 2, 0), " F0.0 F0.1 B0.0 F0.2 B0.1 B0.2");
  EXPECT_EQ(text_of(turns, 2, 1), " F0.0 B0.0 F0.1 B0.1 F0.2 B0.2");
}

TEST(PipelineTurns, AGroupOfMicroBatchesPassesThroughAChunkAfterTheOther) {
  const std::vector<PipelineTurn> turns = turns_of(2, 2, 4);
  EXPECT_EQ(text_of(turns, 2, 0), " F0.0 F0.1 F1.0 F1.1 F0.2 B1.0 F0.3 B1.1 F1.2 B0.0 F1.3 B0.1 B1.2 B1.3 B0.2 B0.3");
  EXPECT_EQ(text_of(turns, 2, 1), " F0.0 F0.1 F1.0 B1.0 F1.1 B1.1 F0.2 B0.0 F0.3 B0.1 F1.2 B1.2 F1.3 B1.3 B0.2 B0.3");
}

TEST(PipelineTurns, AStageWaitsAsLongAsPublished) {
  for (const int64_t stages : {2, 3, 4, 8})
    for (const int64_t chunks : {1, 2, 3, 4})
      for (const int64_t micro_batches : {1, 2, 4, 5, 7, 8, 9, 16}) {
        const int64_t time = time_of(turns_of(stages, chunks, micro_batches), stages * chunks);
        EXPECT_EQ(time, 2 * (micro_batches * chunks + spmd::idle_turns(stages, chunks, micro_batches)))
            << stages << " stages, " << chunks << " chunks, " << micro_batches << " micro-batches";
      }
}

// 1F1B keeps p micro-batches of p stages, here p · c chunks of a micro-batch; the interleaved schedule p - 1 more.
TEST(PipelineTurns, TheFirstStageKeepsAsMuchAsPublished) {
  int64_t most = 0;
  for (const PipelineTurn& turn : turns_of(4, 2, 16))
    if (turn.stage == 0) most = std::max(most, turn.arena + 1);
  EXPECT_EQ(most, 4 * 2 + 3);
}

}  // namespace
}  // namespace mtf::run
