"""Linear systems: triangular and general solves, inverses, determinants."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight.core import dtypes as dt
from rushlight.core.tensor import Tensor
from rushlight.core.warning import warn
from rushlight.operators.linalg import _matrices as m
from rushlight.operators.table.checks import check_argument, check_one_dtype
from rushlight.operators.table.define import METHODS, operator
from rushlight.operators.table.returns import return_type
from rushlight.operators.table.tracer import P, Tracer, broadcast_shapes, convert, expand_to, tracer
from rushlight.prims.base import add_any, full_like, zeros_like
from rushlight.prims.base import p as prim
from rushlight.prims.lapack_base import columns_of, diagonal, mm
from rushlight.program.ir import Var
from rushlight.program.sym import Int

_SolveEx, _InvEx = return_type("linalg_solve_ex", "result", "info"), return_type("linalg_inv_ex", "inverse", "info")
_Slogdet, _LinalgSlogdet = (return_type(n, "sign", "logabsdet") for n in ("slogdet", "linalg_slogdet"))
_TriangularSolve = return_type("triangular_solve", "solution", "cloned_coefficient")


# ----------------------------------------------------------------------------------------------- with one factorization
# Each body returns (results, factors, pivots, info) and its rule solves with the factors again: the derivatives of the
# factors themselves, which nobody asks for, would cost as much as three factorizations.
def _tangents_of_lu(xs: Any, ys: Any, ts: Any) -> list[Var | None]:
    """The tangents of (factors, pivots, info), for derivatives of a higher order."""
    if ts[0] is None:
        return [None, None, None]
    return list(prim.lu.jvp((xs[0],), ys[-3:], (ts[0],), check=""))


def _solve_rule(xs: Any, ys: Any, ts: Any) -> list[Var | None]:
    """dx = a^-1 (db - da x)."""
    x, factors, pivots, _ = ys
    rhs = ts[1]
    if ts[0] is not None:
        rhs = add_any(rhs, -mm(_spread(ts[0], x, 2), x))
    dx = prim.lu_solve(_spread(factors, x, 2), _spread(pivots, x, 1), rhs, adjoint=False, check="")
    return [dx, *_tangents_of_lu(xs, ys, ts)]


def _spread(x: Var, to: Var, kept: int) -> Var:
    """x with its batch dimensions broadcast to those of `to`; its last `kept` dimensions stay."""
    shape = (*to.shape[:-2], *x.shape[x.ndim - kept :])
    return expand_to(tracer(x), shape).var


def _inverse_rule(xs: Any, ys: Any, ts: Any) -> list[Var | None]:
    """dx = -x da x."""
    return [-mm(ys[0], ts[0], ys[0]), *_tangents_of_lu(xs, ys, ts)]


def _solve_body(check: str) -> Callable[[Var, Var], tuple[Var, ...]]:
    def body(a: Var, b: Var) -> tuple[Var, ...]:
        factors, pivots, info = prim.lu.several(a, check=check)
        return (
            prim.lu_solve(_spread(factors, b, 2), _spread(pivots, b, 1), b, adjoint=False, check=check),
            factors,
            pivots,
            info,
        )

    return body


def _inverse_body(check: str) -> Callable[[Var], tuple[Var, ...]]:
    def body(a: Var) -> tuple[Var, ...]:
        factors, pivots, info = prim.lu.several(a, check=check)
        n = a.shape[-1]
        i, j = (prim.iota(shape=(n, n), dim=d, dtype=dt.int64) for d in (0, 1))
        one = expand_to(convert(tracer(prim.eq(i, j)), a.dtype), a.shape).var  # one for the whole batch
        return prim.lu_solve(factors, pivots, one, adjoint=False, check=check), factors, pivots, info

    return body


def solved(a: Tensor, b: Tensor, check: str) -> tuple[Tracer, Tracer]:
    """(a^-1 b, info), the batches of b those of both; check: the operator that a singular matrix is reported under."""
    x, _, _, info = P.custom_call(a, b, body=_solve_body(check), jvp=_solve_rule, name="solve")
    return x, info


def inverted(a: Tensor, check: str) -> tuple[Tracer, Tracer]:
    """(a^-1, info)."""
    x, _, _, info = P.custom_call(a, body=_inverse_body(check), jvp=_inverse_rule, name="inv")
    return x, info


def _parity(packed: Var, pivots: Var) -> Var:
    """The sign of the permutation: every exchange of two different rows counts."""
    n = pivots.ndim
    own = prim.iota(shape=pivots.shape, dim=n - 1, dtype=pivots.dtype) + 1
    like = diagonal(packed)
    signs = prim.select(prim.ne(pivots, own), full_like(like, -1.0), 1.0)
    return prim.reduce_prod(signs, dims=(n - 1,))


def _determinant(packed: Var, pivots: Var) -> Var:
    d = diagonal(packed)
    return prim.reduce_prod(d, dims=(d.ndim - 1,)) * _parity(packed, pivots)


def _det_body(a: Var) -> tuple[Var, ...]:
    factors, pivots, info = prim.lu.several(a, check="")
    return _determinant(factors, pivots), factors, pivots, info


def _trace_of_solution(factors: Var, pivots: Var, da: Var) -> Var:
    x = diagonal(prim.lu_solve(factors, pivots, da, adjoint=False, check=""))
    return prim.reduce_sum(x, dims=(x.ndim - 1,))


def _det_rule(xs: Any, ys: Any, ts: Any) -> list[Var | None]:
    """d det = det tr(a^-1 da); a pivot that is 0 counts as the machine's epsilon, which leaves the product of the
    others.
    """
    _, factors, pivots, _ = ys
    d = diagonal(factors)
    regular = prim.select(prim.eq(d, 0.0), m.EPSILON[d.dtype.name], d)
    i, j = (prim.iota(shape=factors.shape, dim=factors.ndim - k, dtype=dt.int64) for k in (2, 1))
    moved = prim.select(prim.eq(i, j), columns_of(regular, factors), factors)
    change = _determinant(moved, pivots) * _trace_of_solution(moved, pivots, ts[0])
    return [change, *_tangents_of_lu(xs, ys, ts)]


def _slogdet_body(a: Var) -> tuple[Var, ...]:
    factors, pivots, info = prim.lu.several(a, check="")
    d = diagonal(factors)
    last = (d.ndim - 1,)
    sign = prim.reduce_prod(prim.sign(d), dims=last) * _parity(factors, pivots)
    return sign, prim.reduce_sum(prim.log(prim.abs(d)), dims=last), factors, pivots, info


def _slogdet_rule(xs: Any, ys: Any, ts: Any) -> list[Var | None]:
    """d log|det| = Re tr(a^-1 da), d sign = i Im tr(a^-1 da) sign."""
    sign, _, factors, pivots, _ = ys
    t = _trace_of_solution(factors, pivots, ts[0])
    rest = _tangents_of_lu(xs, ys, ts)
    if t.dtype.kind != "c":
        return [zeros_like(sign), t, *rest]
    im = prim.imag(t)
    return [prim.complex(zeros_like(im), im) * sign, prim.real(t), *rest]


def determinant(a: Tensor) -> Tracer:
    """The determinants of square matrices."""
    det: Tracer = P.custom_call(a, body=_det_body, jvp=_det_rule, name="det")[0]
    return det


def sign_and_logarithm(a: Tensor) -> tuple[Tracer, Tracer]:
    """(sign, log of the absolute value) of the determinants."""
    sign, log, *_ = P.custom_call(a, body=_slogdet_body, jvp=_slogdet_rule, name="slogdet")
    return sign, log


# ---------------------------------------------------------------------------------------------------------------- solve
def _solve(name: str, a: Tensor, b: Tensor, left: bool, check: str) -> tuple[Tracer, Tracer]:
    m.check_matrix(name, a, square=True)
    check_one_dtype(name, "A and B", a, b)
    vector = b.ndim == 1 or (a.ndim - 1 == b.ndim and all(x == y for x, y in zip(b.shape, a.shape[:-1], strict=True)))
    if vector and not left:
        raise RuntimeError(
            f"{name}: B must be of matrices where left=False; found vectors, for which the solution is B / "
            "A.squeeze(-1)"
        )
    y = m.matrix(name, m.reshape(b, *b.var.shape, 1) if vector else b, "B")
    m.solve_shapes(name, a, y, left)
    x = m.matrix(name, a)
    if not left:
        x, y = m.transposed(x), m.transposed(y)
    # A matrix that serves several right hand sides is factored once.
    batch = broadcast_shapes(x.var.shape[:-2], y.var.shape[:-2])
    out, info = solved(x, expand_to(y, (*batch, *y.var.shape[-2:])), check)
    if not left:
        out = m.transposed(out)
    if vector:
        out = m.reshape(out, *out.var.shape[:-1])
    return m.like(out, a), info


@operator(namespace="linalg", method=False, shape_class="linalg")
def solve(A: Tensor, B: Tensor, *, left: bool = True) -> Tensor:
    """The solution X of A X = B, or of X A = B with left=False, by an LU factorization with row exchanges.

    Args:
        A: (*, n, n), floating point or complex.
        B: (*, n, k), or (*, n) for one right hand side each (a vector, or of the shape of A without its last
            dimension); batches broadcast.

    Raises:
        LinAlgError: names the first singular matrix.
    """
    return _solve("linalg.solve", A, B, left, "linalg.solve")[0]


@operator(namespace="linalg", method=False, shape_class="linalg")
def solve_ex(A: Tensor, B: Tensor, *, left: bool = True, check_errors: bool = False) -> Any:
    """As linalg.solve, with LAPACK's report: (result, info), info int32, not 0 where a matrix is singular.

    check_errors: raise LinAlgError as linalg.solve does.
    """
    return _SolveEx(*_solve("linalg.solve_ex", A, B, left, "linalg.solve_ex" if check_errors else ""))


def _inverse(name: str, a: Tensor, check: str) -> tuple[Tracer, Tracer]:
    x, info = inverted(m.matrix(name, a, square=True), check)
    return m.like(x, a), info


@operator(namespace="linalg", method=False, shape_class="linalg")
def inv(A: Tensor) -> Tensor:
    """The inverse of square matrices (*, n, n).

    Raises:
        LinAlgError: names the first singular one.
    """
    return _inverse("linalg.inv", A, "linalg.inv")[0]


@operator(shape_class="linalg")
def inverse(input: Tensor) -> Tensor:
    """The inverse of square matrices (*, n, n); linalg.inv."""
    return _inverse("linalg.inv", input, "linalg.inv")[0]


@operator(namespace="linalg", method=False, shape_class="linalg")
def inv_ex(A: Tensor, *, check_errors: bool = False) -> Any:
    """As linalg.inv, with LAPACK's report: (inverse, info), info int32, not 0 where a matrix is singular."""
    return _InvEx(*_inverse("linalg.inv_ex", A, "linalg.inv_ex" if check_errors else ""))


