"""What the primitives of linear algebra share: matrix helpers that their rules are written with, and their base
class.
"""

# mypy: disable-error-code="override"
# (the rules name the parameters of their primitive, where the base class says **params)
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rushlight.core.dtypes import int64
from rushlight.prims.base import (
    check,
    conj,
    expand,
    full_like,
    instantiate,
    move_dim,
    only,
    p,
    register,
    take_along,
    to_front,
)
from rushlight.prims.types import Batched, Operands, ShapeRule, Tangents
from rushlight.program.ir import Primitive, Shape, Var
from rushlight.program.sym import Int


# ------------------------------------------------------------------------------------------------------- matrix helpers
def transposed(x: Var) -> Var:
    """The last two dimensions exchanged."""
    return p.permute(x, perm=(*range(x.ndim - 2), x.ndim - 1, x.ndim - 2))


def adjoint(x: Var) -> Var:
    """The conjugate transpose."""
    return conj(transposed(x))


def mm(*factors: Var) -> Var:
    """The product of matrices of equal batch sizes, from the left."""
    out = factors[0]
    for f in factors[1:]:
        out = p.dot(out, f)
    return out


def total(first: Var, *more: Var | None) -> Var:
    """The sum of the values that are not None."""
    for x in more:
        if x is not None:
            first = p.add(first, x)
    return first


def index_grid(x: Var) -> tuple[Var, Var]:
    """Row and column numbers in the shape of a matrix."""
    return p.iota(shape=x.shape, dim=x.ndim - 2, dtype=int64), p.iota(shape=x.shape, dim=x.ndim - 1, dtype=int64)


def lower(x: Var, strict: bool = False) -> Var:
    """The lower triangle, zeros elsewhere."""
    i, j = index_grid(x)
    return p.select((p.gt if strict else p.ge)(i, j), x, full_like(x, 0.0))


def upper(x: Var, strict: bool = False) -> Var:
    """The upper triangle, zeros elsewhere."""
    i, j = index_grid(x)
    return p.select((p.lt if strict else p.le)(i, j), x, full_like(x, 0.0))


def triangle(x: Var, up: bool, strict: bool = False) -> Var:
    """The upper or the lower triangle."""
    return upper(x, strict) if up else lower(x, strict)


def off_diagonal(x: Var) -> Var:
    """x with zeros on its diagonal."""
    i, j = index_grid(x)
    return p.select(p.eq(i, j), full_like(x, 0.0), x)


def diagonal(x: Var) -> Var:
    """The diagonal of each matrix."""
    return p.diagonal(x, offset=0, dim1=x.ndim - 2, dim2=x.ndim - 1)


def diagonal_matrix(x: Var) -> Var:
    """Matrices with x on the diagonal."""
    return p.diag_embed(x, offset=0, dim1=x.ndim - 1, dim2=x.ndim)


def halved(x: Var) -> Var:
    """x / 2."""
    return p.mul(x, full_like(x, 0.5))


def hermitian_part(x: Var) -> Var:
    """(x + x^H) / 2."""
    return halved(p.add(x, adjoint(x)))


def rows_of(x: Var, like: Var) -> Var:
    """A vector (*B, n) as rows of the shape of `like`: out[..., i, j] = x[..., j]."""
    return expand(x, like.shape, (like.ndim - 2,))


def columns_of(x: Var, like: Var) -> Var:
    """A vector (*B, m) as columns of the shape of `like`: out[..., i, j] = x[..., i]."""
    return expand(x, like.shape, (like.ndim - 1,))


def inverse_or_zero(x: Var) -> Var:
    """1 / x, and 0 where x is 0."""
    zero = full_like(x, 0.0)
    at = p.eq(x, zero)
    return p.select(at, zero, p.reciprocal(p.select(at, full_like(x, 1.0), x)))


def real_of(x: Var) -> Var:
    """The real part; x itself when it is real."""
    return p.real(x) if x.dtype.kind == "c" else x


