#!/usr/bin/env bash
# clang compiles what it once refused: kernels, files, and visitors of variants. Skipped where there is no clang++.
set -u
command -v clang++ >/dev/null || exit 77
flags=(-std=c++20 -fsyntax-only -Wall -Wextra -Werror -Wno-unknown-warning-option -DEIGEN_FAST_MATH=0 -I src -I src/include
  -isystem /usr/include/eigen3)
wrong=0
for source in src/run/block_index.cpp src/kernels/copy.cpp src/io/file.cpp src/syntax/walk.cpp src/syntax/print_statements.cpp; do
  clang++ "${flags[@]}" "$source" || wrong=1
done
exit $wrong