# ----------------------------------------------------------------------------------------------------------- triangular
@operator(namespace="linalg", method=False, shape_class="linalg", memory_format="columns")
def solve_triangular(A: Tensor, B: Tensor, *, upper: bool, left: bool = True, unitriangular: bool = False) -> Tensor:
    """The solution X of A X = B, or of X A = B with left=False, for triangular A; the other triangle is not read.

    Args:
        A: (*, n, n).
        B: (*, n, k), or (*, k, n) with left=False; batches broadcast.
        unitriangular: take the diagonal of A to be 1. A zero on the diagonal gives infinities.
    """
    name = "linalg.solve_triangular"
    check_one_dtype(name, "A and B", A, B)
    a, b = m.matrix(name, A, square=True), m.matrix(name, B, "B")
    m.solve_shapes(name, a, b, left)
    a, b = m.broadcast_batches(a, b)
    if left:
        return m.like(P.triangular_solve(a, b, upper=upper, unit=unitriangular, check=""), A)
    x = P.triangular_solve(m.transposed(a), m.transposed(b), upper=not upper, unit=unitriangular, check="")
    return m.like(m.transposed(x), A)


@operator(shape_class="linalg", memory_format="columns")
def triangular_solve(
    input: Tensor, A: Tensor, upper: bool = True, transpose: bool = False, unitriangular: bool = False
) -> Any:
    """(X, A) with A X = input, or A^T X = input with transpose, for triangular A: (solution, cloned_coefficient)."""
    name = "triangular_solve"
    warn(f"{name}() is deprecated; write linalg.solve_triangular(A, B, upper=...)", once=name)
    check_one_dtype(name, "b and A", input, A)
    a, b = m.matrix(name, A, square=True), m.matrix(name, input, "b")
    m.solve_shapes(name, a, b, True)
    a, b = m.broadcast_batches(a, b)
    x = P.triangular_solve(
        m.transposed(a) if transpose else a, b, upper=upper != transpose, unit=unitriangular, check=""
    )
    return _TriangularSolve(m.like(x, A), m.like(a, A))