def as_dtype(x: Var, like: Var) -> Var:
    """x in the dtype of `like`."""
    return x if x.dtype is like.dtype else p.convert(x, dtype=like.dtype)


def imaginary(x: Var) -> Var:
    """i Im(x) of a complex x."""
    y = p.imag(x)
    return p.complex(full_like(y, 0.0), y)


def part(x: Var, dim: int, start: Int, size: Int) -> Var:
    """Elements [start, start + size) of one of the last two dimensions (-2 or -1)."""
    d = x.ndim + dim
    return p.slice(
        x,
        starts=tuple(start if i == d else 0 for i in range(x.ndim)),
        sizes=tuple(size if i == d else n for i, n in enumerate(x.shape)),
        steps=(1,) * x.ndim,
    )


def padded(x: Var, rows: Int, columns: Int) -> Var:
    """x with `rows` and `columns` more, of zeros."""
    zero = p.constant(value=0.0, dtype=x.dtype)
    n = x.ndim
    return p.pad(x, zero, low=(0,) * n, high=(*[0] * (n - 2), rows, columns), interior=(0,) * n)


def solve_left(a: Var, b: Var, up: bool, unit: bool = False) -> Var:
    """a^-1 b for a triangular a."""
    return p.triangular_solve(a, b, upper=up, unit=unit, check="")


def solve_right(a: Var, b: Var, up: bool, unit: bool = False) -> Var:
    """b a^-1 for a triangular a."""
    return transposed(solve_left(transposed(a), transposed(b), not up, unit))


def take_rows(x: Var, index: Var) -> Var:
    """Row index[..., i] of x as row i."""
    shape = (*x.shape[:-2], index.shape[-1], x.shape[-1])
    return take_along(x, expand(index, shape, (x.ndim - 1,)), x.ndim - 2)


# ----------------------------------------------------------------------------------------------------------- base class
class Routine(Primitive):
    """Base of the primitives that one call of LAPACK computes for a batch of matrices.

    `check` is the name of the public operator that a matrix that fails is reported under (LinAlgError); "" leaves the
    failure to `info`. Eigenvalues and singular values alone take half the time, and have other bits: where
    `vectors` is False, the results for the vectors have no elements.
    """

    apart = "a routine goes over whole matrices"
    kind, multiple, by_columns = "library", True, True

    def batch(self, inputs: Sequence[Var], dims: Sequence[int | None], size: Int, /, **params: Any) -> Batched:
        args = [to_front(x, d, size) for x, d in zip(inputs, dims, strict=True)]
        if not self.multiple:
            return [self(*args, **params)], [0]
        outs = self.several(*args, **params)
        return outs, [0] * len(outs)

    def for_tangents(self, params: dict[str, Any]) -> dict[str, Any]:
        return {k: v for k, v in params.items() if k != "vectors"}

    def check_matrix(self, x: Var, square: bool = False) -> None:
        """ValueError or TypeError unless x is a batch of (square) matrices of a dtype that LAPACK has."""
        check(x.ndim >= 2, self, lambda: f"expected matrices; found {x}")
        check(
            x.dtype.name in ("float32", "float64", "complex64", "complex128"),
            self,
            lambda: f"not defined for {x.dtype.name}",
            TypeError,
        )
        check(not square or x.shape[-1] == x.shape[-2], self, lambda: f"expected square matrices; found {x}")

    def matrix_of(self, inputs: Sequence[Var], square: bool = False) -> Var:
        """The one operand, which must be matrices."""
        (x,) = inputs
        self.check_matrix(x, square)
        return x

    def check_pair(self, a: Var, b: Var, square: bool = True) -> None:
        """Matrices of equal batch sizes, dtypes and row counts."""
        self.check_matrix(a, square)
        check(
            a.ndim == b.ndim and a.dtype is b.dtype,
            self,
            lambda: f"expected operands of one rank and dtype; found {a} and {b}",
        )
        check(a.shape[:-1] == b.shape[:-1], self, lambda: f"expected equal batch sizes and rows; found {a} and {b}")


