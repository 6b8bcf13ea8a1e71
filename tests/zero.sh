#!/usr/bin/env bash
# tests/zero.sh MTF: what ZeRO stores on a processor and sends in a step (Rajbhandari et al. 2020, figure 1 and section 7), for 7.5 B
# weights on 64 processors: memory with two micro-batches, so that gradients are added up, and values sent with one. Prints the rows
# that the tables in stdlib/PLANNING.md do not have. The paper keeps gradients in fp16, as `gradients=bf16` does.
set -u
mtf=$1 wrong=0
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
printf '{"model_type": "gpt2", "n_embd": 4096, "n_head": 32, "n_layer": 36, "n_positions": 2048, "layer_norm_epsilon": 1e-5,
  "vocab_size": 51200}' >"$folder/config.json"

plan() {
  "$mtf" plan examples/llm.mtf --set config="$folder/config.json" --set tokens=2048 --set steps=1 --set dp=64 "$@" --json | tr '\n' ' '
  echo
}

# row TYPE ZERO PUBLISHED-GB PUBLISHED-VALUES WEIGHTS GRADIENTS STATES: what is kept, in bytes a weight on a processor, with gradients of
# this type
row() {
  local gradients=$1 zero=$2
  { plan --set zero="$zero" --set micro=2 --set sequences=128 --set recompute=full --set gradients="$gradients"
    plan --set zero="$zero" --set sequences=64 --set recompute="$([ "$zero" = 3 ] && echo full || echo none)" \
      --set gradients="$gradients"; } | python3 -c '
import json, sys
kind, zero, published, sent, *wanted = sys.argv[1:]
kept, step = map(json.loads, sys.stdin)
psi = kept["stored"]["parameters"]
stored, peak, totals = kept["stored"], kept["peak"], step["totals"]
bytes_of = [peak["copies"], peak["gradients"], stored["parameter_bytes"] + stored["state_bytes"]]
held = [each / psi for each in bytes_of]
for found, expected in zip(held, wanted):
    if not -0.04 <= found - 0.96 * float(expected) <= 0.08 * float(expected) + 0.1: sys.exit(f"{found} bytes for {expected}")
sends = {"all_reduce": 2, "reduce_scatter": 1, "all_gather": 1}
values = sum(sends.get(each["kind"], 0) * each["values"] for each in totals["collectives"])
added_up = [each for each in totals["collectives"] if each["kind"] in ("all_reduce", "reduce_scatter")]
width = sum(each["bytes"] for each in added_up) / sum(each["values"] for each in added_up)
# With ZeRO 3 the gradients of each layer are scattered in f32, and kept as a step asks.
if abs(width - (2 if kind == "bf16" and zero != "3" else 4)) > 0.1: sys.exit(f"{width} bytes are sent for a value")
cells = [zero, kind] + [f"{each:.3g} Ψ" for each in held] + [f"{sum(bytes_of) / 1e9:.3g} GB", f"{published} GB", f"{values / psi:.2f} Ψ", f"{sent} Ψ"]
print("| " + " | ".join(cells) + " |")
if abs(values / psi - float(sent)) > 0.04: sys.exit("other values are sent")
' "$@" >"$folder/row" || { cat "$folder/row"; wrong=1; }
  grep -qxFf "$folder/row" stdlib/PLANNING.md || { cat "$folder/row"; wrong=1; }
}

row bf16 0 120 2 2 2 12
row bf16 1 31.4 2 2 2 0.1875
row bf16 2 16.6 2 2 0.03125 0.1875
row bf16 3 1.9 3 0 0.03125 0.1875
row f32 0 120 2 2 4 12
row f32 1 31.4 2 2 4 0.1875
row f32 2 16.6 2 2 0.0625 0.1875
row f32 3 1.9 3 0 0.0625 0.1875
exit $wrong
