// Every operation's example prints the output in the reference.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "graph/op.h"
#include "ops/registry.h"
#include "tool/golden/golden_test.h"

namespace mtf::tool {
namespace {

TEST(OperationExamples, PrintWhatTheySay) {
  const auto path = std::filesystem::temp_directory_path() / ("mtf_example_" + std::to_string(getpid()) + ".mtf");
  for (const graph::Op* op : ops::all_ops()) {
    if (op->signature.empty()) continue;
    std::ofstream(path) << op->example << "\n";
    const GoldenResult result = run_golden(path.string(), {}, [](const std::string&) {});
    EXPECT_TRUE(result.passed()) << op->name << ":\n" << result.failures;
  }
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace mtf::tool
