"""The primitives of linear algebra in NumPy, matrix by matrix."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Array = Any


def each(fn: Callable[..., Any], inner: tuple[int, ...]) -> Callable[..., Any]:
    """fn on each matrix of a batch; `inner` says how many of an operand's last dimensions are one example's."""

    def go(*xs: Array, **params: Any) -> Any:
        batch = xs[0].shape[: xs[0].ndim - inner[0]]
        rows = [fn(*(x[i] for x in xs), **params) for i in np.ndindex(*batch)]
        several = isinstance(rows[0], tuple)
        columns = list(zip(*rows, strict=True)) if several else [rows]
        outs = tuple(np.stack([np.asarray(v) for v in c]).reshape((*batch, *np.shape(c[0]))) for c in columns)
        return outs if several else outs[0]

    return go


def triangle(a: Array, upper: bool) -> Array:
    return np.triu(a) if upper else np.tril(a)


def hermitian(a: Array, upper: bool) -> Array:
    """The Hermitian matrix of which one triangle is given."""
    half = np.triu(a, 1) if upper else np.tril(a, -1)
    return half + half.conj().T + np.diag(np.diag(a).real)


_DONE = np.int32(0)


def cholesky(a: Array, upper: bool, check: str) -> Any:
    low = np.linalg.cholesky(hermitian(a, upper))
    return low.conj().T if upper else low, _DONE


def triangular_solve(a: Array, b: Array, upper: bool, unit: bool, check: str) -> Array:
    t = triangle(a, upper)
    if unit:
        t = t - np.diag(np.diag(t)) + np.eye(len(t), dtype=t.dtype)
    return np.linalg.solve(t, b)


def lu(a: Array, check: str) -> Any:
    a, pivots = a.copy(), []
    for j in range(min(a.shape)):
        size = abs(a[j:, j].real) + abs(a[j:, j].imag)
        best = j + int(np.argmax(size))
        pivots.append(best + 1)
        a[[j, best]] = a[[best, j]]
        a[j + 1 :, j] /= a[j, j]
        a[j + 1 :, j + 1 :] -= np.outer(a[j + 1 :, j], a[j, j + 1 :])
    return a, np.array(pivots, np.int32), _DONE


def permutation(pivots: Array, rows: int, check: str) -> Array:
    perm = np.arange(rows)
    for i, j in enumerate(pivots):
        perm[[i, j - 1]] = perm[[j - 1, i]]
    return perm


def lu_solve(packed: Array, pivots: Array, b: Array, adjoint: bool, check: str) -> Array:
    one = np.eye(len(packed), dtype=packed.dtype)
    moved = (np.tril(packed, -1) + one) @ np.triu(packed)
    a = np.empty_like(moved)
    a[permutation(pivots, len(packed), "")] = moved
    return np.linalg.solve(a.conj().T if adjoint else a, b)


def ldl(a: Array, hermitian: bool, check: str) -> Any:
    """Without exchanges, which a dominant diagonal does not need."""
    n = len(a)
    out = np.tril(a)
    for j in range(n):
        if hermitian:
            out[j, j] = out[j, j].real
        column = out[j + 1 :, j] / out[j, j]
        other = column.conj() if hermitian else column
        out[j + 1 :, j + 1 :] -= np.tril(np.outer(column, other) * out[j, j])
        out[j + 1 :, j] = column
    return np.tril(out), np.arange(1, n + 1, dtype=np.int32), _DONE


def ldl_solve(ld: Array, pivots: Array, b: Array, hermitian: bool, check: str) -> Array:
    low = np.tril(ld, -1) + np.eye(len(ld), dtype=ld.dtype)
    return np.linalg.solve(low @ np.diag(np.diag(ld)) @ (low.conj().T if hermitian else low.T), b)


def qr(a: Array, complete: bool) -> Any:
    return tuple(np.linalg.qr(a, "complete" if complete else "reduced"))


def geqrf(a: Array) -> Any:
    h, tau = np.linalg.qr(a, "raw")
    return h.T, tau


def eigh(a: Array, upper: bool, check: str) -> Any:
    return (*np.linalg.eigh(hermitian(a, upper)), _DONE)


def eig(a: Array, check: str) -> Any:
    w, v = np.linalg.eig(a)
    kind = np.result_type(a.dtype, np.complex64)
    return w.astype(kind), v.astype(kind), _DONE


def svd(a: Array, full: bool, check: str) -> Any:
    return (*np.linalg.svd(a, full_matrices=full), _DONE)


def lstsq(a: Array, b: Array, rcond: Array, driver: int, check: str) -> Any:
    x, _, rank, s = np.linalg.lstsq(a, b, rcond=float(rcond))
    return x, np.int64(rank), s, _DONE


def matrix_exp(a: Array) -> Array:
    """Taylor's series of a / 2^k, squared k times."""
    k = 6
    b, term, total = a / 2**k, np.eye(len(a), dtype=a.dtype), np.eye(len(a), dtype=a.dtype)
    for i in range(1, 25):
        term = term @ b / i
        total = total + term
    for _ in range(k):
        total = total @ total
    return total


def matrix_exp_change(a: Array, e: Array) -> Array:
    n = len(a)
    return matrix_exp(np.block([[a, e], [np.zeros_like(a), a]]))[:n, n:]


def phases(*pairs: Array, name: str) -> Any:
    return pairs[::2]


MATRICES: dict[str, Callable[..., Any]] = {
    "cholesky": each(cholesky, (2,)),
    "triangular_solve": each(triangular_solve, (2, 2)),
    "lu": each(lu, (2,)),
    "lu_solve": each(lu_solve, (2, 1, 2)),
    "pivots_to_permutation": each(permutation, (1,)),
    "ldl": each(ldl, (2,)),
    "ldl_solve": each(ldl_solve, (2, 1, 2)),
    "qr": each(qr, (2,)),
    "geqrf": each(geqrf, (2,)),
    "eigh": each(eigh, (2,)),
    "eig": each(eig, (2,)),
    "svd": each(svd, (2,)),
    "lstsq": each(lstsq, (2, 2, 0)),
    "matrix_exp": each(matrix_exp, (2,)),
    "matrix_exp_change": each(matrix_exp_change, (2, 2)),
    "phases": phases,
    "phase_check": phases,
    # What is refused is refused when it is run (tests/operators/test_linalg.py); its shape is all that the oracle
    # knows.
    "refuse": lambda x, shape, message: np.zeros(shape, x.dtype),
}
