#!/usr/bin/env bash
# tests/build_progress.sh: a build says how far it is while it goes on, each tenth of the way where nobody is at a terminal,
# and keeps the compiler's words in its log.
set -u
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
said=$({ for step in $(seq 100); do echo "[$step/100] Building CXX object"; done; echo "error: no"; } | show_progress "$log" 2>&1)
expected=$(for tenth in $(seq 10); do echo "  $((10 * tenth)) of 100 steps, $((10 * tenth))%"; done)
[ "$said" = "$expected" ] || { echo "found:"; echo "$said"; exit 1; }
[ "$(wc -l <"$log")" = 101 ] && grep -q '^error: no$' "$log" || { echo "the log:"; cat "$log"; exit 1; }
# What it says is there before the next step is done: a step that waits for it ends.
: >"$log"
{
  echo "[2/10] Building CXX object"
  for _ in $(seq 100); do [ -s "$log.said" ] && break; sleep 0.1; done
  [ -s "$log.said" ] && echo "it was said"
} | show_progress "$log" 2>"$log.said"
rm -f "$log.said"
grep -q '^it was said$' "$log" || { echo "nothing was said while a step went on"; exit 1; }
