"""Recipes of recipes/ as people write them in PyTorch: torch_recipes.py NAME N. Without arguments, their names."""
import sys


def layers(count, features=64, hidden=128):
    from torch import nn

    class Layer(nn.Module):
        def __init__(self):
            super().__init__()
            self.up = nn.Linear(features, hidden, bias=False)
            self.down = nn.Linear(hidden, features, bias=False)

        def forward(self, x):
            return x + self.down(nn.functional.gelu(self.up(x)))

    return nn.Sequential(*[Layer() for _ in range(count)])


def batch():
    import torch

    return torch.randn(256, 64)


def loss_of(net):
    return (net(batch()) - 1).square().mean()


def steps(n, net, loss_of, after=lambda loss: None, parameters=None):
    """n steps of Adam on loss_of(net); after(loss) is called after each."""
    import torch

    opt = torch.optim.Adam(net.parameters() if parameters is None else parameters)
    for _ in range(n):
        opt.zero_grad()
        loss = loss_of(net)
        loss.backward()
        opt.step()
        after(loss)


def trained(n, after):
    steps(n, layers(4), loss_of, after)


def shown(loss):
    print(loss.item())


def plain(n):
    trained(n, lambda loss: None)


def printed(n):
    trained(n, shown)


def added_up(n):
    losses = []
    trained(n, lambda loss: losses.append(loss.detach()))
    print(sum(losses).item() / n)


def list_of_losses(n):
    losses = []
    trained(n, lambda loss: losses.append(loss.item()))


def micro_batches(n):
    import torch

    net = layers(4)
    opt = torch.optim.Adam(net.parameters())
    for _ in range(n):
        (loss_of(net) / n).backward()
    opt.step()


def frozen(n):
    import torch

    net = layers(n).requires_grad_(False)
    last = torch.nn.Linear(64, 64)
    steps(3, last, lambda last: (last(net(batch())) - 1).square().mean(), shown)


def evaluation(n):
    import torch

    net = layers(4)
    opt = torch.optim.Adam(net.parameters())
    for _ in range(2):
        opt.zero_grad()
        loss_of(net).backward()
        opt.step()
        with torch.no_grad():
            print((sum(loss_of(net) for _ in range(n)) / n).item())


def gradient_penalty(n):
    import torch

    net = layers(4)
    opt = torch.optim.Adam(net.parameters())
    for _ in range(n):
        opt.zero_grad()
        x = batch().requires_grad_()
        y = net(x).mean()
        (gradient,) = torch.autograd.grad(y, x, create_graph=True)
        loss = (y - 1).square() + gradient.square().mean()
        loss.backward()
        opt.step()
        print(loss.item())


def ema(n):
    import torch

    net = layers(4)
    opt = torch.optim.Adam(net.parameters())
    averages = [torch.zeros_like(p) for p in net.parameters()]
    for _ in range(n):
        opt.zero_grad()
        loss = loss_of(net)
        loss.backward()
        opt.step()
        with torch.no_grad():
            for p, average in zip(net.parameters(), averages):
                average.mul_(0.99).add_(p, alpha=0.01)
        print(loss.item())


def sweep(n):
    import torch

    for k in range(n):
        net = layers(2, 256, 512)
        opt = torch.optim.SGD(net.parameters(), lr=0.001 * (k + 1))
        net(torch.ones(64, 256)).square().mean().backward()
        opt.step()
        print(net(torch.ones(64, 256)).square().mean().item())


def printed_batches(n, loss_of_all):
    import torch

    net = layers(4)
    opt = torch.optim.Adam(net.parameters())
    for _ in range(2):
        opt.zero_grad()
        total = torch.zeros(())
        for _ in range(n):
            loss = loss_of(net)
            (loss / n).backward()
            total += loss.detach()
            if not loss_of_all:
                print(total.item())
        opt.step()
        print(total.item())


def micro_batches_printed(n):
    printed_batches(n, False)


def micro_batches_with_total(n):
    printed_batches(n, True)


def ensemble(n):
    import torch

    nets = [layers(4) for _ in range(n)]
    opts = [torch.optim.SGD(net.parameters(), lr=0.01) for net in nets]
    for _ in range(2):
        x = batch()
        for net, opt in zip(nets, opts):
            opt.zero_grad()
            (net(x) - 1).square().mean().backward()
            opt.step()
        with torch.no_grad():
            print((sum(net(x) for net in nets).mean() / n).item())


