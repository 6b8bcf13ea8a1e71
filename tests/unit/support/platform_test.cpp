// The system functions keep the promises of support/platform.h.
#include "support/platform.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <fstream>

#include "../file_test.h"

namespace mtf {
namespace {

class Platform : public FileTest {};

bool closes_on_exec(int file) { return (fcntl(file, F_GETFD) & FD_CLOEXEC) != 0; }

/// Closes a descriptor at the end of a test.
struct Closed {
  int file;
  ~Closed() { close(file); }
};

// ---- Processes ------------------------------------------------------------------------------------------------------

TEST_F(Platform, KnowsTheProgramThatRuns) {
  const std::string path = path_of_program();
  EXPECT_TRUE(path.ends_with("/test_support")) << path;
  EXPECT_EQ(access(path.c_str(), X_OK), 0);
}

// The parent forks a child that waits, and exits. The child holds the pipe, whose end shows that the child has ended
// too.
TEST_F(Platform, EndsAChildWithItsParent) {
  int ends[2];
  ASSERT_TRUE(open_pipe(ends));
  const pid_t parent = fork();
  if (parent == 0) {
    if (fork() == 0) {
      end_with_parent(SIGKILL);
      static_cast<void>(!::write(ends[1], "w", 1));
      while (true) ::pause();
    }
    char waiting = 0;
    static_cast<void>(!::read(ends[0], &waiting, 1));
    _exit(waiting == 'w' ? 0 : 1);
  }
  close(ends[1]);
  int status = -1;
  ASSERT_EQ(waitpid(parent, &status, 0), parent);
  EXPECT_EQ(status, 0);
  const Closed closed{ends[0]};
  pollfd end{ends[0], POLLIN, 0};
  EXPECT_EQ(poll(&end, 1, 10'000), 1);
  EXPECT_NE(end.revents & POLLHUP, 0);
}

TEST_F(Platform, OpensPipesThatNoChildInherits) {
  int ends[2];
  ASSERT_TRUE(open_pipe(ends));
  const Closed to_read{ends[0]}, to_write{ends[1]};
  EXPECT_TRUE(closes_on_exec(ends[0]) && closes_on_exec(ends[1]));
  EXPECT_EQ(::write(ends[1], "ab", 2), 2);
  char bytes[2];
  EXPECT_EQ(::read(ends[0], bytes, 2), 2);
}

TEST_F(Platform, OpensPipesThatDoNotWait) {
  int ends[2];
  ASSERT_TRUE(open_pipe(ends, false));
  const Closed to_read{ends[0]}, to_write{ends[1]};
  char byte;
  EXPECT_EQ(::read(ends[0], &byte, 1), -1);
  EXPECT_EQ(errno, EAGAIN);
}

TEST_F(Platform, WaitsForFilesAndSignalsAtOnce) {
  struct sigaction noted = {}, before = {};
  noted.sa_handler = [](int) {};
  sigaction(SIGUSR1, &noted, &before);
  sigset_t blocked, own;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &blocked, &own);
  int ends[2];
  ASSERT_TRUE(open_pipe(ends));
  const Closed to_read{ends[0]}, to_write{ends[1]};
  std::array files = {pollfd{ends[0], POLLIN, 0}};
  EXPECT_EQ(poll_with_signals(files, 1, &own), 0);  // no signal arrives
  raise(SIGUSR1);
  EXPECT_EQ(poll_with_signals(files, 1, nullptr), 0);  // the signal is blocked
  EXPECT_EQ(poll_with_signals(files, -1, &own), -1);   // the mask admits the signal, although it arrived earlier
  EXPECT_EQ(errno, EINTR);
  EXPECT_EQ(::write(ends[1], "a", 1), 1);
  EXPECT_EQ(poll_with_signals(files, -1, nullptr), 1);
  pthread_sigmask(SIG_SETMASK, &own, nullptr);
  sigaction(SIGUSR1, &before, nullptr);
}

TEST_F(Platform, KnowsTheStackOfAThread) {
  const StackBounds stack = stack_of_thread();
  const auto here = reinterpret_cast<std::uintptr_t>(&stack);
  EXPECT_GT(here, stack.lowest);
  EXPECT_LT(here, stack.lowest + stack.size);
}

// ---- Memory ---------------------------------------------------------------------------------------------------------

TEST_F(Platform, CountsMemoryInBytes) {
  EXPECT_GT(unused_memory(), 1 << 20);
  EXPECT_GT(memory_of_container(), 1 << 20);
}

TEST_F(Platform, CountsAllAddressSpaceInUse) {
  constexpr std::size_t kSize = std::size_t{1} << 30;
  const std::int64_t before = address_space_in_use();
  void* const at = mmap(nullptr, kSize, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(at, MAP_FAILED);
  EXPECT_GE(address_space_in_use() - before, static_cast<std::int64_t>(kSize));
  munmap(at, kSize);
}

class ControlGroups : public FileTest {
 protected:
  void put(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories(std::filesystem::path(path(name)).parent_path());
    std::ofstream(path(name)) << text;
  }
};

TEST_F(ControlGroups, OfAGroupIsItsLimitLessWhatItUses) {
  put("self", "0::/box\n");
  put("box/memory.max", "1000\n");
  put("box/memory.current", "700\n");
  EXPECT_EQ(control_group_memory(path(""), path("self")), 300);
  put("box/memory.stat", "anon 500\ninactive_file 200\n");  // the system can free this part
  EXPECT_EQ(control_group_memory(path(""), path("self")), 500);
}

TEST_F(ControlGroups, IsThatOfTheTightestGroupAbove) {
  put("self", "0::/box/inner\n");
  put("box/memory.max", "1000\n");
  put("box/memory.current", "950\n");
  put("box/inner/memory.max", "max\n");
  put("box/inner/memory.current", "10\n");
  EXPECT_EQ(control_group_memory(path(""), path("self")), 50);
}

TEST_F(ControlGroups, OfAGroupOfTheFirstVersionIsFound) {
  put("self", "5:cpu,memory:/\n1:name=systemd:/x\n");
  put("memory/memory.limit_in_bytes", "4096\n");
  put("memory/memory.usage_in_bytes", "96\n");
  EXPECT_EQ(control_group_memory(path(""), path("self")), 4000);
}

TEST_F(ControlGroups, WithoutGroupsIsNotLimitedByThem) {
  put("self", "0::/\n");
  EXPECT_EQ(control_group_memory(path(""), path("self")), INT64_MAX);
  EXPECT_EQ(control_group_memory(path(""), path("none")), INT64_MAX);
}

// ---- Files in memory ------------------------------------------------------------------------------------------------

TEST_F(Platform, SharesAFileInMemoryWithAnotherProcess) {
  constexpr std::size_t kSize = std::size_t{4} << 20;
  const int file = make_file_in_memory(kSize);
  ASSERT_GE(file, 0);
  const Closed closed{file};
  EXPECT_TRUE(closes_on_exec(file));
  void* const at = mmap(nullptr, kSize, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  ASSERT_NE(at, MAP_FAILED);
  prefer_large_pages(at, kSize);
  auto* const bytes = static_cast<volatile char*>(at);
  EXPECT_EQ(bytes[kSize - 1], 0);
  const pid_t parent = getpid(), child = fork();
  if (child == 0) {
    const int theirs = open_file_of_process(parent, file);
    _exit(theirs >= 0 && pwrite(theirs, "x", 1, kSize - 1) == 1 ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(bytes[kSize - 1], 'x');
  munmap(at, kSize);
}

TEST_F(Platform, OpensNoFileThatAProcessDoesNotHave) {
  EXPECT_EQ(open_file_of_process(getpid(), 1 << 20), -1);
  EXPECT_EQ(make_file_in_memory(-1), -1);
}

// ---- Files ----------------------------------------------------------------------------------------------------------

TEST_F(Platform, KnowsWhichLinksStandForOpenFiles) {
  const int file = open(write("a", "").c_str(), O_RDONLY | O_CLOEXEC);
  const Closed closed{file};
  const std::filesystem::path folder = std::filesystem::read_symlink("/dev/fd");
  EXPECT_TRUE(lists_open_files(folder));
  EXPECT_EQ(descriptor_of_link(folder / std::to_string(file)), file);
  EXPECT_FALSE(lists_open_files(path("")));
  EXPECT_FALSE(lists_open_files(path("none")));
  std::filesystem::create_symlink("a", path("7"));
  EXPECT_EQ(descriptor_of_link(path("7")), -1);
}

TEST_F(Platform, TheLinksOfAnotherProcessAreNotOwn) {
  EXPECT_EQ(descriptor_of_link("/proc/" + std::to_string(getppid()) + "/fd/1"), -1);
}

TEST_F(Platform, SetsSpaceAsideForAFile) {
  const int file = open(path("a").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  const Closed closed{file};
  EXPECT_EQ(set_space_aside(file, 0), 0);
  const int error = set_space_aside(file, 1 << 20);
  if (error == EOPNOTSUPP || error == EINVAL) GTEST_SKIP() << "this file system sets nothing aside";
  ASSERT_EQ(error, 0);
  struct stat state {};
  fstat(file, &state);
  EXPECT_EQ(state.st_size, 1 << 20);
  EXPECT_GE(state.st_blocks * 512, 1 << 20);
  EXPECT_EQ(set_space_aside(-1, 1), EBADF);
}

TEST_F(Platform, TheRunningSystemHasOneName) {
  const std::string name = name_of_running_system();
  EXPECT_EQ(name, name_of_running_system());
  EXPECT_FALSE(name.empty());
  EXPECT_EQ(name.find_first_not_of("0123456789abcdef"), std::string::npos) << name;
}

TEST_F(Platform, RandomBytesFillAllOfTheirPlace) {
  std::array<std::byte, 4096> some{}, others{};
  ASSERT_TRUE(fill_with_random_bytes(some) && fill_with_random_bytes(others));
  EXPECT_NE(some, others);
  EXPECT_LT(std::count(some.begin(), some.end(), std::byte{0}), 100);
}

}  // namespace
}  // namespace mtf
