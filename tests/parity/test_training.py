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

TRAIN = """
import json, runpy, sys
import numpy as np, torch
dtype = getattr(torch, sys.argv[4])
net = runpy.run_path(sys.argv[1])["DigitNet"](dropout=0.0).to(dtype)
start = np.load(sys.argv[2])
with torch.no_grad():
    for name, p in net.state_dict().items():
        p.copy_(torch.from_numpy(start[name]))
opt = {"adamw": lambda p: torch.optim.AdamW(p, lr=2e-3, weight_decay=1e-2),
       "sgd": lambda p: torch.optim.SGD(p, lr=0.05, momentum=0.9, weight_decay=1e-4)}[sys.argv[3]](net.parameters())
x, y = torch.from_numpy(start["x"]).to(dtype), torch.from_numpy(start["y"])
losses = []
for i in range(50):
    opt.zero_grad()
    loss = torch.nn.functional.cross_entropy(net(x[i]), y[i])
    loss.backward()
    opt.step()
    losses.append(loss.item())
print(json.dumps(losses))
"""


def losses(launcher: list[str], start: Path, optimizer: str, dtype: str) -> np.ndarray:
    command = [sys.executable, *launcher, "-c", TRAIN, str(EXAMPLE), str(start), optimizer, dtype]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-3000:]
    return np.array(json.loads(done.stdout.splitlines()[-1]))


@pytest.fixture(scope="module")
def start(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Initial weights of the network and fifty batches of 32 images."""
    torch = pytest.importorskip("torch")
    import runpy

    torch.manual_seed(0)
    net = runpy.run_path(str(EXAMPLE))["DigitNet"](dropout=0.0)
    rng = np.random.default_rng(0)
    path = tmp_path_factory.mktemp("training") / "start.npz"
    from sklearn.datasets import load_digits

    digits = load_digits()
    pick = rng.integers(0, len(digits.images), (50, 32))
    np.savez(
        path,
        x=(digits.images[pick][:, :, None] / 16).astype(np.float32),
        y=digits.target[pick].astype(np.int64),
        **{name: p.numpy() for name, p in net.state_dict().items()},
    )
    return path


@pytest.mark.parametrize("optimizer", ["adamw", "sgd"])
def test_fifty_steps_have_the_losses_of_pytorch(start: Path, optimizer: str) -> None:
    """In float64 to 1e-10. In float32 to 1e-4 of PyTorch's float64, and to 1e-4 of PyTorch's float32 beyond what that
    is off by itself: Adam divides by the square root of tiny second moments, and on processors with AVX-512 PyTorch's
    own float32 run ends 2e-4 from its float64 run (ours 5e-6)."""
    rushlight = ["-m", "rushlight"]
    exact = losses([], start, optimizer, "float64")
    np.testing.assert_allclose(losses(rushlight, start, optimizer, "float64"), exact, rtol=1e-10)
    ours = losses(rushlight, start, optimizer, "float32")
    np.testing.assert_allclose(ours, exact, rtol=1e-4)
    theirs = losses([], start, optimizer, "float32")
    assert (abs(ours - theirs) <= 1e-4 * abs(theirs) + abs(theirs - exact)).all()
