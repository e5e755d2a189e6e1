"""Tensors as Python values: pickling, deep copies, NumPy's scalars, indexing."""

from __future__ import annotations

import copy
import pickle
import random
from typing import Any

import numpy as np
import pytest

import rushlight as rl
from rushlight.core import dtypes as dt

DTYPES = [
    d for d in dt.by_name.values() if d not in dt.NAMED and (d.format is None or d.format.parts == 1)
]  # the others are of no tensor, or of views alone


@pytest.mark.parametrize("dtype", DTYPES, ids=lambda d: d.name)
@pytest.mark.parametrize("protocol", [2, pickle.HIGHEST_PROTOCOL])
def test_pickle(dtype: Any, protocol: int) -> None:
    x = rl.tensor([[1, 0, 1], [0, 1, 1]], dtype=dtype).transpose(0, 1)
    y = pickle.loads(pickle.dumps(x, protocol))
    assert y.dtype is dtype and y.shape == x.shape and y.stride() == x.stride() and y.tolist() == x.tolist()


def test_pickle_keeps_shared_memory_and_attributes() -> None:
    x = rl.ones(4, requires_grad=True)
    x.note = "kept"
    a, b = pickle.loads(pickle.dumps((x, x.detach()[1:])))
    assert a.requires_grad and a.note == "kept"
    b.fill_(5)
    assert a.tolist() == [1, 5, 5, 5]


def test_deepcopy() -> None:
    x = rl.ones(4, requires_grad=True)
    x.sum().backward()
    y = copy.deepcopy(x)
    assert y.requires_grad and y is not x and y.grad.tolist() == [1, 1, 1, 1]
    y.data.fill_(3)
    assert x.tolist() == [1, 1, 1, 1]
    base = rl.zeros(4)
    both = copy.deepcopy([base, base[2:]])
    both[1].fill_(1)
    assert both[0].tolist() == [0, 0, 1, 1] and base.tolist() == [0, 0, 0, 0]
    with pytest.raises(RuntimeError, match="graph leaves"):
        copy.deepcopy(x * 2)


NUMBERS = [
    np.float32(1.5),
    np.float64(1.5),
    np.float16(1.5),
    np.int64(2),
    np.int8(2),
    np.uint8(2),
    np.bool_(True),
    np.complex64(1 + 2j),
]


@pytest.mark.parametrize("number", NUMBERS, ids=lambda n: type(n).__name__)
def test_numpy_scalars_are_numbers(number: Any) -> None:
    x = rl.tensor([1.0, 2.0])
    same = number.item()
    for f in (
        lambda n: x + n,
        lambda n: n + x,
        lambda n: x * n,
        lambda n: n * x,
        lambda n: x == n,
        lambda n: rl.full((2,), n),
        lambda n: rl.where(x > 1, x, n),
        lambda n: rl.tensor([n, n]),
    ):
        got, expected = f(number), f(same)
        assert type(got) is rl.Tensor, f"{type(got)} for {type(number)}"
        if f is not None and got.dtype is not expected.dtype:
            # rl.tensor takes NumPy's dtype, as PyTorch does; everything else promotes like the Python number.
            assert got.dtype.name == ("bool" if type(number) is np.bool_ else type(number).__name__)
        assert got.tolist() == expected.tolist()


def test_numpy_ints_are_sizes_and_indices() -> None:
    x = rl.zeros(np.int64(2), np.int32(3))
    assert tuple(x.shape) == (2, 3)
    x[np.int64(1), np.int8(2)] = np.float32(4)
    assert x[np.int64(1)].tolist() == [0, 0, 4]
    assert x.sum(np.int64(0)).tolist() == [0, 0, 4] and tuple(x.reshape(np.int64(3), 2).shape) == (3, 2)


def _index(r: random.Random, shape: tuple[int, ...]) -> tuple[Any, Any]:
    """A random index: (for rushlight, for NumPy)."""
    ours: list[Any] = []
    theirs: list[Any] = []
    d, fancy = 0, r.random() < 0.35
    lists = r.choice([(2,), (3,), (2, 2)])
    while d < len(shape) and r.random() < 0.85:
        n, kind = shape[d], r.random()
        if kind < 0.2 and not fancy:  # NumPy counts an int beside index arrays among them, PyTorch takes it first
            i = r.randrange(-n, n)
            ours.append(i)
            theirs.append(i)
            d += 1
        elif kind < 0.6:
            s = slice(
                *(r.choice([None, r.randint(-n - 1, n + 1)]) for _ in range(2)), r.choice([None, 1, 2, 3, -1, -2])
            )
            ours.append(s)
            theirs.append(s)
            d += 1
        elif kind < 0.7:
            ours.append(None)
            theirs.append(None)
        elif kind < 0.78 and Ellipsis not in [o for o in ours if o is Ellipsis]:
            ours.append(...)
            theirs.append(...)
            d += r.randrange(0, len(shape) - d + 1)
        elif fancy:
            a = np.array([r.randrange(-n, n) for _ in range(int(np.prod(lists)))]).reshape(lists)
            ours.append(rl.tensor(a.tolist()))
            theirs.append(a)
            d += 1
        else:
            d += 1
            ours.append(slice(None))
            theirs.append(slice(None))
    return tuple(ours), tuple(theirs)


def test_indexing_agrees_with_numpy() -> None:
    done = 0
    for seed in range(1500):
        r = random.Random(seed)
        shape = r.choice([(5,), (3, 4), (2, 3, 4), (4, 1, 3), (2, 3, 2, 3)])
        a = np.arange(float(np.prod(shape)), dtype=np.float32).reshape(shape)
        x = rl.tensor(a.ravel().tolist()).reshape(shape)
        ours, theirs = _index(r, shape)
        try:
            expected = a[theirs]
        except IndexError:
            with pytest.raises(IndexError):
                x[ours]
            continue
        got = x[ours]
        assert tuple(got.shape) == expected.shape, (
            f"x{list(shape)}[{theirs}]: shape {tuple(got.shape)}, NumPy gives {expected.shape}"
        )
        assert got.tolist() == expected.tolist(), f"x{list(shape)}[{theirs}]"
        a[theirs] = -1
        x[ours] = -1
        assert x.tolist() == a.tolist(), f"x{list(shape)}[{theirs}] = -1"
        done += 1
    assert done > 1000