def distillation(n):
    import torch

    teacher = layers(8)

    def loss_of_pupil(net):
        x = batch()
        with torch.no_grad():
            aim = teacher(x)
        return (net(x) - aim).square().mean()

    steps(n, layers(4), loss_of_pupil, shown)


def several_losses(n):
    import torch

    net = layers(4)
    opt = torch.optim.Adam(net.parameters())
    for _ in range(n):
        opt.zero_grad()
        y = net(batch())
        a, b, e = (y - 1).square().mean(), y.abs().mean(), y.mean(0).square().mean()
        (a + 0.1 * b + 0.1 * e).backward()
        opt.step()
        print(a.item(), b.item(), e.item())


def norms(n):
    import torch

    net = layers(4)
    opt = torch.optim.Adam(net.parameters())
    for _ in range(n):
        opt.zero_grad()
        loss = loss_of(net)
        loss.backward()
        norm = torch.linalg.vector_norm(torch.stack([p.grad.norm() for p in net.parameters()]))
        opt.step()
        print(loss.item(), norm.item())


def recompute_by_depth(n):
    from torch.utils.checkpoint import checkpoint

    net = layers(n, 64, 512)
    x = batch().requires_grad_()
    for layer in net:
        x = checkpoint(layer, x)
    (x - 0).square().mean().backward()


def embeddings(n):
    import torch

    table = torch.nn.Embedding(4096, 64)
    opt = torch.optim.SGD(table.parameters(), lr=0.01)
    for _ in range(n):
        opt.zero_grad()
        loss = (table(torch.randint(0, 4096, (64,))) - 1).square().mean()
        loss.backward()
        opt.step()
        print(loss.item())


def attention_by_length(n):
    import torch

    attention = torch.nn.MultiheadAttention(64, 4, batch_first=True)
    x = torch.randn(4, n, 64)
    mask = torch.ones(n, n, dtype=torch.bool).triu(1)
    attention(x, x, x, attn_mask=mask, need_weights=False)[0].square().mean().backward()


def truncated(n):
    import torch

    cell = torch.nn.GRU(32, 64)
    opt = torch.optim.Adam(cell.parameters())
    carried = torch.zeros(1, 64, 64)
    for _ in range(n):
        opt.zero_grad()
        hs, last = cell(torch.randn(16, 64, 32), carried)
        loss = (hs - 1).square().mean()
        loss.backward()
        opt.step()
        carried = last.detach()
        print(loss.item())


def scan_by_length(n):
    import torch

    cell = torch.nn.GRU(32, 64)
    hs, _ = cell(torch.randn(n, 64, 32), torch.zeros(1, 64, 64))
    (hs - 1).square().mean().backward()


def gan(n):
    import torch

    net, judge = layers(4), layers(4)
    opt, opt_of_judge = torch.optim.Adam(net.parameters()), torch.optim.Adam(judge.parameters())
    binary = torch.nn.functional.binary_cross_entropy_with_logits
    ones, zeros = torch.ones(256), torch.zeros(256)
    for _ in range(n):
        made = net(batch())
        opt_of_judge.zero_grad()
        of_judge = binary(judge(batch()).mean(1), ones) + binary(judge(made.detach()).mean(1), zeros)
        of_judge.backward()
        opt_of_judge.step()
        opt.zero_grad()
        of_maker = binary(judge(made).mean(1), ones)
        of_maker.backward()
        opt.step()
        print(of_judge.item(), of_maker.item())


