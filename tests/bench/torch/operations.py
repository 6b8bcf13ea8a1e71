"""Peer of ../operations.py: a line of standard input is [statements, expression, seconds]; the answer, as JSON, the median seconds of the
expression in PyTorch on one thread."""
import json
import statistics
import sys
import time

import torch
import torch.nn.functional as F

torch.set_num_threads(1)
torch.manual_seed(0)
for line in sys.stdin:
    statements, expression, seconds = json.loads(line)
    names = {"torch": torch, "F": F}
    exec(statements, names)
    compute = compile(expression, expression, "eval")
    for _ in range(3):
        result = eval(compute, names)
    if result.isnan().any():
        raise SystemExit(f"{expression} is no number everywhere")
    times, end = [], time.perf_counter() + seconds
    while time.perf_counter() < end or len(times) < 8:
        start = time.perf_counter()
        result = eval(compute, names)
        times.append(time.perf_counter() - start)
    print(json.dumps(statistics.median(times)), flush=True)
