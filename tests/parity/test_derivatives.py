"""Gradients of primitives against PyTorch's, where conventions matter: complex numbers, kinks, ties, zeros and NaN."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from programs import composed, program_of
from reference import evaluate
from rushlight import prims as p
from rushlight.transforms import vjp

torch = pytest.importorskip("torch")

Z = np.array([0.3 + 0.7j, -1.2 + 0.4j, -0.5 - 2j])
Z0 = np.array([0.3 + 0.7j, -1.2 + 0.4j, 0j, -0.5 - 2j])
W = np.array([1.3 - 0.2j, 0.2 + 0.4j, -0.5 - 1j])
X = np.array([0.0, -1.0, 2.0, np.nan, -0.0, 0.5])
Y = np.array([0.0, 3.0, 2.0, 1.0, -1.0, 0.5])
ZEROS = np.array([[0.0, 2.0, 3.0], [1.0, 1.0, 0.0], [2.0, 0.0, 0.0]])
INDEX = np.array([0, 2, 0])
RNG = np.random.default_rng(3)

Case = tuple[str, Callable[..., Any], Callable[..., Any], list[Any]]
HOLOMORPHIC = [
    "exp",
    "sqrt",
    "rsqrt",
    "tanh",
    "asin",
    "acos",
    "acosh",
    "asinh",
    "atan",
    "atanh",
    "log",
    "reciprocal",
    "sigmoid",
    "sin",
    "tan",
]
REAL = ["abs", "exp2", "expm1", "log1p", "sqrt", "rsqrt", "reciprocal", "asin", "erf", "erfinv", "lgamma", "sigmoid"]
BINARY = {
    "max": "maximum",
    "min": "minimum",
    "pow": "pow",
    "atan2": "atan2",
    "rem": "remainder",
    "fmod": "fmod",
    "copysign": "copysign",
    "div": "div",
    "mul": "mul",
}
MODES = {"mul": "prod", "max": "amax", "min": "amin", "add": "sum"}


def _scatter(mode: str) -> Callable[..., Any]:
    return lambda x, i, u: p.scatter(x, i, u, dims=(0,), mode=mode)


def _torch_scatter(mode: str) -> Callable[..., Any]:
    return lambda x, i, u: x.scatter_reduce(0, i, u, MODES[mode])


WINDOW = {"stride": (2, 1), "padding": ((1, 1), (2, 2)), "dilation": (1, 2), "groups": 2}
CASES: list[Case] = [
    *((f"complex {n}", getattr(p, n), getattr(torch, n), [Z]) for n in HOLOMORPHIC),
    ("complex abs", p.abs, torch.abs, [Z0]),
    ("complex sign", p.sign, torch.sgn, [Z0]),
    *((f"complex {n}", getattr(p, n), getattr(torch, n), [Z, W]) for n in ("add", "sub", "mul", "div", "pow")),
    *((n, getattr(p, n), getattr(torch, n), [X]) for n in REAL),
    *((n, getattr(p, n), getattr(torch, t), [X, Y]) for n, t in BINARY.items()),
    ("prod", lambda x: p.reduce_prod(x, dims=(1,)), lambda x: x.prod(1), [ZEROS]),
    ("amax", lambda x: p.reduce_max(x, dims=(1,)), lambda x: x.amax(1), [ZEROS]),
    ("cumprod", lambda x: p.cumprod(x, dim=1, reverse=False), lambda x: x.cumprod(1), [ZEROS]),
    ("cummax", lambda x: p.cummax(x, dim=1, reverse=False), lambda x: x.cummax(1)[0], [ZEROS]),
    ("cummin", lambda x: p.cummin(x, dim=1, reverse=False), lambda x: x.cummin(1)[0], [ZEROS]),
    ("cumlogsumexp", lambda x: p.cumlogsumexp(x, dim=1, reverse=False), lambda x: x.logcumsumexp(1), [ZEROS]),
    *(
        (f"scatter {m} {k}", _scatter(m), _torch_scatter(m), [np.array([2.0, 1.0, 0.0]), INDEX, u])
        for m in MODES
        for k, u in enumerate((np.array([2.0, 0.0, 2.0]), np.array([0.0, 0.0, 3.0])))
    ),
    (
        "conv",
        lambda x, w: p.conv(x, w, **WINDOW),
        lambda x, w: torch.conv2d(x, w, None, (2, 1), (1, 2), (1, 2), 2),
        [RNG.standard_normal((2, 4, 6, 7)), RNG.standard_normal((6, 2, 3, 3))],
    ),
]


@pytest.mark.parametrize(("name", "fn", "reference", "args"), CASES, ids=[c[0] for c in CASES])
def test_gradient(name: str, fn: Any, reference: Any, args: list[Any]) -> None:
    program = program_of(fn, args)
    active = [i for i, a in enumerate(args) if a.dtype.kind in "fc"]
    assert vjp(program, active).cotangent_outputs == (0,)
    tensors = [torch.tensor(a, requires_grad=i in active) for i, a in enumerate(args)]
    out, want_out = evaluate(program, args)[0], reference(*tensors)
    np.testing.assert_allclose(out, want_out.detach().numpy(), rtol=1e-10, atol=1e-12)
    rng = np.random.default_rng(0)
    ct = rng.standard_normal(out.shape) + (1j * rng.standard_normal(out.shape) if out.dtype.kind == "c" else 0)
    wanted = torch.autograd.grad(want_out, [tensors[i] for i in active], torch.tensor(ct), allow_unused=True)
    for i, got, want in zip(active, evaluate(composed(program, active), [*args, ct]), wanted, strict=True):
        expected = np.zeros_like(args[i]) if want is None else want.numpy()
        np.testing.assert_allclose(got, expected, rtol=1e-9, atol=1e-12)
