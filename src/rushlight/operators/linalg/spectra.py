"""Eigenvalues and singular values, and what is made of them: pseudo-inverse, rank, condition number."""

from __future__ import annotations

from typing import Any

import rushlight.prims.lapack_base as rules  # (`from rushlight.prims import` would load all families)
from rushlight.core import dtypes as dt
from rushlight.core.tensor import Tensor
from rushlight.operators.linalg import _matrices as m
from rushlight.operators.linalg.solvers import inverted
from rushlight.operators.table.checks import check_argument
from rushlight.operators.table.define import METHODS, TABLE, eager, operator
from rushlight.operators.table.returns import return_type
from rushlight.operators.table.tracer import P, Tracer, convert, expand_to, tracer
from rushlight.operators.table.types import Operand
from rushlight.prims.lapack_base import adjoint, mm, total

_Eigh, _Eig = (
    return_type("linalg_eigh", "eigenvalues", "eigenvectors"),
    return_type("linalg_eig", "eigenvalues", "eigenvectors"),
)
_LinalgSVD, _SVD = return_type("linalg_svd", "U", "S", "Vh"), return_type("svd", "U", "S", "V")


# ---------------------------------------------------------------------------------------------------------- eigenvalues
_ALONE = {"vectors": False}  # asks for eigenvalues alone


def _hermitian(name: str, a: Tensor, uplo: str, **how: bool) -> tuple[Tracer, Tracer]:
    check_argument(uplo in ("L", "U", "l", "u"), name, "UPLO", "be 'L' or 'U'", repr(uplo))
    w, v, _ = P.eigh(m.matrix(name, a, square=True), upper=uplo in "Uu", check=name, **how)
    return m.like(w, a), m.like(v, a)


@operator(namespace="linalg", method=False, shape_class="linalg")
def eigh(A: Tensor, UPLO: str = "L") -> Any:
    """(eigenvalues, eigenvectors) of symmetric or Hermitian matrices: real, ascending; orthonormal, as columns.

    Args:
        A: (*, n, n).
        UPLO: which triangle is read, "L" or "U".

    Raises:
        LinAlgError: the iteration does not converge; at backward.
        RuntimeError: a function of complex vectors depends on their phases, which are arbitrary.
    """
    return _Eigh(*_hermitian("linalg.eigh", A, UPLO))


@operator(namespace="linalg", method=False, shape_class="linalg")
def eigvalsh(A: Tensor, UPLO: str = "L") -> Tensor:
    """The eigenvalues of symmetric or Hermitian matrices, ascending; see linalg.eigh."""
    return _hermitian("linalg.eigvalsh", A, UPLO, **_ALONE)[0]


def _general(name: str, a: Tensor, **how: bool) -> tuple[Tracer, Tracer]:
    w, v, _ = P.eig(m.matrix(name, a, square=True), check=name, **how)
    return w, v


@operator(namespace="linalg", method=False, shape_class="linalg")
def eig(A: Tensor) -> Any:
    """(eigenvalues, eigenvectors) of square matrices: complex; columns of norm 1.

    Raises:
        LinAlgError: for a matrix with an infinity or NaN; at backward.
        RuntimeError: a function of the vectors depends on their phases, which are arbitrary.
    """
    return _Eig(*_general("linalg.eig", A))


@operator(namespace="linalg", method=False, shape_class="linalg")
def eigvals(A: Tensor) -> Tensor:
    """The eigenvalues of square matrices, complex, in no particular order; see linalg.eig."""
    return _general("linalg.eigvals", A, **_ALONE)[0]


# ------------------------------------------------------------------------------------------------------ singular values
def _svd(name: str, a: Tensor, full: bool, driver: str | None, **how: bool) -> tuple[Tracer, Tracer, Tracer]:
    if driver is not None:
        raise RuntimeError(
            f"{name}: 'driver' chooses among cuSOLVER's methods, for CUDA tensors alone; found {driver!r}"
        )
    u, s, vh, _ = P.svd(m.matrix(name, a), full=full, check=name, **how)
    return m.like(u, a), m.like(s, a), m.like(vh, a)


@operator(name="svd", namespace="linalg", method=False, shape_class="linalg")
def linalg_svd(A: Tensor, full_matrices: bool = True, *, driver: str | None = None) -> Any:
    """(U, S, Vh) with A = U diag(S) Vh: orthonormal columns and rows, S descending.

    Args:
        A: (*, m, n).
        full_matrices: U (m, m) and Vh (n, n), else the first min(m, n) vectors; the vectors beyond those have no
            derivative.
        driver: None; others are CUDA's.

    Raises:
        LinAlgError: for a matrix with an infinity or NaN, or without convergence; at backward.
        RuntimeError: a function of complex vectors depends on their phases, which are arbitrary.
    """
    return _LinalgSVD(*_svd("linalg.svd", A, full_matrices, driver))


