#include "support/available_memory.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>

namespace mtf {
namespace {

std::optional<int64_t> number_in(const std::string& path) {
  std::ifstream file(path);
  int64_t number = 0;
  if (file >> number) return number;
  return std::nullopt;  // no such file, or the word max
}

/// The number behind `word` in a file of words and numbers, or 0.
int64_t number_behind(const std::string& path, const std::string& word) {
  std::ifstream file(path);
  std::string line;
  while (std::getline(file, line)) {
    std::istringstream words(line);
    std::string first;
    int64_t number = 0;
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

/// Of a group and those above it, up to the file system's root.
int64_t left_in(const std::string& mount, std::string group, const GroupFiles& files) {
  int64_t left = INT64_MAX;
  while (true) {
    const std::string folder = mount + group;
    const std::optional<int64_t> limit = number_in(folder + files.limit), used = number_in(folder + files.used);
    if (limit && used)
      left = std::min(left,
                      std::max<int64_t>(0, *limit - *used + number_behind(folder + "/memory.stat", files.droppable)));
    if (group.empty()) return left;
    group.resize(group.rfind('/') == std::string::npos ? 0 : group.rfind('/'));
  }
}

}  // namespace

int64_t control_group_memory(const std::string& root, const std::string& memberships) {
  int64_t left = INT64_MAX;
  std::ifstream file(memberships);
  std::string line;
  // number:controllers:group; version 2 names no controllers
  while (std::getline(file, line)) {
    const size_t first = line.find(':'), second = line.find(':', first + 1);
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

int64_t machine_memory() {
  const int64_t kib = number_behind("/proc/meminfo", "MemAvailable:");
  return std::min(kib > 0 ? kib * 1024 : INT64_MAX, control_group_memory("/sys/fs/cgroup", "/proc/self/cgroup"));
}

int64_t process_memory() {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return INT64_MAX;
  const int64_t pages = number_in("/proc/self/statm").value_or(0);  // of the whole address space
  return std::max<int64_t>(0, static_cast<int64_t>(limit.rlim_cur) - pages * sysconf(_SC_PAGESIZE));
}

int64_t available_memory() { return std::min(machine_memory(), process_memory()); }

}  // namespace mtf
