"""Factorizations that solve linear systems: Cholesky, LU, QR and Householder products, LDL, least squares."""

from __future__ import annotations

from typing import Any

import rushlight.prims.lapack_base as rules  # (`from rushlight.prims import` would load all families)
from rushlight.core import dtypes as dt
from rushlight.core.tensor import Tensor
from rushlight.core.warning import warn
from rushlight.operators.linalg import _matrices as m
from rushlight.operators.linalg.spectra import pseudo_inverse
from rushlight.operators.table.checks import check_argument, check_one_dtype, check_that
from rushlight.operators.table.define import METHODS, TABLE, eager, operator
from rushlight.operators.table.returns import return_type
from rushlight.operators.table.tracer import P, Tracer, broadcast_shapes, convert, tracer
from rushlight.prims.base import full as full_of
from rushlight.prims.base import p as prim
from rushlight.prims.lapack_base import mm, total
from rushlight.program.ir import Var

_CholeskyEx = return_type("linalg_cholesky_ex", "L", "info")
_LinalgLU, _LUFactor = return_type("linalg_lu", "P", "L", "U"), return_type("linalg_lu_factor", "LU", "pivots")
_LUFactorEx, _LUUnpack = (
    return_type("linalg_lu_factor_ex", "LU", "pivots", "info"),
    return_type("lu_unpack", "P", "L", "U"),
)
_LinalgQR, _QR, _Geqrf = (
    return_type("linalg_qr", "Q", "R"),
    return_type("qr", "Q", "R"),
    return_type("geqrf", "a", "tau"),
)
_LDLFactor, _LDLFactorEx = (
    return_type("linalg_ldl_factor", "LD", "pivots"),
    return_type("linalg_ldl_factor_ex", "LD", "pivots", "info"),
)
_Lstsq = return_type("linalg_lstsq", "solution", "residuals", "rank", "singular_values")


# ------------------------------------------------------------------------------------------------------------- Cholesky
def _cholesky(name: str, a: Tensor, upper: bool, check: str) -> tuple[Tracer, Tracer]:
    factor, info = P.cholesky(m.matrix(name, a, square=True), upper=upper, check=check)
    return m.like(factor, a), info


@operator(name="cholesky", namespace="linalg", method=False, shape_class="linalg")
def linalg_cholesky(A: Tensor, *, upper: bool = False) -> Tensor:
    """The Cholesky factor of Hermitian positive definite matrices: A = L L^H, or U^H U with `upper`.

    Args:
        A: (*, n, n); one triangle is read.

    Raises:
        LinAlgError: names the first matrix that is not positive definite.
    """
    return _cholesky("linalg.cholesky", A, upper, "linalg.cholesky")[0]


@operator(shape_class="linalg")
def cholesky(input: Tensor, upper: bool = False) -> Tensor:
    """The Cholesky factor of Hermitian positive definite matrices; linalg.cholesky."""
    warn("cholesky() is deprecated; write linalg.cholesky(A), and .mH of it for the upper factor", once="cholesky")
    return _cholesky("linalg.cholesky", input, upper, "linalg.cholesky")[0]


@operator(namespace="linalg", method=False, shape_class="linalg")
def cholesky_ex(A: Tensor, *, upper: bool = False, check_errors: bool = False) -> Any:
    """(L, info): as linalg.cholesky, with the order of the first minor that is not positive (0: none) instead of an
    error.
    """
    return _CholeskyEx(*_cholesky("linalg.cholesky_ex", A, upper, "linalg.cholesky_ex" if check_errors else ""))


def _solve_by_cholesky(factor: Tensor, b: Tensor, upper: bool) -> Tracer:
    """(L L^H)^-1 b, or (U^H U)^-1 b."""
    low = m.adjoint(factor) if upper else factor
    high = factor if upper else m.adjoint(factor)
    return P.triangular_solve(
        high, P.triangular_solve(low, b, upper=False, unit=False, check=""), upper=True, unit=False, check=""
    )