def full(x: Tensor, value: float) -> Tracer:
    """A constant of the shape and dtype of x."""
    return m.filled(value, x)


# --------------------------------------------------------------------------------------------------------- determinants
def _square(name: str, a: Tensor) -> Tracer:
    return m.matrix(name, a, square=True)


@operator(shape_class="linalg")
def det(input: Tensor) -> Tensor:
    """The determinants of square matrices (*, n, n) -> (*)."""
    return m.like(determinant(_square("linalg.det", input)), input)


@operator(name="det", namespace="linalg", method=False, shape_class="linalg")
def linalg_det(A: Tensor) -> Tensor:
    """The determinants of square matrices (*, n, n) -> (*)."""
    return m.like(determinant(_square("linalg.det", A)), A)


@operator(name="slogdet", namespace="linalg", method=False, shape_class="linalg")
def linalg_slogdet(A: Tensor) -> Any:
    """(sign, logabsdet) with determinant sign * exp(logabsdet); (0, -inf) for a singular matrix."""
    return _LinalgSlogdet(*(m.like(x, A) for x in sign_and_logarithm(_square("linalg.slogdet", A))))


@operator(shape_class="linalg")
def slogdet(input: Tensor) -> Any:
    """(sign, logabsdet) with determinant sign * exp(logabsdet); linalg.slogdet."""
    return _Slogdet(*(m.like(x, input) for x in sign_and_logarithm(_square("linalg.slogdet", input))))


