"""Products with zeros among their factors, and extremes with ties: derivatives to the third order.

A product is a polynomial, whose derivatives exist at zeros too; multiplied out factor by factor, it has them without a
rule. The derivative of an extreme belongs to all that tie, evenly, and so is that of their mean.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from support import array, tensor

import rushlight as rl
from rushlight.core import dtypes as dt

Maps = Callable[..., list[Any]]


def orders(fn: Maps, *values: Any) -> list[Any]:
    """Gradients of the first three orders of a nonlinear function of fn's results."""
    xs = [
        tensor(
            np.array(v, complex if np.iscomplexobj(v) else float), dt.complex128 if np.iscomplexobj(v) else dt.float64
        ).requires_grad_()
        for v in values
    ]
    total: Any = sum(
        ((y * (0.3 + 0.2 * k)).sin() * y).real.sum() if y.dtype.kind == "c" else ((y * (0.3 + 0.2 * k)).sin() + y).sum()
        for k, y in enumerate(fn(*xs))
    )
    found = []
    for order in range(3):
        grads = [
            rl.zeros_like(x) if g is None else g
            for g, x in zip(rl.autograd.grad(total, xs, create_graph=order < 2, allow_unused=True), xs, strict=True)
        ]
        found += [array(g.detach()) for g in grads]
        total = sum(
            (((g * g.conj()).real if g.dtype.kind == "c" else g * g + g).sum() for g in grads),
            rl.zeros((), dtype=dt.float64),
        )
    return found


def agree(fn: Maps, by_hand: Maps, *values: Any) -> None:
    for k, (got, want) in enumerate(zip(orders(fn, *values), orders(by_hand, *values), strict=True)):
        np.testing.assert_allclose(got, want, rtol=1e-9, atol=1e-9, err_msg=f"derivative {k} of {values}")


LINES = (
    [0.0, 2.0, 3.0],
    [0.0, 0.0, 3.0],
    [0.0, 0.0, 0.0, 2.0],
    [1.5, -2.0, 0.5, 3.0],
    [0.0],
    [4.0, 0.0],
    [1 + 2j, 0j, 2 - 1j],
    [0j, 0j, 1j],
)


def multiplied(xs: Any) -> Any:
    total = rl.ones((), dtype=xs[0].dtype) if xs else None
    for x in xs:
        total = x * total
    return total


@pytest.mark.parametrize("line", LINES, ids=str)
def test_products_along_a_dimension(line: Any) -> None:
    n = len(line)
    agree(lambda x: [x.prod(0)], lambda x: [multiplied(list(x))], line)
    agree(lambda x: [x.prod()], lambda x: [multiplied(list(x))], line)
    agree(lambda x: [x.cumprod(0)], lambda x: [rl.stack([multiplied(list(x[: k + 1])) for k in range(n)])], line)
    if not any(isinstance(v, complex) for v in line):
        mask = tensor(np.arange(n) % 3 != 1, dt.bool_)
        kept = [k for k in range(n) if k % 3 != 1]
        agree(lambda x: [rl.masked.prod(x, 0, mask=mask)], lambda x: [multiplied([x[k] for k in kept])], line)


PLACES = ([0, 1, 0, 2, 0], [3, 3, 3, 3, 3], [0, 1, 2, 3, 1], [2, 2, 0, 0, 1])
BASES = ([1.5, 0.0, 2.0, 0.0], [0.0, 0.0, 0.0, 0.0], [1.0, 2.0, -1.0, 0.5])
SOURCES = ([0.0, 2.0, 0.0, 3.0, 1.0], [0.0, 0.0, 0.0, 0.0, 0.0], [1.5, 0.5, 2.0, -1.0, 0.0], [2.0, 3.0, 1.0, 4.0, 5.0])


@pytest.mark.parametrize("keep", [True, False])
@pytest.mark.parametrize("places", PLACES, ids=str)
def test_products_by_index(places: list[int], keep: bool) -> None:
    where = tensor(np.array(places), dt.int64)

    def by_hand(x: Any, u: Any) -> list[Any]:
        out = []
        for k in range(x.shape[0]):
            factors = [u[j] for j, i in enumerate(places) if i == k]
            out.append(multiplied([*([x[k]] if keep or not factors else []), *factors]))
        return [rl.stack(out)]

    def down(fn: Maps) -> Maps:
        """Along dimension 1 of matrices, the second row another."""
        return lambda x, u: fn(rl.stack([x, x * 2 - 1], 0), rl.stack([u, u + 1], 0))

    def rows(x: Any, u: Any) -> list[Any]:
        return [rl.stack([by_hand(x, u)[0], by_hand(x * 2 - 1, u + 1)[0]])]

    for x in BASES:
        for u in SOURCES:
            agree(lambda a, b: [a.scatter_reduce(0, where, b, "prod", include_self=keep)], by_hand, x, u)
            agree(lambda a, b: [a.index_reduce(0, where, b, "prod", include_self=keep)], by_hand, x, u)
    for x, u in zip(BASES, SOURCES, strict=False):
        agree(down(lambda a, b: [a.index_reduce(1, where, b, "prod", include_self=keep)]), rows, x, u)
        agree(down(lambda a, b: [a.scatter_reduce(1, where.expand(2, 5), b, "prod", include_self=keep)]), rows, x, u)


def test_products_of_segments_and_of_nothing() -> None:
    lengths = tensor(np.array([2, 0, 3]), dt.int64)
    agree(
        lambda u: [rl.segment_reduce(u, "prod", lengths=lengths)],
        lambda u: [rl.stack([u[0] * u[1], u[0] * 0 + 1, u[2] * u[3] * u[4]])],
        [0.0, 2.0, 0.0, 0.0, 3.0],
    )
    none = rl.zeros(0, dtype=rl.int64)
    agree(lambda x, u: [x.index_reduce(0, none, u, "prod")], lambda x, u: [x * 1], [0.0, 2.0], [])


TIES = ([1.0, 3.0, 3.0, 2.0], [2.0, 2.0, 2.0], [0.0, -0.0, -1.0], [5.0])


@pytest.mark.parametrize("line", TIES, ids=str)
def test_extremes_that_tie(line: list[float]) -> None:
    for name in ("amax", "amin"):
        best = [k for k, v in enumerate(line) if v == (max if name == "amax" else min)(line)]
        agree(
            lambda x, name=name: [getattr(x, name)(0)], lambda x, best=best: [sum(x[k] for k in best) / len(best)], line
        )
        at = tensor(np.zeros(len(line)), dt.int64)

        def among(b: Any, x: Any, best: list[int] = best, line: list[float] = line) -> list[Any]:
            top = line[best[0]]
            own = [b[0]] if b[0].item() == top else []
            return [rl.stack([sum([*own, *(x[k] for k in best)]) / (len(own) + len(best)), b[1] * 1])]

        for how in ("scatter_reduce", "index_reduce"):
            agree(
                lambda b, x, how=how, name=name, at=at: [getattr(b, how)(0, at, x, name)],
                among,
                [line[best[0]], 9.0],
                line,
            )
