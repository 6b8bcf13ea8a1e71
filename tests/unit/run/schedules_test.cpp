#include "programs.h"

namespace mtf::run {
namespace schedules_test {

const Dim batch{"batch", 8}, io{"io", 4};

std::string schedule_of(const std::function<graph::Values(Script&)>& program, const std::string& axes,
                        const std::string& rules) {
  Script b(execution(), axes, rules);
  graph::Values values = program(b);
  execution().compute(values);
  return execution().last_text("schedule");
}

/// Counts the instructions in loops of several.
size_t lines_in_loops(const std::string& text) {
  size_t count = 0;
  for (size_t at = text.find("\n  "); at < text.find("\nmemory\n"); at = text.find("\n  ", at + 1)) ++count;
  return count;
}

TEST(Schedules, AnElementwiseChainAndItsSumAreOneLoop) {
  std::string text = schedule_of(
      [](Script& b) {
        return graph::Values{
            b.sum_to(b.map(ops::kSquare, b.map(ops::kSub, b.input({batch, io}), b.input({io}))), {batch})};
      },
      "all:4", "");
  EXPECT_EQ(lines_in_loops(text), 3u) << text;
}

TEST(Schedules, AChainOfFortyStepsOfOneArrayIsOneLoop) {
  std::string text = schedule_of(
      [](Script& b) {
        graph::Value x = b.input({batch, io}), y = x;
        for (int i = 0; i < 20; ++i) y = b.map(ops::kMul, b.map(ops::kAdd, y, x), 1.0 + i);
        return graph::Values{y};
      },
      "all:4", "");
  EXPECT_EQ(lines_in_loops(text), 40u) << text;
}

TEST(Schedules, ALoopDoesNotReachAcrossACollective) {
  std::string text = schedule_of(
      [](Script& b) {
        graph::Value total = b.sum_to(b.input({batch, io}), {io});
        return graph::Values{b.map(ops::kMul, b.map(ops::kAdd, b.input({io}), total), total)};
      },
      "p:4", "batch:p");
  EXPECT_NE(text.find("all_reduce"), std::string::npos) << text;
  EXPECT_EQ(lines_in_loops(text), 2u) << text;
}

TEST(Schedules, SmallAllReducesAreMergedThoughTheirResultsAreUsedBetween) {
  Script b(execution(), "p:4", "batch:p");
  graph::Value x = b.input({batch, io}), y = b.input({batch, {"w", 3}});
  plan::Counters before = execution().counters();
  graph::Values values = {b.map(ops::kNeg, b.sum_to(x, {io})), b.map(ops::kSquare, b.sum_to(y, {{"w", 3}}))};
  execution().compute(values);
  plan::CollectiveCount count = difference(execution().counters(), before).total(spmd::CollectiveKind::kAllReduce);
  EXPECT_EQ(count.count, 2);
  EXPECT_EQ(count.calls, 1);
  std::vector<double> a = numbers(execution().fetch(values[0])), w = numbers(execution().fetch(values[1]));
  Script whole(execution(), "p:4", "");
  EXPECT_EQ(a, numbers(execution().fetch(whole.map(ops::kNeg, whole.sum_to(whole.input({batch, io}), {io})))));
  EXPECT_EQ(
      w, numbers(execution().fetch(whole.map(ops::kSquare, whole.sum_to(whole.input({batch, {"w", 3}}), {{"w", 3}})))));
}

plan::CollectiveCount all_reduces_of(const std::function<graph::Values(Script&)>& program) {
  Script b(execution(), "p:4", "batch:p");
  const graph::Values values = program(b);
  plan::Counters before = execution().counters();
  execution().compute(values);
  return difference(execution().counters(), before).total(spmd::CollectiveKind::kAllReduce);
}

TEST(Schedules, AllReducesOfTwoKindsAreNotMergedInACircle) {
  const Written each[] = {
      [](Script& b) {
        return b.sum_to(b.input({batch, io}), {io});
      },
      [](Script& b) {
        return b.reduce(ops::kMax, b.input({batch, io}), {io});
      },
      [](Script& b) {
        graph::Value x = b.input({batch, io});
        return b.reduce(ops::kMax, b.map(ops::kMul, x, b.sum_to(x, {io})), {io});
      },
      [](Script& b) {
        graph::Value x = b.input({batch, io});
        return b.sum_to(b.map(ops::kMul, x, b.reduce(ops::kMax, x, {io})), {io});
      },
  };
  graph::Values values;
  const plan::CollectiveCount count = all_reduces_of([&](Script& b) {
    graph::Value x = b.input({batch, io});
    graph::Value sum = b.sum_to(x, {io}), most = b.reduce(ops::kMax, x, {io});
    return values = {sum, most, b.reduce(ops::kMax, b.map(ops::kMul, x, sum), {io}),
                     b.sum_to(b.map(ops::kMul, x, most), {io})};
  });
  EXPECT_EQ(count.count, 4);
  EXPECT_EQ(count.calls, 3);
  for (size_t i = 0; i < values.size(); ++i)
    EXPECT_EQ(numbers(execution().fetch(values[i])), numbers(result_of(execution(), each[i], "p:4", ""))) << i;
}

TEST(Schedules, MergedAllReducesMoveAtMostFourMebibytes) {
  const Dim wide{"wide", 16384};  // 64 KiB
  const plan::CollectiveCount count = all_reduces_of([&](Script& b) {
    graph::Values values;
    const graph::Value x = b.input({batch, wide});
    for (int i = 0; i < 70; ++i) values.push_back(b.sum_to(b.map(ops::kMul, x, i + 1), {wide}));
    return values;
  });
  EXPECT_EQ(count.count, 70);
  EXPECT_EQ(count.calls, 2);
}

TEST(Schedules, AReshapeOfRowMajorStorageMovesNothing) {
  std::string text = schedule_of(
      [](Script& b) {
        return graph::Values{b.map(ops::kNeg, b.reshape(b.map(ops::kExp, b.input({batch, io})), {{"both", 32}}))};
      },
      "p:4", "batch:p;both:p");
  EXPECT_NE(text.find("= reshape("), std::string::npos) << text;
  EXPECT_NE(text.find(" in ", text.find("= reshape(")), std::string::npos) << "it is no step\n" << text;
}

TEST(Schedules, AFillIsNeverWrittenToMemory) {
  std::string text = schedule_of(
      [](Script& b) {
        graph::Value two = b.broadcast(b.number(2), {batch, io});
        return graph::Values{b.map(ops::kAdd, b.input({batch, io}), two)};
      },
      "all:4", "");
  EXPECT_EQ(lines_in_loops(text), 2u) << text;
}

}  // namespace schedules_test
}  // namespace mtf::run
