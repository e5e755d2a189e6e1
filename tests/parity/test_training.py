"""The demo's network on rushlight and on PyTorch: same weights and batches, same losses for fifty steps.

Each library trains in a process of its own, for the example imports `torch` by that name.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

EXAMPLE = Path(__file__).parents[2] / "examples" / "digits.py"

STARTS = 5
TRAIN = """
import json, runpy, sys
import numpy as np, torch
dtype = getattr(torch, sys.argv[4])
make = {"adamw": lambda p: torch.optim.AdamW(p, lr=2e-3, weight_decay=1e-2),
        "sgd": lambda p: torch.optim.SGD(p, lr=0.02, momentum=0.9, weight_decay=1e-4)}[sys.argv[3]]
DigitNet = runpy.run_path(sys.argv[1])["DigitNet"]
runs = []
for file in sys.argv[2].split(","):
    start = np.load(file)
    net = DigitNet(dropout=0.0).to(dtype)
    with torch.no_grad():
        for name, p in net.state_dict().items():
            p.copy_(torch.from_numpy(start[name]))
    opt = make(net.parameters())
    x, y = torch.from_numpy(start["x"]).to(dtype), torch.from_numpy(start["y"])
    runs.append([])
    for i in range(50):
        opt.zero_grad()
        loss = torch.nn.functional.cross_entropy(net(x[i]), y[i])
        loss.backward()
        opt.step()
        runs[-1].append(loss.item())
print(json.dumps(runs))
"""


def losses(launcher: list[str], starts: list[Path], optimizer: str, dtype: str) -> np.ndarray:
    files = ",".join(map(str, starts))
    command = [sys.executable, *launcher, "-c", TRAIN, str(EXAMPLE), files, optimizer, dtype]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-3000:]
    return np.array(json.loads(done.stdout.splitlines()[-1]))


@pytest.fixture(scope="module")
def starts(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Initial weights of the network and fifty batches of 32 images, drawn from five seeds."""
    torch = pytest.importorskip("torch")
    import runpy

    from sklearn.datasets import load_digits

    DigitNet, digits, folder = runpy.run_path(str(EXAMPLE))["DigitNet"], load_digits(), tmp_path_factory.mktemp("train")
    paths = [folder / f"start{seed}.npz" for seed in range(STARTS)]
    for seed, path in enumerate(paths):
        torch.manual_seed(seed)
        net = DigitNet(dropout=0.0)
        pick = np.random.default_rng(seed).integers(0, len(digits.images), (50, 32))
        np.savez(
            path,
            x=(digits.images[pick][:, :, None] / 16).astype(np.float32),
            y=digits.target[pick].astype(np.int64),
            **{name: p.numpy() for name, p in net.state_dict().items()},
        )
    return paths


@pytest.mark.parametrize("optimizer", ["adamw", "sgd"])
def test_fifty_steps_have_the_losses_of_pytorch(starts: list[Path], optimizer: str) -> None:
    """In float64 to 1e-10 from every start. In float32 to 1e-5 for the first fifteen steps, then to 1e-4 in the median
    of the starts: the network has maxima and ReLUs, Adam divides by the square root of tiny second moments, and one
    choice that rounding turns over moves every later loss. Of five starts PyTorch's own float32 run leaves its float64
    run so on one to three (by 1e-4 to 9e-2; which ones depends on the processor), ours on two or fewer."""
    rushlight = ["-m", "rushlight"]
    exact = losses([], starts, optimizer, "float64")
    np.testing.assert_allclose(losses(rushlight, starts, optimizer, "float64"), exact, rtol=1e-10)
    off = abs(losses(rushlight, starts, optimizer, "float32") - exact) / exact
    assert off[:, :15].max() <= 1e-5
    assert np.median(off, axis=0).max() <= 1e-4
    assert off.max() <= 1e-2
