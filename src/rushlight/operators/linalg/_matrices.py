"""What the families of linear algebra share: checks of their operands, and small matrix helpers on tracers."""

from __future__ import annotations

from typing import Any

import rushlight.prims.lapack_base as rules  # (`from rushlight.prims import` would load all families)
from rushlight.core import dtypes as dt
from rushlight.core.tensor import Tensor
from rushlight.operators.linalg.matmul import product, reshape, sizes, transposed
from rushlight.operators.table.body import wide
from rushlight.operators.table.tracer import P, Tracer, broadcast_shapes, convert, expand_to, filled, tracer, var_of
from rushlight.program.sym import Int, hint, prod

EPSILON = {"float32": 2.0**-23, "float64": 2.0**-52, "complex64": 2.0**-23, "complex128": 2.0**-52}


def check_matrix(name: str, x: Tensor, argument: str = "A", square: bool = False) -> None:
    """RuntimeError unless x is a batch of (square) matrices of floating point or complex numbers."""
    if x.ndim < 2:
        raise RuntimeError(f"{name}: {argument} must hold matrices, in 2 dimensions or more; found a {x.ndim}-d tensor")
    if x.dtype.kind not in "fc":
        raise RuntimeError(f"{name}: {argument} must be of a float or complex dtype; found {x.dtype}")
    if square and x.shape[-1] != x.shape[-2]:
        raise RuntimeError(
            f"{name}: the matrices of {argument} must be square; found {hint(x.shape[-2])} x {hint(x.shape[-1])}"
        )


def matrix(name: str, x: Tensor, argument: str = "A", square: bool = False) -> Tracer:
    """x, checked, in a dtype that LAPACK has: half precision is computed in float32 and rounded at the end."""
    check_matrix(name, x, argument, square)
    return wide(x)


def like(y: Tracer, x: Tensor) -> Tracer:
    """A result in the dtype of x, or in its real counterpart when the result is real."""
    if x.dtype.kind == "c":
        return convert(y, x.dtype if y.dtype.kind == "c" else x.dtype.to_real())
    return y if y.dtype.kind == "c" else convert(y, x.dtype)


def check_pivots(name: str, pivots: Tensor, factors: Tensor, what: str) -> None:
    """RuntimeError for pivots that are not of the shape that those of a factorization have."""
    if pivots.ndim != factors.ndim - 1 or any(x != z for x, z in zip(pivots.shape, factors.shape[:-1], strict=True)):
        raise RuntimeError(
            f"{name}: 'pivots' must have the shape of {what} without its last dimension; found {sizes(pivots)} for "
            f"{sizes(factors)}"
        )


def adjoint(x: Tensor) -> Tracer:
    """The conjugate transpose of tracers."""
    y = transposed(x)
    return P.conj(y) if y.dtype.kind == "c" else y


def eye_like(x: Tensor, rows: Int, columns: Int) -> Tracer:
    """Identity matrices with the batch and dtype of x."""
    shape = (*x.var.shape[:-2], rows, columns)
    n = len(shape)
    i, j = (P.iota(shape=shape, dim=n - k, dtype=dt.int64) for k in (2, 1))
    return convert(i == j, x.dtype)


def lifted(rule: Any, *xs: Any, **params: Any) -> Tracer:
    """A function of program values applied to tracers."""
    return tracer(rule(*map(var_of, xs), **params))


def triangle(x: Tensor, upper: bool, strict: bool = False) -> Tracer:
    """One triangle of the matrices, zeros elsewhere."""
    return lifted(rules.triangle, x, up=upper, strict=strict)


def diagonal_of(x: Tensor) -> Tracer:
    """The diagonal of the matrices."""
    return lifted(rules.diagonal, x)


def part(x: Tensor, dim: int, start: Int, size: Int) -> Tracer:
    """A range of rows (dim -2) or columns (-1)."""
    return lifted(rules.part, x, dim=dim, start=start, size=size)


def scaled_columns(x: Tensor, s: Tensor) -> Tracer:
    """x diag(s)."""
    return x * convert(lifted(rules.rows_of, s, like=var_of(x)), x.dtype)


def broadcast_batches(*xs: Tensor) -> list[Tracer]:
    """Matrices with their batch dimensions broadcast to one shape."""
    batch = broadcast_shapes(*(x.var.shape[:-2] for x in xs))
    return [expand_to(x, (*batch, *x.var.shape[-2:])) for x in xs]


def solve_shapes(name: str, a: Tensor, b: Tensor, left: bool) -> None:
    """RuntimeError unless a X = b (or X a = b) makes sense for matrices."""
    if a.shape[-1] != b.shape[-2 if left else -1]:
        equation = "AX = B" if left else "XA = B"
        raise RuntimeError(
            f"{name}: in {equation}, A and B must have as many {'rows' if left else 'columns'}; found "
            f"{hint(a.shape[-2])} x {hint(a.shape[-1])} "
            f"and {hint(b.shape[-2])} x {hint(b.shape[-1])}"
        )


__all__ = [
    "EPSILON",
    "adjoint",
    "broadcast_batches",
    "check_matrix",
    "convert",
    "diagonal_of",
    "eye_like",
    "filled",
    "hint",
    "lifted",
    "like",
    "matrix",
    "part",
    "prod",
    "product",
    "reshape",
    "scaled_columns",
    "sizes",
    "solve_shapes",
    "transposed",
    "triangle",
]