@operator(namespace="linalg", method=False, shape_class="linalg")
def svdvals(A: Tensor, *, driver: str | None = None) -> Tensor:
    """The singular values of matrices (*, m, n), descending; see linalg.svd."""
    return _svd("linalg.svdvals", A, False, driver, **_ALONE)[1]


@eager(shape_class="linalg", out=True)
def svd(input: Tensor, some: bool = True, compute_uv: bool = True) -> Any:
    """(U, S, V) with input = U diag(S) V^H: linalg.svd; with compute_uv=False U (m, m) and V (n, n) are zeros."""
    if compute_uv:
        u, s, vh = TABLE["linalg.svd"](input, not some)
        v = METHODS["transpose"](vh, -2, -1)
        return _SVD(u, s, METHODS["conj"](v) if v.dtype.kind == "c" else v)
    s = TABLE["linalg.svdvals"](input)
    rows, columns = input.shape[-2:]
    lead = tuple(input.shape[:-2])
    zeros = TABLE["zeros"]
    return _SVD(
        zeros((*lead, rows, rows), dtype=input.dtype, device=input.device),
        s,
        zeros((*lead, columns, columns), dtype=input.dtype, device=input.device),
    )


# -------------------------------------------------------------------------------------------- with a cut at a tolerance
def _cut(largest: Tracer, sizes: tuple[Any, ...], atol: Any, rtol: Any) -> Tracer:
    """max(atol, rtol * largest) for each matrix; the default rtol is epsilon * max(m, n), or 0 when atol is
    positive.
    """
    default = m.EPSILON[largest.dtype.name] * 1.0
    rows, columns = sizes
    most = rows if rows >= columns else columns
    normal = m.filled(default, largest) * convert(
        P.broadcast_in_dim(P.constant(value=most, dtype=dt.int64), shape=largest.var.shape, dims=()), largest.dtype
    )

    def given(x: Any) -> Tracer:
        y = x if isinstance(x, Tensor) else P.constant(value=float(x), dtype=largest.dtype)
        return expand_to(convert(y, largest.dtype), largest.var.shape)

    absolute = m.filled(0.0, largest) if atol is None else given(atol)
    if rtol is not None:
        relative = given(rtol)
    elif atol is None:
        relative = normal
    else:
        relative = P.select(absolute > m.filled(0.0, largest), m.filled(0.0, largest), normal)
    return P.max(absolute, relative * largest)


def _tolerances_fit(name: str, a: Tensor, *tolerances: Any) -> Tracer:
    """A batch that the tolerances broadcast with."""
    from rushlight.operators.table.tracer import broadcast_shapes

    for t in tolerances:
        if isinstance(t, Tensor) and t.dtype.kind == "c":
            raise RuntimeError(f"{name}: a tolerance must be real; found {t.dtype}")
    batch = broadcast_shapes(a.var.shape[:-2], *(t.var.shape for t in tolerances if isinstance(t, Tensor)))
    return expand_to(a, (*batch, *a.var.shape[-2:]))


def _first(s: Tensor) -> Tracer:
    """The greatest of each row of non-negative numbers; 0 of none."""
    if s.shape[-1] == 0:
        return P.broadcast_in_dim(P.constant(value=0.0, dtype=s.dtype), shape=s.var.shape[:-1], dims=())
    return P.reduce_max(s, dims=(s.ndim - 1,))


def _kept(s: Tensor, sizes: tuple[Any, ...], atol: Any, rtol: Any) -> Tracer:
    """Which singular values are above the cut."""
    cut = _cut(_first(s), sizes, atol, rtol)
    return s > P.broadcast_in_dim(cut, shape=s.var.shape, dims=tuple(range(s.ndim - 1)))


def pseudo_inverse(
    a: Tensor, atol: Any = None, rcond: Any = None, hermitian: bool = False, name: str = "linalg.pinv"
) -> Tracer:
    """The Moore-Penrose inverse P of tracers, by singular values (or eigenvalues).

    dP = -P da P + P P^H da^H (1 - a P) + (1 - P a) da^H P^H P for a constant rank (G. H. Golub, V. Pereyra, "The
    differentiation of pseudo-inverses and nonlinear least squares problems", SIAM J. Numer. Anal. 10, 1973); by the
    singular vectors it would lose digits when two singular values are close.
    """
    tolerances = [x for x in (atol, rcond) if isinstance(x, Tensor)]

    def body(x: Any, *rest: Any) -> Any:
        more = iter(rest)
        low, ratio = (tracer(next(more)) if isinstance(t, Tensor) else t for t in (atol, rcond))
        y = tracer(x)
        if hermitian:
            w, v, _ = P.eigh(y, upper=False, check=name)
            s, u, vh = P.abs(w), v, m.adjoint(v)
        else:
            u, s, vh, _ = P.svd(y, full=False, check=name)
            w = s
        keep = _kept(s, y.var.shape[-2:], low, ratio)
        one = P.select(keep, w, m.filled(1.0, w))
        return m.product(
            m.scaled_columns(m.adjoint(vh), P.select(keep, P.reciprocal(one), m.filled(0.0, w))), m.adjoint(u)
        ).var

    def rule(xs: Any, ys: Any, ts: Any) -> Any:
        (x, *_), y, da = xs, ys[0], ts[0]
        if da is None:
            return (None,)
        back = adjoint(da)
        left = mm(y, mm(adjoint(y), back))  # P P^H da^H
        right = mm(mm(back, adjoint(y)), y)  # da^H P^H P
        return (total(-mm(y, da, y), left, -mm(mm(left, x), y), right, -mm(y, mm(x, right))),)

    (out,) = P.custom_call(a, *tolerances, body=body, jvp=rule, name="pinv")
    return out


