#!/usr/bin/env bash
# In src/eval only statements and expressions, and the parts that evaluate some, know the evaluator: others are given what they use.
set -u
core='evaluator|expressions|indexing|statements|assignments|counters_block|annotations|branches|calls|declarations|loops|modules|replay|variables'
wrong=$(grep -rnE '\bEvaluator\b|eval/evaluator\.h' src/eval src/library | grep -vE '^[^:]*:[0-9]+: *//' | grep -vE "^src/eval/($core)\.(h|cpp):" |
  sed 's/$/: give it the parts that it uses, not the evaluator/')
[ -z "$wrong" ] || { echo "$wrong"; exit 1; }
