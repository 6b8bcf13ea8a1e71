#pragma once
// The available memory.
#include <cstdint>

namespace mtf {

/// The bytes that this machine can still give: its unused memory, or less if a container limits this process. The
/// maximum of int64_t if the system does not say.
int64_t machine_memory();
/// The bytes that this process can still get under its own limit (`ulimit -v`).
int64_t process_memory();
/// The smaller of the two.
int64_t available_memory();

}  // namespace mtf
