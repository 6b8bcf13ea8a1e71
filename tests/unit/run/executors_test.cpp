#include "one_rank.h"
#include "run/run_counts.h"

namespace mtf::run {
namespace executors_test {

const char* const kScan = R"(mesh line = [p: 2]
c: f32[a=3] = input(0)
x: f32[t=%, a=3] = input(1)
h: f32[a=3] = scan(c, x, over: t=%) turns % carried 1 placed 1 constant 0 stacked 0 saved 0 summed 0 calls 0
  mesh line = [p: 2]
  carry: f32[a=3] = input(0) dies
  x: f32[a=3] = input(1)
  next.1: f32[a=3] = reverse(carry, over: a)
  next: f32[a=3] = add(next.1, x)
  -> next
-> h
)";

const char* const kPipeline = R"(mesh line = [stage: 2]
h: f32[micro=3, a=2] = input(0)
w: f32[layers=4/stage, a=2] = input(1)
value.1: f32[micro=3, a=2] partial over stage = scan(h, w, over: micro=3) turns 3 carried 0 placed 1 constant 1 stacked 1 saved 0 summed 0 calls 0 along micro through stages stage
  mesh line = [stage: 2, micro': 3]
  h: f32[micro=3/micro', a=2] = input(0)
  w: f32[layers=4/stage, a=2] = input(1)
  h'2: f32[micro=3/micro', a=2] = take_over(h) over stage
  value.1: f32[micro=3/micro', a=2] = scan(h'2, w, over: layers=4) turns 4 carried 1 placed 1 constant 0 stacked 0 saved 0 summed 0 calls 0 along micro of stages stage
    mesh line = [stage: 2, micro': 3]
    h: f32[micro=3/micro', a=2] = input(0) dies
    w: f32[a=2] = input(1)
    next: f32[micro=3/micro', a=2] = mul(h, w)
    -> next
  -> value.1
value.1'2: f32[micro=3, a=2] = all_reduce(value.1) over stage
-> value.1'2
)";

const char* const kReduced = R"(mesh line = [p: 3]
x: f32[a=4] partial over p = input(0)
s: f32[a=4] = all_reduce(x) over p
y: f32[a=4] = exp(s)
-> s
)";

std::string with_iterations(std::string text, int iterations) {
  for (size_t at; (at = text.find('%')) != std::string::npos;) text.replace(at, 1, std::to_string(iterations));
  return text;
}

TEST(StepExecutor, ACollectiveEndsBeforeItsResultIsRead) {
  OneRank rank;
  StepExecutor steps(schedule_of_text(kReduced), rank.machine, rank.hostings, true);
  EXPECT_EQ(rank.run(steps, {1}), (std::vector<float>{3, 6, 9, 12}));
  EXPECT_EQ(rank.machine.collectives_begun, 1);
}

TEST(StepExecutor, CountsOfTheFirstRunHoldForAll) {
  OneRank rank;
  StepExecutor steps(schedule_of_text(kReduced), rank.machine, rank.hostings, true);
  rank.run(steps, {1});
  const plan::Counters first = count_run(steps, rank.transport).counters;
  rank.run(steps, {2});
  EXPECT_EQ(count_run(steps, rank.transport).counters, first);
  EXPECT_EQ(first.total(spmd::CollectiveKind::kAllReduce).values, 4);
}

// From (1, 2, 3), each iteration turns the carry around and adds a row of x = ((0, 1, 2), (3, 4, 5), ...).
TEST(ScanExecutor, AnEvenAndAnOddNumberOfIterationsLeaveTheCarryInTheResult) {
  OneRank rank;
  StepExecutor two(schedule_of_text(with_iterations(kScan, 2)), rank.machine, rank.hostings, true);
  EXPECT_EQ(rank.run(two, {1, 0}), (std::vector<float>{6, 7, 8}));
  StepExecutor three(schedule_of_text(with_iterations(kScan, 3)), rank.machine, rank.hostings, true);
  EXPECT_EQ(rank.run(three, {1, 0}), (std::vector<float>{14, 14, 14}));
}

TEST(ScanExecutor, CountsItsBodyOnceForEachIteration) {
  OneRank rank;
  StepExecutor steps(schedule_of_text(with_iterations(kScan, 5)), rank.machine, rank.hostings, true);
  rank.run(steps, {1, 0});
  EXPECT_EQ(count_run(steps, rank.transport).counters.flops, 5 * 3);
}

// Both processors hold w = ((1, 2), (3, 4)), so each of the two stages multiplies by (3, 8).
TEST(PipelineExecutor, EachMicroBatchPassesThroughAllStages) {
  OneRank rank;
  StepExecutor steps(schedule_of_text(kPipeline), rank.machine, rank.hostings, true);
  EXPECT_EQ(rank.run(steps, {1, 1}), (std::vector<float>{9, 128, 27, 256, 45, 384}));
}

TEST(PipelineExecutor, CountsWhatAStageSendsForEachMicroBatch) {
  OneRank rank;
  StepExecutor steps(schedule_of_text(kPipeline), rank.machine, rank.hostings, true);
  rank.run(steps, {1, 1});
  const plan::CollectiveCount sent = count_run(steps, rank.transport).counters.total(spmd::CollectiveKind::kPermute);
  EXPECT_EQ(sent.count, 3);
  EXPECT_EQ(sent.wire_bytes, 3 * 2 * 4);
}

}  // namespace executors_test
}  // namespace mtf::run
