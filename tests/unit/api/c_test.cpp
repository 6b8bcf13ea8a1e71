// The embedding API in C: c_program.c, compiled as C99, calls it.
#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

#include "../file_test.h"
#include "c_program.h"
#include "mtf/mtf.h"

namespace mtf {
namespace {

/// Each function returns the line of c_program.c that fails, or 0.
TEST(CProgram, SetsAndGetsTensors) { EXPECT_EQ(tensors_go_in_and_come_out(), 0); }
TEST(CProgram, GetsCountersAndPlansAsRecords) { EXPECT_EQ(records_tell_costs(), 0); }
TEST(CProgram, GetsErrorsAsRecords) { EXPECT_EQ(errors_are_records(), 0); }
TEST(CProgram, IsRefusedNullPointers) { EXPECT_EQ(null_pointers_are_refused(), 0); }
TEST(CProgram, IsRefusedTensorsThatDoNotFit) { EXPECT_EQ(wrong_tensors_are_refused(), 0); }
TEST(CProgram, IsToldOfWrongOptions) { EXPECT_EQ(wrong_options_are_told(), 0); }
TEST(CProgram, IsGivenOutputAndWarnings) { EXPECT_EQ(output_and_warnings_are_given(), 0); }
TEST(CProgram, SetsAndGetsValues) { EXPECT_EQ(values_go_in_and_come_out(), 0); }
TEST(CProgram, DefinesFunctions) { EXPECT_EQ(functions_are_called(), 0); }
TEST(CProgram, DefinesStreams) { EXPECT_EQ(streams_are_walked(), 0); }
TEST(CProgram, PreparesCalls) { EXPECT_EQ(calls_are_prepared(), 0); }
TEST(CProgram, IsToldOfEachStatement) { EXPECT_EQ(statements_are_reported(), 0); }
TEST(CProgram, SaysTheSizeOfItsOptions) { EXPECT_EQ(options_have_a_size(), 0); }
TEST(CProgram, InterruptsARun) { EXPECT_EQ(an_interrupt_ends_a_run(), 0); }

/// Programs that were compiled with an earlier version of 0.1 have structures of these sizes (64-bit processors).
TEST(CProgram, FindsStructuresOfTheSameSize) {
  static_assert(sizeof(void*) == 8);
  const std::size_t sizes[][2] = {
      {sizeof(mtf_place), 40},       {sizeof(mtf_edit), 48},        {sizeof(mtf_fix), 24},
      {sizeof(mtf_diagnostic), 128}, {sizeof(mtf_diagnostics), 16}, {sizeof(mtf_setting), 16},
      {sizeof(mtf_progress), 32},    {sizeof(mtf_dim), 16},         {sizeof(mtf_tensor), 40},
      {sizeof(mtf_value), 64},       {sizeof(mtf_name), 24},        {sizeof(mtf_names), 16},
      {sizeof(mtf_stream), 24},      {sizeof(mtf_collective), 64},  {sizeof(mtf_counters), 48},
      {sizeof(mtf_line), 64},        {sizeof(mtf_doubt), 48},       {sizeof(mtf_plan), 80},
      {sizeof(mtf_reason), 128},     {sizeof(mtf_layout_cost), 40}, {sizeof(mtf_explanation), 72},
      {sizeof(mtf_found), 72},       {sizeof(mtf_answer), 16}};
  for (const auto& [now, then] : sizes) EXPECT_EQ(now, then);
  EXPECT_GE(sizeof(mtf_options), 104U) << "it has a size, so it may grow";
  EXPECT_GE(sizeof(mtf_search_rules), 72U) << "it has a size, so it may grow";
}

TEST(CProgram, HasSeveralInterpretersOnSeveralThreads) {
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 5; ++i)
        wrong += tensors_go_in_and_come_out() + records_tell_costs() + an_interrupt_ends_a_run();
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST(CProgram, IsThrownNothing) {
  char said[200];
  const auto code = [&](auto output) { return code_of_print(output, nullptr, said, sizeof said); };
  EXPECT_EQ(code([](const char*, unsigned long, void*) { throw std::runtime_error("full"); }), 5);
  EXPECT_MENTIONS(said, "full");
  EXPECT_EQ(code([](const char*, unsigned long, void*) { throw 7; }), 5);
  EXPECT_EQ(code([](const char*, unsigned long, void*) { throw std::bad_alloc(); }), 4);
  EXPECT_EQ(code([](const char*, unsigned long, void*) {}), 0);
  EXPECT_EQ(std::string(said), "");
}

using CProgramFiles = FileTest;

TEST_F(CProgramFiles, AreRun) {
  EXPECT_EQ(a_file_is_run(write("a.mtf", "let y = 7\n").c_str(), path("b.mtf").c_str()), 0);
}

}  // namespace
}  // namespace mtf
