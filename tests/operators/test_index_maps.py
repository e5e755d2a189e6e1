"""Operators that move elements about, at parameters beyond their tensors' sizes: derivatives to the third order, and
errors.

Called on the numbers of the elements, such an operator tells where each element of its result comes from (0: from
nowhere, it is a constant). Taken from there by one `index_select`, the same result has derivatives that need none of
the operator's rules. `RUSHLIGHT_INDEX_MAPS=all` tries every variant (ten minutes on one core).
"""

from __future__ import annotations

import os
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support import array, call, copy, find, flat, inputs_of, map_tensors, tensor

import rushlight as rl
from rushlight.core import dtypes as dt
from rushlight.testing.samples import REGISTRY, Make, Sample, load

sys.path.insert(0, str(Path(__file__).parents[1] / "system"))

import fuzz

load()

EVERYTHING = os.environ.get("RUSHLIGHT_INDEX_MAPS") == "all"
VARIANTS = 1000 if EVERYTHING else 2  # of an operator's samples, besides the samples themselves
SAMPLES = 40 if EVERYTHING else 2
BEYOND = (-9, -5, -3, -2, -1, 0, 1, 2, 3, 5, 9)
CLASSES = {"view", "movement", "index", "join", "sort"}
# Some that must be among those found; what moves elements by multiplying with a mask is of another class.
MOVERS = {
    "diagonal",
    "diag_embed",
    "diag",
    "tril",
    "triu",
    "roll",
    "flip",
    "permute",
    "narrow",
    "select",
    "unfold",
    "index_select",
    "gather",
    "cat",
    "stack",
    "expand",
    "repeat",
    "tile",
    "split",
    "chunk",
    "movedim",
    "diagonal_scatter",
    "slice_scatter",
    "select_scatter",
    "rot90",
}
CUT = {"detach", "detach_copy"}  # no derivative, on purpose


def _classes() -> list[str]:
    found = []
    for name, spec in REGISTRY.items():
        if (
            dt.float64 in spec.dtypes
            and dt.int64 in spec.dtypes
            and not name.endswith("_")
            and name not in CUT
            and (name in MOVERS or getattr(find(name), "shape_class", "") in CLASSES)
        ):
            found.append(name)
    return sorted(found)


def variants(sample: Sample, rng: random.Random) -> Iterator[Sample]:
    """The sample, and it with one of its ints replaced by others."""
    yield sample
    places = [(i, None) for i, a in enumerate(sample.args) if type(a) is int]
    places += [
        (i, j) for i, a in enumerate(sample.args) if type(a) in (tuple, list) for j, x in enumerate(a) if type(x) is int
    ]
    keys = [k for k, v in sample.kwargs.items() if type(v) is int]
    choices = [(p, v) for p in [*places, *keys] for v in BEYOND]
    for place, value in rng.sample(choices, min(VARIANTS, len(choices))):
        if isinstance(place, str):
            yield Sample(*sample.args, **{**sample.kwargs, place: value})
            continue
        args, (i, j) = list(sample.args), place
        args[i] = value if j is None else type(args[i])(value if k == j else x for k, x in enumerate(args[i]))
        yield Sample(*args, **sample.kwargs)


def numbered(sample: Sample) -> tuple[Sample, list[Any]]:
    """The sample with its floating point tensors' elements numbered from 1 on, through all of them; and those
    tensors.
    """
    seen: dict[int, Any] = {}
    leaves: list[Any] = []
    start = 1

    def number(t: Any) -> Any:
        nonlocal start
        if t.dtype is not dt.float64:
            return t
        if id(t) not in seen:
            seen[id(t)] = tensor(np.arange(start, start + t.numel()).reshape(tuple(t.shape)), dt.int64)
            start += t.numel()
            leaves.append(t)
        return seen[id(t)]

    return map_tensors(number, sample), leaves


