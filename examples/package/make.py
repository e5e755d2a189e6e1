"""Train a small network to tell the classes of points apart, and package it for the C program beside this file.

python examples/package/make.py points.rl
cc examples/package/run.c $(python -m rushlight.packaging --cflags --libs) -o run
./run points.rl
"""

import sys

import rushlight as torch
from rushlight import nn


def main() -> None:
    """Points of three spirals, a network, and the package: for one point, and for 64."""
    torch.manual_seed(0)
    steps = torch.linspace(0.1, 1, 100).repeat(3)
    labels = torch.arange(3).repeat_interleave(100)
    turns = 4 * steps + labels * 2.1 + 0.1 * torch.randn(300)
    points = torch.stack((steps * turns.cos(), steps * turns.sin()), 1)
    net = nn.Sequential(nn.Linear(2, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 3), nn.Softmax(-1))
    optimizer = torch.optim.AdamW(net.parameters(), lr=1e-2)
    for _ in range(300):
        optimizer.zero_grad()
        nn.functional.nll_loss(net(points).log(), labels).backward()
        optimizer.step()
    right = (net(points).argmax(1) == labels).float().mean().item()
    path = sys.argv[1] if len(sys.argv) > 1 else "points.rl"
    batch = torch.export.Dim("batch", min=1, max=64)
    torch.package(
        net.eval(),
        path,
        (points[:4],),
        dynamic_shapes=({0: batch},),
        processors=("x86-64-v3", "x86-64-v4", "native"),
        sizes=[{"input": (1, 2)}, {"input": (64, 2)}],
    )
    print(f"{path}: {100 * right:.0f} % of the points are told apart")


if __name__ == "__main__":
    main()
