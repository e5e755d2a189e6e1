# ruff: noqa
"""What the programs on torch.fx share: how they are listed, print tensors, and are run one after the other."""

import sys

import torch
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
