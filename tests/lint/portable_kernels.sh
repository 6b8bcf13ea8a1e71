#!/usr/bin/env bash
# portable_kernels.sh [COMPILER]: the kernels compile without a warning for processors other than this machine's: for each
# level of x86-64 by clang, which only reads them, or for AArch64 by Debian's cross compiler. g++ optimizes, as some of its
# warnings come from the optimizer alone.
set -u
[ "$(uname -m)" = x86_64 ] || exit 77
compiler=${1:-clang++}
command -v "$compiler" >/dev/null || exit 77
flags=(-std=c++20 -ffp-contract=off -DNDEBUG -DEIGEN_FAST_MATH=0 -DEIGEN_DONT_PARALLELIZE -Wall -Wextra -Werror
  -I. -Isrc -isystem /usr/include/eigen3)
case $compiler in
  clang*) flags+=(-fsyntax-only -Wno-unknown-warning-option) ;;
  *) flags+=(-O2 -Wno-restrict -Wno-subobject-linkage -S -o /dev/null) ;;
esac
case $compiler in
  aarch64*) levels=(armv8-a) ;;
  *) levels=(x86-64-v2 x86-64-v3 x86-64-v4 "x86-64-v4 -mavx512bf16") ;;
esac
flags+=(-DMTF_LEVEL_TABLE=mtf_kernels_lint)
sources=($(ls src/kernels/*.cpp | grep -v '/level\.cpp$'))  # level.cpp is of no level
status=0
for level in "${levels[@]}"; do
  printf '#include "%s"\n' "${sources[@]}" | "$compiler" "${flags[@]}" -march=$level -x c++ - ||
    { echo "$compiler does not compile the kernels for $level without a warning"; status=1; }
done
exit $status
