#!/usr/bin/env bash
# tests/measured_runs.sh MTF: plans ten measured runs of a small Llama on H100s, and compares them with the measurements:
# the weights, gradients and states that a processor holds, the peak, and the time of a step. What is held must agree within 5%.
# Memory is that of the first stage, which nanotron gives more layers than others (build_model of its models/base.py): layers until
# they weigh more than a stage's share of all layers and the logits. mtf's stages then have as many layers each. The time is that of a
# backward pass that gathers tokens of a layer again, as nanotron's tp_recompute_allgather does, which is its default.
# Prints the rows that the table in stdlib/PLANNING.md does not have. Source: the benchmark logs of nanotron (Hugging Face,
# 2024), runs of PyTorch without a compiler.
set -u
mtf=$1 wrong=0

# run GPUS DATA TENSOR PIPELINE MICRO-BATCH SECONDS HELD PEAK: the last three were measured, in seconds and MiB.
run() {
  local gpus=$1 dp=$2 tp=$3 pp=$4 size=$5
  local layer=$((4 * 2048 * 2048 + 3 * 2048 * 4096)) logits=$((50257 * 2048))
  local first=$(((24 * layer + logits + pp * layer - 1) / (pp * layer)))
  sed "s/\"num_hidden_layers\": 24/\"num_hidden_layers\": $((pp == 1 ? 24 : first * pp))/" examples/configs/llama_1b.json >"$config"
  local split=(--set tokens=4096 --set sequences=1024
    --set dp="$dp" --set tp="$tp" --set pp="$pp" --set micro=$((1024 / dp / size)))
  local step=(--set steps=1 --set zero=1 --machine h100_eager)
  { "$mtf" plan examples/llm.mtf "${split[@]}" "${step[@]}" --set config=examples/configs/llama_1b.json --set recompute=selective --json | tr '\n' ' ' && echo &&
    "$mtf" plan examples/llm.mtf "${split[@]}" "${step[@]}" --set config="$config" --json | tr '\n' ' ' && echo &&
    "$mtf" plan examples/llm.mtf "${split[@]}" --set config="$config" --json | tr '\n' ' '; } | python3 -c '
import json, sys
gpus, dp, tp, pp, size, seconds, held, peak = map(float, sys.argv[1:])
timed, plan, whole = map(json.loads, sys.stdin.read().strip().split("\n"))
mib = 2**20
# Beside f32 params and states in parts: bf16 weights and f32 gradients of all that a processor computes with.
held_bytes = plan["stored"]["parameter_bytes"] + plan["stored"]["state_bytes"] + whole["stored"]["parameter_bytes"] * 6 / 4
found = [timed["seconds"]["in all"], held_bytes / mib, plan["totals"]["peak_bytes"] / mib]
cells = [f"{gpus:.0f}", f"{dp:.0f}", f"{tp:.0f}", f"{pp:.0f}", f"{size:.0f}"]
for predicted, measured, form in zip(found, (seconds, held, peak), (".3g", ",.0f", ",.0f")):
    cells += [format(predicted, form), format(measured, form), f"{100 * predicted / measured - 100:+.0f}%"]
print("| " + " | ".join(cells) + " |")
limits = (17.5, 5.5, 10.5)
measured = (seconds, held, peak)
if any(abs(100 * f / m - 100) > limit for f, m, limit in zip(found, measured, limits)):
    sys.exit("too far from what was measured")
' "$@" >"$row" || { cat "$row"; wrong=1; }
  grep -qxFf "$row" stdlib/PLANNING.md || { cat "$row"; wrong=1; }
}
row=$(mktemp) config=$(mktemp)
trap 'rm -f "$row" "$config"' EXIT

run 8 4 2 1 8 15.8 4866 43651
run 8 2 4 1 8 18.9 3280 25808
run 8 1 4 2 8 20.3 3049 25707
run 8 2 1 4 4 22.0 4613 39057
run 8 1 8 1 8 26.0 2489 16891
run 8 1 1 8 4 29.2 4717 44034
run 16 4 4 1 16 10.3 2491 47549
run 16 1 4 4 4 17.6 1778 13109
run 64 16 4 1 4 2.84 1888 13153
run 64 32 2 1 2 2.79 3474 13171
exit $wrong
