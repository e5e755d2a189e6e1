"""Norms of matrices and vectors."""

from __future__ import annotations

import math
from typing import Any

from rushlight.core import dtypes as dt
from rushlight.core.tensor import Tensor
from rushlight.core.warning import warn
from rushlight.operators.reductions.reduction import root, square_of
from rushlight.operators.table.body import count_of, dims_of, keep, wide, wrap_dims
from rushlight.operators.table.checks import check_argument, check_kind, check_that
from rushlight.operators.table.define import TABLE, eager, operator
from rushlight.operators.table.precompile import orders
from rushlight.operators.table.tracer import P, RealNumber, Tracer, align, convert, filled, pinned
from rushlight.operators.table.types import Dims, Real

_ORDERS = ("fro", "nuc", 2, -2, 1, -1, math.inf, -math.inf)


def _spectral(x: Tensor, order: Any, name: str) -> Tracer:
    """The norms that singular values give, of matrices in the last two dimensions."""
    s = P.svd(x, full=False, check=name, vectors=False)[1]
    last = (s.ndim - 1,)
    if order == "nuc":
        return P.reduce_sum(s, dims=last)
    return _extreme(s, order == 2, name)


def _extreme(s: Tensor, greatest: bool, name: str) -> Tracer:
    """The greatest or the least of non-negative numbers in the last dimension; the greatest of none is 0."""
    last = s.ndim - 1
    if s.shape[last] == 0:
        if not greatest:
            raise IndexError(
                f"{name}: the least of no numbers: expected a reduction over dimensions with elements; found a matrix "
                f"of the shape {tuple(s.shape)}"
            )
        return P.reduce_sum(s, dims=(last,))
    return P.reduce_max(s, dims=(last,)) if greatest else P.reduce_min(s, dims=(last,))


def matrix_norm_of(x: Tracer, order: Any, name: str) -> Tracer:
    """A norm of matrices in the last two dimensions."""
    rows, columns = x.ndim - 2, x.ndim - 1
    if order == "fro":
        return vector_norm(x, 2.0, (rows, columns), False)
    if order in ("nuc", 2, -2):
        return _spectral(x, order, name)
    # 1: the greatest sum of a column; inf: of a row; the least of them for -1 and -inf.
    over = rows if abs(order) == 1 else columns
    sums = P.reduce_sum(P.abs(x), dims=(over,))
    return _extreme(sums, order > 0, name)


def _matrix_norm(name: str, A: Tensor, order: Any, dim: Any, keepdim: bool, dtype: dt.dtype | None) -> Tracer:
    check_that(A.dtype.kind in "fc", name, "A", "be of a float or complex dtype", A.dtype)
    check_that(A.ndim >= 2, name, "A", "hold matrices, in 2 dimensions or more", f"a {A.ndim}-d tensor")
    check_argument(order in _ORDERS, name, "ord", lambda: f"be one of {', '.join(map(repr, _ORDERS))}", repr(order))
    dims = (dim,) if isinstance(dim, int) else tuple(dim)
    check_argument(len(dims) == 2, name, "dim", "be the two dimensions of the matrices", dims)
    a, b = wrap_dims(dims, A.ndim, name)
    _check_cast(name, A, dtype)
    x = convert(A, dtype or A.dtype)
    real = x.dtype.to_real()
    x = wide(x)
    y = matrix_norm_of(P.permute(x, perm=(*(d for d in range(x.ndim) if d not in (a, b)), a, b)), order, name)
    return convert(keep(y, x, tuple(sorted((a, b))), keepdim), real)


def _check_cast(name: str, x: Tensor, dtype: dt.dtype | None) -> None:
    if dtype is None:
        return
    check_argument(dtype.kind in "fc", name, "dtype", "be a float or complex dtype", dtype)
    check_argument(x.dtype.kind != "c" or dtype.kind == "c", name, "dtype", "be complex, as A is", dtype)
    check_argument(x.dtype.kind != "f" or dtype.kind != "c", name, "dtype", "be real, as A is", dtype)


@operator(namespace="linalg", method=False, shape_class="linalg")
def matrix_norm(
    A: Tensor, ord: Any = "fro", dim: Dims = (-2, -1), keepdim: bool = False, *, dtype: dt.dtype | None = None
) -> Tensor:
    """A norm of matrices: "fro", "nuc" (the sum of singular values), 2 and -2 (the greatest and least of them), 1 and
    -1 (the greatest and least sum of a column's absolute values), inf and -inf (of a row's).

    Args:
        A: floating point or complex.
        dim: the two dimensions of the matrices.
        keepdim: keep them with size 1.
        dtype: cast to it first.

    Raises:
        RuntimeError: for an order or dimensions that do not fit.
    """
    return _matrix_norm("linalg.matrix_norm", A, ord, dim, keepdim, dtype)


