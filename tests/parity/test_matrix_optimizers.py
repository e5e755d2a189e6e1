"""Adafactor and Muon against PyTorch's, step by step."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rushlight

torch = pytest.importorskip("torch")

# Muon's iterations run in bfloat16: two orders of summation differ by 2^-8 of a step, and six steps of size 0.02 add
# up.
CASES = [
    ("Adafactor", {}, 1e-5),
    ("Adafactor", {"lr": 0.3, "weight_decay": 0.1, "d": 1.5, "maximize": True}, 1e-5),
    ("Muon", {"lr": 0.02}, 2e-2),
    ("Muon", {"lr": 0.02, "nesterov": False, "adjust_lr_fn": "match_rms_adamw"}, 1e-2),
]


def steps(lib: Any, name: str, options: dict[str, Any]) -> tuple[Any, list[np.ndarray]]:
    """The optimizer after six steps, and all parameters and states."""
    rng = np.random.default_rng(0)
    w, b, x, c = (
        lib.from_numpy(rng.standard_normal(shape).astype(np.float32)) for shape in ((5, 3), (3,), (8, 5), (2, 3, 4))
    )
    w, b, c = (lib.nn.Parameter(t) for t in (w, b, c))
    params = [w] if name == "Muon" else [w, b, c]
    optimizer = getattr(lib.optim, name)(params, **options)
    for _ in range(6):
        optimizer.zero_grad()
        ((x @ w + b).tanh().pow(2).sum() + (c.sin() * c).sum()).backward()
        optimizer.step()
    return optimizer, [p.detach().numpy() for p in params] + [
        v.numpy() for p in params for v in optimizer.state[p].values()
    ]


@pytest.mark.parametrize("name, options, tolerance", CASES)
def test_steps_agree(name: str, options: dict[str, Any], tolerance: float) -> None:
    (ours, a), (theirs, b) = steps(rushlight, name, options), steps(torch, name, options)
    assert repr(ours) == repr(theirs)
    assert [list(s) for s in ours.state.values()] == [list(s) for s in theirs.state.values()]
    for x, y in zip(a, b, strict=True):
        assert x.dtype == y.dtype and x.shape == y.shape
        np.testing.assert_allclose(x, y, rtol=tolerance, atol=tolerance)


def test_refusals() -> None:
    words = {
        "2D": "Muon: a parameter must be 2D",
        "fn": "Muon: 'adjust_lr_fn' must be",
        "d": "Adafactor: 'd' must be at least 1",
    }
    for lib, match in ((rushlight, words), (torch, {})):
        with pytest.raises(ValueError, match=match.get("2D")):
            lib.optim.Muon([lib.nn.Parameter(lib.ones(3))])
        with pytest.raises(ValueError, match=match.get("fn")):
            lib.optim.Muon([lib.nn.Parameter(lib.ones(3, 3))], adjust_lr_fn="none")
        with pytest.raises(ValueError, match=match.get("d")):
            lib.optim.Adafactor([lib.nn.Parameter(lib.ones(3))], d=0.5)