@operator(shape_class="linalg")
def cholesky_solve(input: Tensor, L: Tensor, upper: bool = False) -> Tensor:
    """The solution X of A X = input for the A whose Cholesky factor is L (an upper one with `upper`).

    Args:
        input: (*, n, k).
        L: (*, n, n); batches broadcast.
    """
    name = "cholesky_solve"
    check_one_dtype(name, "b and L", input, L)
    b, factor = m.matrix(name, input, "b"), m.matrix(name, L, "L", square=True)
    m.solve_shapes(name, factor, b, True)
    factor, b = m.broadcast_batches(factor, b)
    return m.like(_solve_by_cholesky(factor, b, upper), input)


@operator(shape_class="linalg")
def cholesky_inverse(L: Tensor, upper: bool = False) -> Tensor:
    """The inverse of the A whose Cholesky factor is L (an upper one with `upper`)."""
    factor = m.matrix("cholesky_inverse", L, "L", square=True)
    n = factor.var.shape[-1]
    return m.like(_solve_by_cholesky(factor, m.eye_like(factor, n, n), upper), L)


# ------------------------------------------------------------------------------------------------------------------- LU
def _lu(name: str, a: Tensor, pivot: bool, check: str) -> tuple[Tracer, Tracer, Tracer]:
    check_argument(pivot, name, "pivot", "be True on the CPU", "False")
    factors, pivots, info = P.lu(m.matrix(name, a), check=check)
    return m.like(factors, a), pivots, info


def _permutation(pivots: Tensor, like: Tensor) -> Tracer:
    """The matrices P of A = P L U, in the dtype of `like`, (*, m, m)."""
    rows = like.var.shape[-2]
    perm = P.pivots_to_permutation(pivots, rows=rows, check="lu_unpack")
    shape = (*perm.var.shape, rows)
    n = len(shape)
    # P[perm[j], j] = 1: row j of P^T A is row perm[j] of A.
    columns = P.broadcast_in_dim(perm, shape=shape, dims=(*range(n - 2), n - 1))
    return convert(P.iota(shape=shape, dim=n - 2, dtype=dt.int64) == columns, like.dtype)


def _unpacked(factors: Tensor) -> tuple[Tracer, Tracer]:
    rows, columns = factors.var.shape[-2:]
    k = columns if columns <= rows else rows
    low = m.part(factors, -1, 0, k)
    return m.triangle(low, upper=False, strict=True) + m.eye_like(low, rows, k), m.triangle(
        m.part(factors, -2, 0, k), upper=True
    )


@operator(name="lu", namespace="linalg", method=False, shape_class="linalg")
def linalg_lu(A: Tensor, *, pivot: bool = True) -> Any:
    """(P, L, U) with A = P L U: a permutation, a lower triangle with ones on its diagonal, an upper triangle.

    Args:
        A: (*, m, n).

    Raises:
        RuntimeError: for pivot=False, which the CPU does not have.
    """
    factors, pivots, _ = _lu("linalg.lu", A, pivot, "")
    return _LinalgLU(_permutation(pivots, factors), *_unpacked(factors))


@operator(namespace="linalg", method=False, shape_class="linalg")
def lu_factor(A: Tensor, *, pivot: bool = True) -> Any:
    """(LU, pivots): the factors packed in one matrix; row i was exchanged with row pivots[i] - 1 (int32).

    Raises:
        LinAlgError: names the first singular matrix.
    """
    return _LUFactor(*_lu("linalg.lu_factor", A, pivot, "linalg.lu_factor")[:2])


@operator(namespace="linalg", method=False, shape_class="linalg")
def lu_factor_ex(A: Tensor, *, pivot: bool = True, check_errors: bool = False) -> Any:
    """(LU, pivots, info): as linalg.lu_factor; info is the first zero on U's diagonal, counted from 1, or 0."""
    return _LUFactorEx(*_lu("linalg.lu_factor_ex", A, pivot, "linalg.lu_factor_ex" if check_errors else ""))


