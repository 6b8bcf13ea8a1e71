#!/usr/bin/env bash
# tests/saved_activations.sh MTF: what a layer of GPT keeps for its backward pass, in units of tokens times features, is at most
# what Korthikanti et al. 2022 (Reducing Activation Recomputation, table 2) say. Their formulas have dropout masks of 2 units, of
# which mtf has none, because it draws them again. Attention keeps no scores: 5 a s / h = 80 / t units less than the first rows say.
# With sequence parallelism `selective` computes norms again (4 / t units less); `none` keeps what has been gathered. A list of layers (`zero=1`) is one program, whose fusions
# compute further values again; a stack (`zero=0`) keeps them for its loop.
set -u
mtf=$1 wrong=0
config=$(mktemp)
trap 'rm -f "$config"' EXIT

# saved LAYERS OPTION...: bytes
saved() {
  printf '{"model_type": "gpt2", "n_embd": 2048, "n_head": 16, "n_layer": %s, "n_positions": 2048, "layer_norm_epsilon": 1e-5,
    "vocab_size": 1024}' "$1" >"$config"
  shift
  "$mtf" plan examples/llm.mtf --set config="$config" --set tokens=2048 --set steps=1 --set sequences=8 "$@" --json |
    python3 -c 'import json, sys; print(json.load(sys.stdin)["peak"]["saved"])'
}

# expect PUBLISHED STACK LIST OPTION...: units
expect() {
  local published=$1 stack=$2 list=$3
  shift 3
  python3 -c 'import sys
published, *wanted = map(float, sys.argv[1:4])
found = [(float(many) - float(few)) / 6 / (2048 * 8 * 2048) for few, many in zip(sys.argv[4::2], sys.argv[5::2])]
if max(found) > published or any(abs(f - w) > 0.01 for f, w in zip(found, wanted)):
    sys.exit(f"expected {wanted}, at most {published} units; found {found}")' \
    "$published" "$stack" "$list" "$(saved 6 "$@" --set zero=0)" "$(saved 12 "$@" --set zero=0)" \
    "$(saved 6 "$@" --set zero=1)" "$(saved 12 "$@" --set zero=1)" || { echo "$*"; wrong=1; }
}

# none: 34 + 80; tensor: 10 + (24 + 80) / t; tensor and sequence: (34 + 80) / t; without scores 34 / t; all recomputed: 2 / t
expect 114 32.04 24.04
expect 62 20.02 16.02 --set tp=2 --set sequence=false
expect 23 11.01 10.01 --set tp=8 --set sequence=false
expect 57 19.02 15.02 --set tp=2
expect 14.25 7.76 6.76 --set tp=8
expect 34 32.04 24.04 --set recompute=selective
expect 17 15.02 9.02 --set tp=2 --set recompute=selective
expect 4.25 3.76 2.26 --set tp=8 --set recompute=selective
expect 2.01 2.01 0 --set recompute=full
expect 0.26 0.26 0 --set tp=8 --set recompute=full
exit $wrong
