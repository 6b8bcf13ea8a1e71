#pragma once
// What operating systems do differently.
//
// Sources call POSIX.1-2008 and flock(2) themselves. All else that they need of the system is a function here, so that
// a port to another system writes platform.cpp anew, and nothing else: tests/lint/platform_calls_in_one_place looks
// for calls, headers and paths of one system in all other sources. Platform.cpp is written for Linux. The comment of
// each function says what a system without such a call does instead.
#include <poll.h>
#include <signal.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

namespace mtf {

// ---- Processes ------------------------------------------------------------------------------------------------------

/// Has the system send `signal` to this process as soon as its parent has ended. A child calls it between fork and
/// exec: it allocates nothing, and exec keeps the request. Elsewhere it does nothing, and children outlive a killed
/// parent.
void end_with_parent(int signal) noexcept;

/// The path of the program that this process runs, without links; empty if the system does not say.
std::string path_of_program();

/// Opens a pipe whose ends no child inherits over exec: `ends` gets the end to read from, then the one to write to.
/// With `waits` false neither end ever blocks. Returns false, with errno set, if there is none. A system that cannot do
/// that in one call sets the flags after pipe(2); a fork of another thread may then inherit the ends.
bool open_pipe(int (&ends)[2], bool waits = true) noexcept;

/// Waits until one of `files` is ready or a signal comes that `mask` lets through, as poll(2); `mask` replaces the
/// thread's signal mask during the wait alone, in one step with its beginning. No mask: the thread's own. `limit` is in
/// milliseconds, a negative one is none. Returns the number of ready files, or -1 with errno set (EINTR for a signal).
/// A system without such a call has pselect(2).
int poll_with_signals(std::span<pollfd> files, int limit, const sigset_t* mask) noexcept;

/// The addresses of a thread's stack that it may use: `size` bytes from `lowest` on. Size 0: unknown.
struct StackBounds {
  std::uintptr_t lowest = 0;
  std::size_t size = 0;
};
/// The stack of this thread; unknown where the system does not say, so that no recursion is bounded by it.
StackBounds stack_of_thread() noexcept;

// ---- Memory ---------------------------------------------------------------------------------------------------------

/// Bytes that this machine can give without swapping, with the caches that the system would drop for them; the largest
/// number if it does not say.
std::int64_t unused_memory();

/// Bytes that a container leaves to this process: the least over all control groups that the process is in. The largest
/// number where there are no such groups.
std::int64_t memory_of_container();

/// The same for given files: of the groups that `memberships` (/proc/self/cgroup) names and those above them, in the
/// file systems of version 2 and 1 that `root` (/sys/fs/cgroup) holds. The files that a group caches and can drop count
/// as left. Only Linux has such groups.
std::int64_t control_group_memory(const std::string& root, const std::string& memberships);

/// Bytes of address space that this process has in use: what the limit RLIMIT_AS counts; 0 if the system does not say.
std::int64_t address_space_in_use();

/// Asks for large pages for `size` bytes of mapped memory from `at` on. It is advice: nothing is promised, and a system
/// without large pages does nothing.
void prefer_large_pages(void* at, std::size_t size) noexcept;

// ---- Files in memory, which the processes of a machine share --------------------------------------------------------

/// Makes a file of `size` zero bytes that has no name and lies in memory; returns its descriptor, which no child
/// inherits over exec, or -1. A container's limit on /dev/shm does not bound it. -1 on a system without such files:
/// ranks then send messages instead of sharing memory.
int make_file_in_memory(std::int64_t size) noexcept;

/// Opens, to read and write, the file that is open as `descriptor` in the process `process`; returns a descriptor of
/// this process, or -1: there is none, this process may not see it, or the system cannot. A number may stand for
/// another process than its sender meant, as containers count anew, so that callers compare the files' identities.
int open_file_of_process(std::int64_t process, int descriptor) noexcept;

// ---- Files ----------------------------------------------------------------------------------------------------------

/// True if `folder` lists open files: its links stand for descriptors of processes (as /dev/stdout leads to one), and
/// what they lead to need not have a name.
bool lists_open_files(const std::filesystem::path& folder) noexcept;

/// The descriptor of this process that `link`, in a folder that lists open files, stands for; -1: another process's.
int descriptor_of_link(const std::filesystem::path& link);

/// Gives a file `size` bytes that the disk has set aside, so that no later write can fail for want of room. Returns 0
/// or an error number; EOPNOTSUPP or EINVAL if the file system cannot, or this system has no such call: the caller then
/// only sets the file's length.
int set_space_aside(int file, std::int64_t size) noexcept;

/// A name for the time since this machine's system started, which no other system and no other time has: a process that
/// has left it behind no longer lives. It consists of hexadecimal digits; empty if the system does not say.
std::string name_of_running_system();

/// Fills `bytes` with numbers that nobody can guess and no other process gets. Returns false, with errno set, if there
/// are none.
bool fill_with_random_bytes(std::span<std::byte> bytes) noexcept;

}  // namespace mtf
