/* How many of the levels of x86-64 this processor has: v2, v3, v4, v4-bf16. C, because a build asks it too. */
#pragma once

static inline int mtf_levels_of_processor(void) {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (!__builtin_cpu_supports("ssse3") || !__builtin_cpu_supports("sse4.2") || !__builtin_cpu_supports("popcnt"))
    return 0;
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") || !__builtin_cpu_supports("bmi") ||
      !__builtin_cpu_supports("bmi2"))
    return 1;
  if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512bw") ||
      !__builtin_cpu_supports("avx512cd") || !__builtin_cpu_supports("avx512dq") || !__builtin_cpu_supports("avx512vl"))
    return 2;
  return __builtin_cpu_supports("avx512bf16") ? 4 : 3;
#else
  return 1;
#endif
}
