"""Sorts that the core does by itself, and those of shorter dtypes that NumPy does, against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rushlight as rl


def _order(a: Any, descending: bool) -> Any:
    """The stable order of a along its last dimension, NaN the greatest."""
    rank = np.unique(a + a.dtype.type(0), return_inverse=True)[1].reshape(a.shape)
    return np.argsort(-rank if descending else rank, axis=-1, kind="stable")


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64, np.uint64, np.int8])
@pytest.mark.parametrize("n", [1, 2, 3, 8, 9, 16, 17, 32, 33, 128, 129, 600])
@pytest.mark.parametrize("descending", [False, True])
def test_sort_and_topk(dtype: type, n: int, descending: bool) -> None:
    """Values, places and the first few of them, among equals, infinities, NaN and both zeros, along either
    dimension.
    """
    rng = np.random.default_rng(n)
    for rows in (1, 3, 300) if n <= 129 else (1, 3):
        a: Any = rng.integers(0, 50, (rows, n)).astype(dtype)
        if np.issubdtype(dtype, np.floating):
            a = rng.choice(np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1.5, -1.5, 1e-300], dtype), (rows, n))
        else:
            a[rng.random(a.shape) < 0.1] = np.iinfo(dtype).max
            a[rng.random(a.shape) < 0.1] = np.iinfo(dtype).min
        order = _order(a, descending)
        for dim, x in ((1, rl.from_numpy(a)), (0, rl.from_numpy(a.T.copy())), (0, rl.from_numpy(a).t())):
            values, indices = (t if dim else t.t() for t in x.sort(dim, descending=descending, stable=True))
            assert np.array_equal(indices.numpy(), order)
            assert np.array_equal(
                values.numpy(), np.take_along_axis(a, order, 1), equal_nan=np.issubdtype(dtype, np.floating)
            )
            for k in {(n + 1) // 2, 1, min(n, 10), min(n, 64)}:
                first = x.topk(k, dim, largest=descending).indices
                assert np.array_equal((first if dim else first.t()).numpy(), order[:, :k])


WIDE = {
    "few bits": lambda rng, n: rng.integers(-3, 3, n),
    "40 bits": lambda rng, n: rng.integers(-(1 << 39), 1 << 39, n),
    "all bits": lambda rng, n: rng.integers(-(1 << 63), (1 << 63) - 1, n),
    "far apart, and close": lambda rng, n: rng.choice([-(1 << 62), 7, 1 << 62], n) + rng.integers(0, 40, n),
    "one": lambda rng, n: np.full(n, 1 << 40),
    "close doubles": lambda rng, n: 1.0 + rng.integers(0, 300, n) * 2.0**-52,
    "normal doubles": lambda rng, n: rng.standard_normal(n),
    "doubles": lambda rng, n: rng.choice([np.nan, -np.inf, -0.0, 0.0, 1e-310, -1e300], n) * rng.standard_normal(n),
}


@pytest.mark.parametrize("kind", WIDE)
@pytest.mark.parametrize("n", [129, 1000, 70_001])
def test_whole_rows_of_eight_bytes(n: int, kind: str) -> None:
    """Digits that all keys have in common, runs that differ in their last bits alone, and what is picked from them."""
    a = np.stack([WIDE[kind](np.random.default_rng(n + k), n) for k in range(2)])
    x = rl.tensor(a)
    for descending in (False, True):
        order = _order(a, descending)
        values, indices = x.sort(1, descending=descending, stable=True)
        assert np.array_equal(indices.numpy(), order)
        assert values.numpy().tobytes() == np.take_along_axis(a, order, 1).tobytes()
        assert np.array_equal(x.t().contiguous().argsort(0, descending=descending, stable=True).t().numpy(), order)
        k = 2 * n // 3
        assert np.array_equal(x.topk(k, 1, largest=descending).indices.numpy(), order[:, :k])
    if not np.isnan(a).any():
        middle = np.sort(a, 1)[:, (n - 1) // 2]
        assert x.median(1).values.numpy().tolist() == middle.tolist()


@pytest.mark.parametrize("values", [1, 2, 2048, 2049, 100_000, 2**22, 2**22 + 1])
@pytest.mark.parametrize("dtype", ["bool", "uint8", "int16", "float16", "int32", "float32"])
def test_many_elements_of_few_values(dtype: str, values: int) -> None:
    """Orders by counting, in one pass and in two, and just beyond."""
    a: Any = np.random.default_rng(values).integers(-(values // 2), (values + 1) // 2, 9000)
    a[:2] = -(values // 2), (values + 1) // 2 - 1
    with np.errstate(over="ignore"):  # float16
        a = a.astype(np.int32).view(np.float32) if dtype == "float32" else a.astype(dtype)
    x = rl.from_numpy(a)
    for descending in (False, True):
        order = _order(a if a.dtype != bool else a.astype(np.int8), descending)
        found, indices = x.sort(descending=descending, stable=True)
        assert np.array_equal(indices.numpy(), order)
        assert np.array_equal(found.numpy(), a[order], equal_nan=a.dtype.kind == "f")


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("kind", ["any", "falling", "rising", "equal"])
@pytest.mark.parametrize("shape", [(3, 2000), (2000, 3), (700, 21), (2, 900, 11), (1, 65), (200, 300)])
def test_the_least_of_many(shape: tuple[int, ...], kind: str, threads: int) -> None:
    """topk of rows that all threads look through, along each dimension, in orders that are good and bad for it."""
    before = rl.get_num_threads()
    rl.set_num_threads(threads)
    try:
        for dim, n in enumerate(shape):
            at = np.arange(n).reshape([n if d == dim else 1 for d in range(len(shape))])
            a: Any = np.random.default_rng(3).integers(-1000, 1000, shape) if kind == "any" else np.zeros(shape, int)
            a = (a + {"falling": -at, "rising": at}.get(kind, 0 * at)).astype(np.float32)
            for k in {1, 7, 10, 33, 64, 65} & set(range(n + 1)):
                values, indices = rl.from_numpy(a).topk(k, dim, largest=False)
                order = np.argsort(a, axis=dim, kind="stable").take(range(k), dim)
                assert np.array_equal(indices.numpy(), order)
                assert np.array_equal(values.numpy(), np.take_along_axis(a, order, dim))
    finally:
        rl.set_num_threads(before)
