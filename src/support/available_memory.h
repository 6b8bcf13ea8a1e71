#pragma once
// How much memory there is.
#include <cstdint>

namespace mtf {

/// Bytes that this machine can still give: its unused memory, or less if a container limits this process. The largest
/// number if the system does not say.
int64_t machine_memory();
/// Bytes that this process can still have under its own limit (`ulimit -v`).
int64_t process_memory();
/// The lesser of both.
int64_t available_memory();

}  // namespace mtf
