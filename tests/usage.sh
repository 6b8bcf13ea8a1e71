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
expect 2 unknown_command "$mtf" ls
mkfifo "$folder/pipe"
expect 3 bad_file timeout 10 "$mtf" run "$folder/pipe"
expect 2 bad_usage "$mtf" run
expect 2 bad_usage "$mtf" -e
expect 2 bad_usage "$mtf" run -e 'print(1)' "$folder/option.mtf"
expect 1 unknown_name "$mtf" -e 'print(undeclared)'
[ "$("$mtf" -e 'print(1 + 1)' 2>&1)" = 2 ] || { echo "mtf -e runs no text"; wrong=1; }
# Two outputs of one name, however it is spelt; a device takes both.
expect 2 bad_usage "$mtf" run "$folder/option.mtf" --timeline "$folder/one.svg" --loss-curve "$folder/../$(basename "$folder")/one.svg"
[ ! -e "$folder/one.svg" ] || { echo "one of two outputs of one name was written"; wrong=1; }
"$mtf" run "$folder/option.mtf" --timeline /dev/null --loss-curve /dev/null >/dev/null || { echo "a device does not take two outputs"; wrong=1; }
# Where nothing is tested nothing has passed.
mkdir "$folder/none"
expect 3 file_not_found "$mtf" test "$folder/none"
expect 3 file_not_found "$mtf" test "$folder/option.mtf" "$folder/none"
expect 2 bad_usage "$mtf" run --nope "$folder/option.mtf"
expect 2 bad_option_value "$mtf" run --mesh "rows" "$folder/option.mtf"
expect 1 unknown_option "$mtf" run --set lt=0.2 "$folder/option.mtf"
expect 3 file_not_found "$mtf" run "$folder/nothing.mtf"
expect 4 file_too_large "$mtf" check "$folder/large.mtf"
# What a command would write is not written over a script; what it has written before, and an empty file, is.
for write in "calibrate" "plan $folder/option.mtf --report" "run $folder/option.mtf --reads" "run $folder/option.mtf --timeline" "run $folder/option.mtf --loss-curve" "draw $folder/tensor.mtf x --svg"; do
  printf 'dim a = 2\nlet x = ones([a])\nprint("loss 3", sum(x))\n' >"$folder/tensor.mtf"
  expect 3 cannot_write "$mtf" $write "$folder/tensor.mtf"
  grep -q 'ones(\[a\])' "$folder/tensor.mtf" || { echo "$write has written over a script"; wrong=1; }
  [ "$write" = calibrate ] && continue  # takes seconds
  : >"$folder/written"
  for turn in 1 2; do
    "$mtf" $write "$folder/written" >/dev/null || { echo "$write does not write over what it wrote before"; wrong=1; }
  done
  [ -s "$folder/written" ] || [[ $write == *--reads ]] || { echo "$write wrote nothing"; wrong=1; }
  expect 3 cannot_write "$mtf" $write "$folder/nowhere/written"
done
expect 3 cannot_write timeout 20 "$mtf" calibrate "$folder/written"
exit $wrong