@operator(
    name="norm", namespace="linalg", method=False, shape_class="linalg", zero_gradient=True, precompile=orders("ord")
)
def linalg_norm(
    A: Tensor, ord: Real = None, dim: Dims = None, keepdim: bool = False, *, dtype: dt.dtype | None = None
) -> Tensor:
    """A vector norm over one dimension, or a matrix norm over two.

    Args:
        ord: None for the 2-norm of all elements (or over `dim`); else an order of linalg.vector_norm for one dimension,
            of linalg.matrix_norm for two.
        dim: an int, or one or two ints; None: 1-d or 2-d input, or no ord.
        keepdim, dtype: as there.
    """
    name = "linalg.norm"
    check_that(A.dtype.kind in "fc", name, "A", "be of a float or complex dtype", A.dtype)
    dims = None if dim is None else (dim,) if isinstance(dim, int) else tuple(dim)
    if ord is not None:
        if dims is not None and len(dims) not in (1, 2):
            raise RuntimeError(f"{name}: 'dim' must be 1 or 2 dimensions where 'ord' is given; found {list(dims)}")
        if dims is None and A.ndim not in (1, 2):
            raise RuntimeError(
                f"{name}: 'dim' must be given with 'ord', unless A is a vector or a matrix; found a {A.ndim}-d tensor"
            )
        if isinstance(ord, str) or (len(dims) if dims is not None else A.ndim) == 2:
            if isinstance(ord, str) and ord not in ("fro", "nuc"):
                raise RuntimeError(f"{name}: 'ord' must be a number, 'fro' or 'nuc'; found {ord!r}")
            return _matrix_norm(name, A, pinned(ord), (-2, -1) if dims is None else dims, keepdim, dtype)
    _check_cast(name, A, dtype)
    return _vector(name, A, 2.0 if ord is None else ord, dims, keepdim, dtype)


def _vector(name: str, A: Tensor, order: Any, dim: Any, keepdim: bool, dtype: dt.dtype | None) -> Tracer:
    """A vector norm of a tensor that is cast first."""
    x = convert(A, dtype or A.dtype)
    return convert(vector_norm(wide(x), order, dims_of(x, dim, name), keepdim), x.dtype.to_real())


def nuclear(name: str, x: Tensor, dim: Any, keepdim: bool, dtype: dt.dtype | None = None) -> Tracer:
    """The nuclear norm over two dimensions (default: of a matrix)."""
    if dim is None and x.ndim != 2:
        raise RuntimeError(f"{name}(): 'dim' must be given, unless the tensor is a matrix; found a {x.ndim}-d tensor")
    return _matrix_norm(name, x, "nuc", (0, 1) if dim is None else dim, keepdim, dtype)


@operator(method=False, shape_class="linalg")
def nuclear_norm(input: Tensor, dim: Dims = None, keepdim: bool = False) -> Tensor:
    """The sum of the singular values of a matrix, or of the matrices in two dimensions."""
    warn("nuclear_norm() is deprecated; write linalg.matrix_norm(A, 'nuc', dim, keepdim)", once="nuclear_norm")
    if isinstance(dim, bool):  # nuclear_norm(x, keepdim)
        return nuclear("nuclear_norm", input, None, dim)
    return nuclear("nuclear_norm", input, dim, keepdim)


def vector_norm(x: Tracer, p: Any, dims: tuple[int, ...], keepdim: bool) -> Tracer:
    """(sum |x|^p)^(1/p) over dims; p inf, -inf, 0 and any other number. The derivative at zero is 0."""
    a = P.abs(x) if x.dtype.kind != "b" else convert(x, dt.float32)
    if p == math.inf or p == -math.inf:
        if count_of(x, dims) == 0:
            raise RuntimeError(
                f"norm(): 'x' must have elements for ord={p}, whose least and greatest of none are not defined; "
                "found none (linalg.vector_norm)"
            )
        y = P.reduce_max(a, dims=dims) if p > 0 else P.reduce_min(a, dims=dims)
    elif p == 0:
        y = P.reduce_sum(convert(a != 0, a.dtype), dims=dims)
    elif p == 1:
        y = P.reduce_sum(a, dims=dims)
    elif p == 2:
        y = root(P.reduce_sum(square_of(x), dims=dims))
    else:
        zero = a == 0
        powers = P.pow(P.select(zero, 1, a), filled(p, a))
        # |x|^p at 0 is 0 (inf for p < 0), with derivative 0.
        powers = P.select(zero, filled(0.0 if p > 0 else math.inf, a), powers)
        total = P.reduce_sum(powers, dims=dims)
        none = total == 0
        y = P.select(none, 0, P.pow(P.select(none, 1, total), filled(1.0 / p, total)))
    return keep(y, x, dims, keepdim)


