// How much memory there is: of the machine, of control groups, of the process.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "support/available_memory.h"

#include "../file_test.h"

namespace mtf {
namespace {

class AvailableMemory : public FileTest {
 protected:
  void put(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories(std::filesystem::path(path(name)).parent_path());
    std::ofstream(path(name)) << text;
  }
};

TEST_F(AvailableMemory, OfAGroupIsItsLimitLessWhatItUses) {
  put("self", "0::/box\n");
  put("box/memory.max", "1000\n");
  put("box/memory.current", "700\n");
  EXPECT_EQ(control_group_memory(path(""), path("self")), 300);
  put("box/memory.stat", "anon 500\ninactive_file 200\n");  // can be dropped
  EXPECT_EQ(control_group_memory(path(""), path("self")), 500);
}

TEST_F(AvailableMemory, IsThatOfTheTightestGroupAbove) {
  put("self", "0::/box/inner\n");
  put("box/memory.max", "1000\n");
  put("box/memory.current", "950\n");
  put("box/inner/memory.max", "max\n");
  put("box/inner/memory.current", "10\n");
  EXPECT_EQ(control_group_memory(path(""), path("self")), 50);
}

TEST_F(AvailableMemory, OfAGroupOfTheFirstVersionIsFound) {
  put("self", "5:cpu,memory:/\n1:name=systemd:/x\n");
  put("memory/memory.limit_in_bytes", "4096\n");
  put("memory/memory.usage_in_bytes", "96\n");
  EXPECT_EQ(control_group_memory(path(""), path("self")), 4000);
}

TEST_F(AvailableMemory, WithoutGroupsIsNotLimitedByThem) {
  put("self", "0::/\n");
  EXPECT_EQ(control_group_memory(path(""), path("self")), INT64_MAX);
  EXPECT_EQ(control_group_memory(path(""), path("none")), INT64_MAX);
}

// Others take and give back memory between the questions.
TEST_F(AvailableMemory, IsTheLeastOfAll) {
  EXPECT_NEAR(static_cast<double>(available_memory()),
              static_cast<double>(std::min(machine_memory(), process_memory())), 1e9);
}

}  // namespace
}  // namespace mtf