def third(fn: Any, leaves: list[Any]) -> list[list[Any]]:
    """Gradients of the first three orders of a nonlinear function of fn's results, by the leaves."""
    xs = [copy(x).requires_grad_() for x in leaves]
    total = sum(
        (((y * 0.7).sin() * (i + 1)).sum() for i, y in enumerate(fn([x + 0.3 * x * x for x in xs]))),
        rl.zeros((), dtype=dt.float64),
    )
    found = []
    for order in range(3):
        if not total.requires_grad:
            break
        grads = [
            rl.zeros_like(x) if g is None else g
            for g, x in zip(rl.autograd.grad(total, xs, create_graph=order < 2, allow_unused=True), xs, strict=True)
        ]
        found.append([array(g.detach()) for g in grads])
        total = sum(((g * g * 0.5).sum() for g in grads), rl.zeros((), dtype=dt.float64))
    return found


def check(name: str, sample: Sample) -> bool:
    """Whether this call moves elements; AssertionError where its derivatives are not those of the moves."""
    op = find(name)
    numbers, leaves = numbered(sample)
    if not leaves or not all(x.numel() < 500 for x in leaves):
        return False
    try:
        where = list(flat(call(op, numbers)))
        results = flat(call(op, sample))
    except Exception as error:
        problem = fuzz.complaint(error, name)
        assert problem is None, f"{sample.args} {sample.kwargs}: {type(error).__name__}: {error} ({problem})"
        return False
    flats = np.concatenate([[0.0], *(array(x).ravel() for x in leaves)])
    pairs = [(w, r) for w, r in zip(where, results, strict=True) if r.dtype is dt.float64]
    if not pairs or any(
        w.dtype is not dt.int64
        or array(w).min(initial=0) < 0
        or array(w).max(initial=0) >= len(flats)
        or not np.array_equal(flats[array(w)], array(r))
        for w, r in pairs
    ):
        return False  # another kind of operator: its samples have their own checks
    which = [i for i, r in enumerate(results) if r.dtype is dt.float64]

    def by_operator(xs: list[Any]) -> list[Any]:
        put = {id(t): x for t, x in zip(leaves, xs, strict=True)}
        found = flat(call(op, map_tensors(lambda t: put.get(id(t), t), sample)))
        return [found[i] for i in which]

    def by_moves(xs: list[Any]) -> list[Any]:
        line = rl.cat([rl.zeros(1, dtype=dt.float64), *(x.reshape(-1) for x in xs)])
        return [line.index_select(0, w.reshape(-1)).reshape(w.shape) for w, _ in pairs]

    for order, (got, want) in enumerate(zip(third(by_operator, leaves), third(by_moves, leaves), strict=True), 1):
        for g, w in zip(got, want, strict=True):
            np.testing.assert_allclose(
                g, w, rtol=1e-9, atol=1e-9, err_msg=f"{name} {sample.args} {sample.kwargs}: derivative of order {order}"
            )
    return True


@pytest.mark.parametrize("name", _classes())
def test_derivatives_of_moves(name: str) -> None:
    rng, found = random.Random(name), 0
    samples = [s for s in REGISTRY[name].generate(Make(dt.float64, 1)) if isinstance(s, Sample) and inputs_of(s)]
    chosen = samples if len(samples) <= SAMPLES else rng.sample(samples, SAMPLES)
    for sample in chosen:
        for variant in variants(sample, rng):
            found += check(name, variant)
    if name in MOVERS:
        assert found, "no sample of it moved elements"


@pytest.mark.parametrize("offset", BEYOND)
def test_diagonals_far_out(offset: int) -> None:
    for shape in ((4, 4), (3, 5), (5, 3), (2, 4, 4), (0, 3), (1, 1)):
        x = tensor(np.random.default_rng(0).standard_normal(shape), dt.float64)
        assert check("diagonal", Sample(x, offset, -2, -1)), shape
        assert check("diag_embed", Sample(x, offset)), shape
