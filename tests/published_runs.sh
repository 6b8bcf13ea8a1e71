#!/usr/bin/env bash
# tests/published_runs.sh MTF: plans published training runs, and compares the time of a step with the published one. Prints the rows
# that the table in stdlib/PLANNING.md does not have. Sources:
# - Korthikanti et al. 2022 (Reducing Activation Recomputation), tables 3 and 5: sizes of GPT on A100s, seconds of an iteration.
# - Llama Team 2024 (The Llama 3 Herd of Models), table 4: model TFLOP/s a GPU; section 3.3.2: interleaved stages, here of one layer.
# - DeepSeek-AI 2024 (DeepSeek-V3 Technical Report): 180,000 GPU hours for 10¹² tokens, 15,360 sequences of 4,096 tokens a step.
# - Chowdhery et al. 2022 (PaLM), section 4.1: 238,300 tokens a second, 2,048 sequences of 2,048 tokens a step.
# - Lepikhin et al. 2020 (GShard), table 3: 10¹² tokens in 4.0 days, 4 million tokens a step.
# The chunks of Llama 3 are not equal, so its waiting is divided by their number. Stages of mtf have equal chunks.
set -u
mtf=$1 wrong=0
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# run NAME MACHINE CHUNKS s|TFLOP/s PUBLISHED CONFIG OPTION=VALUE...
run() {
  local name=$1 machine=$2 chunks=$3 unit=$4 published=$5 config=$6 set=()
  shift 6
  for each in "$@"; do set+=(--set "$each"); done
  compare "$name" "$machine" "$chunks" "$unit" "$published" "$*" examples/llm.mtf --set config="$config" --set steps=1 "${set[@]}"
}

# compare NAME MACHINE CHUNKS s|TFLOP/s PUBLISHED OPTIONS ARGUMENT...: plans a script with the arguments.
compare() {
  local name=$1 machine=$2 chunks=$3 unit=$4 published=$5 options=$6
  shift 6
  "$mtf" plan "$@" --machine "$machine" --json | python3 -c '
import json, sys
name, machine, chunks, unit, published, options = sys.argv[1:]
machine = machine.split("/")[-1].removesuffix(".json")
plan = json.load(sys.stdin)
idle = plan["seconds"].get("computing: waiting for other stages", 0)
seconds = plan["seconds"]["in all"] - idle * (1 - 1 / float(chunks))
found = seconds if unit == "s" else plan["flops_per_second"] * plan["seconds"]["in all"] / seconds / 1e12
sent = sum(each["wire_bytes"] for each in plan["totals"]["collectives"])
weights, processors = plan["stored"]["parameters"] / 1e9, plan["totals"]["processors"]
peak = plan["totals"]["peak_bytes"] / 2**30
share = 100 * found / float(published) - 100
cells = [name, f"`{options}`", machine, f"{processors:,}", f"{weights:.1f}", f"{peak:,.0f}", f"{sent / 1e9:,.0f}", f"{seconds:.3g}", f"{found:.3g} {unit}", f"{published} {unit}", f"{share:+.0f}%"]
print("| " + " | ".join(cells) + " |")
' "$name" "$machine" "$chunks" "$unit" "$published" "$options" >"$folder/row" || wrong=1
  grep -qxFf "$folder/row" stdlib/PLANNING.md || { cat "$folder/row"; wrong=1; }
}

# gpt HEADS FEATURES LAYERS: a description of GPT
gpt() {
  printf '{"model_type": "gpt2", "n_head": %s, "n_embd": %s, "n_layer": %s, "n_positions": 2048, "layer_norm_epsilon": 1e-5,
    "vocab_size": 51200}' "$@" >"$folder/config.json"
}

# iterations NAME CHUNKS SECONDS-FULL SECONDS-SELECTIVE OPTION=VALUE...
iterations() {
  local name=$1 chunks=$2 full=$3 selective=$4
  shift 4
  if [ "$chunks" != 1 ]; then set -- "$@" chunks="$chunks"; fi
  run "$name" a100_2021 1 s "$full" "$folder/config.json" tp=8 "$@" dropout=0.1 recompute=full sequence=false
  run "$name" a100_2021 1 s "$selective" "$folder/config.json" tp=8 "$@" dropout=0.1 recompute=selective
}

gpt 64 6144 48 && iterations "GPT 22 B" 1 1.42 1.10 sequences=4
gpt 96 12288 96 && iterations "GPT 175 B" 3 18.13 13.75 pp=8 micro=64 sequences=64
gpt 128 20480 105 && iterations "GPT 530 B" 3 49.05 37.83 pp=35 micro=280 sequences=280
gpt 160 25600 128 && iterations "GPT 1 T" 1 94.42 71.49 pp=64 micro=512 sequences=512
llama=examples/configs/llama3_405b.json
run "Llama 3 405B" h100 8 TFLOP/s 430 "$llama" tp=8 pp=16 dp=64 micro=32 sequences=2048 tokens=8192 zero=1
run "Llama 3 405B" h100 8 TFLOP/s 400 "$llama" tp=8 pp=16 dp=128 micro=16 sequences=2048 tokens=8192 zero=1
run "Llama 3 405B" h100 8 TFLOP/s 380 "$llama" tp=8 cp=16 pp=16 dp=8 micro=16 sequences=128 tokens=131072 zero=1
run "DeepSeek-V3" h800 1 s 19.9 examples/configs/deepseek_v3.json dp=512 tp=4 ep=64 sequences=15360 tokens=4096 zero=1 recompute=full

compare "PaLM 540B" tpu_v4 1 s 17.6 "tests/palm.mtf" tests/palm.mtf
# A core of TPU v3. Google Cloud TPU documentation: a chip has two cores, 123 TFLOPS, and 32 GiB with 900 GB/s; the all_reduce bandwidth of
# a pod of 1,024 chips is 340 TB/s, so each of 4 links has 83 GB/s. In an all_to_all over a torus of 32 by 32 chips, a byte takes 16 links
# on average, so that a core sends 4 · 83 / 16 / 2 GB/s.
cat >"$folder/tpu_v3.json" <<'END'
{"name": "a core of TPU v3, torus of 32 by 32 chips", "peak": {"bf16": 6.15e13}, "flops": {"bf16": 6.15e13}, "memory": 1.717987e10,
  "memory_bandwidth": 4.5e11, "bandwidth": 8.3e10, "collectives": {"all_to_all": {"bandwidth": 1.04e10}}}
END
# Without steps, the script plans one.
compare "GShard 600B" "$folder/tpu_v3.json" 1 s 1.45 "examples/experts.mtf" examples/experts.mtf --mesh all:2048 --set steps=0 --set layers=36 \
  --set n_experts=2048 --set n_groups=2048 --set n_batch=4096 --set n_length=1024 --set words=32000 --set n_heads=16 --set hidden=1024 \
  --set inner=8192
exit $wrong
