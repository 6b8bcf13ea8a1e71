#!/usr/bin/env bash
# tests/descriptions.sh MTF: examples/llm.mtf makes models with the published numbers of weights, and every split of a small
# one trains to the same losses.
set -u
mtf=$1 wrong=0
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# expect WANTED OPTION...
expect() {
  local wanted=$1 found
  shift
  found=$("$mtf" run examples/llm.mtf "$@" 2>&1)
  [ "$found" = "$wanted" ] || { printf '%s: expected\n%s\nfound\n%s\n' "$*" "$wanted" "$found"; wrong=1; }
}

# refuse MESSAGE OPTION...
refuse() {
  local message=$1 found
  shift
  found=$("$mtf" check examples/llm.mtf "$@" 2>&1) && { echo "$*: was accepted"; wrong=1; }
  grep -qF "$message" <<<"$found" || { printf '%s: expected %s, found\n%s\n' "$*" "$message" "$found"; wrong=1; }
}

expect "124439808 weights, of which a token uses 124439808" --set config=examples/configs/gpt2.json --set tokens=1024
expect "8030261248 weights, of which a token uses 8030261248" --set config=examples/configs/llama3_8b.json
expect "8190735360 weights, of which a token uses 8190735360" --set config=examples/configs/qwen3_8b.json
expect "46702792704 weights, of which a token uses 12879925248" --set config=examples/configs/mixtral_8x7b.json
expect "671026419200 weights, of which a token uses 37552297472" --set config=examples/configs/deepseek_v3.json
# Qwen 2 7B has biases of queries, keys and values alone.
sed 's/"qwen3"/"qwen2"/; s/12288/18944/; s/: 4096/: 3584/; s/: 36,/: 28,/; s/: 32,/: 28,/; s/heads": 8/heads": 4/; s/151936/152064/' \
  examples/configs/qwen3_8b.json >"$folder/qwen2_7b.json"
expect "7615616512 weights, of which a token uses 7615616512" --set config="$folder/qwen2_7b.json"

cat >"$folder/small.json" <<'JSON'
{"model_type": "llama", "hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 4, "num_attention_heads": 8,
 "num_key_value_heads": 4, "vocab_size": 512, "max_position_embeddings": 256, "tie_word_embeddings": true}
JSON
small=(--set config="$folder/small.json" --set steps=2 --set tokens=32)
whole=$("$mtf" run examples/llm.mtf "${small[@]}")
grep -q "^step 1: loss 6\." <<<"$whole" || { printf 'the small model does not train:\n%s\n' "$whole"; wrong=1; }
expect "$whole" "${small[@]}" --set dp=4 --set zero=3
expect "$whole" "${small[@]}" --set dp=2 --set tp=2 --set zero=1
expect "$whole" "${small[@]}" --set dp=2 --set pp=2 --set micro=4
expect "$whole" "${small[@]}" --set tp=4 --set recompute=full
expect "$whole" "${small[@]}" --set tp=2 --set cp=2 --set micro=4
expect "$whole" "${small[@]}" --set dp=2 --set tp=2 --set zero=1 --set micro=2 --set sequence=false
expect "$whole" "${small[@]}" --set dp=4 --set zero=3 --set micro=2
expect "$whole" "${small[@]}" --set dp=4 --set zero=2 --set micro=2
expect "$whole" "${small[@]}" --set dp=4 --set micro=4

# serves WANTED OPTION...: a line of the answers
serves() {
  local wanted=$1 found
  shift
  found=$("$mtf" run examples/llm.mtf --set config="$folder/small.json" --set serve=true --set tokens=32 "$@" 2>&1)
  grep -qF "$wanted" <<<"$found" || { printf '%s: expected %s, found\n%s\n' "$*" "$wanted" "$found"; wrong=1; }
}
serves "after a token: true" --set dp=2 --set tp=2
serves "and 256 bytes of keys and values for a token" --set tp=2
# No memory, no texts.
serves "of 0 GB, texts of 0 tokens fit" --set memory=0

refuse "expected pp=1, cp=1 and steps=0 to serve, found pp=2" --set serve=true --set pp=2
refuse "expected a tp that divides 32 heads, found 3" --set tp=3
refuse "these do: [1, 2, 4, 8, 16, 32]" --set tp=3
refuse "expected a dp that divides 16 sequences, found 3; these do: [1, 2, 4, 8, 16]" --set dp=3
refuse "expected dp * micro to divide 16 sequences, found 2 * 3; with dp=2 these do: [1, 2, 4, 8]" --set dp=2 --set micro=3
refuse "expected a cp that divides 2048 tokens, found 3" --set cp=3
refuse "expected ep=1, as there are no experts, found 2" --set dp=2 --set ep=2
refuse "expected an ep that divides dp, 8, found 3; these do: [1, 2, 4, 8]" --set config=examples/configs/mixtral_8x7b.json --set dp=8 --set ep=3
refuse "expected an ep that divides 8 experts, found 16; these do: [1, 2, 4, 8]" --set config=examples/configs/mixtral_8x7b.json --set dp=16 --set ep=16
refuse "expected dp, tp, pp, ep, cp and micro of at least 1, found 0" --set micro=0
refuse "did you mean \`tp\`?" --set tpp=2
refuse "expected at most 32 stages, as many as layers, found 64" --set pp=64
refuse "expected at most 8192 tokens, found 9000" --set tokens=9000
refuse "expected zero to be 0, 1, 2 or 3, found 4" --set zero=4
exit $wrong
