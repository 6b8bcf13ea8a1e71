#pragma once
// Checks for memory. All ranks check together, so all of them fail or none.
#include <cstdint>

#include "run/storage.h"
#include "run/transport.h"
#include "support/source.h"

namespace mtf::run {

/// Fails (out_of_memory) at `span` unless the machine has the memory that all its ranks need; this rank needs `bytes`
/// more. All ranks call it, and no rank allocates before all have checked. A total below kUncheckedBytes is not checked
/// here, but check_growth() adds such amounts up.
void check_memory(Transport& transport, int64_t bytes, Span span);

/// Checks an allocation of `bytes` from `pool`, if the pool has grown by kUncheckedBytes or more since the last check.
/// `alone_bytes` are the bytes of one processor, and a rank hosts up to `hosted` processors. All ranks decide alike,
/// because one processor's bytes are the same on all ranks.
void check_growth(Transport& transport, MemoryPool& pool, int64_t bytes, int64_t alone_bytes, int64_t hosted,
                  Span span);

inline constexpr int64_t kUncheckedBytes = 64 << 20;

}  // namespace mtf::run
