#!/usr/bin/env bash
# Sources are formatted as .clang-format says, by the version that it was written for.
set -u
clang-format --version 2>/dev/null | grep -q 'version 14\.' || exit 77
wrong=$(find src tests -name '*.h' -o -name '*.cpp' | xargs -P2 -n 40 clang-format --dry-run -Werror 2>&1 | grep 'error:' | cut -d: -f1 | sort -u)
[ -z "$wrong" ] || { echo "$wrong"; echo "clang-format -i formats them"; exit 1; }