_LUWithInfo = return_type("_lu_with_info", "LU", "pivots", "info")


@eager(name="lu", shape_class="linalg", out=True)
def old_lu(A: Tensor, pivot: bool = True, get_infos: bool = False) -> Any:
    """(LU, pivots), with get_infos (LU, pivots, info): linalg.lu_factor_ex."""
    warn("lu() is deprecated; write linalg.lu_factor(A), or linalg.lu_factor_ex(A) for the infos", once="lu")
    found = TABLE["linalg.lu_factor_ex"](A, pivot=pivot)
    return _LUWithInfo(*found) if get_infos else _LUFactor(*found[:2])


def _lu_solve(name: str, factors: Tensor, pivots: Tensor, b: Tensor, left: bool, adjoint: bool) -> Tracer:
    check_one_dtype(name, "LU and B", factors, b)
    packed, y = m.matrix(name, factors, "LU", square=True), m.matrix(name, b, "B")
    check_argument(pivots.dtype is dt.int32, name, "pivots", "be of dtype int32", pivots.dtype)
    m.check_pivots(name, pivots, factors, "LU")
    m.solve_shapes(name, packed, y, left)
    piv: Tracer = m.reshape(pivots, *pivots.var.shape, 1)
    if left:
        packed, piv, y = m.broadcast_batches(packed, piv, y)
        x = P.lu_solve(packed, m.reshape(piv, *piv.var.shape[:-1]), y, adjoint=adjoint, check=name)
    else:  # X A = B is A^H X^H = B^H
        packed, piv, y = m.broadcast_batches(packed, piv, m.adjoint(y))
        x = m.adjoint(P.lu_solve(packed, m.reshape(piv, *piv.var.shape[:-1]), y, adjoint=not adjoint, check=name))
    return m.like(x, b)


@operator(name="lu_solve", namespace="linalg", method=False, shape_class="linalg")
def linalg_lu_solve(LU: Tensor, pivots: Tensor, B: Tensor, *, left: bool = True, adjoint: bool = False) -> Tensor:
    """The solution X of A X = B (X A = B with left=False; with A^H with `adjoint`) for the A that lu_factor made LU and
    pivots of.
    """
    return _lu_solve("linalg.lu_solve", LU, pivots, B, left, adjoint)


@operator(shape_class="linalg")
def lu_solve(input: Tensor, LU_data: Tensor, LU_pivots: Tensor) -> Tensor:
    """The solution X of A X = input for the A that lu_factor made LU_data and LU_pivots of."""
    warn("lu_solve() is deprecated; write linalg.lu_solve(LU, pivots, B)", once="lu_solve")
    return _lu_solve("lu_solve", LU_data, LU_pivots, input, True, False)


@operator(method=False, shape_class="linalg")
def lu_unpack(LU_data: Tensor, LU_pivots: Tensor, unpack_data: bool = True, unpack_pivots: bool = True) -> Any:
    """(P, L, U) of packed factors; what is not asked for is an empty tensor."""
    m.check_matrix("lu_unpack", LU_data, "LU_data")
    if unpack_pivots and LU_pivots.dtype is not dt.int32:
        raise RuntimeError(f"lu_unpack: 'LU_pivots' must be of dtype int32; found {LU_pivots.dtype}")
    rows, columns = LU_data.shape[-2:]
    if unpack_pivots and (
        LU_pivots.ndim != LU_data.ndim - 1
        or LU_pivots.shape[:-1] != LU_data.shape[:-2]
        or LU_pivots.shape[-1] != (columns if columns <= rows else rows)
    ):
        raise RuntimeError(
            "lu_unpack: 'LU_pivots' must have the batch dimensions of LU_data and min(m, n) entries; found "
            f"{[m.hint(n) for n in LU_pivots.shape]} for {[m.hint(n) for n in LU_data.shape]}"
        )
    none = P.broadcast_in_dim(P.constant(value=0.0, dtype=LU_data.dtype), shape=(0,), dims=())
    low, high = _unpacked(LU_data) if unpack_data else (none, none)
    return _LUUnpack(_permutation(LU_pivots, LU_data) if unpack_pivots else none, low, high)