@operator(namespace="linalg", method=False, shape_class="linalg")
def pinv(
    A: Tensor,
    rcond: Operand | None = None,
    hermitian: bool = False,
    *,
    atol: Operand | None = None,
    rtol: Operand | None = None,
) -> Tensor:
    """The Moore-Penrose inverse of matrices (*, m, n) -> (*, n, m).

    Singular values not above max(atol, rtol * the largest) count as 0. The derivative holds for a constant rank.

    Args:
        A: (*, m, n).
        rcond: the same as rtol.
        hermitian: take A to be Hermitian and use its eigenvalues.
        atol, rtol: numbers or real tensors that broadcast with the batch; the default rtol is epsilon * max(m, n), or 0
            with a positive atol.
    """
    name = "linalg.pinv"
    a = m.matrix(name, A, square=hermitian)
    ratio = rcond if rtol is None else rtol
    a = _tolerances_fit(name, a, atol, ratio)
    return m.like(pseudo_inverse(a, atol, ratio, hermitian, name), A)


@operator(shape_class="linalg")
def pinverse(input: Tensor, rcond: float = 1e-15) -> Tensor:
    """The Moore-Penrose inverse; singular values not above rcond times the largest count as 0."""
    return m.like(pseudo_inverse(m.matrix("pinverse", input), None, rcond, False, "pinverse"), input)


@operator(namespace="linalg", method=False, shape_class="linalg")
def matrix_rank(
    A: Tensor,
    tol: Operand | None = None,
    hermitian: bool = False,
    *,
    atol: Operand | None = None,
    rtol: Operand | None = None,
) -> Tensor:
    """How many singular values are above max(atol, rtol * the largest): int64 (*). See linalg.pinv; tol is an older
    atol.
    """
    name = "linalg.matrix_rank"
    a = m.matrix(name, A, square=hermitian)
    low, ratio = (tol, 0.0) if tol is not None else (atol, rtol)
    a = _tolerances_fit(name, a, low, ratio)
    if hermitian:
        s = P.abs(P.eigh(a, upper=False, check=name, **_ALONE)[0])
    else:
        s = P.svd(a, full=False, check=name, **_ALONE)[1]
    return P.reduce_sum(convert(_kept(s, a.var.shape[-2:], low, ratio), dt.int64), dims=(s.ndim - 1,))


# ------------------------------------------------------------------------------------------------------------ condition
@operator(namespace="linalg", method=False, shape_class="linalg")
def cond(A: Tensor, p: Any = None) -> Tensor:
    """The condition number |A| |A^-1| in a matrix norm; inf for a singular matrix.

    Args:
        A: (*, m, n) for p None, 2 and -2 (by singular values), else (*, n, n).
        p: None, 2, -2, 1, -1, inf, -inf, "fro", "nuc".
    """
    from rushlight.operators.linalg.norms import matrix_norm_of

    name = "linalg.cond"
    if p in (None, 2, -2):
        a = m.matrix(name, A)
        s = P.svd(a, full=False, check=name, **_ALONE)[1]
        k = s.shape[-1]
        if k == 0:
            return m.like(m.filled(0.0, P.reduce_sum(s, dims=(s.ndim - 1,))), A)
        last, first = (_at(s, i) for i in (s.var.shape[-1] - 1, 0))
        return m.like(last / first if p == -2 else first / last, A)
    check_argument(p in (1, -1, float("inf"), float("-inf"), "fro", "nuc"), name, "p", "be a norm of matrices", repr(p))
    a = m.matrix(name, A, square=True)
    if a.shape[-1] == 0:
        return m.like(m.filled(0.0, P.reduce_sum(m.lifted(rules.real_of, a), dims=(a.ndim - 2, a.ndim - 1))), A)
    x, info = inverted(a, "")
    number = matrix_norm_of(a, p, name) * matrix_norm_of(x, p, name)
    return m.like(P.select(info != m.filled(0, info), m.filled(float("inf"), number), number), A)


def _at(s: Tensor, i: Any) -> Tracer:
    """Element i of the last dimension."""
    n = s.ndim
    one = P.slice(s, starts=(*[0] * (n - 1), i), sizes=(*s.var.shape[:-1], 1), steps=(1,) * n)
    return m.reshape(one, *s.var.shape[:-1])
