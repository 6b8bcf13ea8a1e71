#!/usr/bin/env bash
# No source is longer than a reader can hold: at most 400 lines.
set -u
long=$(find src stdlib examples grammar -path grammar/generated -prune -o \
         \( -name '*.h' -o -name '*.cpp' -o -name '*.def' -o -name '*.g4' -o -name '*.mtf' \) -exec wc -l {} + |
       awk '$1 > 400 && $2 != "total" { print $2 " has " $1 " lines, expected at most 400: look for the second idea in it" }')
[ -z "$long" ] || { echo "$long"; exit 1; }
