#!/usr/bin/env bash
# The benchmarks, which no test runs and the build leaves out, compile: all of them as one source. Skipped where there is
# no Google Benchmark.
set -u
flags=(-std=c++20 -fsyntax-only -Wall -Wextra -Werror -Wno-restrict -DEIGEN_FAST_MATH=0 -I src -I src/include
  -isystem /usr/include/eigen3)
"${CXX:-c++}" -fsyntax-only -x c++ - <<<'#include <benchmark/benchmark.h>' 2>/dev/null || exit 77
for source in tests/bench/*.cpp; do
  printf '#undef main\n#define main main_of_%s\n#include "%s"\n' "$(basename "$source" .cpp)" "$PWD/$source"
done | "${CXX:-c++}" "${flags[@]}" -x c++ -
