#!/usr/bin/env bash
# tests/screens.sh MTF [--update]: what the planner shows: a plan with its memory and time, ways out where it does not fit, and a search
# over options. Each screen stands in tests/screens, with N for lines of scripts and one blank between columns. They have no times
# but those of the machine file.
set -u
mtf=$1 update=${2-} wrong=0
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$top" || exit 1
cat >"$folder/small.json" <<'JSON'
{"model_type": "llama", "hidden_size": 512, "intermediate_size": 1024, "num_hidden_layers": 4, "num_attention_heads": 8,
 "num_key_value_heads": 4, "vocab_size": 2048, "max_position_embeddings": 512}
JSON
script=(examples/llm.mtf --set config="$folder/small.json" --set steps=1 --set sequences=64 --set tokens=512 --machine h100)

# screen NAME COMMAND...: compares with tests/screens/NAME
screen() {
  local name=$1
  shift
  "$mtf" "$@" 2>"$folder/errors" | sed "s|$folder|FOLDER|g; s/\.mtf:[0-9]*/.mtf:N/; s/  */ /g" >"$folder/$name"
  if [ -n "$update" ]; then cp "$folder/$name" "tests/screens/$name"; fi
  diff -u "tests/screens/$name" "$folder/$name" || { cat "$folder/errors"; wrong=1; }
}

split=(--set dp=2 --set tp=2 --set zero=1)
screen fits.txt plan "${script[@]}" "${split[@]}" --memory 80GB --depth 1
screen too_large.txt plan "${script[@]}" "${split[@]}" --memory 600MB --depth 1
screen collectives.txt plan "${script[@]}" "${split[@]}" --by collective
screen search.txt search "${script[@]}" --over "tp=1,2,4; zero=0,1,3; recompute=none,full" --processors 4 --memory 1GB
screen not_that_way.txt search "${script[@]}" --over "tp=3; pp=8; micro=5" --processors 24
"$mtf" plan "${script[@]}" "${split[@]}" --memory 80GB --json | python3 -c '
import json, sys
plan = json.load(sys.stdin)
kept = ["schema", "record", "mesh", "totals", "peak", "is_estimate", "stored", "machine", "seconds", "flops_per_second", "share_of_peak"]
print(json.dumps({key: plan[key] for key in kept}, indent=1))' >"$folder/plan.json"
if [ -n "$update" ]; then cp "$folder/plan.json" tests/screens/plan.json; fi
diff -u tests/screens/plan.json "$folder/plan.json" || wrong=1
exit $wrong
