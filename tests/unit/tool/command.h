#pragma once
// For tests of the command as it is used: a folder for the files of one test, and the command run on them.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tool/process.h"

namespace mtf::tool {

inline const std::string kMtf = MTF_BINARY_DIR "/mtf";

class CommandTest : public testing::Test {
 protected:
  CommandTest() {
    std::string pattern = (std::filesystem::temp_directory_path() / "mtf_tool_XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
  }
  ~CommandTest() override { std::filesystem::remove_all(folder_); }
  void SetUp() override {
    if (!std::filesystem::exists(kMtf)) GTEST_SKIP() << kMtf << " is not built";
  }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return path(name);
  }
  std::string read(const std::string& name) const {
    std::ifstream file(folder_ / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  ProcessResult mtf(const std::vector<std::string>& words) const {
    std::vector<std::string> line = {kMtf};
    line.insert(line.end(), words.begin(), words.end());
    return run_process(line, {}, std::chrono::seconds(60));
  }
  // With a text on standard input.
  ProcessResult mtf_reading(const std::string& input, const std::string& words) const {
    const std::string file = write("stdin", input);
    return run_process({"sh", "-c", kMtf + " " + words + " < " + file}, {}, std::chrono::seconds(60));
  }

 private:
  std::filesystem::path folder_;
};

#define EXPECT_MENTIONS(text, part) EXPECT_PRED_FORMAT2(testing::IsSubstring, part, text)

}  // namespace mtf::tool
