#!/usr/bin/env bash
# tests/build_progress.sh: a build says how far it is, each tenth of the way where nobody is at a terminal, and keeps the
# compiler's words in its log.
set -u
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
said=$({ for step in $(seq 100); do echo "[$step/100] Building CXX object"; done; echo "error: no"; } | show_progress "$log" 2>&1)
expected=$(for tenth in $(seq 10); do echo "  $((10 * tenth)) of 100 steps, $((10 * tenth))%"; done)
[ "$said" = "$expected" ] || { echo "found:"; echo "$said"; exit 1; }
[ "$(wc -l <"$log")" = 101 ] && grep -q '^error: no$' "$log" || { echo "the log:"; cat "$log"; exit 1; }
