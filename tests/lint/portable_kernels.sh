#!/usr/bin/env bash
# Kernels that know instruction sets compile without a warning for a processor that has none of them, as MTF_PORTABLE
# builds them; every other build is for the machine at hand, where a mistake on the other side would not be seen.
set -u
[ "$(uname -m)" = x86_64 ] || exit 77
grep -lE '__AVX|__FMA__|__F16C__' src/kernels/*.h src/kernels/*.cpp | sed 's|.*/||' | while read -r file; do
  case $file in *.cpp) echo "src/kernels/$file" ;; *) grep -l "\"kernels/$file\"" src/kernels/*.cpp ;; esac
done | sort -u | sed 's/.*/#include "&"/' |
  "${CXX:-c++}" -std=c++20 -O0 -march=x86-64-v2 -Wall -Wextra -Werror -I. -Isrc -isystem /usr/include/eigen3 -S -o /dev/null -x c++ -