# ------------------------------------------------------------------------------------------------------------------- QR
@operator(name="qr", namespace="linalg", method=False, shape_class="linalg", memory_format="columns")
def linalg_qr(A: Tensor, mode: str = "reduced") -> Any:
    """(Q, R) with A = Q R, Q of orthonormal columns, R an upper triangle.

    Args:
        A: (*, m, n).
        mode: "reduced" for min(m, n) columns, "complete" for m, "r" for R alone (Q is empty).
    """
    if mode not in ("reduced", "complete", "r"):
        raise RuntimeError(f"linalg.qr: 'mode' must be 'reduced', 'complete' or 'r'; found {mode!r}")
    a = m.matrix("linalg.qr", A)
    q, r = P.qr(a, complete=mode == "complete")
    if mode == "r":
        message = "linalg.qr: mode='r' leaves out what the derivative needs; use mode='reduced'"
        one = m.lifted(_refused, a, shape=r.var.shape, message=message)
        return _LinalgQR(
            P.broadcast_in_dim(P.constant(value=0.0, dtype=A.dtype), shape=(0,), dims=()),
            m.like(P.stop_gradient(r) + one, A),
        )
    return _LinalgQR(m.like(q, A), m.like(r, A))


def _refused(a: Any, shape: Any, message: str) -> Var:
    """Zeros of the given shape whose derivative by a is an error."""

    def zeros(x: Any) -> Any:
        return full_of(shape, 0.0, x.dtype)

    def rule(xs: Any, ys: Any, ts: Any) -> Any:
        return (prim.refuse(ts[0], shape=shape, message=message),)

    return prim.custom_call.several(a, body=zeros, jvp=rule, name="refused")[0]


@operator(shape_class="linalg", memory_format="columns")
def qr(input: Tensor, some: bool = True) -> Any:
    """(Q, R) with input = Q R: linalg.qr, reduced, or complete with some=False."""
    warn("qr() is deprecated; write linalg.qr(A), with mode='complete' for some=False", once="qr")
    q, r = P.qr(m.matrix("qr", input), complete=not some)
    return _QR(m.like(q, input), m.like(r, input))


@operator(shape_class="linalg")
def geqrf(input: Tensor) -> Any:
    """(a, tau): R in the upper triangle of a, and the Householder vectors of Q below it; see
    linalg.householder_product.
    """
    packed, tau = P.geqrf(m.matrix("geqrf", input))
    return _Geqrf(m.like(packed, input), m.like(tau, input))


class _Reflectors:
    """The product of k Householder reflectors as I - V T V^H, with T = (I + D N)^-1 D, D = diag(tau), N the strict
    upper triangle of V^H V (C. Puglisi, "Modification of the Householder method based on the compact WY
    representation", SIAM J. Sci. Stat. Comput. 13, 1992). It has every derivative that products and triangular solves
    have."""

    def __init__(self, a: Tensor, tau: Tensor) -> None:
        k = tau.var.shape[-1]
        columns = m.part(a, -1, 0, k)
        self.v = m.triangle(columns, upper=False, strict=True) + m.eye_like(columns, columns.var.shape[-2], k)
        gram = m.triangle(m.product(m.adjoint(self.v), self.v), upper=True, strict=True)
        self.scale = tau
        self.system = self._scaled(gram) + m.eye_like(gram, k, k)

    def _scaled(self, x: Tensor, conjugate: bool = False) -> Tracer:
        s = P.conj(self.scale) if conjugate and self.scale.dtype.kind == "c" else self.scale
        return x * m.lifted(rules.columns_of, s, like=x.var)

    def inner(self, x: Tensor, adjoint: bool) -> Tracer:
        """T x, or T^H x."""
        if adjoint:
            return self._scaled(
                P.triangular_solve(m.adjoint(self.system), x, upper=False, unit=True, check=""), conjugate=True
            )
        inner: Tracer = P.triangular_solve(self.system, self._scaled(x), upper=True, unit=True, check="")
        return inner

    def apply(self, x: Tensor, adjoint: bool = False) -> Tracer:
        """Q x, or Q^H x."""
        return x - m.product(self.v, self.inner(m.product(m.adjoint(self.v), x), adjoint))


