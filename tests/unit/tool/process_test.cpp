#include "tool/shell/process.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <cstdlib>

namespace mtf::tool {
namespace {

using std::chrono::seconds;

TEST(RunProcess, GivesOutputErrorsAndStatus) {
  const ProcessResult result =
      run_process({"sh", "-c", "echo out; echo $MTF_X >&2; exit 3"}, {{"MTF_X", "err"}}, seconds(240));
  EXPECT_EQ(result.out, "out\n");
  EXPECT_EQ(result.err, "err\n");
  EXPECT_EQ(result.status, 3);
  EXPECT_FALSE(result.timed_out);
}

TEST(RunProcess, LargeOutputDoesNotBlock) {
  EXPECT_EQ(run_process({"sh", "-c", "yes | head -c 1000000"}, {}, seconds(240)).out.size(), 1000000u);
}

TEST(RunProcess, ASignalIsAStatusAbove128) {
  EXPECT_EQ(run_process({"sh", "-c", "kill -9 $$"}, {}, seconds(240)).status, 128 + SIGKILL);
}

TEST(RunProcess, WhatCannotBeStartedIs127) {
  EXPECT_EQ(run_process({"/no/such/program"}, {}, seconds(240)).status, 127);
}

TEST(RunProcess, WhatTakesTooLongIsEnded) { EXPECT_TRUE(run_process({"sleep", "30"}, {}, seconds(1)).timed_out); }

std::vector<WorkResult> results_of(std::size_t count, seconds limit,
                                   const std::function<std::string(std::size_t, const SayPlace&)>& work) {
  std::vector<WorkResult> results;
  divide_work(count, 2, limit, work, [&](std::size_t i, const WorkResult& result) {
    EXPECT_EQ(i, results.size()) << "results come in order";
    results.push_back(result);
    return true;
  });
  return results;
}

TEST(DivideWork, GivesEveryResultInOrder) {
  const auto results = results_of(
      7, seconds(240), [](std::size_t i, const SayPlace&) { return std::string(100000, static_cast<char>('a' + i)); });
  ASSERT_EQ(results.size(), 7u);
  for (std::size_t i = 0; i < 7; ++i) EXPECT_EQ(results[i].text, std::string(100000, static_cast<char>('a' + i)));
}

TEST(DivideWork, NothingBeginsWhenItIsTimeToEnd) {
  std::size_t told = 0;
  const auto work = [](std::size_t i, const SayPlace&) {
    if (i > 0) sleep(100);
    return std::string();
  };
  divide_work(1000, 2, seconds(240), work, [&](std::size_t, const WorkResult&) { return ++told, false; });
  EXPECT_EQ(told, 1u);
}

TEST(DivideWork, OneThatCrashesSaysWhereAndLeavesTheOthers) {
  const auto results = results_of(3, seconds(240), [](std::size_t i, const SayPlace& say_place) -> std::string {
    say_place("place " + std::to_string(i));
    if (i == 1) raise(SIGKILL);
    return "fine";
  });
  EXPECT_TRUE(results[0].finished && results[2].finished);
  EXPECT_FALSE(results[1].finished);
  EXPECT_EQ(results[1].signal, SIGKILL);
  EXPECT_EQ(results[1].place, "place 1");
}

TEST(DivideWork, OneThatTakesTooLongIsEnded) {
  const auto results = results_of(2, seconds(5), [](std::size_t i, const SayPlace&) -> std::string {
    if (i == 0) sleep(30);
    return "fine";
  });
  EXPECT_FALSE(results[0].finished);
  EXPECT_EQ(results[0].signal, 0);
  EXPECT_TRUE(results[1].finished);
}

}  // namespace
}  // namespace mtf::tool
