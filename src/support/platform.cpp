// For Linux with glibc or musl.
#include "support/platform.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <link.h>
#include <linux/magic.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <fstream>
#include <optional>
#include <sstream>
#include <string_view>
#include <system_error>

namespace mtf {

// ---- Processes ------------------------------------------------------------------------------------------------------

void end_with_parent(int signal) noexcept { prctl(PR_SET_PDEATHSIG, signal); }

std::string path_of_program() {
  std::error_code error;
  const std::filesystem::path path = std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? "" : path.string();
}

std::string path_of_library() {
  Dl_info found;
  link_map* object = nullptr;
  if (dladdr1(reinterpret_cast<const void*>(&path_of_library), &found, reinterpret_cast<void**>(&object),
              RTLD_DL_LINKMAP) == 0)
    return "";
  if (object == nullptr || *object->l_name == '\0') return path_of_program();
  std::error_code error;
  const std::filesystem::path path = std::filesystem::canonical(object->l_name, error);
  return error ? "" : path.string();
}

bool open_pipe(int (&ends)[2], bool waits) noexcept { return pipe2(ends, O_CLOEXEC | (waits ? 0 : O_NONBLOCK)) == 0; }

int poll_with_signals(std::span<pollfd> files, int limit, const sigset_t* mask) noexcept {
  const timespec time{limit / 1000, limit % 1000 * 1'000'000L};
  return ppoll(files.data(), files.size(), limit < 0 ? nullptr : &time, mask);
}

StackBounds stack_of_thread() noexcept {
  StackBounds stack;
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return stack;
  void* lowest = nullptr;
  std::size_t size = 0;
  if (pthread_attr_getstack(&attributes, &lowest, &size) == 0) stack = {reinterpret_cast<std::uintptr_t>(lowest), size};
  pthread_attr_destroy(&attributes);
  return stack;
}

// ---- Network --------------------------------------------------------------------------------------------------------

std::vector<std::string> addresses_of_machine() {
  ifaddrs* first = nullptr;
  std::vector<std::string> addresses;
  if (getifaddrs(&first) != 0) return addresses;
  for (const ifaddrs* each = first; each != nullptr; each = each->ifa_next) {
    if (each->ifa_addr == nullptr || each->ifa_addr->sa_family != AF_INET) continue;
    if ((each->ifa_flags & IFF_UP) == 0 || (each->ifa_flags & IFF_LOOPBACK) != 0) continue;
    char text[INET_ADDRSTRLEN] = "";
    if (inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in*>(each->ifa_addr)->sin_addr, text, sizeof text) !=
        nullptr)
      addresses.emplace_back(text);
  }
  freeifaddrs(first);
  return addresses;
}

