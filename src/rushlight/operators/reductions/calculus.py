"""Differences, integrals and products along a dimension: diff, gradient, trapezoid, cross, renorm, vander and the
like.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rushlight.core import dtypes as dt
from rushlight.core.tensor import Tensor
from rushlight.core.warning import warn
from rushlight.operators.reductions.scan import in_running_dtype
from rushlight.operators.shapes.view import sliced
from rushlight.operators.table.body import refuse_kinds, wide, wrap_dim, wrap_dims
from rushlight.operators.table.checks import (
    check_argument,
    check_choice,
    check_least,
    check_least_rank,
    check_positive,
    check_rank,
    check_that,
)
from rushlight.operators.table.define import METHODS, TABLE, eager, operator
from rushlight.operators.table.precompile import orders
from rushlight.operators.table.tracer import P, Tracer, align, convert, default_dtype, result_type
from rushlight.operators.table.types import Ints, Number
from rushlight.program.sym import hint, hints


def neighbours(x: Tensor, dim: int) -> tuple[Tracer, Tracer]:
    """The slices along `dim` that have a successor, and the successors."""
    n = x.var.shape[dim]
    return sliced(x, dim, 0, n - 1), sliced(x, dim, 1, n - 1)


# ---------------------------------------------------------------------------------------------------------- differences
@operator()
def diff(
    input: Tensor, n: int = 1, dim: int = -1, prepend: Tensor | None = None, append: Tensor | None = None
) -> Tensor:
    """The n-th differences of neighbours along `dim`: input[i + 1] - input[i], n times over (of bools: whether they
    differ).

    Args:
        prepend, append: put before and after input first; of its shape apart from `dim`.

    Raises:
        RuntimeError: for a 0-d input or a negative n.
    """
    if not isinstance(input, Tensor) or input.ndim == 0:
        raise RuntimeError("diff(): 'input' must have at least 1 dimension; found a 0-d tensor")
    check_least("diff", "n", n, 0)
    d = wrap_dim(dim, input.ndim, "diff")
    x = input
    if n and (prepend is not None or append is not None):
        for given, what in ((prepend, "prepend"), (append, "append")):
            if given is not None and given.ndim != input.ndim:
                raise RuntimeError(
                    f"diff(): '{what}' must have as many dimensions as 'input', {input.ndim}; found {given.ndim}"
                )
        x = TABLE["cat"]([t for t in (prepend, input, append) if t is not None], d)
    for _ in range(n):
        if x.var.shape[d] == 0:
            break
        low, high = neighbours(x, d)
        x = low != high if x.dtype.kind == "b" else high - low
    return convert(x, x.dtype) if x is not input else P.reshape(x, shape=x.var.shape)


@eager(method=False)
def gradient(input: Tensor, *, spacing: Any = None, dim: Any = None, edge_order: int = 1) -> tuple[Tensor, ...]:
    """Estimates of the partial derivatives of a function given by its values on a grid, one tensor a dimension.

    Central differences inside (of second order, on uneven grids too), one-sided ones of order `edge_order` (1 or 2) at
    the ends.

    Args:
        input: any dtype but uint8.
        spacing: a number, one per dimension, or a 1-d tensor of coordinates per dimension.
        dim: int or ints; default all.

    Source:
        Fornberg, "Generation of finite difference formulas on arbitrarily spaced grids", 1988.
    """
    check_argument(
        input.dtype is not dt.uint8, "gradient()", "input", "be of a dtype that holds negative differences", input.dtype
    )
    check_choice("gradient", "edge_order", edge_order, (1, 2))
    dims = range(input.ndim) if dim is None else wrap_dims(dim, input.ndim, "gradient")
    steps: Sequence[Any] = (
        [1 if spacing is None else spacing] * len(dims) if not isinstance(spacing, (tuple, list)) else spacing
    )
    if len(steps) != len(dims):
        raise RuntimeError(
            f"gradient(): 'spacing' must be a number or a list with one entry for each of the {len(dims)} "
            f"dimensions; found {len(steps)} entries"
        )
    for k, h in zip(dims, steps, strict=True):
        size = input.shape[k]
        if size < edge_order + 1:
            raise RuntimeError(
                f"gradient(): edge_order={edge_order} needs {edge_order + 1} points along each dimension; found "
                f"{size} in dimension {k}"
            )
        if isinstance(h, Tensor) and h.ndim and tuple(h.shape) != (size,):
            raise RuntimeError(
                f"gradient(): 'spacing' must give {size} coordinates for dimension {k}, a vector; found the shape "
                f"{list(h.shape)}"
            )
    return tuple(
        [
            _gradient(input, METHODS["diff"](h) if isinstance(h, Tensor) and h.ndim else h, k, edge_order)
            for k, h in zip(dims, steps, strict=True)
        ]
    )


def _gradient(f: Tensor, h: Any, dim: int, edge_order: int) -> Tensor:
    """Along one dimension; h: the step, or a tensor of the steps between neighbours."""
    n = f.shape[dim]
    shape = [1] * f.ndim
    shape[dim] = -1

    def at(start: int, size: int) -> Tensor:
        return f.narrow(dim, start, size)

    def step(start: int, size: int) -> Any:
        return h.narrow(0, start, size).reshape(shape) if isinstance(h, Tensor) and h.ndim else h

    def end(first: int, second: int, third: int, near: Any, far: Any) -> Any:
        if edge_order == 1:
            return (at(second, 1) - at(first, 1)) / near
        if not (isinstance(h, Tensor) and h.ndim):
            return (at(second, 1) * 2 - at(first, 1) * 1.5 - at(third, 1) * 0.5) / near
        both = near + far
        return (
            at(second, 1) * (both / (near * far))
            - at(first, 1) * ((near + both) / (near * both))
            - at(third, 1) * (near / (far * both))
        )

    last = n - 1
    parts = [end(0, 1, 2, step(0, 1), step(1, 1) if edge_order == 2 else None)]
    if n > 2:
        if isinstance(h, Tensor) and h.ndim:
            a, b = (s if s.dtype.kind in "fc" else s.to(default_dtype()) for s in (step(0, n - 2), step(1, n - 2)))
            parts.append(
                (at(2, n - 2) * (a * a) + at(1, n - 2) * (b * b - a * a) - at(0, n - 2) * (b * b)) / (a * b * (a + b))
            )
        else:
            parts.append((at(2, n - 2) - at(0, n - 2)) / (2 * h))
    back = end(last, last - 1, last - 2, step(last - 1, 1), step(last - 2, 1) if edge_order == 2 else None)
    return TABLE["cat"]([*parts, -back], dim)


# ------------------------------------------------------------------------------------------------------------ integrals
def _widths(y: Tensor, x: Tensor, dim: int, name: str) -> Tracer:
    """The distances between neighbouring coordinates, broadcastable with y's slices."""
    if x.ndim == 1:
        if x.var.shape[0] != y.var.shape[dim]:
            raise RuntimeError(
                f"{name}(): 'x' must have one value for each of the {hint(y.var.shape[dim])} points of 'y'; found "
                f"{hint(x.var.shape[0])}"
            )
        x = P.reshape(x, shape=tuple(x.var.shape[0] if k == dim else 1 for k in range(y.ndim)))
    elif x.ndim < y.ndim:
        x = P.reshape(x, shape=(*((1,) * (y.ndim - x.ndim)), *x.var.shape))
    low, high = neighbours(x, dim)
    return high - low


