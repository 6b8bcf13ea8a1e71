#!/usr/bin/env bash
# clang compiles what it once refused: kernels, files, and visitors of variants. Skipped where there is no clang++.
set -u
command -v clang++ >/dev/null || exit 77
flags=(-std=c++20 -fsyntax-only -Wall -Wextra -Werror -Wno-unknown-warning-option -DEIGEN_FAST_MATH=0 -I . -I src
  -I src/include -isystem /usr/include/eigen3)
printf '#include "src/%s.cpp"\n' spmd/block_index kernels/copy io/file syntax/walk syntax/print_statements |
  clang++ "${flags[@]}" -x c++ -
