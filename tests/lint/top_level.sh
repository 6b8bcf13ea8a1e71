#!/usr/bin/env bash
# What stands at the top of the project is what its README promises; what a test run leaves there is never committed.
set -u
top=$(git ls-files 2>/dev/null) && [ -n "$top" ] || exit 77
known='^(CMakeLists\.txt|README\.md|grammar|src|stdlib|examples|tests|editors|\.ci|\.clang-format|\.gitignore)$'
wrong=$(cut -d/ -f1 <<<"$top" | sort -u | grep -vE "$known" | sed 's/$/: not one of the entries at the top/')
[ -z "$wrong" ] || { echo "$wrong"; exit 1; }
