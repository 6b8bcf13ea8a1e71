"""Peer of ../decode.mtf: GPT-2 of 124 million parameters goes on writing in PyTorch, one thread, with keys and values of all places
in tensors that are made once.

    decode.py [--length 65] [--bf16]

Prints JSON: the median of a token's seconds, and the MiB of the process."""
import argparse
import json
import resource
import statistics
import time

import torch
import torch.nn.functional as F

LAYERS, WIDTH, HEADS, HIDDEN, VOCAB = 12, 768, 12, 3072, 50257
parser = argparse.ArgumentParser()
parser.add_argument("--length", type=int, default=65)
parser.add_argument("--bf16", action="store_true")
options = parser.parse_args()
torch.set_num_threads(1)
torch.manual_seed(0)
element = torch.bfloat16 if options.bf16 else torch.float32
normal = lambda *shape: (torch.randn(*shape) * 0.02).to(element)


class Layer:
    def __init__(self):
        self.qkv, self.qkv_offset = normal(3 * WIDTH, WIDTH), normal(3 * WIDTH)
        self.out, self.out_offset = normal(WIDTH, WIDTH), normal(WIDTH)
        self.up, self.up_offset = normal(HIDDEN, WIDTH), normal(HIDDEN)
        self.down, self.down_offset = normal(WIDTH, HIDDEN), normal(WIDTH)
        self.scales, self.offsets = torch.ones(2, WIDTH, dtype=element), torch.zeros(2, WIDTH, dtype=element)
        self.keys, self.values = (torch.zeros(1, HEADS, options.length, WIDTH // HEADS, dtype=element) for _ in range(2))

    def norm(self, x, which):
        return F.layer_norm(x, (WIDTH,), self.scales[which], self.offsets[which], 1e-5)

    def step(self, x, place):
        q, k, v = (y.view(1, HEADS, 1, WIDTH // HEADS) for y in F.linear(self.norm(x, 0), self.qkv, self.qkv_offset).split(WIDTH, -1))
        self.keys[:, :, place:place + 1], self.values[:, :, place:place + 1] = k, v
        weights = F.softmax(q @ self.keys[:, :, :place + 1].transpose(-2, -1) / (WIDTH // HEADS) ** 0.5, -1)
        x = x + F.linear((weights @ self.values[:, :, :place + 1]).reshape(1, WIDTH), self.out, self.out_offset)
        return x + F.linear(F.gelu(F.linear(self.norm(x, 1), self.up, self.up_offset), approximate="tanh"), self.down, self.down_offset)


with torch.no_grad():
    table, positions, layers = normal(VOCAB, WIDTH), normal(options.length, WIDTH), [Layer() for _ in range(LAYERS)]
    token, walls = torch.zeros(1, dtype=torch.long), []
    for place in range(options.length - 1):
        begin = time.perf_counter()
        x = table[token] + positions[place]
        for layer in layers:
            x = layer.step(x, place)
        token = F.linear(F.layer_norm(x, (WIDTH,), eps=1e-5), table).argmax(-1)
        walls.append(time.perf_counter() - begin)
print(json.dumps({"wall": statistics.median(walls[3:]), "MiB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}))