def _householder(name: str, a: Tensor, tau: Tensor, wide: bool = False) -> tuple[Tracer, Tracer]:
    check_one_dtype(name, "input and tau", a, tau)
    x = m.matrix(name, a, "input")
    if tau.ndim != a.ndim - 1 or any(s != t for s, t in zip(tau.shape[:-1], a.shape[:-2], strict=True)):
        raise RuntimeError(
            f"{name}: 'tau' must have the shape (*, k) for an input of the shape (*, m, n); found {m.sizes(tau)} for "
            f"{m.sizes(a)}"
        )
    if not wide and x.shape[-2] < x.shape[-1]:
        raise RuntimeError(
            f"{name}: 'input' must have at least as many rows as columns; found {m.hint(x.shape[-2])} x "
            f"{m.hint(x.shape[-1])}"
        )
    if x.shape[-1] < tau.shape[-1] or x.shape[-2] < tau.shape[-1]:
        raise RuntimeError(
            f"{name}: 'tau' must have at most one element per column of 'input', {m.hint(x.shape[-1])}; found "
            f"{m.hint(tau.shape[-1])}"
        )
    return x, convert(tau, x.dtype)


def _householder_product(name: str, a: Tensor, tau: Tensor) -> Tracer:
    x, t = _householder(name, a, tau)
    return m.like(_Reflectors(x, t).apply(m.eye_like(x, *x.var.shape[-2:])), a)


@operator(namespace="linalg", method=False, shape_class="linalg", memory_format="columns")
def householder_product(input: Tensor, tau: Tensor) -> Tensor:
    """The first n columns of H_1 ... H_k, H_i = I - tau_i v_i v_i^H, v_i column i of input below its diagonal with a 1
    on it.

    Args:
        input: (*, m, n), m >= n.
        tau: (*, k), k <= n.
    """
    return _householder_product("linalg.householder_product", input, tau)


@operator(shape_class="linalg", memory_format="columns")
def orgqr(input: Tensor, input2: Tensor) -> Tensor:
    """linalg.householder_product."""
    return _householder_product("orgqr", input, input2)


@operator(shape_class="linalg", memory_format="columns")
def ormqr(input: Tensor, tau: Tensor, other: Tensor, left: bool = True, transpose: bool = False) -> Tensor:
    """Q other, or other Q with left=False, for the Q (m x m) of geqrf's (input, tau); its adjoint with `transpose`."""
    x, t = _householder("ormqr", input, tau, wide=True)
    check_one_dtype("ormqr", "input and other", input, other)
    c = m.matrix("ormqr", other, "other")
    if c.shape[-2 if left else -1] != x.shape[-2]:
        raise RuntimeError(
            f"ormqr: 'other' must have {m.hint(x.shape[-2])} {'rows' if left else 'columns'}, as 'input' has rows; "
            "found "
            f"{m.hint(c.shape[-2 if left else -1])}"
        )
    if t.shape[-1] != (x.shape[-1] if x.shape[-1] < x.shape[-2] else x.shape[-2]):
        raise RuntimeError(
            f"ormqr: 'tau' must have an element for each reflector, {min(m.hint(x.shape[-2]), m.hint(x.shape[-1]))}; "
            f"found {m.hint(t.shape[-1])}"
        )
    q = _Reflectors(x, t)
    if left:
        return m.like(q.apply(c, transpose), input)
    return m.like(m.adjoint(q.apply(m.adjoint(c), not transpose)), input)  # C Q = (Q^H C^H)^H


