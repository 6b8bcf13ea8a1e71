#pragma once
// Functions that differ between operating systems.
//
// Sources may call POSIX.1-2008 and flock(2) directly. Everything else that they need of the system is a function here.
// So a port to another system rewrites platform.cpp and nothing else. tests/lint/platform_calls_in_one_place looks for
// calls, headers and paths of one system in all other sources. platform.cpp is written for Linux. The comment of each
// function describes its behaviour on a system without such a call.
#include <poll.h>
#include <signal.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace mtf {

// ---- Processes ------------------------------------------------------------------------------------------------------

/// Asks the system to send `signal` to this process as soon as its parent has ended. A child calls it between fork and
/// exec. It allocates nothing, and exec keeps the request. On other systems it does nothing, and children outlive a
/// killed parent.
void end_with_parent(int signal) noexcept;

/// The path of this process's program, without links. Empty if the system does not say.
std::string path_of_program();

/// The path of the file that holds this code, without links: a shared library, or the program. Empty if the system does
/// not say.
std::string path_of_library();

/// Opens a pipe whose ends no child inherits over exec. `ends` receives the reading end and the writing end. If `waits`
/// is false, neither end blocks. Returns false, with errno set, on failure. A system that cannot do that in one call
/// sets the flags after pipe(2); a fork of another thread may then inherit the ends.
bool open_pipe(int (&ends)[2], bool waits = true) noexcept;

/// Waits until one of `files` is ready or a signal that `mask` permits arrives, as poll(2) does. `mask` replaces the
/// thread's signal mask during the wait only, atomically. Null: the thread's own mask. `limit` is in milliseconds; a
/// negative limit is infinite. Returns the number of ready files, or -1 with errno set (EINTR for a signal). A system
/// without such a call uses pselect(2).
int poll_with_signals(std::span<pollfd> files, int limit, const sigset_t* mask) noexcept;

/// The usable addresses of a thread's stack: `size` bytes from `lowest` on. Size 0: unknown.
struct StackBounds {
  std::uintptr_t lowest = 0;
  std::size_t size = 0;
};
/// The bounds of this thread's stack. If they are unknown, recursion is not limited by the stack.
StackBounds stack_of_thread() noexcept;

// ---- Network --------------------------------------------------------------------------------------------------------

/// The IPv4 addresses by which other machines may reach this one, as text. Empty if the system does not say.
std::vector<std::string> addresses_of_machine();

/// Probes the peer of a TCP connection while it is silent. Reading fails with ETIMEDOUT once the peer's machine has not
/// answered for about `seconds`. A system without such settings probes after its own time, or never.
void probe_peer(int socket, int seconds) noexcept;

// ---- Memory ---------------------------------------------------------------------------------------------------------

/// The bytes that this machine can give without swapping, including caches that the system would drop. The maximum of
/// int64_t if it does not say.
std::int64_t unused_memory();

/// The bytes that a container leaves to this process: the minimum over all its control groups. The maximum of int64_t
/// if there are no such groups.
std::int64_t memory_of_container();

/// The same for given files. `memberships` (/proc/self/cgroup) names the groups, `root` (/sys/fs/cgroup) holds the file
/// systems of version 2 and 1. The ancestors of the groups count too. Caches that a group can drop count as available.
/// Only Linux has such groups.
std::int64_t control_group_memory(const std::string& root, const std::string& memberships);

/// The bytes of address space that this process uses, as RLIMIT_AS counts them. 0 if the system does not say.
std::int64_t address_space_in_use();

/// Asks for large pages for `size` bytes of mapped memory from `at` on. It is a hint only. A system without large pages
/// does nothing.
void prefer_large_pages(void* at, std::size_t size) noexcept;

// ---- Files in memory, which the processes of a machine share --------------------------------------------------------

/// Makes an anonymous file of `size` zero bytes in memory. Returns its descriptor, which no child inherits over exec,
/// or -1. A container's limit on /dev/shm does not apply. Returns -1 on a system without such files; ranks then send
/// messages instead of sharing memory.
int make_file_in_memory(std::int64_t size) noexcept;

/// Opens the file that the process `process` has open as `descriptor`, for reading and writing. Returns a descriptor of
/// this process. Returns -1 if there is no such file, it is not visible to this process, or the system cannot.
/// Containers number processes anew, so `process` may be another process than the sender's. Callers therefore compare
/// the files' identities.
int open_file_of_process(std::int64_t process, int descriptor) noexcept;

// ---- Files ----------------------------------------------------------------------------------------------------------

/// True if `folder` lists open files. Its links stand for descriptors of processes (as /dev/stdout does), and their
/// targets need not have a name.
bool lists_open_files(const std::filesystem::path& folder) noexcept;

/// The descriptor of this process for `link`, in a folder that lists open files. -1: it is another process's.
int descriptor_of_link(const std::filesystem::path& link);

/// Reserves `size` bytes on the disk for a file, so that later writes cannot fail for lack of space. Returns 0 or an
/// error number. EOPNOTSUPP or EINVAL means that the file system or this system cannot do so. The caller then only sets
/// the file's length.
int set_space_aside(int file, std::int64_t size) noexcept;

/// A name for the current boot of this machine's system, different from every other boot and system. A process from an
/// earlier boot is no longer alive. It consists of hexadecimal digits. Empty if the system does not say.
std::string name_of_running_system();

/// Fills `bytes` with unpredictable random numbers. Returns false, with errno set, on failure.
bool fill_with_random_bytes(std::span<std::byte> bytes) noexcept;

}  // namespace mtf
