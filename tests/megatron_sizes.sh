#!/usr/bin/env bash
# tests/megatron_sizes.sh MTF: plans the ten models of Narayanan et al. 2021 (Efficient Large-Scale Language Model Training on GPU
# Clusters, table 1) by `a100_2021`, and compares the time of a step with F = 96 B s l h² (1 + s / (6 h) + V / (16 l h)) over the
# published FLOP/s. Micro-batches and chunks of a stage: examples/sc21/run_table_1.sh of Megatron-LM. Prints the rows that the table in
# stdlib/PLANNING.md does not have.
set -u
mtf=$1 wrong=0
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# size HEADS FEATURES LAYERS TENSOR PIPELINE GPUS BATCH TFLOPS MICRO-BATCH CHUNKS
size() {
  local data=$(($6 / $4 / $5))
  printf '{"model_type": "gpt2", "n_head": %s, "n_embd": %s, "n_layer": %s, "n_positions": 2048, "layer_norm_epsilon": 1e-5,
    "vocab_size": 51200}' "$1" "$2" "$3" >"$folder/config.json"
  "$mtf" plan examples/llm.mtf --set config="$folder/config.json" --set tokens=2048 --set steps=1 --set sequences="$7" --set dp="$data" \
    --set tp="$4" --set pp="$5" --set micro=$(($7 / data / $9)) --set recompute=full --set sequence=false --set dropout=0.1 --set chunks="${10}" \
    --machine a100_2021 --json | python3 -c '
import json, sys
plan = json.load(sys.stdin)
heads, h, layers, tensor, pipeline, gpus, batch, tflops, micro, chunks = map(float, sys.argv[1:])
flops = 96 * batch * 2048 * layers * h * h * (1 + 2048 / (6 * h) + 51200 / (16 * layers * h))
measured = flops / gpus / tflops / 1e12
seconds = plan["seconds"]["in all"]
weights = plan["stored"]["parameters"] / 1e9
cells = [f"{weights:,.1f}", f"{gpus:,.0f}"] + [f"{n:.0f}" for n in (gpus / tensor / pipeline, tensor, pipeline, micro, chunks)]
share = 100 * seconds / measured - 100
cells += [f"{seconds:.3g}", f"{measured:.3g}", f"{share:+.0f}%", f"{flops / gpus / seconds / 1e12:.0f}", f"{tflops:.0f}"]
print("| " + " | ".join(cells) + " |")
if abs(share) > 12.5: sys.exit("too far from what was measured")
' "$@" >"$folder/row" || { cat "$folder/row"; wrong=1; }
  grep -qxFf "$folder/row" stdlib/PLANNING.md || { cat "$folder/row"; wrong=1; }
}

size 24 2304 24 1 1 32 512 137 16 1
size 32 3072 30 2 1 64 512 138 16 1
size 32 4096 36 4 1 128 512 142 16 1
size 48 6144 40 8 1 256 1024 135 8 1
size 64 8192 48 8 2 512 1536 138 4 1
size 80 10240 60 8 4 1024 1792 140 2 3
size 96 12288 80 8 8 1536 2304 148 2 2
size 128 16384 96 8 16 1920 2160 155 1 2
size 128 20480 105 8 35 2520 2520 163 1 3
size 160 25600 128 8 64 3072 3072 163 1 1
exit $wrong
