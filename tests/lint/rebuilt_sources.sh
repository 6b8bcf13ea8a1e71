#!/usr/bin/env bash
# A change of a header that changes often compiles few sources again outside the folder that it is for: at most so many
# in a hundred of them include it, directly or through other headers.
set -u
# header, folder, limit
limits="
graph/op.h            ops       20
ops/builder.h         ops       25
spmd/local_program.h  spmd      20
schedule/schedule.h   schedule  15
plan/execution.h      plan      31
plan/runtime.h        plan      20
run/bound_plan.h      run        5
eval/evaluator.h      eval       5
"
grep -roE '^ *# *include "[^"]*"' src | sed -E 's/^src\///; s/:.*"([^"]*)"/ \1/' | awk -v limits="$limits" '
  { includers[$2] = includers[$2] " " $1; files[$1] }
  function folder(file) { sub(/\/.*/, "", file); return file }
  function is_source(file) { return file ~ /\.cpp$/ }
  END {
    count = split(limits, limit, " ")
    for (l = 1; l < count; l += 3) {
      header = limit[l]
      home = limit[l + 1]
      others = users = 0
      for (file in files) if (is_source(file) && folder(file) != home) ++others
      split("", seen)
      waiting = header
      if (!(header in includers)) { print "no file includes src/" header; wrong = 1 }
      while (waiting != "") {
        n = split(waiting, now, " ")
        waiting = ""
        for (i = 1; i <= n; ++i) {
          m = split(includers[now[i]], next_files, " ")
          for (j = 1; j <= m; ++j) {
            file = next_files[j]
            if (file in seen) continue
            seen[file]
            waiting = waiting " " file
            if (is_source(file) && folder(file) != home) ++users
          }
        }
      }
      if (users * 100 > limit[l + 2] * others) {
        printf "%d of %d sources outside src/%s include src/%s, expected at most %d in a hundred\n", users, others, home, header, limit[l + 2]
        wrong = 1
      }
    }
    exit wrong
  }'
