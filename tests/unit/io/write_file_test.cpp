#include "io/write_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <stdexcept>
#include <thread>

#include "data_file_test.h"

namespace mtf::io {
namespace {

namespace fs = std::filesystem;

class WriteFile : public DataFileTest {
 protected:
  mode_t mode_of(const std::string& name) const {
    struct stat status {};
    return lstat(path(name).c_str(), &status) == 0 ? status.st_mode : 0;
  }
  std::size_t files() const { return static_cast<std::size_t>(std::distance(fs::directory_iterator(path("")), {})); }
};

TEST_F(WriteFile, ReplacesTheWholeContentAndLeavesNothingElse) {
  write("a", "a long text that was there before");
  write_file_atomically(path("a"), "new");
  EXPECT_EQ(read("a"), "new");
  EXPECT_EQ(files(), 1U);
}

TEST_F(WriteFile, ANewFileHasTheModeOfAnyOther) {
  const mode_t before = umask(027);
  write_file_atomically(path("a"), "new");
  umask(before);
  EXPECT_EQ(mode_of("a"), S_IFREG | 0640U);
}

TEST_F(WriteFile, AFileThatExistsKeepsItsMode) {
  for (const mode_t mode : {0600U, 0755U, 0666U}) {
    write("a", "old");
    ASSERT_EQ(chmod(path("a").c_str(), mode), 0);
    write_file_atomically(path("a"), "new");
    EXPECT_EQ(mode_of("a"), S_IFREG | mode);
  }
}

TEST_F(WriteFile, ALinkIsFollowed) {
  fs::create_directory(path("folder"));
  write("folder/target", "old");
  fs::create_symlink("folder/target", path("first"));
  fs::create_symlink("first", path("second"));
  write_file_atomically(path("second"), "new");
  EXPECT_EQ(read("folder/target"), "new");
  EXPECT_TRUE(fs::is_symlink(path("first")) && fs::is_symlink(path("second")));
}

TEST_F(WriteFile, ALinkToNothingMakesItsTarget) {
  fs::create_symlink("target", path("link"));
  write_file_atomically(path("link"), "new");
  EXPECT_EQ(read("target"), "new");
  EXPECT_TRUE(fs::is_symlink(path("link")));
}

TEST_F(WriteFile, LinksInACircleAreRefused) {
  fs::create_symlink("b", path("a"));
  fs::create_symlink("a", path("b"));
  EXPECT_MENTIONS(message_of([&] { write_file_atomically(path("a"), "new"); }), "Too many levels of symbolic links");
}

TEST_F(WriteFile, ADeviceIsWrittenTo) {
  write_file_atomically("/dev/null", "new");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  EXPECT_EQ(message_of([&] { write_file_atomically("/dev/full", "new"); }),
            "cannot be written: No space left on device");
  EXPECT_TRUE(fs::is_character_file("/dev/full"));
}

TEST_F(WriteFile, APipeIsWrittenTo) {
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  std::string received;
  std::thread reader([&] { received = read("pipe"); });
  write_file_atomically(path("pipe"), "new");
  reader.join();
  EXPECT_EQ(received, "new");
  EXPECT_TRUE(S_ISFIFO(mode_of("pipe")));
}

TEST_F(WriteFile, WhatIsThrownBeforeReplacingLeavesTheFile) {
  write("a", "old");
  EXPECT_THROW(write_file_atomically(path("a"), "new", [] { throw std::runtime_error("no"); }), std::runtime_error);
  EXPECT_EQ(read("a"), "old");
  EXPECT_EQ(files(), 1U);
}

TEST_F(WriteFile, TheFileIsWholeOnTheDiskBeforeItIsReplaced) {
  write("a", "old");
  write_file_atomically(path("a"), "new", [&] {
    EXPECT_EQ(files(), 2U);
    for (const auto& entry : fs::directory_iterator(path(""))) {
      const std::string name = entry.path().filename().string();
      EXPECT_EQ(read(name), name == "a" ? "old" : "new");
    }
  });
}

TEST_F(WriteFile, AFolderIsRefused) {
  EXPECT_EQ(message_of([&] { write_file_atomically(path(""), "new"); }), "cannot be written: it is a directory");
}

TEST_F(WriteFile, ANameWithANulIsRefused) {
  const std::string name = path("a") + std::string("\0b", 2);
  EXPECT_MENTIONS(message_of([&] { write_file_atomically(name, "new"); }), "the character 0");
  EXPECT_EQ(files(), 0U);
}

TEST_F(WriteFile, AFileThatMustNotBeWrittenStays) {
  if (geteuid() == 0) GTEST_SKIP() << "nothing is forbidden to root";
  write("a", "old");
  chmod(path("a").c_str(), 0400);
  EXPECT_MENTIONS(message_of([&] { write_file_atomically(path("a"), "new"); }), "Permission denied");
}

}  // namespace
}  // namespace mtf::io
