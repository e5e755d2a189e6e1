"""Functions that PyTorch has beneath `nn.functional`: with their further results, as PyTorch gives them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import rushlight as rl

CALLS: list[Callable[[Any, Any], Any]] = [
    lambda m, x: m.native_layer_norm(x, [3], None, None, 1e-5),
    lambda m, x: m.native_layer_norm(x, [4, 3], m.ones(4, 3) * 2, m.ones(4, 3), 1e-3),
    lambda m, x: m.native_group_norm(x, None, None, 2, 4, 3, 2, 1e-5),
    lambda m, x: m.native_batch_norm(x, m.ones(4), None, None, None, True, 0.1, 1e-5),
    lambda m, x: m.native_batch_norm(x, None, None, m.zeros(4), m.ones(4), False, 0.1, 1e-5),
    lambda m, x: m.native_dropout(x, 0.5, False),
    lambda m, x: m.native_dropout(x, 1.0, True),
    lambda m, x: m.native_dropout(x, 0.0, True),
    lambda m, x: [m._is_all_true(x > 3), m._is_any_true(x > 3), m._is_all_true(x > -10)],
]


@pytest.mark.parametrize("call", CALLS)
def test_values_are_those_of_pytorch(call: Callable[[Any, Any], Any]) -> None:
    torch = pytest.importorskip("torch")
    values = rl.randn(2, 4, 3).tolist()
    ours, theirs = (call(m, m.tensor(values)) for m in (rl, torch))
    for a, b in zip(ours, theirs, strict=True):
        assert (
            tuple(a.shape) == tuple(b.shape)
            and str(a.dtype) == str(b.dtype)
            and abs(a.double().numpy() - b.double().numpy()).max(initial=0) < 1e-5
        )


@pytest.mark.parametrize("mode", [0, 1, 2])
def test_bags(mode: int) -> None:
    torch = pytest.importorskip("torch")
    weight, index = rl.randn(5, 3).tolist(), rl.randint(5, (9,)).tolist()
    results = []
    for m in (rl, torch):
        w = m.tensor(weight, requires_grad=True)
        out = m.embedding_bag(w, m.tensor(index), m.tensor([0, 2, 2, 6]), False, mode)
        out[0].sum().backward()
        results.append(
            [t.detach().numpy() for t in (out[0], w.grad)] + ([out[1].numpy(), out[2].numpy()] if mode else [])
        )
    for a, b in zip(*results, strict=True):
        assert abs(a - b).max() < 1e-5


def test_dropped_elements() -> None:
    rl.manual_seed(0)
    x = rl.ones(1000, requires_grad=True)
    y, kept = rl.native_dropout(x, 0.25, True)
    assert 650 < kept.sum() < 850 and rl.allclose(y, kept / 0.75)
    y.sum().backward()
    assert rl.allclose(x.grad, kept / 0.75)


def test_assertions() -> None:
    rl._assert_async(rl.tensor(True))
    with pytest.raises(RuntimeError, match="must not be"):
        rl._assert_async(rl.tensor(False), "must not be")
    with pytest.raises(RuntimeError, match="one element"):
        rl._assert_async(rl.ones(2))
    with pytest.raises(RuntimeError, match=r"torch\.bool"):
        rl._is_all_true(rl.ones(2))
    with pytest.raises(ValueError, match="'mode' must be"):
        rl.embedding_bag(rl.ones(2, 2), rl.tensor([0]), rl.tensor([0]), mode=3)
