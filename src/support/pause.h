#pragma once
// A hint for threads that wait for another thread's write to memory.

namespace mtf {

/// Tells the processor that this thread waits, for some nanoseconds.
inline void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace mtf
