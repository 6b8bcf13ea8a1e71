"""Peer of ../convolution_bench.cpp: computes the layers whose benchmarks' names are given, in PyTorch on one thread. Prints the median seconds of each as JSON."""
import json
import re
import statistics
import sys
import time

import torch

SECONDS = 0.1  # of each layer
torch.set_num_threads(1)
torch.manual_seed(0)


def layer(name):
    """What computes the layer once."""
    sizes = {key: int(value) for key, value in re.findall(r"(\w+):(\d+)", name)}
    taps, stride = sizes["taps"], sizes["stride"]
    order = torch.channels_last if "channels_last" in name else torch.contiguous_format
    x = torch.randn(sizes["batch"], sizes["in"], sizes["size"], sizes["size"]).contiguous(memory_format=order)
    w = torch.randn(sizes["out"], sizes["in"], taps, taps).contiguous(memory_format=order)
    if "/output_" in name:
        return lambda: torch.nn.functional.conv2d(x, w, stride=stride, padding=taps // 2)
    dy = torch.randn_like(torch.nn.functional.conv2d(x, w, stride=stride, padding=taps // 2)).contiguous(memory_format=order)
    asked = ["/input_" in name, "/window_" in name, False]
    return lambda: torch.ops.aten.convolution_backward(dy, x, w, None, [stride] * 2, [taps // 2] * 2, [1, 1], False, [0, 0], 1, asked)


def seconds(compute):
    compute()
    times, end = [], time.perf_counter() + SECONDS
    while time.perf_counter() < end or len(times) < 3:
        start = time.perf_counter()
        compute()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


print(json.dumps({name: seconds(layer(name)) for name in sys.argv[1:]}))