def _trapezoids(y: Tensor, x: Tensor | None, dx: Any, dim: int, name: str) -> tuple[Tracer, int, Any]:
    """Twice the area above each interval, not yet rounded to a half type; the dimension; the dtype of the result.

    Of integers each is an integer of their dtype, which wraps; their sums are to be int64.
    """
    check_argument(y.ndim != 0, f"{name}()", "y", "have at least 1 dimension", "a 0-d tensor", IndexError)
    if y.dtype.kind == "b" or (isinstance(x, Tensor) and x.dtype.kind == "b"):
        raise RuntimeError(f"{name}(): 'y' and 'x' must be numbers; found dtype torch.bool")
    d = wrap_dim(dim, y.ndim, name)
    width = dx if x is None else _widths(y, x, d, name)
    dtype = result_type(y, width, 0.5)
    left, right = neighbours(y, d)
    total = wide(left) + wide(right)
    if isinstance(width, Tracer) and not width.number and width.dtype.kind in "iu" and y.dtype.kind in "iu":
        return convert(total * width, dt.int64), d, dtype
    total, width = align(total, width, dtype=dtype.compute)
    return total * width, d, dtype


@operator(method=False)
def trapezoid(y: Tensor, x: Tensor | None = None, *, dx: Number = 1, dim: int = -1) -> Tensor:
    """The integral of y along `dim` by the trapezoidal rule.

    Args:
        x: coordinates of the points (1-d, or broadcastable with y).
        dx: their distance where x is not given.
    """
    if y.ndim and y.var.shape[wrap_dim(dim, y.ndim, "trapezoid")] == 0:
        d = wrap_dim(dim, y.ndim, "trapezoid")
        return P.reduce_sum(y, dims=(d,))
    area, d, dtype = _trapezoids(y, x, dx, dim, "trapezoid")
    # the sum of all, less half of the ends; their sum is one of y's dtype, which wraps
    if x is None and y.dtype.kind in "iu":
        n = y.var.shape[d]
        ends = sliced(y, d, 0, 1) + sliced(y, d, n - 1, 1)
        whole = P.reduce_sum(convert(y, dt.int64), dims=(d,))
        half = convert(P.reshape(ends, shape=whole.var.shape), dtype) * 0.5
        return (convert(whole, dtype) - half) * dx  # type: ignore[no-any-return]
    total = convert(P.reduce_sum(area, dims=(d,)), dtype.compute)
    return convert(total * 0.5, dtype)


