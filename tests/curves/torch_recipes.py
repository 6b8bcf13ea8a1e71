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


def nothing(n):
    import torch

    torch.zeros(n)


RECIPES = [plain, printed, added_up, list_of_losses, micro_batches, frozen, evaluation, gradient_penalty, ema, sweep]

if __name__ == "__main__":
    if len(sys.argv) < 3:
        print(*[recipe.__name__ for recipe in RECIPES])
        sys.exit()
    import torch

    torch.set_num_threads(1)
    {recipe.__name__: recipe for recipe in RECIPES + [nothing]}[sys.argv[1]](int(sys.argv[2]))
    print(0)
