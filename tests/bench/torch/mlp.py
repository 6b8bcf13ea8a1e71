"""Peer of ../mlp.mtf: the training step of a 784-1024-10 network with SGD in PyTorch, on one thread. Prints the median of a
step's seconds as JSON."""
import json
import statistics
import time

import torch
import torch.nn.functional as F

BATCH, PIXELS, HIDDEN, CLASSES, STEPS = 256, 784, 1024, 10, 60
torch.set_num_threads(1)
torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(PIXELS, HIDDEN), torch.nn.ReLU(), torch.nn.Linear(HIDDEN, CLASSES))
optimizer = torch.optim.SGD(net.parameters(), 0.1)
x, y = torch.rand(BATCH, PIXELS), torch.randint(0, CLASSES, (BATCH,))
times, losses = [], []
for _ in range(STEPS):
    start = time.perf_counter()
    optimizer.zero_grad(set_to_none=True)
    loss = F.cross_entropy(net(x), y)
    loss.backward()
    optimizer.step()
    times.append(time.perf_counter() - start)
    losses.append(loss.item())
if not losses[-1] < losses[0]:
    raise SystemExit(f"the loss does not fall: {losses[0]}, later {losses[-1]}")
print(json.dumps({"wall": statistics.median(times[5:])}))