@operator(method=False)
def trapz(y: Tensor, x: Tensor | None = None, *, dx: Number = 1, dim: int = -1) -> Tensor:
    """The same as `trapezoid`."""
    return trapezoid(y, x, dx=dx, dim=dim) if x is None else trapezoid(y, x, dim=dim)


@operator(method=False)
def cumulative_trapezoid(y: Tensor, x: Tensor | None = None, *, dx: Number = 1, dim: int = -1) -> Tensor:
    """The running integral of y along `dim` by the trapezoidal rule; one element less than y has.

    Args:
        x: coordinates of the points (1-d, or broadcastable with y).
        dx: their distance where x is not given.
    """
    if y.ndim and y.var.shape[d := wrap_dim(dim, y.ndim, "cumulative_trapezoid")] == 0:
        return convert(y, result_type(y, dx if x is None else x, 0.5))
    area, d, dtype = _trapezoids(y, x, dx, dim, "cumulative_trapezoid")
    total = convert(P.cumsum(in_running_dtype(area, area.dtype), dim=d, reverse=False), dtype.compute)
    return convert(total * 0.5, dtype)


# ------------------------------------------------------------------------------------------------- matrices and vectors
@operator(out=False)
def trace(input: Tensor) -> Tensor:
    """The sum of the diagonal of a matrix; integers and bools sum to int64."""
    check_rank("trace", "input", input, 2)
    refuse_kinds(input, "b", "trace")
    return METHODS["sum"](METHODS["diagonal"](input))


@operator()
def cross(input: Tensor, other: Tensor, dim: int | None = None) -> Tensor:
    """The vector product of the 3-vectors along `dim` (default: the first dimension of size 3); the other dimensions
    broadcast.

    Raises:
        RuntimeError: for different ranks or a dimension whose size is not 3.
    """
    if input.ndim != other.ndim:
        raise RuntimeError(f"cross(): 'input' and 'other' must be of one rank; found {input.ndim} and {other.ndim}")
    if dim is None:
        warn(
            "cross(): without 'dim' the first dimension of size 3 is taken, which is deprecated; give 'dim', or call "
            "linalg.cross(), which takes the last",
            once="cross without dim",
        )
        found = [k for k, s in enumerate(input.var.shape) if s == 3]
        check_that(
            found, "cross()", "without 'dim', a dimension of 'input'", "have the size 3", lambda: hints(input.var.shape)
        )
        d = found[0]
    else:
        d = wrap_dim(dim, input.ndim, "cross")
    if input.var.shape[d] != 3 or other.var.shape[d] != 3:
        raise RuntimeError(
            f"cross(): dimension {d} of 'input' and 'other' must have the size 3; found {hint(input.var.shape[d])} and "
            f"{hint(other.var.shape[d])}"
        )
    refuse_kinds(input, "b", "cross")
    if input.dtype is not other.dtype:
        raise RuntimeError(f"cross(): 'other' must be of the dtype of 'input', {input.dtype}; found {other.dtype}")
    a, b = align(input, other)
    x, y = ([sliced(v, d, k, 1) for k in range(3)] for v in (a, b))
    rows = [x[i] * y[j] - x[j] * y[i] for i, j in ((1, 2), (2, 0), (0, 1))]
    return P.concatenate(*rows, dim=d)