def lora(n):
    import torch

    class Layer(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.w = torch.nn.Parameter(torch.randn(64, 64) * 0.1, requires_grad=False)
            self.down = torch.nn.Parameter(torch.randn(64, 2) * 0.1)
            self.up = torch.nn.Parameter(torch.zeros(2, 64))

        def forward(self, x):
            return x + torch.relu(x @ self.w + x @ self.down @ self.up)

    net = torch.nn.Sequential(*[Layer() for _ in range(4)])
    steps(n, net, loss_of, shown, [p for p in net.parameters() if p.requires_grad])


def resnet(n):
    import torch
    from torch import nn

    def normed(inputs, outputs, stride=1, taps=3):
        return nn.Sequential(nn.Conv2d(inputs, outputs, taps, stride, taps // 2, bias=False), nn.BatchNorm2d(outputs))

    class Residual(nn.Module):
        def __init__(self, inputs, outputs, stride):
            super().__init__()
            self.first, self.second = normed(inputs, outputs, stride), normed(outputs, outputs)
            self.short = normed(inputs, outputs, stride, 1) if stride > 1 else nn.Identity()

        def forward(self, x):
            return torch.relu(self.second(torch.relu(self.first(x))) + self.short(x))

    net = nn.Sequential(normed(1, 8), nn.ReLU(), Residual(8, 8, 1), Residual(8, 16, 2), nn.AdaptiveAvgPool2d(1), nn.Flatten(),
                        nn.Linear(16, 10))
    steps(n, net, lambda net: nn.functional.cross_entropy(net(torch.randn(8, 1, 12, 12)), torch.randint(0, 10, (8,))), shown)


def unet(n):
    import torch
    from torch import nn

    def pair(inputs, outputs):
        return nn.Sequential(nn.Conv2d(inputs, outputs, 3, padding=1, bias=False), nn.BatchNorm2d(outputs), nn.ReLU(),
                             nn.Conv2d(outputs, outputs, 3, padding=1, bias=False), nn.BatchNorm2d(outputs), nn.ReLU())

    class UNet(nn.Module):
        def __init__(self):
            super().__init__()
            self.top, self.bottom, self.up = pair(1, 8), pair(8, 16), pair(16, 8)
            self.larger, self.last = nn.ConvTranspose2d(16, 8, 2, 2), nn.Conv2d(8, 1, 1)

        def forward(self, x):
            wide = self.top(x)
            low = self.bottom(nn.functional.max_pool2d(wide, 2))
            return self.last(self.up(torch.cat([self.larger(low), wide], 1)))

    steps(n, UNet(), lambda net: (net(torch.randn(2, 1, 16, 16)) - 1).square().mean(), shown)


def experts(n):
    import torch
    from torch import nn

    class Experts(nn.Module):
        """Each token goes to its two best of four experts."""

        def __init__(self):
            super().__init__()
            self.gate = nn.Linear(32, 4, bias=False)
            self.experts = nn.ModuleList(nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 32)) for _ in range(4))

        def forward(self, x):
            x = x.reshape(-1, 32)
            weights, chosen = torch.softmax(self.gate(x), 1).topk(2, 1)
            weights = weights / weights.sum(1, keepdim=True)
            y = torch.zeros_like(x)
            for k, expert in enumerate(self.experts):
                tokens, choice = torch.where(chosen == k)
                y = y.index_add(0, tokens, expert(x[tokens]) * weights[tokens, choice, None])
            return y

    steps(n, Experts(), lambda net: (net(torch.randn(8, 32, 32)) - 1).square().mean(), shown)


def histograms(n):
    import torch

    seen = []

    def loss_of_layers(net):
        y = net(batch())
        seen[:] = [y.detach()]
        return (y - 1).square().mean()

    rows = []
    steps(n, layers(4), loss_of_layers, lambda loss: rows.append([int((seen[0] > 0.5 * k).sum()) for k in range(-2, 3)]))


def loss_scale(n):
    import torch

    net = layers(4)
    opt = torch.optim.Adam(net.parameters())
    scale, good = 65536.0, 0
    for _ in range(n):
        opt.zero_grad()
        (loss_of(net) * scale).backward()
        for p in net.parameters():
            p.grad /= scale
        if all(torch.isfinite(p.grad).all() for p in net.parameters()):
            opt.step()
            good += 1
            if good % 2000 == 0:
                scale *= 2
        else:
            scale /= 2


def checkpoint_each_step(n):
    import os
    import tempfile
    import torch

    net = layers(4)
    opt = torch.optim.Adam(net.parameters())
    with tempfile.TemporaryDirectory() as folder:
        for i in range(n):
            opt.zero_grad()
            loss_of(net).backward()
            opt.step()
            torch.save({"net": net.state_dict(), "opt": opt.state_dict()}, os.path.join(folder, f"{i}.pt"))


def layer_norm_mixed(n):
    import torch
    from torch import nn

    norms, products = [nn.LayerNorm(64) for _ in range(n)], [nn.Linear(64, 64, bias=False) for _ in range(n)]
    with torch.autocast("cpu", dtype=torch.bfloat16):
        x = torch.randn(4, 64, 64).bfloat16()
        for norm, product in zip(norms, products):
            y = nn.functional.layer_norm(x, (64,), norm.weight.bfloat16(), norm.bias.bfloat16())
            x = x + product(y)
        loss = x.float().square().mean()
    loss.backward()
    with torch.no_grad():
        for p in nn.ModuleList(norms + products).parameters():
            p -= 0.1 * p.grad
    print(products[0].weight.sum().item())


def decoder(length):
    """A language model of two layers with caches of keys and values: a function of ids and a position that returns logits."""
    import torch
    from torch import nn

    class Layer(nn.Module):
        def __init__(self):
            super().__init__()
            self.norm1, self.norm2 = nn.LayerNorm(32), nn.LayerNorm(32)
            self.qkv, self.out = nn.Linear(32, 96), nn.Linear(32, 32)
            self.up, self.down = nn.Linear(32, 64), nn.Linear(64, 32)

        def forward(self, x, cache, place):
            q, k, v = self.qkv(self.norm1(x)).view(len(x), 3, 2, 16).unbind(1)
            cache[0][:, :, place], cache[1][:, :, place] = k, v
            keys, values = cache[0][:, :, :place + 1], cache[1][:, :, :place + 1]
            weights = torch.softmax(torch.einsum("bhd,bhld->bhl", q, keys) / 4, 2)
            x = x + self.out(torch.einsum("bhl,bhld->bhd", weights, values).reshape(len(x), 32))
            return x + self.down(nn.functional.gelu(self.up(self.norm2(x))))

    embedding, positions = nn.Embedding(50, 32), torch.randn(length, 32) * 0.02
    blocks, norm = nn.ModuleList(Layer() for _ in range(2)), nn.LayerNorm(32)

    def step(ids, caches, place):
        x = embedding(ids) + positions[place]
        for block, cache in zip(blocks, caches):
            x = block(x, cache, place)
        return norm(x) @ embedding.weight.T

    def start(sequences):
        return [[torch.zeros(sequences, 2, length, 16) for _ in range(2)] for _ in blocks]

    return step, start


def written(n, pick):
    import torch

    step, start = decoder(n)
    with torch.no_grad():
        ids, caches = torch.zeros(4, n, dtype=torch.long), start(4)
        for place in range(n - 1):
            ids[:, place + 1] = pick(step(ids[:, place], caches, place))


def greedy(n):
    written(n, lambda logits: logits.argmax(1))


def sampling(n):
    import torch

    def pick(logits):
        values, ids = logits.topk(5, 1)
        return ids.gather(1, torch.multinomial(torch.softmax(values, 1), 1))[:, 0]

    written(n, pick)


def beam_search(n):
    """The hypotheses' tokens and caches follow their beams; what has ended counts no more."""
    import torch

    step, start = decoder(n)
    with torch.no_grad():
        ids, caches = torch.zeros(4, 3, n, dtype=torch.long), start(12)
        ids[:, :, 0] = 1
        scores = torch.tensor([0.0, -torch.inf, -torch.inf]).repeat(4, 1)
        best = torch.full((4,), -torch.inf)
        for place in range(n - 1):
            logits = torch.log_softmax(step(ids[:, :, place].reshape(12), caches, place), 1).view(4, 3, 50)
            values, chosen = (scores[:, :, None] + logits).view(4, 150).topk(6, 1)
            beams, tokens = chosen // 50, chosen % 50
            ended = tokens == 2
            best = torch.maximum(best, (values.masked_fill(~ended, -torch.inf)).amax(1) / ((6 + place) / 6) ** 0.6)
            scores, kept = values.masked_fill(ended, -torch.inf).topk(3, 1)
            beams, tokens = beams.gather(1, kept), tokens.gather(1, kept)
            ids = ids.gather(1, beams[:, :, None].expand(4, 3, n))
            ids[:, :, place + 1] = tokens
            rows = (beams + 3 * torch.arange(4)[:, None]).view(12)
            caches = [[each[rows] for each in cache] for cache in caches]
        print(best.sum().item())


def nothing(n):
    import torch

    torch.zeros(n)


RECIPES = [plain, printed, added_up, list_of_losses, micro_batches, micro_batches_printed, micro_batches_with_total,
           frozen, evaluation, gradient_penalty, ema, sweep, ensemble, distillation, several_losses, norms,
           recompute_by_depth, embeddings, attention_by_length, truncated, scan_by_length, gan, lora, resnet, unet, experts,
           histograms, loss_scale, checkpoint_each_step, layer_norm_mixed, greedy, sampling, beam_search]

if __name__ == "__main__":
    if len(sys.argv) < 3:
        print(*[recipe.__name__ for recipe in RECIPES])
        sys.exit()
    import torch

    torch.set_num_threads(1)
    {recipe.__name__: recipe for recipe in RECIPES + [nothing]}[sys.argv[1]](int(sys.argv[2]))
    print(0)
