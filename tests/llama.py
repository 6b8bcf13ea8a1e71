#!/usr/bin/env python3
"""tests/llama.py MTF: a script writes the weights of a Llama under their published names, loads them and prints its logits; they are those
that NumPy alone computes from the file. Without NumPy it is skipped."""
import json
import pathlib
import struct
import subprocess
import sys
import tempfile

try:
    import numpy
except ImportError:
    sys.exit(77)


def tensors_of(path):
    with open(path, "rb") as file:
        length = struct.unpack("<Q", file.read(8))[0]
        header = json.loads(file.read(length))
        data = file.read()
    return {name: numpy.frombuffer(data[slice(*tensor["data_offsets"])], numpy.float32).reshape(tensor["shape"]).astype(numpy.float64)
            for name, tensor in header.items() if name != "__metadata__"}


HEADS, KEY_HEADS, BASE, EPSILON = 4, 2, 500000.0, 0.00001  # as in the script
TEXTS = [[(3 * text + 5 * place) % 11 for place in range(7)] for text in range(2)]

script = pathlib.Path(__file__).parent / "llama.mtf"
with tempfile.TemporaryDirectory() as folder:
    path = folder + "/llama.safetensors"
    printed = subprocess.run([sys.argv[1], "run", script, "--set", f"path={path}"], capture_output=True, text=True, check=True).stdout
    weights = tensors_of(path)


def norm(x, name):
    return x / numpy.sqrt((x * x).mean(-1, keepdims=True) + EPSILON) * weights[name]


def turned(x):
    """x by place, head and feature: each pair of features, i and i + half, is turned by the place."""
    half = x.shape[-1] // 2
    angle = numpy.arange(x.shape[0])[:, None, None] * BASE ** (-numpy.arange(half) / half)
    first, second = x[..., :half], x[..., half:]
    return numpy.concatenate([first * numpy.cos(angle) - second * numpy.sin(angle), second * numpy.cos(angle) + first * numpy.sin(angle)], -1)


def attention(x, at):
    def split(name, count):
        return (x @ weights[at + name].T).reshape(len(x), count, -1)

    q, k, v = turned(split("q_proj.weight", HEADS)), turned(split("k_proj.weight", KEY_HEADS)), split("v_proj.weight", KEY_HEADS)
    found = numpy.zeros_like(q)
    for head in range(HEADS):
        group = head // (HEADS // KEY_HEADS)
        scores = q[:, head] @ k[:, group].T / numpy.sqrt(q.shape[-1])
        scores[numpy.triu_indices(len(x), 1)] = -numpy.inf
        shares = numpy.exp(scores - scores.max(-1, keepdims=True))
        found[:, head] = shares / shares.sum(-1, keepdims=True) @ v[:, group]
    return found.reshape(len(x), -1) @ weights[at + "o_proj.weight"].T


def feed_forward(x, at):
    gate = x @ weights[at + "gate_proj.weight"].T
    return (gate / (1 + numpy.exp(-gate)) * (x @ weights[at + "up_proj.weight"].T)) @ weights[at + "down_proj.weight"].T


def logits(text):
    x = weights["model.embed_tokens.weight"][text]
    layer = 0
    while f"model.layers.{layer}.input_layernorm.weight" in weights:
        at = f"model.layers.{layer}."
        x = x + attention(norm(x, at + "input_layernorm.weight"), at + "self_attn.")
        x = x + feed_forward(norm(x, at + "post_attention_layernorm.weight"), at + "mlp.")
        layer += 1
    return norm(x, "model.norm.weight") @ weights["lm_head.weight"].T


rows = [[float(number) for number in line.split()] for line in printed.splitlines()[:-1]]
far = numpy.abs(numpy.array(rows) - numpy.concatenate([logits(text) for text in TEXTS])).max()
if far > 0.0001:
    sys.exit(f"a logit differs by {far} from NumPy's")
