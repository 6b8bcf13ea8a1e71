#!/usr/bin/env bash
# Source files are named in snake_case, each header is guarded by `#pragma once`, and nothing unfinished is committed.
set -u
status=0
complain() { echo "$1"; status=1; }
while read -r file; do
  [[ $(basename "$file") =~ ^[a-z0-9_]+\.(h|cpp|def)$ ]] || complain "$file: not a snake_case name"
  if [[ $file == *.h ]] && ! grep -q '^#pragma once' "$file"; then complain "$file: no #pragma once"; fi
done < <(find src tests -name '*.h' -o -name '*.cpp' -o -name '*.def' | sort)
marks=$(grep -rnE "\b(TO""DO|FIX""ME|XX""X|HA""CK)\b" src stdlib examples tests 2>/dev/null)
[ -z "$marks" ] || complain "unfinished:
$marks"
exit $status
