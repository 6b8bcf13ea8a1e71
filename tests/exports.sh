#!/usr/bin/env bash
# exports.sh BUILD: libmtf.so exports each function that mtf/mtf.h declares, and nothing else. It needs no MPI, and neither does
# mtf.
set -u
needs_mpi() { [ -e "$1" ] && readelf -d "$1" | grep NEEDED | grep -i mpi; }
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
[ -e "$1/libmtf.so" ] || exit 77
declared=$(sed 's:/\*.*\*/::' src/include/mtf/mtf.h | sed '/\/\*/,/\*\//d' | grep -oE '\bmtf_[a-z_]+\(' | tr -d '(' | sort -u)
exported=$(nm -D --defined-only "$1/libmtf.so" | awk '$2 == "T" {print $3}' | sed 's/@.*//' | sort -u)
diff <(echo "$declared") <(echo "$exported") && ! nm -D --defined-only "$1/libmtf.so" | awk '$2 !~ /^[TA]$/' | grep . &&
  ! needs_mpi "$1/libmtf.so" && ! needs_mpi "$1/mtf"