# ------------------------------------------------------------------------------------------------------------------ LDL
def _ldl(name: str, a: Tensor, hermitian: bool, check: str) -> tuple[Tracer, Tracer, Tracer]:
    packed, pivots, info = P.ldl(m.matrix(name, a, square=True), hermitian=hermitian, check=check)
    return m.like(packed, a), pivots, info


@operator(namespace="linalg", method=False, shape_class="linalg")
def ldl_factor(A: Tensor, *, hermitian: bool = False) -> Any:
    """(LD, pivots): LAPACK's factors of symmetric (or Hermitian) matrices that need not be definite; the lower triangle
    is read.
    """
    return _LDLFactor(*_ldl("linalg.ldl_factor", A, hermitian, "linalg.ldl_factor")[:2])


@operator(namespace="linalg", method=False, shape_class="linalg")
def ldl_factor_ex(A: Tensor, *, hermitian: bool = False, check_errors: bool = False) -> Any:
    """(LD, pivots, info): as linalg.ldl_factor, with a report instead of an error."""
    return _LDLFactorEx(*_ldl("linalg.ldl_factor_ex", A, hermitian, "linalg.ldl_factor_ex" if check_errors else ""))


@operator(namespace="linalg", method=False, shape_class="linalg")
def ldl_solve(LD: Tensor, pivots: Tensor, B: Tensor, *, hermitian: bool = False) -> Tensor:
    """The solution X of A X = B for the A that linalg.ldl_factor made LD and pivots of.

    Args:
        B: (*, n, k).
    """
    name = "linalg.ldl_solve"
    check_one_dtype(name, "LD and B", LD, B)
    a, b = m.matrix(name, LD, "LD", square=True), m.matrix(name, B, "B")
    check_argument(pivots.dtype.kind in "iu", name, "pivots", "be of an integer dtype", pivots.dtype)
    m.check_pivots(name, pivots, LD, "LD")
    m.solve_shapes(name, a, b, True)
    a, piv, b = m.broadcast_batches(a, m.reshape(convert(pivots, dt.int32), *pivots.var.shape, 1), b)
    return m.like(P.ldl_solve(a, m.reshape(piv, *piv.var.shape[:-1]), b, hermitian=hermitian, check=name), LD)


# -------------------------------------------------------------------------------------------------------- least squares
_DRIVERS = {"gelsy": 0, "gels": 1, "gelsd": 2, "gelss": 3}


@operator(namespace=None, method=False, shape_class="linalg")
def _lstsq(A: Tensor, B: Tensor, rcond: float, driver: str) -> Any:
    """(solution, rank, singular values) for matrices with equal batch sizes."""
    name = "linalg.lstsq"
    a, b = m.matrix(name, A), m.matrix(name, B, "B")
    # the routine reads memory
    cut = P.buffered(P.broadcast_in_dim(convert(rcond, dt.float64), shape=a.var.shape[:-2], dims=()))

    def body(x: Any, y: Any, c: Any) -> Any:
        return prim.lstsq(x, y, c, driver=_DRIVERS[driver], check=name)

    def rule(xs: Any, ys: Any, ts: Any) -> Any:
        """x = P b: dx = P (db - da x) + P P^H da^H (b - a x) + (1 - P a) da^H P^H x (G. H. Golub, V. Pereyra, "The
        differentiation of pseudo-inverses and nonlinear least squares problems", SIAM J. Numer. Anal. 10, 1973)."""
        (x, y, c), sol, (da, db, _) = xs, ys[0], ts
        pinv = pseudo_inverse(tracer(x), rcond=tracer(c)).var
        if da is None:
            return [mm(pinv, db), None, None, None]
        rhs = -mm(da, sol) if db is None else db - mm(da, sol)
        back, pinv_h = rules.adjoint(da), rules.adjoint(pinv)
        rest = mm(back, mm(pinv_h, sol))
        dx = total(mm(pinv, rhs), mm(pinv, mm(pinv_h, mm(back, y - mm(x, sol)))), rest, -mm(pinv, mm(x, rest)))
        return [dx, None, None, None]

    x, rank, s, _ = P.custom_call(a, b, cut, body=body, jvp=rule, name="lstsq")
    return m.like(x, A), rank, convert(P.stop_gradient(s), s.dtype)


