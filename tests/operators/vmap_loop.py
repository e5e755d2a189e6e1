"""vmap gives what a loop gives: whichever of a call's tensors are mapped, over whichever of their dimensions, however
deep.

`cases` draws such calls; `check` does one and compares. An unmapped tensor is the same for every example of its level.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from support import array, close, copy, tensor

from rushlight.core import tensor as core

SIZES = (3, 3, 2, 1)  # of batches; 1 is no broadcast


@dataclass(frozen=True)
class Level:
    """One vmap: its size, for each tensor the dimension it is mapped over (of the tensor as this level sees it) or
    None, and where the results' goes.
    """

    size: int
    in_dims: tuple[int | None, ...]
    out_dim: int


@dataclass(frozen=True)
class Case:
    """Nested vmaps, the outermost first."""

    levels: tuple[Level, ...]

    def __str__(self) -> str:
        return " of ".join(f"vmap(size {x.size}, in_dims={x.in_dims}, out_dims={x.out_dim})" for x in self.levels)


def masks(n: int, everything: bool, rng: random.Random) -> list[tuple[bool, ...]]:
    """Which of n tensors are mapped: all subsets of a few; of many each alone, all but each, all, and some."""
    every = [m for m in itertools.product((True, False), repeat=n) if any(m)] if n <= 5 else []
    if not every:
        every = [
            (True,) * n,
            *(tuple(i == k for i in range(n)) for k in range(n)),
            *(tuple(i != k for i in range(n)) for k in range(n)),
        ]
        every += [m for m in (tuple(rng.random() < 0.5 for _ in range(n)) for _ in range(6)) if any(m)]
    if not everything:
        every = [*every[:1], *rng.sample(every[1:], min(1, len(every) - 1))]
    return every


def cases(ndims: Sequence[int], rng: random.Random, everything: bool = False, writes: bool = False) -> Iterator[Case]:
    """Calls to try on tensors of these ranks: with `everything` every subset mapped, else all of them and another; one
    in four nested.

    writes: the first tensor is written to, so that it must be mapped where any is.
    """
    for mask in masks(len(ndims), everything, rng):
        levels: list[Level] = []
        deep = 2 if rng.random() < 0.25 else 1
        ranks = list(ndims)
        for k in range(deep):  # the innermost first
            chosen = mask if k == 0 else tuple(rng.random() < 0.5 for _ in ranks)
            chosen = chosen if any(chosen) else mask
            chosen = (True, *chosen[1:]) if writes else chosen
            dims = tuple(rng.randrange(-n - 1, n + 1) if m else None for n, m in zip(ranks, chosen, strict=True))
            levels.insert(0, Level(rng.choice(SIZES), dims, rng.choice((0, 0, -1))))
            ranks = [n + m for n, m in zip(ranks, chosen, strict=True)]
        yield Case(tuple(levels))


def check(
    fn: Callable[..., Sequence[Any]],
    rows: Sequence[Sequence[Any]],
    case: Case,
    vmap: Callable[..., Any],
    rtol: Callable[[Any], float],
    what: str,
) -> bool:
    """Compare; rows: the tensors of a few examples, of which each place of the batch takes one. False where the loop's
    results do not stack.
    """
    levels = case.levels

    def picked(places: Sequence[int], i: int) -> int:
        """Which row has tensor i of the example at these places: only the levels that map it count."""
        return sum(
            p * (k + 1) for k, (p, x) in enumerate(zip(places, levels, strict=True)) if x.in_dims[i] is not None
        ) % len(rows)

    def stacked(i: int, depth: int, places: tuple[int, ...]) -> Any:
        if depth == len(levels):
            return array(rows[picked(places, i)][i])
        x = levels[depth]
        if x.in_dims[i] is None:
            return stacked(i, depth + 1, (*places, 0))
        parts = [stacked(i, depth + 1, (*places, p)) for p in range(x.size)]
        return np.stack(parts, x.in_dims[i])

    count = len(rows[0])
    args = [
        tensor(stacked(i, 0, ()), rows[0][i].dtype)
        if any(x.in_dims[i] is not None for x in levels)
        else copy(rows[0][i])
        for i in range(count)
    ]
    mapped: Callable[..., Any] = fn
    for x in reversed(levels):
        mapped = vmap(mapped, in_dims=x.in_dims, out_dims=x.out_dim)
    loop = {
        places: fn(*[copy(rows[picked(places, i)][i]) for i in range(count)])
        for places in itertools.product(*[range(x.size) for x in levels])
    }
    shapes = {tuple((tuple(r.shape), r.dtype) for r in results) for results in loop.values()}
    if len(shapes) > 1:
        return False
    got = mapped(*args)
    first = next(iter(loop.values()))
    assert len(got) == len(first), f"{what}: {len(got)} results, the loop has {len(first)}"
    for j, (g, e) in enumerate(zip(got, first, strict=True)):
        assert isinstance(g, core.Tensor) and g.dtype is e.dtype, (
            f"{what}, {case}: dtype {g.dtype}, the loop gives {e.dtype}"
        )
        found = array(g)
        for k, x in enumerate(levels):  # the outermost was put in last
            found = np.moveaxis(found, x.out_dim if x.out_dim < 0 else x.out_dim + k, k)
        for places, results in loop.items():
            close(found[places], array(results[j]), rtol(g.dtype), f"{what}, {case}, example {places}, result {j}")
    return True
