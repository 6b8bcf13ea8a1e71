#!/usr/bin/env python3
"""Each function and model of the standard library stands in a script of tests/scripts/infinities, or here with a reason."""
import pathlib
import re
import sys

LEFT_OUT = {
    "they are sums of products, in which 0 times NaN is NaN":
        "nn.Dense nn.Gated nn.LSTM nn.GRU nn.Attention nn.LatentAttention nn.FeedForward nn.GatedFeedForward nn.Embedding nn.Positions vision transformer",
    "they compute with whole numbers, files, strings or sizes alone":
        "checkpoint data logs metrics.bleu nn.causal_mask nn.padding_mask nn.segment_mask nn.RelativeBias nn.sinusoid "
        "nn.rotary nn.within nn.Beams moe.capacity moe.Routes init optim.is_matrix optim.every",
    "they are other functions in a loop": "decode.sample decode.greedy metrics.windowed_loss optim.gradients",
}

left_out = {name for names in LEFT_OUT.values() for name in names.split()}
tried = set()
for script in pathlib.Path("tests/scripts/infinities").glob("*.mtf"):
    tried |= set(re.findall(r"\b\w+\.\w+(?=\()", script.read_text()))
wrong = []
for path in sorted(pathlib.Path("stdlib").glob("*.mtf")):
    if path.stem in left_out:
        continue
    # A function of the module's own has no documentation.
    for name in re.findall(r"^## .*\n(?:fn|model) (\w+)", path.read_text(), re.MULTILINE):
        if f"{path.stem}.{name}" not in tried | left_out:
            wrong.append(f"{path}: `{name}` stands in no script of tests/scripts/infinities")
if wrong:
    print("\n".join(wrong))
sys.exit(bool(wrong))
