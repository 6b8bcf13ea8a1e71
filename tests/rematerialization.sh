#!/usr/bin/env bash
# tests/rematerialization.sh MTF: with `--memory BYTES --remat` a program has the same results, a plan is within its limit, and
# takes no more FLOPs than `recompute` by hand with the same peak. Prints the curves of peak against FLOPs.
set -u
mtf=$1 wrong=0
chain=tests/rematerialization/chain.mtf drops=tests/rematerialization/drops.mtf unet=tests/rematerialization/unet.mtf
stacked=tests/rematerialization/stacked.mtf
gpt2=(examples/llm.mtf --set config=examples/configs/gpt2.json --set zero=1 --set steps=1 --set tokens=1024 --set sequences=8)

# cost OPTION...: peak in bytes, and FLOPs
cost() {
  "$mtf" plan "$@" --json | python3 -c 'import json, sys; t = json.load(sys.stdin)["totals"]; print(t["peak_bytes"], t["flops"])'
}

# row NAME PEAK FLOPS
row() { python3 -c 'import sys; print("| %s | %.1f | %.2f |" % (sys.argv[1], int(sys.argv[2]) / 2**20, int(sys.argv[3]) / 1e9))' "$@"; }

# beats SCRIPT_AND_OPTIONS... -- BY_HAND...: as little memory as by hand, for no more FLOPs
beats() {
  local script=() peak flops
  while [ "$1" != -- ]; do script+=("$1") && shift; done
  shift
  read -r peak flops < <(cost "${script[@]}" "$@")
  row "by hand: $*" "$peak" "$flops"
  read -r found more < <(cost "${script[@]}" --memory "$peak" --remat)
  row "automatic" "$found" "$more"
  [ "$found" -le "$peak" ] && [ "$more" -le "$flops" ] || { echo "more than by hand: ${script[*]} $*"; wrong=1; }
}

# fits LIMIT SCRIPT_AND_OPTIONS...
fits() {
  local limit=$1
  shift
  read -r found flops < <(cost "$@" --memory "$limit" --remat)
  row "at most $limit" "$found" "$flops"
  [ "$found" -le "$limit" ] || { echo "does not fit: $*"; wrong=1; }
}

# same SCRIPT LIMIT OPTION...: prints what it prints without a limit, on one rank
same() {
  local script=$1 limit=$2
  shift 2
  diff <("$mtf" run "$script" "$@") <("$mtf" run "$script" "$@" --memory "$limit" --remat) || { echo "$script $limit"; wrong=1; }
}

echo "| a chain of 1000 layers | MiB | GFLOPs |"
for segment in 10 32 100; do beats "$chain" --set layers=1000 -- --set segment=$segment; done
for limit in 200000000 100000000 50000000 25000000; do fits $limit "$chain" --set layers=1000; done
fits 400000000 "$chain" --set layers=10000
echo "| a U-Net | MiB | GFLOPs |"
for by_hand in pairs levels; do beats "$unet" -- --set by_hand=$by_hand; done
for limit in 4000000 3500000 3000000; do fits $limit "$unet"; done
echo "| a stacked transformer | MiB | GFLOPs |"
beats "$stacked" -- --set by_hand=true
beats "$stacked" --set layers=48 -- --set by_hand=true
for limit in 18000000 14000000 12000000 10500000; do fits $limit "$stacked"; done
echo "| GPT-2 124M | MiB | GFLOPs |"
beats "${gpt2[@]}" -- --set recompute=full
for limit in 6000000000 5500000000 5000000000 4500000000 4000000000; do fits $limit "${gpt2[@]}"; done
for limit in 20000000 10000000 6000000; do same "$chain" $limit; done
for limit in 4000000 3000000; do same "$unet" $limit; done
for limit in 7000000 5000000 4000000 3000000; do
  same "$drops" $limit
  same "$drops" $limit --mesh "p:2;q:2" --layout "batch:p;hidden:q"
done
for limit in 14000000 9500000 5000000; do
  same "$stacked" $limit --set steps=3 --set rate=0.1
  same "$stacked" $limit --set steps=3 --set rate=0.1 --mesh "p:2;q:2" --layout "batch:p;hidden:q"
  same "$stacked" $limit --set steps=2 --mesh "p:2;q:2" --layout "batch:p;heads:q;inner:q;vocab:q"
done

# says TEXT COMMAND...: the command prints the text
says() {
  local text=$1
  shift
  "$@" 2>&1 | grep -qF -- "$text" || { echo "not said: $text: $*"; wrong=1; }
}

says "are missing, whatever is computed again" "$mtf" plan "$stacked" --memory 5MB --remat
says "the largest values at the peak:" "$mtf" plan "$stacked" --memory 5MB --remat
says "computed again to fit: " "$mtf" plan "$stacked" --memory 12MB --remat
entered=":load $chain
:explain print(sum(grad(sum(several(x, 0, 50)), [w, x])[0]))
:plan print(sum(grad(sum(several(x, 0, 50)), [w, x])[0]))"
[ "$("$mtf" --memory 10MB --remat <<<"$entered" 2>&1 | grep -c "computed again to fit: ")" = 2 ] || { echo "not said at the prompt"; wrong=1; }
exit $wrong
