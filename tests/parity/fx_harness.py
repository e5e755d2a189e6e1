# ruff: noqa
"""What the programs on torch.fx share: how they are listed, print tensors, and are run one after the other."""

import sys

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.fx import GraphModule

P = []


def program(f):
    P.append(f)
    return f


def show(x):
    if isinstance(x, torch.Tensor):
        print("T", tuple(x.shape), x.dtype, [round(v, 4) for v in x.detach().flatten()[:6].double().tolist()])
    else:
        print(x)


def seeded(m):
    with torch.no_grad():
        for i, p in enumerate(m.parameters()):
            p.copy_((torch.arange(p.numel()).reshape(p.shape).float() * 0.37 + i).sin() * 0.3)
        for i, b in enumerate(m.buffers()):
            if b.dtype.is_floating_point and b.numel() > 1:
                b.copy_((torch.arange(b.numel()).reshape(b.shape).float() * 0.21 + i).cos().abs() + 0.1)
    return m.eval()


def swap(graph, nodes, old, new, beside):
    """Put a call of `new`, `beside` it, in the place of each call of `old` among the nodes."""
    for n in nodes:
        if n.target is old:
            with beside(n):
                made = graph.call_function(new, n.args)
            n.replace_all_uses_with(made)
            graph.erase_node(n)


X = (torch.arange(2 * 3 * 8 * 8).reshape(2, 3, 8, 8).float() * 0.1).sin()


class CNN(nn.Module):
    def __init__(s):
        super().__init__()
        s.conv1 = nn.Conv2d(3, 4, 3, padding=1)
        s.bn1 = nn.BatchNorm2d(4)
        s.relu = nn.ReLU(inplace=True)
        s.pool = nn.MaxPool2d(2)
        s.conv2 = nn.Conv2d(4, 6, 3)
        s.bn2 = nn.BatchNorm2d(6)
        s.fc = nn.Linear(6 * 2 * 2, 5)

    def forward(s, x):
        x = s.pool(s.relu(s.bn1(s.conv1(x))))
        x = F.relu(s.bn2(s.conv2(x)))
        return s.fc(torch.flatten(x, 1))


class Block(nn.Module):
    def __init__(s, n):
        super().__init__()
        s.a = nn.Linear(n, n)
        s.b = nn.Linear(n, n)
        s.scale = nn.Parameter(torch.ones(n))

    def forward(s, x, mask=None):
        y = s.a(x).relu()
        y = s.b(y) * s.scale
        if mask is not None:
            y = y.masked_fill(mask, 0.0)
        return x + y


def attempt(f, *a, **k):
    try:
        r = f(*a, **k)
        print(r.code if isinstance(r, GraphModule) else r)
        return r
    except Exception as e:
        print(type(e).__name__, str(e).split("\n")[0][:36])


def run():
    """Run the programs of the main file, or those that the command line names (p07), and print what each prints."""
    for f in P:
        if len(sys.argv) > 1 and f.__name__[:3] not in sys.argv[1:]:
            continue
        print("#####", f.__name__)
        try:
            f()
        except Exception as e:
            print("FAILED", type(e).__name__, str(e)[:200])
