"""Peer of ../../../examples/m4.mtf: the same Transformer, dense or with a mixture of experts in every other layer, trained in PyTorch
on the same ids for as many steps of the same size, and tried by the same beam search.

    mtf run ../m4_ids.mtf --set corpus=DIR > ids.txt
    m4.py ids.txt found.txt [--experts 8] [--steps 600] [--seed 1] [--threads 1]
    mtf run ../m4_bleu.mtf --set corpus=DIR --set file=found.txt

Prints losses and the seconds of processor time that training took."""
import argparse
import json
import math
import random
import time

import torch
import torch.nn as nn
import torch.nn.functional as F

BATCH, LENGTH, WIDTH, HEADS, LAYERS, INNER, GROUPS, WORDS, RATE = 64, 32, 128, 4, 4, 256, 16, 3000, 0.1
LR, WARM, SMOOTHING, BALANCE, FACTOR = 0.002, 200, 0.1, 0.01, 1.25
SOME, BEAM, PENALTY = 20, 4, 0.6
parser = argparse.ArgumentParser()
parser.add_argument("ids")
parser.add_argument("found")
parser.add_argument("--experts", type=int, default=8, help="0: a dense model that computes as much for a token")
parser.add_argument("--steps", type=int, default=600)
parser.add_argument("--seed", type=int, default=1)
parser.add_argument("--threads", type=int, default=1)
options = parser.parse_args()
torch.set_num_threads(options.threads)
torch.manual_seed(options.seed)
random.seed(options.seed)
INNER_DENSE = INNER if options.experts else 3 * INNER // 2
FINISH = 0.02 / math.sqrt(2 * LAYERS)


def drawn(*shape, stddev=0.02):
    return nn.Parameter(torch.randn(*shape) * stddev)


