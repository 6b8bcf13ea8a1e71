#!/usr/bin/env bash
# No source file is longer than 400 lines: a longer one holds a second idea.
status=0
while read -r lines file; do
  [ "$file" = total ] || [ "$lines" -le 400 ] || { echo "$file has $lines lines, expected at most 400"; status=1; }
done < <(find src -name '*.h' -o -name '*.cpp' -o -name '*.def' | sort | xargs wc -l)
exit $status
