"""x[index] and x[index] = value for random mixtures of ints, slices, None, `...`, lists, arrays, masks and index
tensors of many dtypes and ranks: values and shapes, or that it is refused, against PyTorch.

    python tests/parity/test_random_indices.py DRAWS SEED      # more of them
"""

from __future__ import annotations

import math
import random
import sys
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import rushlight

torch = pytest.importorskip("torch")

Entry = Callable[[Any], Any]
DTYPES = ("float32", "float64", "int64", "bool", "complex64")


def _end(rng: random.Random, size: int) -> int | None:
    return rng.choice((None, None, 0, 1, -1, 2, -2, size, 100, -100))


def entry(rng: random.Random, size: int) -> Entry:
    """An entry of an index for a dimension of that size, seldom one that is outside of it."""

    def place() -> int:
        return rng.randrange(-size, size) if size and rng.random() < 0.98 else size

    kind = rng.randrange(14)
    if kind < 3:
        number = place()
        return lambda lib: number
    if kind < 5:
        ends = slice(_end(rng, size), _end(rng, size), rng.choice((None, None, 1, 2, 3)))
        return lambda lib: ends
    if kind in (5, 6):
        fixed = None if kind == 5 else Ellipsis
        return lambda lib: fixed
    if kind in (7, 8):
        shape, dtype = rng.choice(((), (), (1,), (3,), (2, 2), (0,))), rng.choice(("int64", "int32", "int16", "uint8"))
        if dtype in ("int16", "uint8"):  # the one is an int where it has no dimensions, the other a mask
            shape = ()
        places = [place() for _ in range(math.prod(shape))]
        return lambda lib: lib.tensor(places).to(getattr(lib, dtype)).reshape(shape)
    if kind in (9, 10):
        many = [place() for _ in range(rng.randrange(4))]
        return (lambda lib: many) if kind == 9 else lambda lib: np.array(many, dtype=np.int64)
    mask = [rng.random() < 0.5 for _ in range(size)]
    if kind == 11:
        return lambda lib: lib.tensor(mask, dtype=lib.bool)
    one = rng.random() < 0.5
    return (lambda lib: one) if kind == 12 else lambda lib: lib.tensor(one)


def drawn(seed: int) -> Callable[[Any], Any]:
    """A program of one index."""
    rng = random.Random(seed)
    shape = tuple(rng.choice((0, 1, 2, 3, 4) if rng.random() < 0.1 else (1, 2, 3, 4)) for _ in range(rng.randrange(5)))
    perm = rng.sample(range(len(shape)), len(shape)) if rng.random() < 0.3 else list(range(len(shape)))
    entries, d = [], 0
    for _ in range(rng.choice((1, 1, 2, 2, 3, 4))):
        entries.append(entry(rng, shape[d] if d < len(shape) else 2))
        d += 1
    alone, dtype, other = len(entries) == 1 and rng.random() < 0.7, rng.choice(DTYPES), rng.choice(DTYPES[:3])
    what = rng.choice(("get", "gradient", "number", "value", "add"))

    def program(lib: Any) -> Any:
        stored = [shape[p] for p in perm]
        x = lib.arange(math.prod(shape), dtype=lib.float64).to(getattr(lib, dtype)).reshape(stored)
        x = x.permute([perm.index(k) for k in range(len(perm))]) if perm else x
        index: Any = tuple(make(lib) for make in entries)
        index = index[0] if alone else index
        if what == "get":
            return x[index]
        if what == "gradient":
            leaf = x.to(lib.float64).clone().requires_grad_()
            return lib.autograd.grad(leaf[index].sum(), leaf)[0]
        if what == "number":
            x[index] = 7
        elif what == "add":
            x[index] += 2
        else:
            value = x[index]
            kind = (
                other if value.numel() != 1 else dtype
            )  # (a number of another dtype fills where PyTorch may refuse it)
            x[index] = (lib.arange(value.numel()) + 100).to(getattr(lib, kind)).reshape(value.shape)
        return x

    return program


def outcome(program: Callable[[Any], Any], lib: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            y = program(lib)
        except (IndexError, RuntimeError, TypeError, ValueError):
            return "refused"
    return str(y.dtype), tuple(y.shape), y.tolist()


def difference(seed: int) -> str | None:
    program = drawn(seed)
    theirs, ours = outcome(program, torch), outcome(program, rushlight)
    return None if theirs == ours else f"{seed}: {theirs} in PyTorch, {ours} here"


def test_random_indices() -> None:
    found = [text for seed in range(2000) if (text := difference(seed))]
    assert not found, "\n".join(found[:20])


if __name__ == "__main__":
    for seed in range(int(sys.argv[2]), int(sys.argv[2]) + int(sys.argv[1])):
        if text := difference(seed):
            print(text, flush=True)
