#pragma once
// What a thread does while it waits for another one to write to memory.

namespace mtf {

/// Tells the processor that this thread only waits, for some nanoseconds.
inline void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace mtf
