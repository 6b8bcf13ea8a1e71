"""Peer of ../attention.mtf: one forward and backward pass of causal attention in PyTorch, on one thread, as a matrix of
scores in memory; with --bf16 under autocast. Prints the median of a pass's seconds as JSON."""
import json
import statistics
import sys
import time

import torch

HEADS, LENGTH, SIZE, TURNS = 8, 2048, 64, 7
torch.set_num_threads(1)
torch.manual_seed(0)
q, k, v = (torch.randn(1, HEADS, LENGTH, SIZE, requires_grad=True) for _ in range(3))
hidden = torch.triu(torch.ones(LENGTH, LENGTH, dtype=torch.bool), 1)
times = []
for _ in range(TURNS):
    for x in (q, k, v):
        x.grad = None
    start = time.perf_counter()
    with torch.autocast("cpu", torch.bfloat16, enabled="--bf16" in sys.argv):
        scores = (q @ k.transpose(-2, -1)) * SIZE**-0.5
        weights = torch.softmax(scores.masked_fill(hidden, float("-inf")), -1)
        y = weights @ v
    y.float().square().sum().backward()
    times.append(time.perf_counter() - start)
print(json.dumps({"wall": statistics.median(times[2:])}))