def _p_of(p: Any, name: str) -> RealNumber | float:
    if p is None or p == "fro":
        return 2.0
    if not isinstance(p, (int, float, RealNumber)):
        raise RuntimeError(f"{name}(): 'p' must be a number, 'fro' or 'nuc'; found {p!r}")
    return p if isinstance(p, RealNumber) else float(p)


@operator(shape_class="reduction", zero_gradient=True, precompile=orders("p"))
def norm(
    input: Tensor, p: Real = "fro", dim: Dims = None, keepdim: bool = False, dtype: dt.dtype | None = None
) -> Tensor:
    """The vector norm (sum |x|^p)^(1/p) over dimensions, or the nuclear norm.

    Args:
        input: floating point or complex.
        p: a number (inf, -inf and 0 too), "fro" for 2, "nuc" for the sum of a matrix's singular values.
        dim: int, sequence (two for "nuc") or None for all.
        keepdim: keep the dimensions with size 1.
        dtype: cast to it first.
    """
    if p == "nuc":
        return nuclear("norm", input, dim, keepdim, dtype)
    check_kind("norm", "input", input, "fc")
    return _vector("norm", input, _p_of(p, "norm"), dim, keepdim, dtype)


@operator(
    name="vector_norm",
    namespace="linalg",
    method=False,
    shape_class="reduction",
    zero_gradient=True,
    precompile=orders("ord"),
)
def _vector_norm(
    x: Tensor, ord: float = 2, dim: Dims = None, keepdim: bool = False, *, dtype: dt.dtype | None = None
) -> Tensor:
    """The vector norm (sum |x|^ord)^(1/ord) over dimensions.

    Args:
        x: floating point or complex.
        ord: a number (inf, -inf and 0 too).
        dim: int, sequence or None for all.
        keepdim: keep the dimensions with size 1.
        dtype: cast to it first.
    """
    check_argument(x.dtype.kind in "fc", "linalg.vector_norm", "x", "be of a float or complex dtype", x.dtype)
    return _vector("linalg.vector_norm", x, _p_of(ord, "linalg.vector_norm"), dim, keepdim, dtype)


@operator(shape_class="reduction")
def dist(input: Tensor, other: Tensor, p: float = 2) -> Tensor:
    """The p-norm of input - other (broadcast), over all elements."""
    if p is None:
        raise TypeError("dist(): argument 'p' (position 3) must be Number, not NoneType")
    if "b" in (input.dtype.kind, other.dtype.kind):
        raise RuntimeError("dist(): 'input' and 'other' must hold numbers; found bools, which are not subtracted")
    a, b = align(input, other)
    x = wide(a) - wide(b)
    return convert(vector_norm(x, _p_of(p, "dist"), tuple(range(x.ndim)), False), a.dtype.to_real())


@eager(method=False, checked=True)
def norm_except_dim(v: Tensor, pow: int = 2, dim: int = 0) -> Tensor:
    """The pow-norm over all dimensions but one, kept with size 1; dim: -1 for the norm over all."""
    if dim == -1:
        return TABLE["norm"](v, pow)
    if not 0 <= dim < v.ndim:
        raise IndexError(f"norm_except_dim(): 'dim' must be in [-1, {v.ndim - 1}] for a {v.ndim}-d tensor; found {dim}")
    return TABLE["norm"](v, pow, [d for d in range(v.ndim) if d != dim], True) if v.ndim > 1 else v.abs()


@eager(method=False, checked=True)
def frobenius_norm(input: Tensor, dim: Any, keepdim: bool = False) -> Tensor:
    """The 2-norm over dimensions; an empty list means all."""
    warn("frobenius_norm() is deprecated; write linalg.vector_norm(A, 2, dim, keepdim)", once="frobenius_norm")
    return TABLE["norm"](input, 2, dim, keepdim)
