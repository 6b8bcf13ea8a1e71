#!/usr/bin/env bash
# tests/usage.sh MTF: what the command says, and how it exits, when it is called wrongly.
set -u
mtf=$1 wrong=0
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# expect STATUS KIND COMMAND...
expect() {
  local status=$1 kind=$2 found
  shift 2
  found=$("$@" 2>&1 </dev/null)
  local exit=$?
  if [ "$exit" != "$status" ] || ! grep -qF "[$kind]" <<<"$found"; then
    echo "$*: expected status $status and $kind, found status $exit and:"
    echo "$found"
    wrong=1
  fi
}

head -c 5000000 /dev/zero | tr '\0' '#' >"$folder/large.mtf"
printf 'option lr = 0.1\nprint(lr)\n' >"$folder/option.mtf"
expect 2 unknown_command "$mtf" rum
for command in fmt lsp; do expect 2 unknown_command "$mtf" "$command"; done
mkfifo "$folder/pipe"
expect 3 bad_file timeout 10 "$mtf" run "$folder/pipe"
expect 2 bad_usage "$mtf" run
expect 2 bad_usage "$mtf" run --nope "$folder/option.mtf"
expect 2 bad_option_value "$mtf" run --mesh "rows" "$folder/option.mtf"
expect 1 unknown_option "$mtf" run --set lt=0.2 "$folder/option.mtf"
expect 3 file_not_found "$mtf" run "$folder/nothing.mtf"
expect 4 file_too_large "$mtf" check "$folder/large.mtf"
exit $wrong
