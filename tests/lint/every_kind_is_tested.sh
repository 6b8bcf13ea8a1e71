#!/usr/bin/env bash
# Every kind of diagnostic is named by a test; `interrupted` needs a terminal and a hand on the keyboard.
missing=0
for kind in $(sed -n 's/^MTF_DIAGNOSTIC(\([a-z_0-9]*\),.*/\1/p' src/support/diagnostics.def); do
  [ "$kind" = interrupted ] && continue
  if ! grep -rqw --include='*.mtf' --include='*.cpp' --include='*.h' --include='*.sh' -e "$kind" tests; then
    echo "no test names the diagnostic $kind"
    missing=1
  fi
done
exit $missing
