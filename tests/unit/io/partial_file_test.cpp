// Unfinished files: none stays forever, and the file of a living writer is not removed.
#include "io/partial_file.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <memory>
#include <span>
#include <thread>
#include <vector>

#include "data_file_test.h"
#include "io/positioned_file.h"
#include "io/write_file.h"

namespace mtf::io {
namespace {

namespace fs = std::filesystem;

class PartialFiles : public DataFileTest {
 protected:
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(path(""))) names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
  }
  std::size_t partial_files() const {
    const std::vector<std::string> names = files();
    return static_cast<std::size_t>(
        std::count_if(names.begin(), names.end(), [](const std::string& name) { return name.ends_with(".partial"); }));
  }
  /// Starts a process that makes a partial file, and then runs `then`.
  template <typename Then>
  pid_t writer(const Then& then) const {
    int is_made[2];
    EXPECT_EQ(pipe(is_made), 0);
    const pid_t child = fork();
    if (child == 0) {
      const PartialFile partial(path("a"));
      static_cast<void>(!::write(is_made[1], "x", 1));
      then();
      _exit(0);
    }
    char byte = 0;
    EXPECT_EQ(::read(is_made[0], &byte, 1), 1);
    close(is_made[0]);
    close(is_made[1]);
    return child;
  }
  static void end(pid_t child, int number) {
    kill(child, number);
    int status = 0;
    waitpid(child, &status, 0);
  }
  std::string of_another_system(const std::string& name, std::chrono::hours age) const {
    const std::string file = write(name, "x");
    fs::last_write_time(file, fs::file_time_type::clock::now() - age);
    return file;
  }
};

TEST_F(PartialFiles, OfAKilledWriterIsRemovedByTheNext) {
  end(writer([] { pause(); }), SIGKILL);
  EXPECT_EQ(partial_files(), 1u);
  write_file_atomically(path("b"), "b");
  EXPECT_EQ(files(), std::vector<std::string>{"b"});
}

TEST_F(PartialFiles, OfALivingWriterStays) {
  const pid_t other = writer([] { pause(); });
  write_file_atomically(path("b"), "b");
  const PartialFile own(path("c"));
  write_file_atomically(path("d"), "d");
  EXPECT_EQ(partial_files(), 2u);
  end(other, SIGKILL);
}

TEST_F(PartialFiles, OfAnotherSystemIsRemovedWhenNobodyHasWrittenToItForADay) {
  of_another_system(".mtf-00000000-0000000000000001.partial", std::chrono::hours(1));
  of_another_system(".mtf-00000000-0000000000000002.partial", std::chrono::hours(25));
  const std::string locked = of_another_system(".mtf-00000000-0000000000000003.partial", std::chrono::hours(25));
  const int lock = open(locked.c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_EQ(flock(lock, LOCK_EX), 0);
  of_another_system("step-1.partial", std::chrono::hours(25));
  write_file_atomically(path("b"), "b");
  EXPECT_EQ(files(), (std::vector<std::string>{".mtf-00000000-0000000000000001.partial",
                                               ".mtf-00000000-0000000000000003.partial", "b", "step-1.partial"}));
  close(lock);
}

TEST_F(PartialFiles, ASignalThatEndsTheProcessRemovesThem) {
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGTERM, [](int) {
      remove_partial_files();
      _exit(0);
    });
    const PartialFile partial(path("a"));
    if (partial_files() == 1) raise(SIGTERM);
    kill(getpid(), SIGKILL);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(partial_files(), 0u);
}

TEST_F(PartialFiles, OfAParentAreNotItsChilds) {
  const PartialFile own(path("a"));
  const pid_t child = fork();
  if (child == 0) {
    remove_partial_files();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(partial_files(), 1u);
}

TEST_F(PartialFiles, AProcessThatIsAskedToEndWritesNoMore) {
  const pid_t child = fork();
  if (child == 0) {
    PartialFile partial(path("a"));
    remove_partial_files();
    const std::string expected = "cannot be written: the process was asked to end";
    const bool fails = message_of([&] { partial.take_place(); }) == expected &&
                       message_of([&] { PartialFile another(path("b")); }) == expected;
    _exit(fails && partial_files() == 0 ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  write_file_atomically(path("c"), "c");
  EXPECT_EQ(files(), std::vector<std::string>{"c"});
}

TEST_F(PartialFiles, MoreThanSignalsKnowAreFilesToo) {
  std::vector<std::unique_ptr<PartialFile>> many;
  for (int i = 0; i < 40; ++i) many.push_back(std::make_unique<PartialFile>(path(std::to_string(i))));
  EXPECT_EQ(partial_files(), 40u);
  many.clear();
  EXPECT_EQ(partial_files(), 0u);
}

std::span<const std::byte> bytes(const char* text) { return std::as_bytes(std::span(text, std::strlen(text))); }

class FilesInTheMaking : public PartialFiles {
 protected:
  void make(const std::string& at) const {
    FileInTheMaking made(at, 3);
    PositionedFile::to_write(made.name()).write(1, bytes("ew"));
    made.write(0, bytes("n"));
    made.take_place();
  }
};

TEST_F(FilesInTheMaking, ALinkIsFollowed) {
  write("target", "old");
  chmod(path("target").c_str(), 0640);
  fs::create_symlink("target", path("link"));
  make(path("link"));
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_EQ(read("target"), "new");
  EXPECT_EQ(fs::status(path("target")).permissions(), fs::perms(0640));
}

TEST_F(FilesInTheMaking, APipeIsGivenTheBytes) {
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  std::string received;
  std::thread reader([&] { received = read("pipe"); });
  make(path("pipe"));
  reader.join();
  EXPECT_EQ(received, "new");
  EXPECT_TRUE(fs::is_fifo(path("pipe")));
  EXPECT_EQ(files(), std::vector<std::string>{"pipe"});
}

TEST_F(FilesInTheMaking, ADeviceStays) {
  make("/dev/null");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  EXPECT_EQ(message_of([&] { make("/dev/full"); }), "cannot be written: No space left on device");
}

/// A path to a descriptor of this process is written in place, whether the file has a name or not.
TEST_F(FilesInTheMaking, WhatIsOpenIsWrittenTo) {
  const int file = open(path("open").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  ASSERT_EQ(::write(file, "first ", 6), 6);
  make("/dev/fd/" + std::to_string(file));
  write_file_atomically("/proc/self/fd/" + std::to_string(file), " text");
  ASSERT_EQ(::write(file, " last", 5), 5);
  EXPECT_EQ(read("open"), "first new text last");
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  write_file_atomically("/dev/fd/" + std::to_string(ends[1]), "piped");
  char received[6] = {};
  EXPECT_EQ(::read(ends[0], received, 5), 5);
  EXPECT_STREQ(received, "piped");
  for (const int each : {file, ends[0], ends[1]}) close(each);
  EXPECT_EQ(files(), std::vector<std::string>{"open"});
}

}  // namespace
}  // namespace mtf::io