@operator(inplace=True, precompile=orders("p"), memory_format="rows")
def renorm(input: Tensor, p: float, dim: int, maxnorm: float) -> Tensor:
    """input with every slice along `dim` whose p-norm exceeds maxnorm scaled down to it.

    Raises:
        RuntimeError: for p <= 0, a negative maxnorm, or fewer than two dimensions.
    """
    check_positive("renorm", "p", p)
    check_least("renorm", "maxnorm", maxnorm, 0)
    check_least_rank("renorm", "input", input, 2)
    refuse_kinds(input, "bui", "renorm")
    d = wrap_dim(dim, input.ndim, "renorm")
    dims = tuple(k for k in range(input.ndim) if k != d)
    x = convert(input, input.dtype.compute)
    norm = TABLE["norm"](x, p, dims, keepdim=True)
    bound = P.broadcast_in_dim(convert(maxnorm, norm.dtype), shape=norm.var.shape, dims=())
    # The small constant is that of the specification: it keeps the scaled norm just below maxnorm.
    factor = P.select(norm > bound, bound / (norm + 1e-07), 1.0)
    wide = P.broadcast_in_dim(P.reshape(factor, shape=(x.var.shape[d],)), shape=x.var.shape, dims=(d,))
    return convert(x * convert(wide, x.dtype), input.dtype)


@eager(method=False)
def vander(x: Tensor, N: int | None = None, increasing: bool = False) -> Tensor:
    """The matrix whose columns are the powers N - 1 ... 0 of x (0 ... N - 1 if `increasing`).

    Args:
        x: 1-d.
        N: number of columns; default as many as rows.
    """
    check_rank("vander", "x", x, 1)
    n = x.shape[0] if N is None else N
    if n < 0:
        raise RuntimeError(f"vander(): 'N' must be at least 0; found {N}")
    powers = METHODS["pow"](
        METHODS["unsqueeze"](x if x.dtype.kind in "fc" else x.to(dt.int64), 1), TABLE["arange"](n, device=x.device)
    )
    return powers if increasing else METHODS["flip"](powers, (1,))


@operator(namespace=None, varargs="size", out=False)
def sum_to_size(input: Tensor, size: Ints) -> Tensor:
    """input summed over the dimensions that broadcasting from `size` to its shape would have made.

    Raises:
        RuntimeError: `size` does not broadcast to input's shape.
    """
    want = tuple(size) if isinstance(size, (tuple, list)) else (size,)
    shape = input.var.shape
    extra = len(shape) - len(want)
    if extra < 0 or any(not (w == 1 or w == s) for w, s in zip(want, shape[max(extra, 0) :], strict=False)):
        raise RuntimeError(
            f"sum_to_size(): 'size' must broadcast to {hints(shape)}, the shape of 'input'; found {hints(want)}"
        )
    dims = (*range(extra), *(extra + k for k, w in enumerate(want) if w == 1 and not shape[extra + k] == 1))
    if not dims and want:
        return P.reshape(input, shape=shape)
    x = convert(input, dt.int64 if input.dtype.kind in "biu" else input.dtype.compute)
    return convert(
        P.reshape(P.reduce_sum(x, dims=dims), shape=want), dt.int64 if input.dtype.kind in "biu" else input.dtype
    )
