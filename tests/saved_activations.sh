#!/usr/bin/env bash
# tests/saved_activations.sh MTF: what a layer of GPT keeps for its backward pass, in units of tokens times features, is at most
# what Korthikanti et al. 2022 (Reducing Activation Recomputation, table 2) say of attention that keeps no scores. mtf keeps
# less, because it computes cheap values again, and has no dropout masks here. But it keeps what sequence parallelism gathers, 4
# units, where the paper gathers it again.
set -u
mtf=$1 wrong=0
config=$(mktemp)
trap 'rm -f "$config"' EXIT

# saved LAYERS OPTION...: bytes
saved() {
  printf '{"model_type": "gpt2", "n_embd": 2048, "n_head": 16, "n_layer": %s, "n_positions": 2048, "layer_norm_epsilon": 1e-5,
    "vocab_size": 1024}' "$1" >"$config"
  shift
  "$mtf" plan examples/llm.mtf --set config="$config" --set tokens=2048 --set steps=1 --set sequences=8 --set zero=1 "$@" --json |
    python3 -c 'import json, sys; print(json.load(sys.stdin)["peak"]["saved"])'
}

# expect LEAST MOST OPTION...
expect() {
  local least=$1 most=$2
  shift 2
  python3 -c 'import sys
few, many, least, most = map(float, sys.argv[1:])
found = (many - few) / 6 / (2048 * 8 * 2048)
sys.exit(not least <= found <= most and f"expected from {least} to {most} units, found {found}")' \
    "$(saved 6 "$@")" "$(saved 12 "$@")" "$least" "$most" || { echo "$*"; wrong=1; }
}

expect 20 34 --set tp=1
expect 10 22 --set tp=2 --set sequence=false # 10 + 24 / 2
expect 10 13 --set tp=8 --set sequence=false # 10 + 24 / 8
expect 8 17 --set tp=2                       # 34 / 2
expect 2 8.25 --set tp=8                     # 34 / 8 + 4
exit $wrong
