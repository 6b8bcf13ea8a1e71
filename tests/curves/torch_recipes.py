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


def trained(n, after):
    import torch

    net = layers(4)
    opt = torch.optim.Adam(net.parameters())
    for _ in range(n):
        opt.zero_grad()
        loss = loss_of(net)
        loss.backward()
        opt.step()
        after(loss)


def plain(n):
    trained(n, lambda loss: None)


def printed(n):
    trained(n, lambda loss: print(loss.item()))


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
    opt = torch.optim.Adam(last.parameters())
    for _ in range(3):
        opt.zero_grad()
        loss = (last(net(batch())) - 1).square().mean()
        loss.backward()
        opt.step()
        print(loss.item())


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

    net, teacher = layers(4), layers(8)
    opt = torch.optim.Adam(net.parameters())
    for _ in range(n):
        opt.zero_grad()
        x = batch()
        with torch.no_grad():
            aim = teacher(x)
        loss = (net(x) - aim).square().mean()
        loss.backward()
        opt.step()
        print(loss.item())


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


def nothing(n):
    import torch

    torch.zeros(n)


RECIPES = [plain, printed, added_up, list_of_losses, micro_batches, micro_batches_printed, micro_batches_with_total,
           frozen, evaluation, gradient_penalty, ema, sweep, ensemble, distillation, several_losses, norms,
           recompute_by_depth, embeddings, attention_by_length, truncated, scan_by_length, gan]

if __name__ == "__main__":
    if len(sys.argv) < 3:
        print(*[recipe.__name__ for recipe in RECIPES])
        sys.exit()
    import torch

    torch.set_num_threads(1)
    {recipe.__name__: recipe for recipe in RECIPES + [nothing]}[sys.argv[1]](int(sys.argv[2]))
    print(0)