class Solver(Routine):
    """Base of the solvers, which are linear in their last operand: where only that operand has a batch, the batch
    becomes further columns."""

    multiple = False

    def batch(self, inputs: Sequence[Var], dims: Sequence[int | None], size: Int, /, **params: Any) -> Batched:
        *factors, b = inputs
        if any(d is not None for d in dims[:-1]):
            return super().batch(inputs, dims, size, **params)
        b = move_dim(b, dims[-1] or 0, b.ndim - 2)  # (*B, n, batch, k)
        *lead, n, _, k = b.shape
        x = self(*factors, p.reshape(b, shape=(*lead, n, size * k)), **params)
        return [p.reshape(x, shape=(*lead, n, size, k))], [b.ndim - 2]


# ------------------------------------------------------------------------------------------- checks within derivatives
class Refuse(Primitive):
    """refuse(x; shape, message): stands for a derivative that does not exist; RuntimeError when it is computed."""

    apart = "it raises where it is computed"
    name, kind, linear = "refuse", "library", (0,)

    def shape(self, *inputs: Var, shape: Shape, message: str) -> ShapeRule:
        return [(tuple(shape), inputs[0].dtype)]

    def jvp(self, inputs: Sequence[Var], outputs: Sequence[Var], tangents: Tangents, **params: Any) -> Tangents:
        return [None if tangents[0] is None else self(tangents[0], **params)]

    def transpose(self, cts: Tangents, inputs: Operands, *, shape: Shape, message: str) -> Tangents:
        return [self(only(cts), shape=tuple(inputs[0].shape), message=message)]

    def batch(self, inputs: Sequence[Var], dims: Sequence[int | None], size: Int, /, **params: Any) -> Batched:
        return [self(to_front(inputs[0], dims[0], size), shape=(size, *params["shape"]), message=params["message"])], [
            0
        ]


class Phases(Primitive):
    """phases(t, v, [u, w]; name): t and u, tangents of vectors v and w (columns) that have arbitrary phases in common.

    Its transpose passes the cotangents g and h on if a change of the phases does not change what they are the gradients
    of, that is if Im diag(v^H g + w^H h) vanishes; else it is a RuntimeError that names the operator.
    """

    apart = "a routine goes over whole matrices"
    name, kind, multiple, linear = "phases", "library", True, (0, 2)

    def shape(self, *inputs: Var, name: str) -> ShapeRule:
        return [(t.shape, t.dtype) for t in inputs[::2]]

    def jvp(self, inputs: Sequence[Var], outputs: Sequence[Var], tangents: Tangents, **params: Any) -> Tangents:
        return list(tangents[::2])

    def transpose(self, cts: Tangents, inputs: Operands, *, name: str) -> Tangents:
        gs = [instantiate(g, t) for g, t in zip(cts, inputs[::2], strict=True)]
        found = p.phase_check.several(*(x for g, v in zip(gs, inputs[1::2], strict=True) for x in (g, v)), name=name)
        return [x for g in found for x in (g, None)]

    def batch(self, inputs: Sequence[Var], dims: Sequence[int | None], size: Int, /, **params: Any) -> Batched:
        outs = self.several(*(to_front(x, d, size) for x, d in zip(inputs, dims, strict=True)), **params)
        return outs, [0] * len(outs)


class PhaseCheck(Phases):
    """phase_check(g, v, [h, w]; name): g and h, checked as `phases` says; the routine is
    compiler/routines/phases.py.
    """

    name = "phase_check"

    def transpose(self, cts: Tangents, inputs: Operands, *, name: str) -> Tangents:
        return [x for g, t in zip(cts, inputs[::2], strict=True) for x in (instantiate(g, t), None)]


refuse, phases, phase_check = register(Refuse()), register(Phases()), register(PhaseCheck())
