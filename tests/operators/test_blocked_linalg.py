"""LU, triangular solves and eigenvectors by blocks (core/native/blocked.c, lapack_hermitian.h): errors against the
theory's bounds, pivots against LAPACK's, bits on every processor and number of threads, operands at the end of memory.

The bounds are N. J. Higham's ("Accuracy and Stability of Numerical Algorithms", second edition), element by element,
with gamma(n) = n u / (1 - n u), u half the machine's epsilon; n is one more than there, since a quotient is a product
with the reciprocal.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.linalg import lapack

import rushlight as rl
from processes import printed
from rushlight import linalg
from rushlight.core import _native

Array = Any  # an ndarray
DTYPES = ("float32", "float64")
GETRF = {"float32": lapack.sgetrf, "float64": lapack.dgetrf}


def gamma(n: int, dtype: str) -> float:
    u = float(np.finfo(dtype).eps) / 2
    return n * u / (1 - n * u)


def wilkinson(n: int) -> Array:
    """The matrix whose last column doubles in each step: growth 2^(n - 1)."""
    a = np.eye(n) - np.tril(np.ones((n, n)), -1)
    a[:, -1] = 1
    return a


def near_singular(n: int, r: Any) -> Array:
    q, _ = np.linalg.qr(r.standard_normal((n, n)))
    p, _ = np.linalg.qr(r.standard_normal((n, n)))
    return q * np.logspace(0, -6, n) @ p


KINDS: dict[str, Callable[[int, Any], Array]] = {
    "random": lambda n, r: r.standard_normal((n, n)),
    "wilkinson": lambda n, r: wilkinson(min(n, 60)),
    "rows of all sizes": lambda n, r: r.standard_normal((n, n)) * np.logspace(-10, 10, n)[:, None],
    "columns of all sizes": lambda n, r: r.standard_normal((n, n)) * np.logspace(10, -10, n),
    "near singular": near_singular,
    "signs": lambda n, r: r.choice([-1.0, 1.0], (n, n)),
}


def wide(x: Any) -> Array:
    return np.asarray(x.numpy() if isinstance(x, rl.Tensor) else x).astype(np.longdouble)


def factors(packed: Any) -> tuple[Array, Array]:
    x = wide(packed)
    k = min(x.shape)
    low = np.tril(x[:, :k], -1)
    low[np.arange(k), np.arange(k)] = 1
    return low, np.triu(x[:k])


def exchanged(a: Array, pivots: Any) -> Array:
    out = a.copy()
    for i, p in enumerate(pivots.numpy() - 1):
        out[[i, p]] = out[[p, i]]
    return out


def check_factors(a: Array, packed: Any, pivots: Any) -> None:
    """|P^T A - L U| <= gamma(k + 1) |L| |U| (theorem 9.3), and no multiplier above 1."""
    low, up = factors(packed)
    error = np.abs(wide(exchanged(a, pivots)) - low @ up)
    assert (error <= gamma(min(a.shape) + 1, a.dtype.name) * (np.abs(low) @ np.abs(up))).all()
    assert (np.abs(low) <= 1).all()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n", [17, 32, 65, 200])
def test_residuals(n: int, kind: str, dtype: str) -> None:
    r = np.random.default_rng(n)
    a = KINDS[kind](n, r).astype(dtype)
    n = len(a)
    packed, pivots = linalg.lu_factor(rl.tensor(a))
    check_factors(a, packed, pivots)
    low, up = (np.abs(x) for x in factors(packed))
    for k in (1, 2, 17):
        b = r.standard_normal((n, k)).astype(dtype)
        # |b - A x| <= gamma(3 n + 1) P |L| |U| |x| (theorem 9.4); the transpose's as well.
        x = wide(linalg.lu_solve(packed, pivots, rl.tensor(b)))
        error = np.abs(wide(exchanged(b, pivots)) - wide(exchanged(a, pivots)) @ x)
        assert (error <= gamma(3 * n + 1, dtype) * (low @ (up @ np.abs(x)))).all()
        y = exchanged(wide(linalg.lu_solve(packed, pivots, rl.tensor(b), adjoint=True)), pivots)
        error = np.abs(wide(b) - wide(exchanged(a, pivots)).T @ y)
        assert (error <= gamma(3 * n + 1, dtype) * (up.T @ (low.T @ np.abs(y)))).all()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    "shape", [(17, 16), (16, 17), (33, 9), (9, 33), (300, 40), (40, 300), (129, 127), (1, 400), (400, 1)]
)
def test_matrices_that_are_not_square(shape: tuple[int, int], dtype: str) -> None:
    a = np.random.default_rng(0).standard_normal(shape).astype(dtype)
    packed, pivots = linalg.lu_factor(rl.tensor(a))
    check_factors(a, packed, pivots)
    assert (pivots.numpy() - 1 == GETRF[dtype](a)[1]).all()
    p, low, up = linalg.lu(rl.tensor(a))
    k = min(shape)
    assert np.abs(wide(a) - wide(p) @ wide(low) @ wide(up)).max() <= 10 * k * float(np.finfo(dtype).eps)


@pytest.mark.parametrize("dtype", DTYPES)
def test_sizes_of_zero(dtype: Any) -> None:
    for m, n in ((0, 0), (0, 40), (40, 0)):
        packed, pivots = linalg.lu_factor(rl.zeros(m, n, dtype=getattr(rl, dtype)))
        assert packed.shape == (m, n) and pivots.shape == (0,)
    assert linalg.solve(rl.eye(40), rl.zeros(40, 0)).shape == (40, 0)
    assert linalg.solve_triangular(rl.eye(40), rl.zeros(40, 0), upper=True).shape == (40, 0)


def pivots_one_by_one(a: Array) -> Array:
    """The pivots by the plain algorithm: first of the largest, and a NaN only where it comes first."""
    a, pivots = a.copy(), []
    for j in range(min(a.shape)):
        best = j
        for i in range(j + 1, len(a)):
            if abs(a[i, j]) > abs(a[best, j]):
                best = i
        pivots.append(best + 1)
        a[[j, best]] = a[[best, j]]
        if a[j, j] != 0:
            with np.errstate(all="ignore"):
                a[j + 1 :, j] /= a[j, j]
                a[j + 1 :, j + 1 :] -= np.outer(a[j + 1 :, j], a[j, j + 1 :])
    return np.array(pivots)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("case", ["whole numbers", "equal rows", "nan first", "nan later", "infinity"])
def test_pivots_are_the_first_of_the_largest(case: str, dtype: str) -> None:
    """The first three, which small whole numbers reach without a rounding, so that equal ones stay equal."""
    for seed in range(8):
        a = np.random.default_rng(seed).integers(-1, 2, (70, 70)).astype(dtype)
        if case == "equal rows":
            a[1::2] = a[::2]
        elif case != "whole numbers":
            a[{"nan first": 0, "nan later": 41, "infinity": 41}[case], 0] = np.inf if case == "infinity" else np.nan
        pivots = linalg.lu_factor_ex(rl.tensor(a))[1].numpy()[:3]
        first = 1 if "nan" in case else 3  # it is in all other columns next
        assert (pivots[:first] == pivots_one_by_one(a)[:first]).all()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("column", [0, 15, 16, 40, 69])
def test_a_column_without_a_pivot(column: int, dtype: str) -> None:
    r = np.random.default_rng(column)
    a = r.standard_normal((70, 70)).astype(dtype)
    a[:, column] = 0
    packed, pivots, info = linalg.lu_factor_ex(rl.tensor(a))
    assert info.item() == GETRF[dtype](a)[2] == column + 1
    check_factors(a, packed, pivots)
    with pytest.raises(linalg.LinAlgError, match=rf"the diagonal element {column + 1} of U"):
        linalg.inv(rl.tensor(a))
    assert linalg.det(rl.tensor(a)).item() == 0


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("left", [True, False])
@pytest.mark.parametrize("unit", [True, False])
@pytest.mark.parametrize("upper", [True, False])
def test_triangles(upper: bool, unit: bool, left: bool, dtype: str) -> None:
    """|b - T x| <= gamma(n + 1) |T| |x| (theorem 8.5); of every layout, and with a NaN in what is not read."""
    r = np.random.default_rng(5)
    for n, k in ((17, 17), (65, 1), (100, 3), (130, 40), (16, 70), (63, 8), (64, 16), (72, 9), (25, 2), (300, 5)):
        t = r.standard_normal((n, n)).astype(dtype) / (1 if not unit else n)
        t[np.arange(n), np.arange(n)] += np.sign(np.diagonal(t))
        b = r.standard_normal((n, k) if left else (k, n)).astype(dtype)
        whole = np.triu(t) if upper else np.tril(t)
        if unit:
            np.fill_diagonal(whole, 1)
            np.fill_diagonal(t, np.nan)
        given = np.where(np.tri(n, k=0 if not upper else -1, dtype=bool) ^ upper, t, np.nan).astype(dtype)
        layouts = [
            rl.tensor(given),
            rl.tensor(np.ascontiguousarray(given.T)).t(),
            rl.tensor(np.repeat(np.repeat(given, 2, 0), 3, 1))[::2, ::3],
        ]
        w, y = wide(whole), wide(b)
        for layout in layouts:
            x = wide(linalg.solve_triangular(layout, rl.tensor(b), upper=upper, left=left, unitriangular=unit))
            error = np.abs(y - (w @ x if left else x @ w))
            size = np.abs(w) @ np.abs(x) if left else np.abs(x) @ np.abs(w)
            assert (error <= gamma(n + 1, dtype) * size).all()


@pytest.mark.parametrize("dtype", DTYPES)
def test_numbers_without_a_reciprocal(dtype: str) -> None:
    """A diagonal of denormal numbers, whose reciprocals are infinite, or of huge ones, whose are denormal."""
    info = np.finfo(dtype)
    for d in (float(info.smallest_subnormal) * 3, float(info.tiny) / 8, float(info.max) / 2):
        b = np.random.default_rng(0).uniform(-1, 1, (40, 20)).astype(dtype) * np.array(d).astype(dtype)
        b[0] = np.array(d * 3 if d < 1 else d / 3).astype(dtype)
        a = np.diag(np.full(40, d)).astype(dtype)
        expected = b / np.array(d).astype(dtype)
        for k in (20, 3):
            found = linalg.solve_triangular(rl.tensor(a), rl.tensor(b[:, :k].copy()), upper=True)
            assert (found.numpy() == expected[:, :k]).all()
        assert (linalg.solve(rl.tensor(a), rl.tensor(b)).numpy() == expected).all()
        column = np.concatenate([a[:1, :1], b[:, :1] / 4])
        packed = linalg.lu_factor_ex(rl.tensor(np.concatenate([column] * 9, 1)))[0].numpy()
        largest = np.abs(column).argmax()
        column[[0, largest]] = column[[largest, 0]]
        assert (packed[1:, 0] == (column[1:] / column[0])[:, 0]).all()


def test_layouts_and_batches_have_the_same_bits() -> None:
    r = np.random.default_rng(2)
    a = r.standard_normal((5, 70, 70))
    b = r.standard_normal((5, 70, 20))
    whole = linalg.solve(rl.tensor(a), rl.tensor(b))
    columns = linalg.solve(rl.tensor(a.transpose(0, 2, 1).copy()).mT, rl.tensor(b.transpose(0, 2, 1).copy()).mT)
    apart = linalg.solve(rl.tensor(np.repeat(a, 2, 2))[:, :, ::2], rl.tensor(np.repeat(b, 2, 1))[:, ::2])
    one = rl.stack([linalg.solve(rl.tensor(x), rl.tensor(y)) for x, y in zip(a, b, strict=True)])
    for other in (columns, apart, one):
        assert (whole == other).all()
    for k in (1, 2, 8, 9, 20):
        given = rl.tensor(a[0]), rl.tensor(a[0].T.copy()).t(), rl.tensor(np.repeat(a[0], 3, 1))[:, ::3]
        results = [linalg.solve_triangular(x, rl.tensor(b[0, :, :k]), upper=False) for x in given]
        assert all((x == results[0]).all() for x in results)
    column = rl.tensor(b[0, :, :1]).expand(3, 70, 20)
    matrix = rl.tensor(a[0]).expand(3, 70, 70)
    assert (linalg.solve(matrix, column) == linalg.solve(matrix.contiguous(), column.contiguous())).all()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n", [1, 2, 11, 16, 17, 48, 65, 200])
def test_inverses(n: int, kind: str, dtype: str) -> None:
    """Of the identity a third of the lower triangle's work is done: the bits are those of a solution of any columns,
    and each column's error is within the bound of one.
    """
    a = KINDS[kind](n, np.random.default_rng(n)).astype(dtype)
    n = len(a)
    packed, pivots = linalg.lu_factor(rl.tensor(a))
    others = rl.tensor(np.random.default_rng(1).standard_normal((n, n + 3)).astype(dtype))
    beside = linalg.lu_solve(packed, pivots, rl.cat([rl.eye(n, dtype=others.dtype), others], 1))[:, :n]
    x = linalg.inv(rl.tensor(a))
    if n > 10:  # (smaller ones are solved by substitution, which depends on how many columns there are)
        assert (x == beside).all()
    assert (linalg.inv(rl.tensor(a.T.copy()).t()) == x).all()
    assert (linalg.inv(rl.tensor(np.repeat(a, 2, 1))[:, ::2].expand(3, -1, -1))[2] == x).all()
    low, up = (np.abs(part) for part in factors(packed))
    error = np.abs(exchanged(np.eye(n), pivots) - wide(exchanged(a, pivots)) @ wide(x))
    assert (error <= gamma(3 * n + 1, dtype) * (low @ (up @ np.abs(wide(x))))).all()


def test_inverses_of_what_has_none() -> None:
    a = rl.ones(40, 40)
    with pytest.raises(RuntimeError, match="singular"):
        linalg.inv(a)
    _, info = linalg.inv_ex(a)
    assert info == 2
    a = rl.eye(40)
    a[3, 5] = float("nan")
    assert linalg.inv(a)[3].isnan().any()
    nearly = rl.eye(40)
    nearly[39, 0] = 0.5  # no identity, though nearly all of it is
    assert (linalg.solve(rl.eye(40) * 2, nearly) == nearly / 2).all()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", [1, 6, 7, 16, 17, 40, 150])
def test_exponentials(n: int, dtype: str) -> None:
    """Of all degrees, and squared. The approximant's denominator, some exp(-|a| / 2), is a difference of numbers of
    some exp(|a| / 2).
    """
    r = np.random.default_rng(n)
    for size in (1e-3, 0.2, 0.8, 2.0, 5.0, 12.0):
        a = r.standard_normal((n, n))
        a *= size / np.abs(a).sum(0).max()
        exact = exponential(a)
        found = rl.matrix_exp(rl.tensor(a.astype(dtype)))
        bound = 40 * np.finfo(dtype).eps * np.exp(size) * np.exp(min(size, 5.4))
        assert np.abs(wide(found) - exact).sum(0).max() <= bound
        stacked = rl.tensor(np.stack([np.zeros((n, n)), a, a]).astype(dtype))
        assert (rl.matrix_exp(stacked)[1:] == found).all()
        assert (rl.matrix_exp(stacked)[0] == rl.eye(n)).all()


def exponential(a: Array) -> Array:
    """By its series, of a matrix that is halved until that is quick, in more digits than are kept."""
    a = a.astype(np.longdouble) / 64
    term = total = np.eye(len(a), dtype=np.longdouble)
    for k in range(1, 30):
        term = term @ a / k
        total = total + term
    for _ in range(6):
        total = total @ total
    return total


def spread(n: int, r: Any) -> Array:
    """Eigenvalues from 1e-6 to 1, half of them the same."""
    q, _ = np.linalg.qr(r.standard_normal((n, n)))
    return q * np.where(np.arange(n) % 2, 0.5, np.logspace(0, -6, n)) @ q.T


SYMMETRIC: dict[str, Callable[[int, Any], Array]] = {
    "random": lambda n, r: r.standard_normal((n, n)),
    "spread": spread,
    "of rank one": lambda n, r: np.ones((n, n)),
    "diagonal": lambda n, r: np.diag(r.standard_normal(n)),
    "graded": lambda n, r: np.outer(np.logspace(0, -10, n), np.logspace(0, -10, n)) * r.standard_normal((n, n)),
    "zero": lambda n, r: np.zeros((n, n)),
}


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("kind", SYMMETRIC)
@pytest.mark.parametrize("n", [33, 34, 65, 66, 130])
def test_eigenvectors(n: int, kind: str, dtype: str) -> None:
    """|A V - V W| and |V^T V - 1| in units of n eps |A| and n eps, where LAPACK's own tests allow 30; at every scale,
    in either triangle, with a NaN in the other.
    """
    eps = float(np.finfo(dtype).eps)
    a = SYMMETRIC[kind](n, np.random.default_rng(n))
    a = (a + a.T) / 2
    for scale in (1.0, 1e-30, 1e30) if dtype == "float32" else (1.0, 1e-250, 1e250):
        x = (a * scale).astype(dtype)
        for half in "LU":
            given = np.where(np.tri(n, k=0 if half == "L" else -1, dtype=bool) ^ (half == "U"), x, np.nan).astype(dtype)
            w, v = (wide(y) for y in linalg.eigh(rl.tensor(given), UPLO=half))
            norm = np.abs(wide(x)).sum(0).max()
            assert (np.diff(w) >= 0).all()
            assert np.abs(wide(x) @ v - v * w).sum(0).max() <= 3 * n * eps * norm
            assert np.abs(v.T @ v - np.eye(n)).sum(0).max() <= 3 * n * eps
            alone = wide(linalg.eigvalsh(rl.tensor(given), UPLO=half))
            assert np.abs(alone - w).max() <= 3 * n * eps * norm


def digest() -> str:
    """Of results of all routines and sizes on either side of where work is shared."""
    out = hashlib.sha256()
    for dtype in DTYPES:
        r = np.random.default_rng(0)
        for n, k in ((40, 5), (150, 150), (700, 33)):
            a, b = (rl.tensor(r.standard_normal(s).astype(dtype)) for s in ((n, n), (n, k)))
            packed, pivots = linalg.lu_factor(a)
            wide_packed = linalg.lu_factor(a[: n // 3])[0]
            # (Of `a` itself the triangle's solutions overflow: the sign of a NaN is the processor's choice.)
            solved = linalg.solve_triangular(a + n * rl.eye(n, dtype=a.dtype), b, upper=True)
            assert solved.isfinite().all()
            results = packed, pivots, wide_packed, linalg.solve(a, b), solved, linalg.inv(a), rl.matrix_exp(a / n)
            results += *linalg.qr(a[:, : n // 2]), *linalg.qr(b, mode="complete"), linalg.lstsq(a, b).solution
            results += linalg.lstsq(a[: n // 3], b[: n // 3])[0], linalg.lstsq(a[:, : n // 5], b, driver="gels")[0]
            for x in (*results, linalg.lu_solve(packed, pivots, b, adjoint=True), *linalg.eigh(a)):
                out.update(x.contiguous().numpy().tobytes())
    return out.hexdigest()


@pytest.fixture
def level_kept(threads_kept: None) -> Iterator[None]:
    yield
    _native.limit_byte_level(9)


@pytest.mark.usefixtures("level_kept")
def test_bits_depend_neither_on_threads_nor_on_vectors() -> None:
    found = set()
    for level in range(_native.limit_byte_level(9) + 1):
        assert _native.limit_byte_level(level) == level
        for threads in (1, 2, 3):
            rl.set_num_threads(threads)
            found.add(digest())
    assert len(found) == 1


PROGRAM = "import test_blocked_linalg as t; print(t.digest())"


def in_a_process(program: str = PROGRAM, **settings: str) -> str:
    here = Path(__file__).parent
    program = f"import sys; sys.path[:0] = {[str(here), str(here.parent)]!r}\n{program}"
    return printed("-c", program, env=settings, timeout=600).strip()


@pytest.mark.skipif("avx512" not in _native.processor(), reason="needs both kinds of kernels")
def test_bits_do_not_depend_on_the_kernels_of_products() -> None:
    assert in_a_process(RUSHLIGHT_PRODUCTS="avx2") == digest()


def test_operands_are_not_left() -> None:
    """Each operand before a page that is not there, and behind one."""
    assert {in_a_process(RUSHLIGHT_GUARD=side) for side in ("end", "start")} == {digest()}


def test_no_memory_is_an_error() -> None:
    program = (
        "import rushlight as rl\n"
        "from rushlight.core import _native\n"
        "a, b = rl.eye(200) * 3, rl.ones(200, 40)\n"
        "calls = lambda: rl.linalg.solve(a, b), lambda: rl.linalg.eigh(a), lambda: rl.linalg.lu_factor(a)\n"
        "calls += lambda: rl.linalg.qr(a), lambda: rl.linalg.lstsq(a, b), lambda: rl.linalg.lstsq(a[:70], b[:70])\n"
        "for call in calls:\n"
        "    call()\n"
        "    refused = 0\n"
        "    for k in range(1, 60):\n"
        "        _native.guard_fail(k)\n"
        "        try:\n"
        "            call()\n"
        "        except MemoryError:\n"
        "            refused += 1\n"
        "        _native.guard_fail(0)\n"
        "    assert refused > 4, refused\n"
        "    call()\n"
        "assert (rl.linalg.solve(a, b) == b / 3).all()\n"
    )
    in_a_process(program, RUSHLIGHT_GUARD="end")


def test_without_kernels_of_our_own() -> None:
    """OpenBLAS multiplies then: other bits, within the same bounds."""
    program = (
        "import test_blocked_linalg as t\n"
        "t.test_residuals(65, 'random', 'float32'); t.test_residuals(200, 'near singular', 'float64')\n"
        "t.test_triangles(True, False, True, 'float64'); t.test_eigenvectors(66, 'random', 'float64')\n"
        "t.test_matrices_that_are_not_square((129, 127), 'float32')"
    )
    in_a_process(program, RUSHLIGHT_PRODUCTS="blas")