@eager(namespace="linalg", method=False, shape_class="linalg", out=True)
def lstsq(A: Tensor, B: Tensor, rcond: Any = None, *, driver: str | None = None) -> Any:
    """(solution, residuals, rank, singular_values) of the least squares problem min |A X - B|.

    Args:
        A: (*, m, n).
        B: (*, m, k), or (*, m), of A's rank or one less.
        rcond: singular values below rcond times the largest count as 0 (default: the dtype's epsilon times max(m, n)).
        driver: "gelsy" (the default), "gels" (full rank), "gelsd", "gelss".

    Returns:
        Residuals, squared and summed over the rows, for m > n and full rank, else empty; rank is empty for gels;
        singular_values are empty but for gelsd and gelss.

    Raises:
        RuntimeError: for shapes that do not fit or an unknown driver.
    """
    name = "linalg.lstsq"
    m.check_matrix(name, A)
    if driver is not None and not (isinstance(driver, str) and driver in _DRIVERS):
        raise RuntimeError(f"{name}: 'driver' must be 'gels', 'gelsy', 'gelsd' or 'gelss'; found {driver!r}")
    check_one_dtype(name, "A and B", A, B)
    check_that(0 <= A.ndim - B.ndim <= 1, name, "B", f"have as many dimensions as A, {A.ndim}, or one less", B.ndim)
    vector = B.ndim == 1 or (A.ndim - 1 == B.ndim and tuple(B.shape) == tuple(A.shape[:-1]))
    y = METHODS["unsqueeze"](B, -1) if vector else B
    if y.ndim < 2 or A.shape[-2] != y.shape[-2]:
        raise RuntimeError(
            f"{name}: B must have as many rows as A, {A.shape[-2]}; found {B.shape[-1] if y.ndim < 2 else y.shape[-2]}"
        )
    batch = (
        broadcast_shapes(tuple(A.shape[:-2]), tuple(y.shape[:-2]))
        if tuple(A.shape[:-2]) != tuple(y.shape[:-2])
        else tuple(A.shape[:-2])
    )
    a, y = METHODS["expand"](A, (*batch, *A.shape[-2:])), METHODS["expand"](y, (*batch, *y.shape[-2:]))
    rows, columns = A.shape[-2:]
    kind = driver or "gelsy"
    eps = m.EPSILON[A.dtype.compute.name]
    cut = eps * max(rows, columns) if rcond is None else float(rcond)
    x, rank, s = _lstsq(a, y, cut, kind)
    empty = TABLE["empty"]
    real = A.dtype.to_real()
    residuals = empty((0,), dtype=real, device=A.device)
    # (Without data, as on the meta device, the rank is taken to be full.)
    full_rank = kind == "gels" or (kind != "gelsy" and (rank.is_meta or bool((rank == columns).all())))
    if rows > columns and full_rank:
        off = METHODS["abs"](METHODS["sub"](METHODS["matmul"](a, x), y))
        residuals = METHODS["sum"](METHODS["mul"](off, off), -2)
    if kind == "gels":
        rank = empty((0,), dtype=dt.int64, device=A.device)
    if kind in ("gels", "gelsy"):
        s = empty((0,), dtype=real, device=A.device)
    return _Lstsq(METHODS["squeeze"](x, -1) if vector else x, residuals, rank, s)
