"""A property for each view operator: its result is indexing by definition, lies inside the storage, and shares each
element with its base.

The bases have random layouts (permuted, negative strides, gaps, overlapping windows, expanded). What a view must hold
follows from NumPy's functions on the numbers of the elements. RUSHLIGHT_VIEW_ROUNDS=200 takes more rounds.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest
from support import array, tensor
from test_strided_operands import relaid

import rushlight as rl
from rushlight.core import raw

ROUNDS = int(os.environ.get("RUSHLIGHT_VIEW_ROUNDS", "6"))

Index = np.ndarray[Any, Any]


class Case(NamedTuple):
    """A call of a view operator, and the same of an array of element numbers."""

    view: Callable[[Any], Any]
    index: Callable[[Index], Any]
    text: str


def windows(a: Index, d: int, size: int, step: int) -> Index:
    return np.stack(
        [np.moveaxis(np.take(a, range(k, k + size), d), d, -1) for k in range(0, a.shape[d] - size + 1, step)], d
    )


def diagonal(a: Index, offset: int, d1: int, d2: int) -> Index:
    return np.diagonal(a, offset, d1, d2)


def cuts(n: int, r: random.Random) -> list[int]:
    return sorted(r.randint(0, n) for _ in range(r.randint(0, 3)))


def sections(n: int, k: int) -> list[int]:
    """Where tensor_split cuts n elements into k parts."""
    return [i * (n // k) + min(i, n % k) for i in range(1, k)]


def cases(r: random.Random, shape: tuple[int, ...]) -> dict[str, Case | None]:
    """A random call of each view operator for a tensor of this shape (at least two dimensions)."""
    n = len(shape)
    d, e = r.randrange(n), r.randrange(n)
    size = shape[d]
    perm = list(range(n))
    r.shuffle(perm)
    back = d - n if r.random() < 0.5 else d
    start = r.randint(0, size)
    length = r.randint(0, size - start)
    step = r.choice([1, 2, 3, -1, -2])
    span = slice(
        r.choice([None, r.randint(-size - 1, size + 1)]), r.choice([None, r.randint(-size - 1, size + 1)]), step
    )
    at = (*[slice(None)] * d, span)
    width, every = r.randint(1, max(size, 1)), r.randint(1, 3)
    offset = r.randint(-3, 3)
    k = r.randint(1, 4)
    where = cuts(size, r)
    lengths = [b - a for a, b in zip([0, *where], [*where, size], strict=True)]
    wider = (r.randint(1, 3), *[r.randint(1, 3) if s == 1 else s for s in shape])
    found: dict[str, Case | None] = {
        "permute": Case(lambda x: x.permute(perm), lambda a: a.transpose(perm), f"{perm}"),
        "transpose": Case(lambda x: x.transpose(back, e), lambda a: a.swapaxes(d, e), f"{back}, {e}"),
        "swapaxes": Case(lambda x: x.swapaxes(d, e), lambda a: a.swapaxes(d, e), f"{d}, {e}"),
        "mT": Case(lambda x: x.mT, lambda a: a.swapaxes(-1, -2), ""),
        "movedim": Case(lambda x: x.movedim(d, e), lambda a: np.moveaxis(a, d, e), f"{d}, {e}"),
        "narrow": Case(
            lambda x: x.narrow(back, start, length),
            lambda a: np.take(a, range(start, start + length), d),
            f"{back}, {start}, {length}",
        ),
        "slice": Case(lambda x: x[at], lambda a: a[at], f"{at}"),
        "select": Case(lambda x: x.select(back, start), lambda a: np.take(a, start, d), f"{back}, {start}")
        if start < size
        else None,
        "integer": Case(
            lambda x: x[(*[slice(None)] * d, start - size)], lambda a: np.take(a, start, d), f"{d}: {start - size}"
        )
        if start < size
        else None,
        "None": Case(lambda x: x[:, None], lambda a: a[:, None], ""),
        "unsqueeze": Case(lambda x: x.unsqueeze(back), lambda a: np.expand_dims(a, back), f"{back}"),
        "squeeze": Case(lambda x: x.squeeze(), lambda a: a.squeeze(), ""),
        "squeeze(dim)": Case(lambda x: x.squeeze(d), lambda a: a.squeeze(d) if a.shape[d] == 1 else a, f"{d}"),
        "expand": Case(lambda x: x.expand(wider), lambda a: np.broadcast_to(a, wider), f"{wider}"),
        "expand_as": Case(lambda x: x.expand_as(rl.empty(wider)), lambda a: np.broadcast_to(a, wider), f"{wider}"),
        "broadcast_to": Case(lambda x: rl.broadcast_to(x, wider), lambda a: np.broadcast_to(a, wider), f"{wider}"),
        "unfold": Case(
            lambda x: x.unfold(back, width, every), lambda a: windows(a, d, width, every), f"{back}, {width}, {every}"
        )
        if size
        else None,
        "diagonal": Case(lambda x: x.diagonal(offset, d, e), lambda a: diagonal(a, offset, d, e), f"{offset}, {d}, {e}")
        if d != e
        else None,
        "linalg.diagonal": Case(
            lambda x: rl.linalg.diagonal(x, offset=offset), lambda a: diagonal(a, offset, -2, -1), f"{offset}"
        ),
        "chunk": Case(
            lambda x: x.chunk(k, d),
            lambda a: pieces(a, d, list(range(-(-size // k), size, max(-(-size // k), 1)))),
            f"{k}, {d}",
        )
        if size
        else None,
        "split": Case(lambda x: x.split(k, d), lambda a: pieces(a, d, list(range(k, size, k))), f"{k}, {d}"),
        "split(list)": Case(lambda x: x.split(lengths, d), lambda a: pieces(a, d, where), f"{lengths}, {d}"),
        "tensor_split": Case(lambda x: x.tensor_split(k, d), lambda a: pieces(a, d, sections(size, k)), f"{k}, {d}"),
        "tensor_split(list)": Case(lambda x: x.tensor_split(where, d), lambda a: pieces(a, d, where), f"{where}, {d}"),
        "unbind": Case(lambda x: x.unbind(d), lambda a: tuple(np.take(a, i, d) for i in range(size)), f"{d}"),
        "detach": Case(lambda x: x.detach(), lambda a: a, ""),
        "view_as": Case(lambda x: x.view_as(x), lambda a: a, ""),
        "view(shape)": Case(
            lambda x: x.view((1, *shape[:d], 1, *shape[d:])), lambda a: a.reshape((1, *shape[:d], 1, *shape[d:])), ""
        ),
        "flatten": Case(lambda x: x.flatten(d, d + 1), lambda a: a.reshape((*shape[:d], -1, *shape[d + 2 :])), f"{d}")
        if d + 1 < n and 0 not in shape
        else None,
        "unflatten": Case(
            lambda x: x.unflatten(d, (-1, k)),
            lambda a: a.reshape((*shape[:d], size // k, k, *shape[d + 1 :])),
            f"{d}, (-1, {k})",
        )
        if size and size % k == 0
        else None,
        "reshape": Case(lambda x: x.reshape(-1), lambda a: a.reshape(-1), ""),
    }
    return found


def pieces(a: Index, d: int, where: list[int]) -> tuple[Index, ...]:
    return tuple(np.take(a, range(p, q), d) for p, q in zip([0, *where], [*where, a.shape[d]], strict=True))


def memory_of(x: Any) -> Any:
    n = x.untyped_storage().nbytes() // x.itemsize
    return raw.tensor_from_storage(x.untyped_storage(), x.dtype, 0, (n,), (1,))


def base(r: random.Random, shape: tuple[int, ...], shared: bool) -> Any:
    """A tensor of random layout on memory that numbers its elements."""
    x = relaid(rl.zeros(shape, dtype=rl.float64), r, shared)
    rl.arange(0, memory_of(x).numel(), dtype=rl.float64, out=memory_of(x))
    return x


def each(result: Any) -> list[Any]:
    return list(result) if isinstance(result, (tuple, list)) else [result]


def inside(y: Any) -> bool:
    low = y.storage_offset() + sum((n - 1) * min(s, 0) for n, s in zip(y.shape, y.stride(), strict=True))
    high = y.storage_offset() + sum((n - 1) * max(s, 0) for n, s in zip(y.shape, y.stride(), strict=True))
    return not y.numel() or (low >= 0 and (high + 1) * y.itemsize <= y.untyped_storage().nbytes())


def is_view(y: Any, x: Any) -> bool:
    return bool(y.untyped_storage().data_ptr() == x.untyped_storage().data_ptr())


NAMES = sorted(cases(random.Random(0), (2, 3)))


@pytest.mark.parametrize("name", NAMES)
def test_view(name: str) -> None:
    r = random.Random(NAMES.index(name))
    done = 0
    while done < ROUNDS:
        shape = tuple(
            r.choice([0, 1, 2, 3, 4, 6]) if r.random() < 0.6 else r.randint(1, 5) for _ in range(r.randint(2, 4))
        )
        case = cases(r, shape)[name]
        if case is None:
            continue
        check(case, base(r, shape, r.random() < 0.4), f"{name}({case.text}) of {shape}")
        check_gradient(case, base(r, shape, False), f"{name}({case.text}) of {shape}")
        done += 1


def check(case: Case, x: Any, what: str) -> None:
    numbers = array(x)
    what = f"{what} with strides {x.stride()}"
    for y, e in zip(each(case.view(x)), each(case.index(numbers)), strict=True):
        assert tuple(y.shape) == e.shape, f"{what}: shape {tuple(y.shape)}, expected {e.shape}"
        assert (array(y) == e).all(), f"{what}: other elements"
        assert inside(y), f"{what}: strides {y.stride()} and offset {y.storage_offset()} lead out of the storage"
        if not y.numel() or not is_view(y, x):
            assert not y.numel() or "reshape" in what or "flatten" in what, f"{what}: a copy"
            continue
        whole = array(memory_of(x)).copy()
        y.fill_(-1.0)
        whole[e.astype(int).ravel()] = -1.0
        assert (array(memory_of(x)) == whole).all(), f"{what}: a write through the view changed other elements"
        rl.arange(0, memory_of(x).numel(), dtype=rl.float64, out=memory_of(x))
        if len(set(e.ravel().tolist())) == e.size:
            new = -2.0 - np.arange(e.size, dtype=float).reshape(e.shape)
            y.copy_(tensor(new, y.dtype))
            whole = np.arange(whole.size, dtype=float)
            whole[e.astype(int).ravel()] = new.ravel()
            assert (array(memory_of(x)) == whole).all(), f"{what}: copy_ to the view"
            rl.arange(0, memory_of(x).numel(), dtype=rl.float64, out=memory_of(x))


def check_gradient(case: Case, x: Any, what: str) -> None:
    numbers = np.arange(x.numel()).reshape(tuple(x.shape))
    x.requires_grad_()
    outputs, expected = each(case.view(x)), np.zeros(x.numel())
    total = rl.zeros((), dtype=rl.float64)
    for k, (y, e) in enumerate(zip(outputs, each(case.index(numbers)), strict=True)):
        w = 1.0 + k + np.arange(e.size, dtype=float).reshape(e.shape)
        np.add.at(expected, e.ravel(), w.ravel())
        if y.requires_grad:
            total = total + (y * tensor(w, y.dtype)).sum()
    if not total.requires_grad:
        return
    total.backward()
    assert (array(x.grad).ravel() == expected).all(), f"{what}: gradient {array(x.grad).ravel()}, expected {expected}"
