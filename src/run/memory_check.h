#pragma once
// Whether there is memory for what ranks are about to do, found together, so that all of them fail or none.
#include <cstdint>

#include "run/storage.h"
#include "run/transport.h"
#include "support/source.h"

namespace mtf::run {

/// Fails (out_of_memory) at `span` unless all ranks of this machine together can have what each needs more, this one
/// `bytes`. All ranks call it, and none that passes it takes memory before the others have looked. Less than
/// kUncheckedBytes in all are not looked at: check_growth() adds such up.
void check_memory(Transport& transport, int64_t bytes, Span span);

/// The same for `bytes` that `pool` is about to give, counted as `alone_bytes` for one processor alone, where it has
/// grown by kUncheckedBytes or more since it was last looked at, each rank hosting up to `hosted` processors. All
/// ranks decide alike: what one processor alone has is the same on all.
void check_growth(Transport& transport, MemoryPool& pool, int64_t bytes, int64_t alone_bytes, int64_t hosted,
                  Span span);

inline constexpr int64_t kUncheckedBytes = 64 << 20;

}  // namespace mtf::run
