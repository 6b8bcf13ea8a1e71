#pragma once
// For tests of the command: it runs on the files of a test.
#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "../../places.h"
#include "../file_test.h"
#include "tool/shell/process.h"

namespace mtf::tool {

inline const std::string kMtf = build_folder() + "/mtf";

/// A limit for commands that end unless they are broken, even on a busy machine.
inline constexpr std::chrono::seconds kPatience{240};

class CommandTest : public FileTest {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(kMtf)) GTEST_SKIP() << kMtf << " is not built";
  }

  ProcessResult mtf(const std::vector<std::string>& words) const {
    std::vector<std::string> line = {kMtf};
    line.insert(line.end(), words.begin(), words.end());
    return run_process(line, {}, kPatience);
  }
  // Runs the command with a text on standard input.
  ProcessResult mtf_reading(const std::string& input, const std::string& words) const {
    const std::string file = write("stdin", input);
    return run_process({"sh", "-c", kMtf + " " + words + " < " + file}, {}, kPatience);
  }
};

}  // namespace mtf::tool
