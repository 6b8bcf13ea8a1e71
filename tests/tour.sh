#!/usr/bin/env bash
# tests/tour.sh MTF [--update]: the programs in README.md, examples/README.md, stdlib/LANGUAGE.md and stdlib/ERRORS.md, each a
# golden test. Every block that is marked `mtf` is a whole script with its output; --update rewrites the output in the page.
set -u
mtf=$1 update=${2-}
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# blocks PAGE NAME: writes each block to FOLDER/NAME_NN.mtf.
blocks() {
  awk -v base="$folder/$2" '
    /^```mtf$/ { inside = 1; n++; file = sprintf("%s_%02d.mtf", base, n); next }
    /^```$/    { if (inside) close(file); inside = 0; next }
    inside     { print > file }' "$1"
}

# put_back PAGE NAME: the page with each block as its file now is.
put_back() {
  awk -v base="$folder/$2" '
    /^```mtf$/ { print; inside = 1; n++; file = sprintf("%s_%02d.mtf", base, n)
                 while ((getline line < file) > 0) print line; close(file); next }
    /^```$/    { inside = 0 }
    !inside    { print }' "$1" >"$folder/page" && cat "$folder/page" >"$1"
}

pages=(README.md examples/README.md stdlib/LANGUAGE.md stdlib/ERRORS.md)
for page in "${pages[@]}"; do blocks "$top/$page" "$(echo "${page%.md}" | tr / _)"; done
"$mtf" test ${update:+--update --yes} "$folder"
status=$?
if [ -n "$update" ]; then
  for page in "${pages[@]}"; do put_back "$top/$page" "$(echo "${page%.md}" | tr / _)"; done
fi
exit $status
