"""QR and least squares by blocks of reflectors (core/native/reflectors.c, lapack_least.h): errors, ranks, and where
LAPACK's driver takes over. Bits, operands at the end of memory and a lack of memory are in test_blocked_linalg.py.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.linalg import lapack

import rushlight as rl
from rushlight import linalg

Array = Any  # an ndarray
SIZES = [(50, 50), (64, 40), (40, 64), (100, 33), (33, 100), (3000, 1), (150, 150), (65, 64), (97, 96), (700, 40)]
KINDS = ("random", "large", "small", "zero columns", "of rank 3", "columns of all sizes")


def matrix(kind: str, m: int, n: int, dtype: str) -> Array:
    r = np.random.default_rng(m + n)
    a = r.standard_normal((m, n))
    if kind == "large":
        a *= float(np.finfo(dtype).max) / 1e3
    elif kind == "small":
        a *= float(np.finfo(dtype).tiny) * 100
    elif kind == "zero columns":
        a[:, : min(n, 20)] = 0
    elif kind == "of rank 3":
        a = r.standard_normal((m, 3)) @ r.standard_normal((3, n))
    elif kind == "columns of all sizes":
        a *= np.logspace(-8, 8, n)
    return a.astype(dtype)


def wide(x: rl.Tensor) -> Array:
    return x.numpy().astype(np.longdouble)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("size", SIZES)
def test_qr(size: tuple[int, int], kind: str, dtype: str) -> None:
    """Each column of A - Q R in units of its length, and Q^T Q - 1, element by element; R is a triangle."""
    eps, a = float(np.finfo(dtype).eps), matrix(kind, *size, dtype)
    for mode in ("reduced", "complete") if size[0] < 1000 else ("reduced",):
        q, r = (wide(x) for x in linalg.qr(rl.tensor(a), mode=mode))
        length = np.sqrt((a.astype(np.longdouble) ** 2).sum(0))
        assert (np.abs(q @ r - a) <= 20 * eps * length).all()
        assert np.abs(q.T @ q - np.eye(q.shape[1])).max() <= 20 * eps
        assert (np.tril(r, -1) == 0).all()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_reflectors_are_those_of_lapack(dtype: str) -> None:
    """Which a program may hand to LAPACK: packed, with the same signs."""
    eps, a = float(np.finfo(dtype).eps), matrix("random", 90, 70, dtype)
    packed, tau = rl.geqrf(rl.tensor(a))
    expected, expected_tau, *_ = (lapack.sgeqrf if dtype == "float32" else lapack.dgeqrf)(a)
    np.testing.assert_allclose(packed.numpy(), expected, atol=1000 * eps)
    np.testing.assert_allclose(tau.numpy(), expected_tau, atol=100 * eps)


@pytest.mark.parametrize("row", [0, 5, 49])
def test_nan_is_not_lost(row: int) -> None:
    a = np.zeros((50, 50), "float32")
    a[row, 0] = np.nan
    _, r = linalg.qr(rl.tensor(a))
    assert r.isnan().any()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("driver", ["gelsy", "gels"])
@pytest.mark.parametrize("size", [s for s in SIZES if s[1] > 1])
def test_least_squares(size: tuple[int, int], driver: str, dtype: str) -> None:
    """The solution beside that of double precision by singular values, for a matrix of singular values 1 to 100."""
    m, n = size
    r, least = np.random.default_rng(m), min(size)
    u, _ = np.linalg.qr(r.standard_normal((m, least)))
    v, _ = np.linalg.qr(r.standard_normal((n, least)))
    a = (u * np.logspace(0, -2, least) @ v.T).astype(dtype)
    for k in (1, 5, 40):
        b = r.standard_normal((m, k)).astype(dtype)
        x, _, rank, _ = linalg.lstsq(rl.tensor(a), rl.tensor(b), driver=driver)
        expected = np.linalg.lstsq(a.astype(float), b.astype(float), rcond=None)[0]
        error = np.linalg.norm(x.numpy() - expected, axis=0) / np.linalg.norm(expected, axis=0)
        assert error.max() <= 1e4 * float(np.finfo(dtype).eps)  # |A|^2 / least^2 eps, for residuals that are not small
        assert driver == "gels" or int(rank) == least


@pytest.mark.parametrize("size", [(80, 60), (60, 80), (60, 60)])
@pytest.mark.parametrize("scale", [1.0, 1e-200, 1e200])
def test_ranks_are_those_of_lapack(size: tuple[int, int], scale: float) -> None:
    """On either side of the bound: singular values from 1 down to so much."""
    m, n = size
    r, least = np.random.default_rng(0), min(size)
    u, _ = np.linalg.qr(r.standard_normal((m, least)))
    v, _ = np.linalg.qr(r.standard_normal((n, least)))
    b = r.standard_normal((m, 2))
    for smallest in (1e-1, 1e-5, 1e-7, 0.9e-8, 1.1e-8, 1e-9, 1e-13, 0.0):
        s = np.ones(least)
        s[-3:] = smallest
        a = u * s @ v.T * scale
        found = linalg.lstsq(rl.tensor(a), rl.tensor(b), rcond=1e-8)
        x = np.zeros((max(m, n), 2))
        x[:m] = b
        work = int(lapack.dgelsy_lwork(m, n, 2, 1e-8)[0])
        _, expected, _, rank, _ = lapack.dgelsy(a, x, np.zeros((n, 1), np.int32), 1e-8, work)
        assert int(found.rank) == rank
        assert rank == (least if smallest > 2e-8 else least - 3) or 0.5e-8 < smallest < 2e-8
        np.testing.assert_allclose(found.solution.numpy() * scale, expected[:n] * scale, rtol=1e-6 / (smallest or 1))


def test_gels_refuses_a_matrix_that_has_a_zero_column() -> None:
    a = rl.randn(80, 60)
    a[:, 7] = 0
    with pytest.raises(RuntimeError, match=r"linalg\.lstsq.*not of full rank.*8"):
        linalg.lstsq(a, rl.randn(80, 2), driver="gels")
