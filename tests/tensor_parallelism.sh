#!/usr/bin/env bash
# tests/tensor_parallelism.sh MTF: plans a GPT of 1.2 B weights on 1, 2, 4 and 8 V100s, with 8 sequences in all, and compares how many times
# as fast a step becomes with what Shoeybi et al. 2019 (Megatron-LM) measured, appendix D.2. Prints the rows that the table in
# stdlib/PLANNING.md does not have. The machine is made of published figures of a V100:
# - products: up to 83 TFLOP/s by cuBLAS (Markidis et al. 2018, NVIDIA Tensor Core Programmability, Performance & Precision)
# - memory: 790 GB/s of 900 (Warburton 2018, Rough-n-Ready Roofline: NVIDIA V100 edition, paranumal.com)
# - NVSwitch: 300 GB/s between GPUs, which are 150 each way (Shoeybi et al., section 5); starts of kernels: as of h100
set -u
mtf=$1 wrong=0
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/v100.json" <<'END'
{"name": "V100 SXM3 32 GB, nodes of 16 (DGX-2H)", "peak": {"bf16": 1.3e14}, "flops": {"bf16": 8.3e13}, "memory": 3.2e10,
  "memory_bandwidth": 7.9e11, "step": 5.9e-6, "bandwidth": 1.5e11, "fuses": false, "stores_scores": true}
END
printf '{"model_type": "gpt2", "n_head": 16, "n_embd": 1536, "n_layer": 40, "n_positions": 1024, "layer_norm_epsilon": 1e-5,
  "vocab_size": 51200}' >"$folder/config.json"

# gpus TENSOR SPEEDUP
gpus() {
  "$mtf" plan examples/llm.mtf --set config="$folder/config.json" --set steps=1 --set sequences=8 --set tokens=1024 --set tp="$1" \
    --set recompute=full --set sequence=false --set dropout=0.1 --machine "$folder/v100.json" --json >"$folder/$1.json"
  python3 -c '
import json, sys
seconds = [json.load(open(path))["seconds"]["in all"] for path in sys.argv[3:]]
found, measured = seconds[0] / seconds[1], float(sys.argv[2])
share = 100 * found / measured - 100
print(f"| {sys.argv[1]} | {seconds[1]:.3g} | {found:.2f} | {measured:.2f} | {share:+.0f}% |")
if abs(share) > 12: sys.exit("too far from what was measured")
' "$@" "$folder/1.json" "$folder/$1.json" >"$folder/row" || { cat "$folder/row"; wrong=1; }
  grep -qxFf "$folder/row" stdlib/PLANNING.md || { cat "$folder/row"; wrong=1; }
}

gpus 1 1
gpus 2 1.64
gpus 4 2.34
gpus 8 2.98
exit $wrong
