// A folder for the files of one test, removed after it.
#pragma once

#include <gtest/gtest.h>
#include <zlib.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "io/io_error.h"

namespace mtf {

class FileTest : public testing::Test {
 protected:
  FileTest() {
    std::string pattern = (std::filesystem::temp_directory_path() / "mtf_io_XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
  }
  ~FileTest() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  std::string write(const std::string& name, const std::string& content) const {
    std::ofstream(path(name), std::ios::binary) << content;
    return path(name);
  }

  std::string write_gz(const std::string& name, const std::string& content) const {
    gzFile file = gzopen(path(name).c_str(), "wb");
    gzwrite(file, content.data(), static_cast<unsigned>(content.size()));
    gzclose(file);
    return path(name);
  }

  std::string read_back(const std::string& name) const {
    std::ifstream file(path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

 private:
  std::filesystem::path folder_;
};

/// The message of the IoError that `action` throws; fails the test if it throws none.
template <typename Action>
std::string message_of(Action action) {
  try {
    action();
  } catch (const IoError& error) {
    return error.message;
  }
  ADD_FAILURE() << "expected an IoError";
  return "";
}

#define EXPECT_MENTIONS(text, part) EXPECT_PRED_FORMAT2(testing::IsSubstring, part, text)

}  // namespace mtf
