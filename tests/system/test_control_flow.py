"""`cond` and `while_loop`: Python's if and while, and what they mean inside transforms."""

from __future__ import annotations

from typing import Any

import pytest

import rushlight


def test_cond_chooses() -> None:
    x = rushlight.ones(2)
    for pred in (True, 1, rushlight.tensor([True]), rushlight.tensor(3.0)):
        assert rushlight.cond(pred, lambda v: v + 1, lambda v: v - 1, (x,)).tolist() == [2.0, 2.0]
    assert rushlight.cond(x.sum() > 5, lambda v: v + 1, lambda v: v - 1, [x]).tolist() == [0.0, 0.0]
    assert rushlight.cond(False, lambda: 1, lambda: "other") == "other"


def test_cond_has_the_gradient_of_its_branch() -> None:
    x = rushlight.tensor([3.0], requires_grad=True)
    rushlight.cond(x > 2, lambda v: v * v, lambda v: v, (x,)).backward()
    assert x.grad is not None and x.grad.tolist() == [6.0]


def test_cond_inside_vmap() -> None:
    def f(v: Any) -> Any:
        return rushlight.cond(v > 0, lambda u: {"y": u * 10, "z": (u,)}, lambda u: {"y": -u, "z": (u + 1,)}, (v,))

    got = rushlight.vmap(f)(rushlight.tensor([1.0, -2.0, 3.0]))
    assert got["y"].tolist() == [10.0, 2.0, 30.0] and got["z"][0].tolist() == [1.0, -1.0, 3.0]
    slope = rushlight.vmap(rushlight.func.grad(lambda v: f(v)["y"]))(rushlight.tensor([1.0, -2.0]))
    assert slope.tolist() == [10.0, -1.0]
    with pytest.raises(RuntimeError, match="same structure, shapes and dtypes"):
        rushlight.vmap(lambda v: rushlight.cond(v > 0, lambda: v, lambda: v.double(), ()))(rushlight.ones(2))


def test_while_loop() -> None:
    x, n = rushlight.while_loop(lambda x, n: x.sum() < 10, lambda x, n: (x * 2, n + 1), (rushlight.ones(2), 0))
    assert x.tolist() == [8.0, 8.0] and n == 3
    y = rushlight.tensor(2.0, requires_grad=True)
    (z,) = rushlight.while_loop(lambda v: v < 100, lambda v: (v * v,), [y])
    z.backward()
    assert y.grad is not None and z.item() == 256.0 and y.grad.item() == 8 * 2.0**7


def test_errors() -> None:
    x = rushlight.ones(2)
    with pytest.raises(RuntimeError, match=r"cond\(\): 'pred' must be .*; found the shape \(2,\)"):
        rushlight.cond(x, abs, abs, (x,))
    with pytest.raises(RuntimeError, match=r"cond\(\): 'pred' must be .*; found str"):
        rushlight.cond("yes", abs, abs, (x,))
    with pytest.raises(
        RuntimeError, match=r"cond\(\): 'true_fn' and 'false_fn' must be functions; found int and builtin"
    ):
        rushlight.cond(True, 3, abs, (x,))
    with pytest.raises(RuntimeError, match=r"cond\(\): 'operands' must be a tuple or a list; found Tensor"):
        rushlight.cond(True, abs, abs, x)
    with pytest.raises(RuntimeError, match=r"while_loop\(\): 'cond_fn' and 'body_fn' must be functions; found int"):
        rushlight.while_loop(1, abs, (x,))
    with pytest.raises(RuntimeError, match=r"'body_fn' must return .*float32\[2\]\); found \(torch.float32\[1\]\)"):
        rushlight.while_loop(lambda v: True, lambda v: (v[:1],), (x,))
    with pytest.raises(RuntimeError, match=r"'body_fn' must return .*; found Tensor"):
        rushlight.while_loop(lambda v: True, lambda v: v, (x,))