class Norm(nn.LayerNorm):
    def __init__(self):
        super().__init__(WIDTH, eps=1e-6)


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.ParameterList([drawn(WIDTH, WIDTH), drawn(WIDTH, WIDTH), drawn(WIDTH, WIDTH), drawn(WIDTH, WIDTH, stddev=FINISH)])
        self.b = nn.ParameterList([nn.Parameter(torch.zeros(WIDTH)) for _ in range(4)])

    def forward(self, x, source, shown):
        """`shown`: where a query may look, of [batch, 1, queries or 1, places]."""
        q, k, v = (self.heads(y @ self.w[i] + self.b[i]) for i, y in enumerate((x, source, source)))
        scores = (q @ k.transpose(-2, -1)) / math.sqrt(WIDTH // HEADS)
        mixed = torch.softmax(scores.masked_fill(~shown, -1e30), -1) @ v
        return mixed.transpose(1, 2).reshape(x.shape) @ self.w[3] + self.b[3]

    @staticmethod
    def heads(x):
        return x.view(*x.shape[:-1], HEADS, WIDTH // HEADS).transpose(1, 2)


class FeedForward(nn.Module):
    def __init__(self):
        super().__init__()
        self.up, self.up_b = drawn(WIDTH, INNER_DENSE), nn.Parameter(torch.zeros(INNER_DENSE))
        self.down, self.down_b = drawn(INNER_DENSE, WIDTH, stddev=FINISH), nn.Parameter(torch.zeros(WIDTH))

    def forward(self, x, counted):
        return F.gelu(x @ self.up + self.up_b, approximate="tanh") @ self.down + self.down_b


class Experts(nn.Module):
    """GShard's layer (Algorithm 1), dispatch and combine as products with ones and zeros. A second choice that is not made takes a
    slot all the same."""

    def __init__(self):
        super().__init__()
        self.gate = drawn(WIDTH, options.experts)
        self.up, self.up_b = drawn(options.experts, WIDTH, INNER), nn.Parameter(torch.zeros(options.experts, 1, INNER))
        self.down = drawn(options.experts, INNER, WIDTH, stddev=FINISH)
        self.down_b = nn.Parameter(torch.zeros(options.experts, 1, WIDTH))
        self.loss = None

    def forward(self, x, counted):
        groups = GROUPS if counted is not None else 1
        y = x.reshape(groups, -1, WIDTH)
        tokens = y.shape[1]
        counted = torch.ones(groups, tokens) if counted is None else counted.reshape(groups, tokens).float()
        gates = torch.softmax(y @ self.gate, -1)
        gate, expert = gates.topk(2, -1)
        share = gate / gate.sum(-1, keepdim=True)
        made = counted.bool(), counted.bool()
        if self.training:
            made = made[0], made[1] & (share[..., 1] > 0.5 * torch.rand(groups, tokens))
        slots = min(tokens, max(1, int(2 * tokens * FACTOR / options.experts)))
        before, combine = torch.zeros(groups, 1, options.experts), 0
        for choice in (0, 1):
            asks = F.one_hot(expert[..., choice], options.experts) * counted[..., None]
            slot = ((asks.cumsum(1) - asks + before) * asks).sum(-1).long()
            before = before + asks.sum(1, keepdim=True)
            weight = share[..., choice] * (made[choice] & (slot < slots))
            combine = combine + (weight[..., None] * asks)[..., None] * F.one_hot(slot.clamp(max=slots - 1), slots)[:, :, None]
            if choice == 0:
                number = counted.sum(1, keepdim=True).clamp(min=1)
                means = (gates * counted[..., None]).sum(1) / number
                self.loss = ((asks.sum(1) / number * means).sum(-1) * options.experts).mean()
        sent = torch.einsum("gtes,gtm->egsm", (combine > 0).float(), y).reshape(options.experts, -1, WIDTH)
        h = F.gelu(sent @ self.up + self.up_b, approximate="tanh") @ self.down + self.down_b
        return torch.einsum("gtes,egsm->gtm", combine, h.view(options.experts, groups, slots, WIDTH)).reshape(x.shape)


class Layer(nn.Module):
    def __init__(self, number, reads):
        super().__init__()
        self.norms = nn.ModuleList([Norm(), Norm() if reads else nn.Identity(), Norm()])
        self.attention, self.cross = Attention(), Attention() if reads else None
        self.feed_forward = Experts() if options.experts and number % 2 == 1 else FeedForward()
        self.drop = nn.Dropout(RATE)

    def forward(self, x, shown, counted, source=None, source_shown=None):
        y = self.norms[0](x)
        x = x + self.drop(self.attention(y, y, shown))
        if self.cross is not None:
            x = x + self.drop(self.cross(self.norms[1](x), source, source_shown))
        return x + self.drop(self.feed_forward(self.norms[2](x), counted))


class Half(nn.Module):
    """An encoder, or a decoder that reads what one gave."""

    def __init__(self, vocab, reads):
        super().__init__()
        self.table, self.places = drawn(vocab, WIDTH), drawn(LENGTH, WIDTH)
        self.layers, self.norm = nn.ModuleList([Layer(i, reads) for i in range(LAYERS)]), Norm()
        self.drop = nn.Dropout(RATE)

    def forward(self, ids, shown, counted, source=None, source_shown=None):
        x = self.drop(self.table[ids] + self.places[: ids.shape[1]])
        for layer in self.layers:
            x = layer(x, shown, counted, source, source_shown)
        return self.norm(x)


class Translator(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder, self.decoder = Half(3 * WORDS, False), Half(WORDS, True)

    def read(self, source):
        shown = (source != 0)[:, None, None]
        return self.encoder(source, shown, source != 0), shown

    def write(self, target, read, shown, counted):
        causal = torch.ones(target.shape[1], target.shape[1], dtype=torch.bool).tril()
        return self.decoder(target, causal, counted, read, shown) @ self.decoder.table.T

    def forward(self, source, target):
        return self.write(target, *self.read(source), target != 0)


def padded(rows):
    return torch.tensor([row + [0] * (LENGTH - len(row)) for row in rows])


def train(net, pairs):
    optimizer = torch.optim.Adam(net.parameters(), LR, betas=(0.9, 0.98))
    step, begun = 0, time.process_time()
    while step < options.steps:
        random.shuffle(pairs)
        for i in range(0, len(pairs) - BATCH + 1, BATCH):
            batch = pairs[i : i + BATCH]
            source, before = padded([s for s, _ in batch]), padded([[1] + t for _, t in batch])
            after = padded([t + [2] for _, t in batch])
            loss = F.cross_entropy(net(source, before).view(-1, WORDS), after.view(-1), ignore_index=0, label_smoothing=SMOOTHING)
            total = loss + BALANCE * sum(m.loss for m in net.modules() if isinstance(m, Experts))
            for group in optimizer.param_groups:
                group["lr"] = LR * min((step + 1) / WARM, math.sqrt(WARM / (step + 1)))
            optimizer.zero_grad(set_to_none=True)
            total.backward()
            nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            optimizer.step()
            if step % 50 == 0 or step == options.steps - 1:
                print(f"step {step}: loss {loss.item():.2f}", flush=True)
            step += 1
            if step == options.steps:
                break
    print(f"{time.process_time() - begun:.0f} s of processor time")


@torch.no_grad()
def translated(net, sources):
    """The best of each beam, behind its first token; whole prefixes are read again for each token."""
    rows = len(sources)
    read, shown = net.read(padded(sources))
    read, shown = read.repeat_interleave(BEAM, 0), shown.repeat_interleave(BEAM, 0)
    ids = torch.full((rows, BEAM, 1), 1)
    scores = torch.tensor([0.0] + [-1e9] * (BEAM - 1)).repeat(rows, 1)
    done, lengths = torch.zeros(rows, BEAM, dtype=torch.bool), torch.ones(rows, BEAM)
    idle = torch.full((WORDS,), -1e9)
    idle[0] = 0
    for _ in range(LENGTH - 1):
        logits = net.write(ids.view(rows * BEAM, -1), read, shown, None)[:, -1]
        steps = torch.where(done[..., None], idle, torch.log_softmax(logits, -1).view(rows, BEAM, WORDS))
        scores, chosen = (scores[..., None] + steps).view(rows, -1).topk(BEAM, -1)
        parent, token = chosen // WORDS, chosen % WORDS
        ids = torch.cat([ids.gather(1, parent[..., None].expand(-1, -1, ids.shape[2])), token[..., None]], 2)
        was_done = done.gather(1, parent)
        lengths = lengths.gather(1, parent) + (~was_done).float()
        done = was_done | (token == 2)
    best = (scores / ((5 + lengths) / 6) ** PENALTY).argmax(-1)
    return [ids[row, at, 1:].tolist() for row, at in enumerate(best)]


pairs, tried = [], []
for line in open(options.ids):
    source, target = json.loads(line)
    if target:
        if len(target) < LENGTH:
            pairs.append((source[:LENGTH], target))
    else:
        tried.append(source[:LENGTH])
net = Translator()
print(f"{len(pairs)} pairs, {sum(p.numel() for p in net.parameters())} weights")
train(net, pairs)
net.eval()
with open(options.found, "w") as file:
    for i in range(0, len(tried), SOME):
        for ids in translated(net, tried[i : i + SOME]):
            file.write(" ".join(map(str, ids)) + "\n")