void probe_peer(int socket, int seconds) noexcept {
  const int on = 1, probes = 3, interval = std::max(1, seconds / 6), idle = std::max(1, seconds - probes * interval);
  setsockopt(socket, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
  setsockopt(socket, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof idle);
  setsockopt(socket, IPPROTO_TCP, TCP_KEEPINTVL, &interval, sizeof interval);
  setsockopt(socket, IPPROTO_TCP, TCP_KEEPCNT, &probes, sizeof probes);
}

// ---- Memory ---------------------------------------------------------------------------------------------------------

namespace {

std::optional<std::int64_t> number_in(const std::string& path) {
  std::ifstream file(path);
  std::int64_t number = 0;
  if (file >> number) return number;
  return std::nullopt;  // no such file, or the word max
}

/// The number behind `word` in a file of words and numbers, or 0.
std::int64_t number_behind(const std::string& path, const std::string& word) {
  std::ifstream file(path);
  std::string line;
  while (std::getline(file, line)) {
    std::istringstream words(line);
    std::string first;
    std::int64_t number = 0;
    if (words >> first >> number && first == word) return number;
  }
  return 0;
}

struct GroupFiles {
  const char* limit;
  const char* used;
  const char* droppable;  // in memory.stat
};
constexpr GroupFiles kVersion2 = {"/memory.max", "/memory.current", "inactive_file"};
constexpr GroupFiles kVersion1 = {"/memory.limit_in_bytes", "/memory.usage_in_bytes", "total_inactive_file"};

/// The bytes that remain in a group and its ancestors, up to the file system's root.
std::int64_t left_in(const std::string& mount, std::string group, const GroupFiles& files) {
  std::int64_t left = INT64_MAX;
  while (true) {
    const std::string folder = mount + group;
    const std::optional<std::int64_t> limit = number_in(folder + files.limit), used = number_in(folder + files.used);
    if (limit && used)
      left = std::min(
          left, std::max<std::int64_t>(0, *limit - *used + number_behind(folder + "/memory.stat", files.droppable)));
    if (group.empty()) return left;
    group.resize(group.rfind('/') == std::string::npos ? 0 : group.rfind('/'));
  }
}

}  // namespace

std::int64_t unused_memory() {
  const std::int64_t kib = number_behind("/proc/meminfo", "MemAvailable:");
  return kib > 0 ? kib * 1024 : INT64_MAX;
}

std::int64_t memory_of_container() { return control_group_memory("/sys/fs/cgroup", "/proc/self/cgroup"); }

std::int64_t control_group_memory(const std::string& root, const std::string& memberships) {
  std::int64_t left = INT64_MAX;
  std::ifstream file(memberships);
  std::string line;
  // number:controllers:group; version 2 names no controllers
  while (std::getline(file, line)) {
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    std::string group = line.substr(second + 1);
    if (group == "/") group.clear();
    if (controllers == ",,") left = std::min(left, left_in(root, group, kVersion2));
    if (controllers.find(",memory,") != std::string::npos)
      left = std::min(left, left_in(root + "/memory", group, kVersion1));
  }
  return left;
}

std::int64_t address_space_in_use() { return number_in("/proc/self/statm").value_or(0) * sysconf(_SC_PAGESIZE); }

void prefer_large_pages(void* at, std::size_t size) noexcept { madvise(at, size, MADV_HUGEPAGE); }

// ---- Files in memory, which the processes of a machine share --------------------------------------------------------

int make_file_in_memory(std::int64_t size) noexcept {
  const int file = memfd_create("mtf", MFD_CLOEXEC);
  if (file < 0 || ftruncate(file, size) == 0) return file;
  close(file);
  return -1;
}

int open_file_of_process(std::int64_t process, int descriptor) noexcept {
  char path[64];
  std::snprintf(path, sizeof path, "/proc/%lld/fd/%d", static_cast<long long>(process), descriptor);
  return open(path, O_RDWR | O_CLOEXEC);
}

// ---- Files ----------------------------------------------------------------------------------------------------------

bool lists_open_files(const std::filesystem::path& folder) noexcept {
  struct statfs system {};
  return statfs(folder.c_str(), &system) == 0 && system.f_type == PROC_SUPER_MAGIC;
}

int descriptor_of_link(const std::filesystem::path& link) {
  std::error_code error;
  const std::string folder = std::filesystem::canonical(link.parent_path(), error).string(),
                    name = link.filename().string();
  const std::string own = "/proc/" + std::to_string(getpid()) + "/";
  int number = -1;
  if (!error && folder.starts_with(own) && folder.ends_with("/fd"))
    std::from_chars(name.data(), name.data() + name.size(), number);
  return number;
}

int set_space_aside(int file, std::int64_t size) noexcept {
  return size == 0 ? 0 : posix_fallocate(file, 0, static_cast<off_t>(size));
}

std::string name_of_running_system() {
  std::string id;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> id;
  return id.substr(0, id.find('-'));
}

bool fill_with_random_bytes(std::span<std::byte> bytes) noexcept {
  while (!bytes.empty()) {
    const ssize_t size = getrandom(bytes.data(), bytes.size(), 0);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(size));
  }
  return true;
}

}  // namespace mtf