@operator(shape_class="linalg")
def logdet(input: Tensor) -> Tensor:
    """The logarithm of the determinant; NaN for a negative one, -inf for 0."""
    sign, log = sign_and_logarithm(_square("logdet", input))
    if sign.dtype.kind == "c":
        return convert(log, sign.dtype) + P.log(sign)
    negative = sign == full(sign, -1.0)
    return m.like(P.select(negative, full(log, float("nan")), log), input)


# ----------------------------------------------------------------------------------------------------- tensor equations
def _as_square(name: str, x: Tensor, count: int) -> tuple[Tensor, Int, tuple[Int, ...], tuple[Int, ...]]:
    """A tensor as a square matrix with a row for each element of the first `count` dimensions; its size; the sizes of
    these dimensions, and of the others."""
    first, rest = x.var.shape[:count], x.var.shape[count:]
    n, k = m.prod(rest), m.prod(first)
    if n != k:
        raise RuntimeError(
            f"{name}: the last dimensions of A must have as many elements as its first {count}; found {m.hint(n)} and "
            f"{m.hint(k)}"
        )
    return m.reshape(x, n, n), n, first, rest


@operator(namespace="linalg", method=False, shape_class="linalg")
def tensorsolve(A: Tensor, B: Tensor, dims: Any = None) -> Tensor:
    """The solution X of tensordot(A, X, X.ndim) = B.

    Args:
        A: of a shape that is B's shape followed by X's, with as many elements in the one as in the other.
        dims: dimensions of A that are moved to its end first.

    Raises:
        RuntimeError: for a shape that does not fit.
        LinAlgError: for a singular A.
    """
    name = "linalg.tensorsolve"
    a = METHODS["movedim"](A, tuple(dims), tuple(range(A.ndim - len(dims), A.ndim))) if dims is not None else A
    square, n, _, shape = _as_square(name, a, B.ndim)
    return m.reshape(_solve(name, square, m.reshape(B, n, 1), True, name)[0], *shape)


@operator(namespace="linalg", method=False, shape_class="linalg")
def tensorinv(A: Tensor, ind: int = 2) -> Tensor:
    """The inverse of tensordot by A: tensordot(tensorinv(A), B, ind) is tensorsolve(A, B) for B of the shape
    A.shape[:ind].

    Raises:
        RuntimeError unless ind > 0 and the first `ind` dimensions hold as many elements as the others; LinAlgError.
    """
    name = "linalg.tensorinv"
    check_argument(ind > 0, name, "ind", "be at least 1", ind)
    check_argument(ind < A.ndim, name, "ind", f"be less than the {A.ndim} dimensions of A", ind)
    square, _, first, rest = _as_square(name, A, ind)
    return m.reshape(_inverse(name, square, name)[0], *rest, *first)
