"""`_foreach_*`: the operator for each tensor of a list, against calls one by one."""

from __future__ import annotations

from typing import Any

import pytest

import rushlight
from rushlight.operators.tensors import foreach


def lists() -> tuple[list[Any], list[Any]]:
    return (
        [rushlight.tensor([0.5, 0.25]), rushlight.tensor([[0.75]]), rushlight.tensor(0.1)],
        [rushlight.tensor([2.0, 3.0]), rushlight.tensor([[0.5]]), rushlight.tensor(4.0)],
    )


def same(got: Any, expected: list[Any]) -> None:
    assert len(got) == len(expected)
    for g, e in zip(got, expected, strict=True):
        rushlight.testing.assert_close(g, e, rtol=0, atol=0)


@pytest.mark.parametrize("name", foreach._UNARY)
def test_unary(name: str) -> None:
    x, _ = lists()
    expected = [getattr(rushlight, name)(t) for t in x]
    got = getattr(rushlight, f"_foreach_{name}")(x)
    assert isinstance(got, tuple)
    same(got, expected)
    assert getattr(rushlight, f"_foreach_{name}_")(x) is x
    same(x, expected)


@pytest.mark.parametrize("name", foreach._BINARY)
@pytest.mark.parametrize("form", ["number", "numbers", "tensors"])
def test_binary(name: str, form: str) -> None:
    x, y = lists()
    other: Any = {"number": 0.5, "numbers": [0.5, 2.0, 3.0], "tensors": y}[form]
    each = other if isinstance(other, list) else [other] * 3
    plain = {"maximum": "clamp_min", "minimum": "clamp_max"}.get(name, name)
    expected = [getattr(t, plain)(o) for t, o in zip(x, each, strict=True)]
    same(getattr(rushlight, f"_foreach_{name}")(x, other), expected)
    assert getattr(rushlight, f"_foreach_{name}_")(x, other) is x
    same(x, expected)


def test_the_others() -> None:
    x, y = lists()
    same(rushlight._foreach_add(x, y, alpha=2), [a + 2 * b for a, b in zip(x, y, strict=True)])
    same(rushlight._foreach_add(x, rushlight.tensor(2.0)), [a + 2 for a in x])
    same(rushlight._foreach_pow(2.0, x), [rushlight.pow(2.0, a) for a in x])
    same(rushlight._foreach_addcmul(x, x, y, 0.5), [a.addcmul(a, b, value=0.5) for a, b in zip(x, y, strict=True)])
    same(
        rushlight._foreach_addcdiv(x, x, y, rushlight.tensor([1.0, 2.0, 3.0])),
        [a.addcdiv(a, b, value=v) for a, b, v in zip(x, y, (1, 2, 3), strict=True)],
    )
    same(rushlight._foreach_lerp(x, y, 0.3), [a.lerp(b, 0.3) for a, b in zip(x, y, strict=True)])
    same(rushlight._foreach_norm(x, 1), [a.abs().sum() for a in x])
    same(rushlight._foreach_powsum(y, 2), [(b * b).sum() for b in y])
    same(rushlight._foreach_max(y), [b.amax() for b in y])
    same(rushlight._foreach_mm(x[1:2], y[1:2]), [x[1] @ y[1]])
    copies = rushlight._foreach_clone(x)
    assert rushlight._foreach_copy_(x, y) is x
    same(x, y)
    assert rushlight._foreach_zero_(x) is x
    same(x, [rushlight.zeros_like(b) for b in y])
    assert copies[0].tolist() == [0.5, 0.25]


def test_gradients_flow() -> None:
    x = [rushlight.ones(2, requires_grad=True), rushlight.ones(1, requires_grad=True)]
    a, b = rushlight._foreach_mul(x, [2.0, 3.0])
    (a.sum() + b.sum()).backward()
    assert x[0].grad.tolist() == [2.0, 2.0] and x[1].grad.tolist() == [3.0]


def test_errors() -> None:
    x, y = lists()
    with pytest.raises(RuntimeError, match="the lists must be of one length; found 3 and 2"):
        rushlight._foreach_add(x, y[:2])
    with pytest.raises(RuntimeError, match=r"_foreach_exp.*at least one tensor"):
        rushlight._foreach_exp([])
    with pytest.raises(TypeError, match="must be tuple of Tensors, not Tensor"):
        rushlight._foreach_exp(x[0])
    with pytest.raises(TypeError, match="tuple of Tensors when alpha is given, not float"):
        rushlight._foreach_sub(x, 1.0, alpha=2)
