"""Which results require grad: for every operator those that do in PyTorch, also where the gradient is zero everywhere
(x ** 0, the grid of a nearest sample).
"""

from __future__ import annotations

import warnings
from typing import Any

import pytest
from test_saved_values import NAMES, sides

from rushlight.core import dtypes as dt
from rushlight.testing.samples import REGISTRY

torch = pytest.importorskip("torch")

from checks import chosen  # noqa: E402
from test_operators import GRADIENT_NOT_COMPARED, counterpart  # noqa: E402

# PyTorch has no derivative of these, or one for a result that has none here.
OTHERWISE = frozenset({"vander", *GRADIENT_NOT_COMPARED})


def flags(side: Any, sample: Any) -> list[bool] | None:
    args, kwargs = side.prepare(sample)
    side.M.manual_seed(0)
    try:
        return [t.requires_grad for t in side.tensors(side.fn(*args, **kwargs))]
    except (RuntimeError, TypeError, ValueError, IndexError, NotImplementedError):
        return None


def test_results_of_all_operators() -> None:
    unlike, compared = [], 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in NAMES:
            if name in OTHERWISE or counterpart(name) is None:
                continue
            theirs, ours = sides(name)
            for sample in chosen(REGISTRY[name], dt.float64, 4):
                a, b = flags(theirs, sample), flags(ours, sample)
                if a is not None and b is not None:
                    compared += 1
                    if a != b:
                        unlike.append((name, a, b))
    assert not unlike, str(unlike)
    assert compared > 1000


def reached(side: Any, sample: Any) -> list[bool] | None:
    """Of each operand that takes part: whether a gradient comes to it."""
    both = side.forward(sample)
    if both is None:
        return None
    inputs, outputs = both
    roots = [o for o in outputs if o.requires_grad]
    operands = [x for x in inputs if x.requires_grad]
    try:
        grads = side.M.autograd.grad(roots, operands, [side.M.ones_like(o) for o in roots], allow_unused=True)
    except RuntimeError:  # PyTorch has no derivative
        return None
    return [g is not None for g in grads]


def test_operands_of_all_operators() -> None:
    """Which operands have a gradient, be it zeros, and which None."""
    unlike, compared = [], 0
    for name in NAMES:
        if name in OTHERWISE or counterpart(name) is None:
            continue
        theirs, ours = sides(name)
        for sample in chosen(REGISTRY[name], dt.float64, 4):
            a, b = reached(theirs, sample), reached(ours, sample)
            if a is not None and b is not None:
                compared += 1
                if a != b:
                    unlike.append((name, a, b))
    assert unlike == [], str(unlike)
    assert compared > 1000


@pytest.mark.parametrize(
    "call",
    [
        lambda m, x: x**0,
        lambda m, x: x.pow(0.0),
        lambda m, x: m.pow(x, 0),
        lambda m, x: x.float_power(0),
        lambda m, x: m.copysign(m.ones(2, 2), x),
        lambda m, x: m.normal(x, 1.0),
        lambda m, x: m.normal(m.ones(2, 2), x),
        lambda m, x: m.normal(0.0, x),
        lambda m, x: x.norm(0),
        lambda m, x: x.sign(),
        lambda m, x: m.div(x, 2, rounding_mode="floor"),
        lambda m, x: m.nn.functional.grid_sample(
            m.ones(1, 1, 3, 3), x.view(1, 1, 2, 2), mode="nearest", align_corners=False
        ),
    ],
)
def test_zero_gradients(call: Any) -> None:
    import rushlight

    for m in (torch, rushlight):
        x = m.full((2, 2), 0.5, requires_grad=True)
        y = call(m, x)
        assert y.requires_grad
        y.sum().backward()
        assert x.grad is None or x.grad.tolist() == [[0, 0], [0, 0]]


@pytest.mark.parametrize("call", [lambda m, x: x // 2, lambda m, x: m.floor_divide(x, x), lambda m, x: 2 // x])
def test_floor_divide(call: Any) -> None:
    """PyTorch says that its gradient is not there; ours is zero, as that of div(rounding_mode="floor") is there."""
    import rushlight

    for m in (torch, rushlight):
        x = m.full((2, 2), 0.5, requires_grad=True)
        assert call(m, x).requires_grad and not call(m, x).is_leaf
    call(rushlight, x).sum().backward()
    assert x.grad is None or x.grad.tolist() == [[0, 0], [0, 0]]
