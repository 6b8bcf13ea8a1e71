#include "support/available_memory.h"

#include <sys/resource.h>

#include <algorithm>

#include "support/platform.h"

namespace mtf {

int64_t machine_memory() { return std::min(unused_memory(), memory_of_container()); }

int64_t process_memory() {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return INT64_MAX;
  return std::max<int64_t>(0, static_cast<int64_t>(limit.rlim_cur) - address_space_in_use());
}

int64_t available_memory() { return std::min(machine_memory(), process_memory()); }

}  // namespace mtf
