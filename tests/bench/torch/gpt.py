"""Peer of ../gpt.mtf: the training step of a GPT-2 style character model with AdamW in PyTorch, one thread a process.

    gpt.py [--bf16 autocast|model] [--steps 10] [--sizes LAYERS,WIDTH,HEADS,LENGTH,BATCH,VOCAB]

With WORLD_SIZE, RANK, MASTER_ADDR and MASTER_PORT in the environment it is one of several ranks (DistributedDataParallel
over gloo), each with its part of the batch. `autocast` keeps parameters in f32 and multiplies bf16, as `precision mixed`
does; `model` keeps all in bf16, the optimizer's state too. Rank 0 prints JSON: the median of a step's seconds."""
import argparse
import json
import math
import os
import statistics
import time

import torch
import torch.nn as nn
import torch.nn.functional as F

parser = argparse.ArgumentParser()
parser.add_argument("--bf16", choices=("autocast", "model"))
parser.add_argument("--steps", type=int, default=10)
parser.add_argument("--sizes", default="4,256,4,128,16,65")
options = parser.parse_args()
LAYERS, WIDTH, HEADS, LENGTH, BATCH, VOCAB = map(int, options.sizes.split(","))
torch.set_num_threads(1)
torch.manual_seed(0)
ranks, rank = int(os.environ.get("WORLD_SIZE", 1)), int(os.environ.get("RANK", 0))
hidden = torch.triu(torch.ones(LENGTH, LENGTH, dtype=torch.bool), 1)


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.up, self.down = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, x):
        batch = x.shape[0]
        q, k, v = (y.view(batch, LENGTH, HEADS, WIDTH // HEADS).transpose(1, 2) for y in self.qkv(self.norm1(x)).split(WIDTH, 2))
        scores = (q @ k.transpose(-2, -1)) / math.sqrt(WIDTH // HEADS)
        weights = F.softmax(scores.masked_fill(hidden, float("-inf")), -1)
        x = x + self.out((weights @ v).transpose(1, 2).reshape(batch, LENGTH, WIDTH))
        return x + self.down(F.gelu(self.up(self.norm2(x)), approximate="tanh"))


class Gpt(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding, self.positions = nn.Embedding(VOCAB, WIDTH), nn.Embedding(LENGTH, WIDTH)
        self.blocks, self.norm = nn.Sequential(*[Block() for _ in range(LAYERS)]), nn.LayerNorm(WIDTH)

    def forward(self, ids, targets):
        logits = self.norm(self.blocks(self.embedding(ids) + self.positions.weight)) @ self.embedding.weight.T
        return F.cross_entropy(logits.float().view(-1, VOCAB), targets.view(-1))


net = Gpt()
if options.bf16 == "model":
    net = net.bfloat16()
if ranks > 1:
    torch.distributed.init_process_group("gloo")
    net = nn.parallel.DistributedDataParallel(net)
optimizer = torch.optim.AdamW(net.parameters(), 3e-4)
ids, targets = (torch.randint(0, VOCAB, (BATCH // ranks, LENGTH)) for _ in range(2))
walls = []
for step in range(options.steps + 3):
    if ranks > 1:
        torch.distributed.barrier()
    wall = time.perf_counter()
    optimizer.zero_grad(set_to_none=True)
    with torch.autocast("cpu", torch.bfloat16, enabled=options.bf16 == "autocast"):
        loss = net(ids, targets)
    loss.backward()
    optimizer.step()
    if step >= 3:
        walls.append(time.perf_counter() - wall)
if rank == 0:
    print(json.dumps({"wall": statistics.median(walls)}))
