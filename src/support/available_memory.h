#pragma once
// How much memory there is, as Linux tells it.
#include <cstdint>
#include <string>

namespace mtf {

/// Bytes that this machine can still give: the least of what it has (MemAvailable) and of what the control groups of
/// this process have left. The largest number if it does not say.
int64_t machine_memory();
/// Bytes that this process can still have under its own limit (`ulimit -v`).
int64_t process_memory();
/// The lesser of both.
int64_t available_memory();

/// Bytes that control groups have left: of the groups that `memberships` (/proc/self/cgroup) names and those above
/// them, in the file systems of version 2 and 1 that `root` (/sys/fs/cgroup) holds. What they keep of files and can
/// drop counts as left.
int64_t control_group_memory(const std::string& root, const std::string& memberships);

}  // namespace mtf
