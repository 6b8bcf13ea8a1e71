#!/usr/bin/env bash
# levels_chosen.sh: a first configuration compiles the kernels for levels that the processor runs, and `best` is the last of them.
# Here another processor is pretended: it says how many levels it runs.
set -u
[ "$(uname -m)" = x86_64 ] || exit 77
top=$(cd "$(dirname "$0")/.." && pwd) status=0
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder/src/kernels"
cat >"$folder/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.25)
project(levels LANGUAGES C)
function(add_library)
endfunction()
include("$top/src/kernels/levels.cmake")
END

# chosen LEVELS COUNT EXPECTED: LEVELS of a processor that runs COUNT levels.
chosen() {
  echo "static int mtf_levels_of_processor(void) { return $2; }" >"$folder/src/kernels/level_of_processor.h"
  rm -rf "$folder/build"
  found=$(cmake -S "$folder" -B "$folder/build" -DMTF_LEVELS="$1" 2>/dev/null | sed -n 's/^-- Kernels for: //p')
  [ "$found" = "$3" ] || { echo "MTF_LEVELS=$1 with $2 levels: expected $3, found $found"; status=1; }
}
chosen best 1 v2
chosen best 2 v3
chosen usable 2 'v2;v3'
chosen usable 3 'v2;v3;v4'
chosen best 4 v4-bf16
chosen all 2 'v2;v3;v4;v4-bf16'
exit $status
